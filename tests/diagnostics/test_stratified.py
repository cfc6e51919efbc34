from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardgate.diagnostics.intervals import clopper_pearson, jeffreys
from rewardgate.diagnostics.stratified import (
    StratumCounts,
    effective_counts,
    stratified_rate,
    stratified_ratio,
    zero_event_bound,
)
from rewardgate.diagnostics.support import rate_upper_bound
from rewardgate.errors import ArgumentError

STRATUM = st.tuples(st.integers(1, 5000), st.integers(1, 40), st.integers(0, 40)).map(
    lambda drawn: StratumCounts(max(drawn[0], drawn[1]), drawn[1], min(drawn[1], drawn[2]))
)
STRATA = st.lists(STRATUM, min_size=1, max_size=4)


def test_a_stratum_weighs_by_its_size_and_not_by_its_labels() -> None:
    # 900 of rate 0/40 and 100 of rate 10/20: 50 of 1000, where the labels alone say 10 of 60
    found = stratified_rate([StratumCounts(900, 40, 0), StratumCounts(100, 20, 10)])
    assert found.value == 0.05
    assert 0.02 < found.interval.low < 0.05 < found.interval.high < 0.15


@pytest.mark.parametrize(("n", "x"), [(59, 0), (59, 3), (20, 10), (8, 8)])
def test_one_large_stratum_has_jeffreys_interval(n: int, x: int) -> None:
    found = stratified_rate([StratumCounts(10_000_000, n, x)], draws=200_000)
    assert found.value == x / n
    assert found.interval == pytest.approx(jeffreys(x, n), abs=0.003)


def test_a_population_that_is_labelled_to_the_last_unit_leaves_no_doubt() -> None:
    found = stratified_rate([StratumCounts(10, 10, 3), StratumCounts(30, 30, 0)])
    assert (found.value, *found.interval) == (0.075, 0.075, 0.075)


def test_a_census_of_half_the_population_halves_the_doubt() -> None:
    # The rate of 40 units, 20 of them labelled, is uncertain in its other half alone.
    all_drawn = stratified_rate([StratumCounts(10_000_000, 20, 10)], draws=100_000).interval
    half_drawn = stratified_rate([StratumCounts(40, 20, 10)], draws=100_000).interval
    # variance (1 - 20/40) p q / n: 1/sqrt(2) of the width
    assert (half_drawn.high - half_drawn.low) / (all_drawn.high - all_drawn.low) == pytest.approx(0.707, abs=0.05)


@given(STRATA, st.sampled_from([0.8, 0.95]))
def test_the_interval_holds_the_estimate_and_lies_in_0_to_1(strata: list[StratumCounts], confidence: float) -> None:
    found = stratified_rate(strata, confidence=confidence, draws=1000)
    slow = sum(one.size * one.x / one.n for one in strata) / sum(one.size for one in strata)
    assert found.value == pytest.approx(slow)
    assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1
    assert (found.interval.low == 0) >= all(one.x == 0 for one in strata)
    assert (found.interval.high == 1) >= all(one.x == one.n for one in strata)


@settings(max_examples=10)
@given(STRATA)
def test_the_interval_mirrors_when_the_event_and_its_absence_swap(strata: list[StratumCounts]) -> None:
    mirrored = [one._replace(x=one.n - one.x) for one in strata]
    found, other = (stratified_rate(one, draws=5_000) for one in (strata, mirrored))
    assert found.interval.low == pytest.approx(1 - other.interval.high, abs=0.05)
    assert found.interval.high == pytest.approx(1 - other.interval.low, abs=0.05)


def test_the_same_seed_gives_the_same_interval_and_another_one_nearly_so() -> None:
    strata = [StratumCounts(500, 20, 3), StratumCounts(100, 20, 12)]
    first, again, other = (stratified_rate(strata, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert first.interval == pytest.approx(other.interval, abs=0.01)


def test_rates_of_nothing_in_many_small_strata_do_not_add_up() -> None:
    # With half an event too many in each of 10 strata the lower end would be at 0.03; the truth may be 1/60.
    strata = [StratumCounts(100, 6, 0)] * 9 + [StratumCounts(100, 6, 1)]
    assert stratified_rate(strata).interval.low < 0.005


def test_a_share_of_the_events_is_their_number_here_over_their_number_everywhere() -> None:
    # 400 * 4/40 = 40 right ones were refused, 600 * 30/30 = 600 were not
    found = stratified_ratio([StratumCounts(400, 40, 4)], [StratumCounts(600, 30, 30)])
    assert found.value == 40 / 640
    assert 0.01 < found.interval.low < found.value < found.interval.high < 0.16


def test_a_share_is_between_its_ends_where_one_side_has_no_event() -> None:
    none_here = stratified_ratio([StratumCounts(400, 40, 0)], [StratumCounts(600, 30, 20)])
    assert (none_here.value, none_here.interval.low) == (0, 0)
    assert 0 < none_here.interval.high < 0.2
    none_there = stratified_ratio([StratumCounts(400, 40, 30)], [StratumCounts(600, 30, 0)])
    assert (none_there.value, none_there.interval.high) == (1, 1)
    assert 0.8 < none_there.interval.low < 1


@given(STRATA, STRATA)
def test_the_two_shares_of_one_event_add_up_to_1(part: list[StratumCounts], rest: list[StratumCounts]) -> None:
    if not any(one.x for one in (*part, *rest)):
        with pytest.raises(ArgumentError, match="expected the event in at least one label"):
            stratified_ratio(part, rest)
        return
    here, there = stratified_ratio(part, rest, draws=1000), stratified_ratio(rest, part, draws=1000)
    assert here.value + there.value == pytest.approx(1)
    assert 0 <= here.interval.low <= here.value <= here.interval.high <= 1


@given(st.integers(1, 400), st.sampled_from([0.9, 0.95, 0.975]))
def test_the_bound_after_no_event_is_the_exact_one_in_one_stratum_however_it_is_cut(n: int, confidence: float) -> None:
    exact = rate_upper_bound(n, confidence=confidence)
    assert exact == pytest.approx(clopper_pearson(0, n, confidence=2 * confidence - 1).high)
    assert zero_event_bound([StratumCounts(10_000, n, 0)], confidence=confidence) == pytest.approx(exact)
    halves = [StratumCounts(5000, n, 0), StratumCounts(5000, n, 0)]
    both = rate_upper_bound(2 * n, confidence=confidence)
    assert zero_event_bound(halves, confidence=confidence) == pytest.approx(both)


@pytest.mark.parametrize("labels", [(2, 57), (10, 10), (40, 3), (1, 1)])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_bound_after_no_event_is_the_worst_of_all_rates_that_may_show_none(
    labels: tuple[int, int], share: float
) -> None:
    n, m = labels
    # all pairs of rates with (1-p)^n (1-q)^m = 0.05, by q's logarithm
    q = np.exp(np.linspace(log(0.05) / m, 0, 2_001))
    p = np.exp((log(0.05) - m * np.log(q)) / n)
    worst = float(np.max(1 - share * np.minimum(p, 1) - (1 - share) * q))
    found = zero_event_bound([StratumCounts(round(1000 * share), n, 0), StratumCounts(round(1000 * (1 - share)), m, 0)])
    assert found == pytest.approx(worst, abs=1e-3)


def test_unequal_weights_cost_labels() -> None:
    assert effective_counts([1, 0, 1], [2, 2, 2]) == (3, 2)
    # (3 + 1)^2 / (9 + 1) = 1.6 labels, of which the weighted mean is 3/4
    assert effective_counts([1, 0], [3, 1]) == pytest.approx((1.6, 1.2))
    assert effective_counts([1, 0], [3e-300, 1e-300]) == pytest.approx((1.6, 1.2))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 100)), min_size=1, max_size=30))
def test_effective_labels_are_never_more_than_the_labels(rows: list[tuple[float, float]]) -> None:
    values, weights = zip(*rows, strict=True)
    n, x = effective_counts(values, weights)
    assert 0 < n <= len(rows) + 1e-9
    assert 0 <= x <= n
    assert x / n == pytest.approx(np.average(values, weights=weights))


@pytest.mark.parametrize(
    ("strata", "options", "message"),
    [
        ([], {}, "strata: expected at least one, got none"),
        ([StratumCounts(9, 0, 0)], {}, "strata: expected a label in each, got 0 of 9"),
        ([StratumCounts(0, 1, 0)], {}, "strata: expected a size of at least 1, got 0"),
        ([StratumCounts(9, 2, 3)], {}, r"strata: expected events in 0\.\.2, got 3"),
        ([StratumCounts(9, 2, 1)], {"confidence": 1.0}, r"confidence: expected a number in \(0, 1\), got 1.0"),
        ([StratumCounts(9, 2, 1)], {"draws": 10}, "draws: expected at least 1000, got 10"),
    ],
)
def test_what_breaks_the_rules_is_refused_by_name(strata: list[StratumCounts], options: dict, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        stratified_rate(strata, **options)


@pytest.mark.parametrize(
    ("values", "weights", "message"),
    [
        ([], [], r"weights: expected one a value \(0\), at least one, got 0"),
        ([1, 0], [1], r"weights: expected one a value \(2\), at least one, got 1"),
        ([2], [1], r"values: expected numbers in \[0, 1\]"),
        ([float("nan")], [1], r"values: expected numbers in \[0, 1\]"),
        ([1], [0], "weights: expected finite numbers above 0"),
        ([1], [float("inf")], "weights: expected finite numbers above 0"),
    ],
)
def test_values_and_weights_that_break_the_rules_are_refused(values: list, weights: list, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        effective_counts(values, weights)
