from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, betaincinv

from rewardgate.diagnostics.posteriors import chance_below, chance_of_mixed, credible_intervals
from rewardgate.errors import ArgumentError

PARAMETERS = st.floats(0.01, 5000)


def test_tails_are_those_of_closed_forms() -> None:
    # Beta(1, b): P(p < x) = 1 - (1 - x)^b.  Beta(a, 1): x^a.
    assert chance_below(1, 9, 0.1) == pytest.approx(1 - 0.9**9, abs=1e-12)
    assert chance_below(4, 1, 0.9) == pytest.approx(0.9**4, abs=1e-12)
    assert chance_below([0.5, 7, 7], [0.5, 7, 7], [0.5, 0.5, 0.0]).tolist() == pytest.approx([0.5, 0.5, 0.0])


@given(PARAMETERS, PARAMETERS, st.floats(0, 1))
def test_tails_agree_with_scipy(a: float, b: float, x: float) -> None:
    assert chance_below(a, b, x) == pytest.approx(betainc(a, b, x), abs=1e-9)


def test_arrays_broadcast_and_are_judged_entry_by_entry() -> None:
    a, b, x = np.array([[0.5], [40.0]]), np.array([0.5, 3.0, 300.0]), 0.3
    alone = [[chance_below(first, second, x) for second in b] for first in a[:, 0]]
    assert chance_below(a, b, x) == pytest.approx(np.array(alone), abs=1e-12)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_intervals_hold_their_share_and_leave_the_same_on_both_sides(confidence: float) -> None:
    a, b = (values.ravel() for values in np.meshgrid([0.3, 0.5, 1, 7.25, 200], [0.3, 0.5, 1, 30, 2000]))
    low, high = credible_intervals(a, b, confidence=confidence)
    tail = (1 - confidence) / 2
    assert low == pytest.approx(betaincinv(a, b, tail), abs=1e-9)
    assert high == pytest.approx(betaincinv(a, b, 1 - tail), abs=1e-9)


def test_equal_posteriors_get_equal_intervals_wherever_they_stand() -> None:
    low, high = credible_intervals([[2.5, 0.5], [2.5, 9.0]], [[6.5, 8.5], [6.5, 1.0]])
    assert low.shape == high.shape == (2, 2)
    assert (low[0, 0], high[0, 0]) == (low[1, 0], high[1, 0])
    assert (low < high).all()


def test_the_chance_of_a_mixed_group_is_the_sum_over_its_outcomes() -> None:
    # Uniform rate: every number of successes of 4 is equally likely, 1/5; three of the five are mixed.
    assert chance_of_mixed(1, 1, 4) == pytest.approx(3 / 5)
    # A rate that is known: 1 - p^8 - (1 - p)^8.
    assert chance_of_mixed(1e7, 3e7, 8) == pytest.approx(1 - 0.25**8 - 0.75**8, abs=1e-5)
    # Beta(2, 1), density 2p: P(k of 3) = C(3, k) 2 B(k + 2, 4 - k), summed over k = 1, 2.
    by_hand = sum(comb(3, k) * 2 / ((k + 1 + 4 - k) * comb(k + 1 + 3 - k, k + 1)) for k in (1, 2))
    assert chance_of_mixed(2, 1, 3) == pytest.approx(by_hand)
    assert chance_of_mixed(0.5, 0.5, 1) == 0


@pytest.mark.parametrize(
    ("a", "b", "x", "message"),
    [
        (0, 1, 0.5, "a: expected numbers above 0, got 0.0"),
        ([1, 2], [1, -2], 0.5, "b: expected numbers above 0, got -2.0"),
        (1, 1, 1.5, r"x: expected numbers in \[0, 1\], got 1.5"),
        (1, float("nan"), 0.5, "b: expected numbers above 0, got nan"),
    ],
)
def test_what_is_no_posterior_is_refused(a: object, b: object, x: object, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        chance_below(a, b, x)


def test_other_options_outside_their_range_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"confidence: expected a number in \(0, 1\), got 1"):
        credible_intervals(1, 1, confidence=1)
    with pytest.raises(ArgumentError, match="group_size: expected at least 1, got 0"):
        chance_of_mixed(1, 1, 0)
