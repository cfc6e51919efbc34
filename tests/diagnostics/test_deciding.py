import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.diagnostics.deciding import labels_to_decide, labels_to_overturn, side_of
from rewardgate.diagnostics.intervals import jeffreys
from rewardgate.errors import ArgumentError

COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
THRESHOLDS = st.sampled_from([0.05, 0.5, 0.9, 0.95])


@given(COUNTS, THRESHOLDS)
def test_the_side_is_that_of_jeffreys_interval(counts: tuple[int, int], threshold: float) -> None:
    n, x = counts
    low, high = jeffreys(x, n)
    assert side_of(threshold, n, x) == (1 if low > threshold else -1 if high < threshold else 0)


@pytest.mark.parametrize(
    ("n", "x", "threshold"), [(59, 59, 0.95), (70, 70, 0.95), (12, 3, 0.9), (30, 0, 0.1), (40, 30, 0.5), (9, 5, 0.5)]
)
def test_the_least_number_that_overturns_is_found_by_counting(n: int, x: int, threshold: float) -> None:
    side, more = side_of(threshold, n, x), 0
    found = labels_to_overturn(n, x, threshold=threshold)
    if side == 0:
        assert found is None
        return
    while side_of(threshold, n + more, x + more * (side < 0)) == side:
        more += 1
    assert found == more


@pytest.mark.parametrize(("n", "x"), [(5, 0), (20, 20), (40, 30)])
def test_the_least_number_that_decides_is_found_by_counting(n: int, x: int) -> None:
    more = 0
    while side_of(0.9, n + more, x * (n + more) / n) == 0:
        more += 1
    assert labels_to_decide(n, x, threshold=0.9) == more


def test_a_rate_at_the_threshold_is_decided_by_no_number_of_labels() -> None:
    assert labels_to_decide(20, 10, threshold=0.5) is None


def test_the_zero_failure_plan_puts_the_rate_above_and_one_failure_takes_it_back() -> None:
    assert side_of(0.95, 59, 59) == 1
    assert labels_to_overturn(59, 59, threshold=0.95) == 1
    assert side_of(0.95, 60, 59) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 0, 0), r"x: expected a number in 0\.\.n with n above 0, got 0 of 0"),
        ((0.5, 3, 4), r"x: expected a number in 0\.\.n with n above 0, got 4 of 3"),
        ((1.0, 3, 2), r"threshold: expected a number in \(0, 1\), got 1.0"),
    ],
)
def test_numbers_outside_their_ranges_are_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        side_of(*arguments)
