from math import comb, inf, isinf, lgamma, log

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from rewardgate.diagnostics import BetaBinomial, fit_beta_binomial, iid_degenerate_share
from rewardgate.errors import ArgumentError


def log_likelihood(successes: list[int], sizes: list[int], mean: float, rho: float) -> float:
    """sum_j log B(a + k, b + n - k) - log B(a, b), by log-gamma: another form than the library's products."""
    a, b = mean * (1 - rho) / rho, (1 - mean) * (1 - rho) / rho
    beta = lgamma(a) + lgamma(b) - lgamma(a + b)
    return sum(
        lgamma(a + k) + lgamma(b + n - k) - lgamma(a + b + n) - beta for k, n in zip(successes, sizes, strict=True)
    )


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 40))
def test_shares_are_probabilities_and_grow_with_the_correlation(mean: float, rho: float, size: int) -> None:
    mix = BetaBinomial(mean, rho)
    assert 0 <= mix.no_success(size) <= 1
    assert 0 <= mix.all_success(size) <= 1
    assert iid_degenerate_share(mean, size) - 1e-12 <= mix.degenerate(size) <= 1 + 1e-12


def test_one_rate_for_all_prompts_gives_powers_of_it() -> None:
    one = BetaBinomial(0.25, 0.0)
    assert one.no_success(3) == pytest.approx(0.75**3)
    assert one.all_success(3) == pytest.approx(0.25**3)
    assert isinf(one.a)
    assert one.b == inf
    assert iid_degenerate_share(0.25, 3) == pytest.approx(0.75**3 + 0.25**3)


def test_prompts_that_always_or_never_succeed_are_degenerate_at_every_size() -> None:
    extreme = BetaBinomial(0.3, 1.0)
    assert (extreme.a, extreme.b) == (0.0, 0.0)
    assert extreme.no_success(64) == pytest.approx(0.7)
    assert extreme.degenerate(64) == pytest.approx(1.0)
    assert extreme.no_further_success(1, 100) == 1.0


def test_a_group_of_one_or_none_is_degenerate_by_itself() -> None:
    assert BetaBinomial(0.4, 0.2).degenerate(1) == pytest.approx(1.0)
    assert BetaBinomial(0.4, 0.2).degenerate(0) == 1.0


def test_shares_are_ratios_of_beta_functions() -> None:
    # a = 0.31, b = 0.03, n = 8: B(a, b + 8) / B(a, b) by log-gamma
    a, b = 0.31, 0.03
    mix = BetaBinomial(a / (a + b), 1 / (a + b + 1))
    expected = np.exp(lgamma(b + 8) + lgamma(a + b) - lgamma(a + b + 8) - lgamma(b))
    assert mix.no_success(8) == pytest.approx(expected)
    assert (mix.a, mix.b) == (pytest.approx(a), pytest.approx(b))


@pytest.mark.parametrize("seed", range(6))
def test_the_fit_is_the_best_point_of_a_fine_grid(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sizes = generator.integers(1, 10, size=60).tolist()
    rates = generator.beta(0.4, 0.8, size=60)
    successes = [int(generator.binomial(n, p)) for n, p in zip(sizes, rates, strict=True)]
    fit = fit_beta_binomial(successes, sizes)
    assert fit is not None
    best = log_likelihood(successes, sizes, fit.mean, fit.rho)
    for mean in np.linspace(0.05, 0.95, 31):
        for rho in np.linspace(0.02, 0.98, 31):
            assert log_likelihood(successes, sizes, mean, rho) <= best + 1e-9


def likelihood_by_group(successes: list[int], sizes: list[int], mean: float, rho: float) -> float:
    """The same number as a product over the rollouts of each group, which is finite at rho = 0 too."""
    k, n, i = np.array(successes)[:, None], np.array(sizes)[:, None], np.arange(max(sizes))
    hit, miss, tried = (np.log(rate * (1 - rho) + i * rho) for rate in (mean, 1 - mean, 1.0))  # (i,)
    return float(((i < k) * hit + (i < n - k) * miss - (i < n) * tried).sum())


def best_by_scipy(successes: list[int], sizes: list[int]) -> tuple[float, float, float]:
    """Likelihood, mean and rho of the best of three searches."""
    searches = [
        minimize(
            lambda point: -likelihood_by_group(successes, sizes, *point),
            (sum(successes) / sum(sizes), rho),
            method="L-BFGS-B",
            bounds=[(1e-9, 1 - 1e-9), (0, 1 - 1e-9)],
            options={"ftol": 1e-14},
        )
        for rho in (0.05, 0.5, 0.95)
    ]
    best = min(searches, key=lambda search: search.fun)
    return -best.fun, *best.x


GROUPS = st.one_of(
    st.lists(st.integers(1, 16).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=20),
    st.integers(2, 12).flatmap(lambda n: st.lists(st.tuples(st.integers(0, n), st.just(n)), min_size=1, max_size=20)),
    st.integers(2, 12).flatmap(lambda n: st.lists(st.tuples(st.integers(0, 1), st.just(n)), min_size=1, max_size=20)),
)


@settings(max_examples=60)
@given(GROUPS)
@example([(2, 4)] * 20)
@example([(1, 14)])
@example([(0, 8)] * 400 + [(1, 8)])
@example([(8, 8)] * 400 + [(7, 8)])
@example([(0, 8)] * 200 + [(8, 8)] * 200 + [(4, 8)])
def test_no_search_by_scipy_finds_a_likelier_point(groups: list[tuple[int, int]]) -> None:
    successes, sizes = [k for k, _ in groups], [n for _, n in groups]
    fit = fit_beta_binomial(successes, sizes)
    if fit is None or fit.rho == 1:  # nothing to tell, or no mixed group: cases of their own below
        assert sum(successes) in (0, sum(sizes)) or all(k in (0, n) for k, n in groups)
        return
    found = likelihood_by_group(successes, sizes, fit.mean, fit.rho)
    assert found >= best_by_scipy(successes, sizes)[0] - 1e-9


def test_the_fit_is_the_point_that_scipy_finds_where_the_maximum_is_sharp() -> None:
    generator = np.random.default_rng(1)
    successes, sizes = generator.binomial(8, generator.beta(0.3, 0.2, size=400)).tolist(), [8] * 400
    fit = fit_beta_binomial(successes, sizes)
    assert fit is not None
    assert (fit.mean, fit.rho) == pytest.approx(best_by_scipy(successes, sizes)[1:], abs=1e-5)


def test_large_groups_with_a_small_correlation_are_fitted() -> None:
    # Beta(300, 200): rho = 1/501 = .0020; its standard error over 500 groups of 1,000 is about .0002
    generator = np.random.default_rng(0)
    fit = fit_beta_binomial(generator.binomial(1000, generator.beta(300, 200, size=500)).tolist(), [1000] * 500)
    assert fit is not None
    assert fit.mean == pytest.approx(0.6, abs=0.005)
    assert fit.rho == pytest.approx(1 / 501, abs=0.0006)


def test_the_fit_recovers_the_beta_that_made_the_groups() -> None:
    # 20,000 groups of 8: the standard error of mean is about .003, of rho about .004
    generator = np.random.default_rng(0)
    successes = generator.binomial(8, generator.beta(0.6, 0.9, size=20_000)).tolist()
    fit = fit_beta_binomial(successes, [8] * 20_000)
    assert fit is not None
    assert fit.a == pytest.approx(0.6, abs=0.03)
    assert fit.b == pytest.approx(0.9, abs=0.03)


def test_groups_of_two_are_fitted_in_closed_form() -> None:
    # With n = 2 and shares q0, q1, q2: mean = q2 + q1/2, and P(mixed) = 2 mean (1 - mean) (1 - rho) = q1,
    # so for 3, 4, 3 of 10 groups: mean = .5 and rho = 1 - .4 / .5 = .2
    fit = fit_beta_binomial([0] * 3 + [1] * 4 + [2] * 3, [2] * 10)
    assert fit is not None
    assert fit.mean == pytest.approx(0.5, abs=1e-6)
    assert fit.rho == pytest.approx(0.2, abs=1e-5)


def test_no_more_spread_than_luck_is_no_correlation() -> None:
    fit = fit_beta_binomial([2] * 20, [4] * 20)
    assert fit is not None
    assert (fit.mean, fit.rho) == (pytest.approx(0.5), pytest.approx(0.0, abs=1e-9))


def test_no_mixed_group_is_full_correlation() -> None:
    assert fit_beta_binomial([0, 4, 4, 4], [4] * 4) == BetaBinomial(0.75, 1.0)


@pytest.mark.parametrize(
    ("successes", "sizes"), [([], []), ([0, 0], [4, 4]), ([4, 4], [4, 4]), ([0, 1], [1, 1]), ([0], [0])]
)
def test_data_that_cannot_tell_have_no_fit(successes: list[int], sizes: list[int]) -> None:
    assert fit_beta_binomial(successes, sizes) is None


@given(st.lists(st.tuples(st.integers(1, 9), st.floats(0, 1)), min_size=1, max_size=12), st.integers(2, 4))
def test_repeating_every_group_changes_no_fit(groups: list[tuple[int, float]], times: int) -> None:
    sizes = [n for n, _ in groups]
    successes = [round(n * share) for n, share in groups]
    once, more = fit_beta_binomial(successes, sizes), fit_beta_binomial(successes * times, sizes * times)
    if once is None or more is None:
        assert once is more
        return
    # the same value of the likelihood; where it is flat, the point may move
    points = [(fit.mean, min(max(fit.rho, 1e-6), 1 - 1e-6)) for fit in (once, more)]
    values = [log_likelihood(successes, sizes, *point) for point in points]
    assert values[0] == pytest.approx(values[1], abs=1e-4)


def test_a_binomial_coefficient_never_changes_the_maximum() -> None:
    # P(k) sums to 1 over k with the coefficient; without it the likelihood of the fit is only shifted.
    total = sum(comb(8, k) * np.exp(log_likelihood([k], [8], 0.4, 0.3)) for k in range(9))
    assert log(total) == pytest.approx(0, abs=1e-9)


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match=r"rho: expected a number in \[0, 1\], got 1.5"):
        BetaBinomial(0.5, 1.5)
    with pytest.raises(ArgumentError, match=r"successes: expected 0\.\.4 in group 1, got 5"):
        fit_beta_binomial([0, 5], [4, 4])
    with pytest.raises(ArgumentError, match="successes: expected one number a group"):
        fit_beta_binomial([0, 1], [4])
    with pytest.raises(ArgumentError, match="more: expected a number of rollouts >= 0, got -1"):
        BetaBinomial(0.5, 0.5).no_further_success(0, -1)
