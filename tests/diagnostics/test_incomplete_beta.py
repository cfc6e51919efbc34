from fractions import Fraction
from math import comb, inf, nextafter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import betainc, betaincc, betainccinv, betaincinv

from rewardgate.diagnostics.incomplete_beta import beta_tails, lower_quantile, upper_quantile

HALVES = st.integers(1, 2_000_000).map(lambda twice: twice / 2)
ENDS = st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0])
TAILS = st.sampled_from([1e-12, 0.0005, 0.025, 0.05, 0.25, 0.5])


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 99))
def test_whole_parameters_give_the_binomial_tail_in_exact_fractions(a: int, b: int, percent: int) -> None:
    # P(Beta(a, b) < x) = P(at least a successes in a + b - 1), for the float x itself
    x, n = Fraction(percent / 100), a + b - 1
    terms = [comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(n + 1)]
    smaller = min(sum(terms[a:]), sum(terms[:a]))
    assert beta_tails(a, b, percent / 100) == pytest.approx((float(sum(terms[a:])), float(sum(terms[:a]))), abs=1e-14)
    assert min(beta_tails(a, b, percent / 100)) == pytest.approx(float(smaller), rel=1e-12)


@given(st.one_of(ENDS, HALVES), st.one_of(ENDS, HALVES), TAILS)
@example(1.0, 1e6, 0.025)
@example(1e6, 1.0, 0.025)
@example(2.0, 999_999.0, 0.025)
@example(999_999.0, 2.0, 0.025)
@example(500_001.0, 500_000.0, 0.025)
def test_quantiles_are_those_of_scipy_for_parameters_up_to_a_million(a: float, b: float, tail: float) -> None:
    assert lower_quantile(a, b, tail) == pytest.approx(betaincinv(a, b, tail), rel=1e-9)
    assert upper_quantile(a, b, tail) == pytest.approx(betainccinv(a, b, tail), rel=1e-9)


@given(st.one_of(ENDS, HALVES), st.one_of(ENDS, HALVES), st.floats(1e-9, 1 - 1e-9))
def test_tails_are_those_of_scipy_and_sum_to_one(a: float, b: float, x: float) -> None:
    assert beta_tails(a, b, x) == pytest.approx((betainc(a, b, x), betaincc(a, b, x)), abs=1e-9)
    assert sum(beta_tails(a, b, x)) == pytest.approx(1, abs=1e-12)


@given(st.one_of(ENDS, HALVES), TAILS)
def test_a_parameter_of_one_has_quantiles_in_closed_form(a: float, tail: float) -> None:
    # P(X < x) = x^a, so that x = tail^(1/a)
    assert lower_quantile(a, 1, tail) == pytest.approx(tail ** (1 / a), rel=1e-12)


@given(st.integers(1, 300), st.integers(1, 300), TAILS)
def test_a_quantile_is_where_the_tail_crosses(a: int, b: int, tail: float) -> None:
    x = lower_quantile(a, b, tail)
    assert beta_tails(a, b, x * (1 - 1e-9))[0] <= tail <= beta_tails(a, b, min(x * (1 + 1e-9), nextafter(1, -inf)))[0]
