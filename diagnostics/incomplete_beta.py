"""Quantiles of the beta distribution, from its incomplete beta function.

All that the exact intervals for a proportion need of it: right to about 1e-11 of the value, for parameters up
to millions. Written here because importing scipy for it took a third of the time of a small audit. Remembered: an
audit asks about the same few counts in every group.
"""

from collections.abc import Callable
from functools import lru_cache
from math import exp, lgamma, log, log1p, pi, sqrt

__all__ = ["beta_tails", "lower_quantile", "upper_quantile"]

_PRECISION = 2.0**-53
_TERMS = 1_000_000
_TINY = 1e-300


@lru_cache(maxsize=4096)
def lower_quantile(a: float, b: float, tail: float) -> float:
    """The x below which Beta(a, b) has the probability `tail`.

    Args:
        a, b: parameters, above 0.
        tail: in (0, 1).

    Example:
        >>> round(lower_quantile(1, 3, 0.271), 12)  # P(X < x) = 1 - (1 - x)^3
        0.1
    """
    return _bisect(lambda x: beta_tails(a, b, x)[0] < tail)


@lru_cache(maxsize=4096)
def upper_quantile(a: float, b: float, tail: float) -> float:
    """The x above which Beta(a, b) has the probability `tail`: not 1 - tail below it, which rounds small tails.

    Example:
        >>> round(upper_quantile(3, 1, 0.271), 12)  # P(X > x) = 1 - x^3
        0.9
    """
    return _bisect(lambda x: beta_tails(a, b, x)[1] > tail)


def beta_tails(a: float, b: float, x: float) -> tuple[float, float]:
    """P(X < x) and P(X > x) of a beta variable; the smaller one of the two is right in relative terms.

    Args:
        a, b: parameters, above 0.
        x: in (0, 1).

    Source:
        the continued fraction 8.17.22 of DLMF, which converges fast below the mean and is mirrored above it.

    Example:
        >>> lower, upper = beta_tails(2, 2, 0.5)
        >>> round(lower, 12), round(upper, 12)
        (0.5, 0.5)
    """
    a, b, x = float(a), float(b), float(x)
    power = _power_term(a, b, x)
    if x * (a + b + 2) < a + 1:
        lower = power / a * _fraction(a, b, x)
        return lower, 1 - lower
    upper = power / b * _fraction(b, a, 1 - x)
    return 1 - upper, upper


def _bisect(is_below: Callable[[float], bool]) -> float:
    """Where `is_below` turns false in (0, 1); halved until no float is left in between."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if is_below(middle):
            low = middle
        else:
            high = middle
    return middle


def _power_term(a: float, b: float, x: float) -> float:
    """x^a (1-x)^b / B(a, b), measured from the mean a / (a+b).

    As written, exponents of millions cancel one another and leave an error of 1e-9. So Stirling's formula
    is put in for the three gammas, and only its remainders and the distance from the mean are left.
    """
    mean, rest = a / (a + b), b / (a + b)
    off = x - mean
    # x / mean near 1 is 1 + off / mean; far below, x / mean itself keeps the precision that off has lost.
    log_left = log1p(off / mean) if abs(off) < mean / 2 else log(x / mean)
    log_right = log1p(-off / rest) if abs(off) < rest / 2 else log((1 - x) / rest)
    remainder = _stirling_remainder(a + b) - _stirling_remainder(a) - _stirling_remainder(b)
    return sqrt(a * rest / (2 * pi)) * exp(a * log_left + b * log_right + remainder)


def _stirling_remainder(z: float) -> float:
    """log Gamma(z) - [(z - 1/2) log z - z + log(2 pi) / 2]."""
    if z < 16:
        return lgamma(z) - ((z - 0.5) * log(z) - z + log(2 * pi) / 2)
    square = z * z
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / z


def _fraction(a: float, b: float, x: float) -> float:
    """1 / (1 + d_1 / (1 + d_2 / (1 + ...))), by Lentz's method (Numerical Recipes 6.4)."""
    above, below = 1.0, 1 - (a + b) * x / (a + 1)
    below = 1 / (below or _TINY)
    value = below
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            below = 1 / (1 + term * below or _TINY)
            above = 1 + term / above or _TINY
            factor = above * below
            value *= factor
        if abs(factor - 1) <= 2 * _PRECISION:
            break
    return value
