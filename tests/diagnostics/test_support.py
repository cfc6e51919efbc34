from fractions import Fraction
from itertools import combinations
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.diagnostics import (
    BetaBinomial,
    chance_of_success,
    chance_of_success_after_none,
    group_kinds,
    mean_pass_at_k,
    pass_at_k,
    rate_upper_bound,
    samples_needed,
)
from rewardgate.errors import ArgumentError


@pytest.mark.parametrize("n", range(1, 8))
def test_pass_at_k_is_the_share_of_all_choices_of_k_with_a_success(n: int) -> None:
    for successes in range(n + 1):
        for k in range(1, n + 1):
            choices = list(combinations(range(n), k))
            share = Fraction(sum(min(choice) < successes for choice in choices), len(choices))
            assert pass_at_k(n, successes, k) == pytest.approx(float(share), abs=1e-15)


@given(st.integers(1, 300), st.data())
def test_pass_at_k_grows_with_k_and_with_successes(n: int, data: st.DataObject) -> None:
    successes, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    value = pass_at_k(n, successes, k)
    assert 0 <= value <= 1
    assert pass_at_k(n, successes, 1) == pytest.approx(successes / n)
    assert pass_at_k(n, successes, n) == float(successes > 0)
    if k < n:
        assert pass_at_k(n, successes, k + 1) >= value - 1e-12
    if successes < n:
        assert pass_at_k(n, successes + 1, k) >= value - 1e-12


def test_pass_at_k_is_unbiased() -> None:
    # E over c ~ Binomial(6, .3) of pass@3 is 1 - .7^3, summed exactly
    binomial = np.array([1.0])
    for _ in range(6):
        binomial = np.convolve(binomial, [0.7, 0.3])
    expected = sum(share * pass_at_k(6, c, 3) for c, share in enumerate(binomial))
    assert expected == pytest.approx(1 - 0.7**3)


def test_mean_pass_at_k_counts_scored_rollouts_and_says_how_many_prompts_it_left_out() -> None:
    # a: 1 of 3 scored, pass@2 = 1 - C(2,2)/C(3,2) = 2/3; b: 0 of 2, 0; c: one scored, left out; d: none, left out
    rewards = [1, 0, 0, None, 0, 0, 1, None, None]
    result = mean_pass_at_k(group_kinds(rewards, list("aaaabbccd")), 2)
    assert result == (pytest.approx(1 / 3), 2, 2)
    assert isnan(mean_pass_at_k(group_kinds(rewards, list("aaaabbccd")), 9).value)


def test_the_bound_after_no_success_is_the_rate_that_would_still_fail_one_time_in_twenty() -> None:
    bounds = [rate_upper_bound(failures) for failures in (4, 8, 16, 32, 64, 256)]
    assert bounds == pytest.approx([0.53, 0.31, 0.17, 0.089, 0.046, 0.012], abs=0.005)
    for failures, bound in zip((4, 8, 16), bounds, strict=False):
        assert (1 - bound) ** failures == pytest.approx(0.05)
    assert rate_upper_bound(0) == 1.0


def test_samples_needed_are_the_published_figures() -> None:
    assert [samples_needed(rate) for rate in (0.1, 0.05, 0.02, 0.01, 0.001)] == [29, 59, 149, 299, 2995]
    assert samples_needed(0.5, chance=0.75) == 2
    assert samples_needed(1.0) == 1
    assert samples_needed(0.99, chance=0.5) == 1


@given(st.floats(1e-6, 1), st.floats(0.01, 0.999))
def test_samples_needed_is_the_least_number_that_is_enough(rate: float, chance: float) -> None:
    needed = samples_needed(rate, chance=chance)
    assert chance_of_success(rate, needed) >= chance - 1e-9
    assert needed == 1 or chance_of_success(rate, needed - 1) < chance


@given(st.integers(1, 5000), st.floats(0.5, 0.999))
def test_the_bound_and_the_samples_needed_say_the_same(failures: int, confidence: float) -> None:
    assert samples_needed(rate_upper_bound(failures, confidence=confidence), chance=confidence) == failures


def test_the_chance_of_a_success_at_a_known_rate() -> None:
    assert chance_of_success(0.1, 24) == pytest.approx(1 - 0.9**24)
    assert (chance_of_success(0.0, 10), chance_of_success(1.0, 1), chance_of_success(1.0, 0)) == (0.0, 1.0, 0.0)
    assert chance_of_success(1e-18, 1) == pytest.approx(1e-18)  # 1 - (1 - p) would be 0


def test_under_a_uniform_prior_the_chance_after_failures_is_laplaces_rule() -> None:
    uniform = BetaBinomial(0.5, 1 / 3)
    # P(no success in m more | n failures) = (n + 1) / (n + m + 1)
    for failures, more in [(0, 1), (8, 1), (8, 32)]:
        chance = chance_of_success_after_none(uniform, failures=failures, more=more)
        assert chance == pytest.approx(more / (failures + more + 1))


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.integers(0, 64), st.integers(0, 64))
def test_more_failures_lower_the_chance_and_more_samples_raise_it(
    mean: float, rho: float, failures: int, more: int
) -> None:
    fit = BetaBinomial(mean, rho)
    chance = chance_of_success_after_none(fit, failures=failures, more=more)
    assert chance_of_success_after_none(fit, failures=failures + 1, more=more) <= chance + 1e-12
    assert chance_of_success_after_none(fit, failures=failures, more=more + 1) >= chance - 1e-12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pass_at_k(4, 1, 5), "k: expected 1..n with n = 4 scored samples, got 5"),
        (lambda: pass_at_k(4, 5, 1), "successes: expected 0..4, got 5"),
        (lambda: mean_pass_at_k(group_kinds([1], [0]), 0), "k: expected at least 1, got 0"),
        (lambda: rate_upper_bound(-1), "failures: expected a number of samples >= 0, got -1"),
        (lambda: rate_upper_bound(8, confidence=1), r"confidence: expected a number in \(0, 1\), got 1"),
        (lambda: samples_needed(0), r"rate: expected a number in \(0, 1\], got 0"),
        (lambda: samples_needed(0.1, chance=95), r"chance: expected a number in \(0, 1\), got 95"),
        (lambda: chance_of_success(1.1, 1), r"rate: expected a number in \[0, 1\], got 1.1"),
        (lambda: chance_of_success(0.1, -1), "samples: expected a number >= 0, got -1"),
    ],
)
def test_what_breaks_the_rules_is_refused_by_name(call, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()
