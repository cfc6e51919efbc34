"""What successes and failures leave open about many rates at once: tails and intervals of beta posteriors, as arrays.

`incomplete_beta` does the same for one pair of parameters, to the last digits. Here a million prompts are asked
at once, whose counts are discounted and so no integers, and 1e-10 is enough.
"""

from math import lgamma

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .rows import FloatArray

__all__ = ["chance_below", "chance_of_mixed", "credible_intervals"]

_TERMS = 100_000
_CONVERGED = 1e-12
_TINY = 1e-300
_HALVINGS = 36
_log_gamma = np.frompyfunc(lgamma, 1, 1)


def chance_below(a: npt.ArrayLike, b: npt.ArrayLike, x: npt.ArrayLike) -> FloatArray:
    """P(p < x) for p ~ Beta(a, b), right to about 1e-10.

    Args:
        a, b: parameters, above 0.
        x: in [0, 1]; the three broadcast against each other.

    Returns:
        The broadcast shape.

    Raises:
        ArgumentError: a number outside those ranges.

    Source:
        the continued fraction 8.17.22 of DLMF, below the mean, mirrored above it.

    Example:
        >>> chance_below([1, 2, 1], [1, 2, 9], [0.5, 0.5, 0.1]).round(6)  # the last is 1 - 0.9^9
        array([0.5    , 0.5    , 0.61258])
    """
    first, second, at = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in (a, b, x)))
    for name, values, holds in (
        ("a", first, first > 0),
        ("b", second, second > 0),
        ("x", at, (at >= 0) & (at <= 1)),
    ):
        if not holds.all():
            rule = "numbers in [0, 1]" if name == "x" else "numbers above 0"
            raise ArgumentError(f"{name}: expected {rule}, got {values[~holds].flat[0]}")
    # The fraction converges fast on the near side of the mean only; the far side is 1 - that of the mirror image.
    is_far = at * (first + second + 2) >= first + 1
    near_a, near_b = np.where(is_far, second, first), np.where(is_far, first, second)
    near_x = np.where(is_far, 1 - at, at)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_power = near_a * np.log(near_x) + near_b * np.log1p(-near_x) - _log_beta(near_a, near_b)
    # At the ends the power is 0 (or, with b < 1 at x = 1, infinite, which the mirror image has made x = 0).
    power = np.where(near_x > 0, np.exp(log_power), 0.0)
    tail = power / near_a * _fraction(near_a, near_b, near_x)
    return np.where(is_far, 1 - tail, tail)[()]


def chance_of_mixed(a: npt.ArrayLike, b: npt.ArrayLike, group_size: int) -> FloatArray:
    """P(a group of `group_size` binary rewards is mixed) for a prompt whose rate has the posterior Beta(a, b).

    1 - B(a + G, b) / B(a, b) - B(a, b + G) / B(a, b): not p^G + (1 - p)^G at the mean, which takes an
    uncertain rate for a middling one.

    Args:
        a, b: parameters, above 0; they broadcast.
        group_size: G, at least 1.

    Raises:
        ArgumentError: group_size below 1.

    Example:
        >>> chance_of_mixed([1, 100], [1, 100], 2).round(3)  # every rate equally likely; a rate near 1/2
        array([0.333, 0.498])
    """
    if group_size < 1:
        raise ArgumentError(f"group_size: expected at least 1, got {group_size}")
    first, second = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    all_right, all_wrong = np.ones(first.shape), np.ones(first.shape)
    # B(a + G, b) / B(a, b) = prod_i (a + i) / (a + b + i), i = 0..G-1
    for i in range(group_size):
        all_right *= (first + i) / (first + second + i)
        all_wrong *= (second + i) / (first + second + i)
    return np.maximum(1 - all_right - all_wrong, 0.0)[()]


def credible_intervals(
    a: npt.ArrayLike, b: npt.ArrayLike, *, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Equal-tailed intervals of Beta(a, b): both ends, in the broadcast shape.

    Args:
        a, b: parameters, above 0.
        confidence: in (0, 1): each tail holds (1 - confidence) / 2.

    Raises:
        ArgumentError: a number outside those ranges.

    Example:
        >>> low, high = credible_intervals([0.5, 4.5], [8.5, 4.5])  # 0 of 8 and 4 of 8 under Jeffreys' prior
        >>> low.round(3), high.round(3)
        (array([0.   , 0.199]), array([0.262, 0.801]))
    """
    if not 0 < confidence < 1:
        raise ArgumentError(f"confidence: expected a number in (0, 1), got {confidence}")
    first, second = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    # Prompts seen equally often with equal luck have equal intervals: only distinct pairs are computed.
    pairs, index = np.unique(np.stack([first.ravel(), second.ravel()], axis=1), axis=0, return_inverse=True)
    tail = (1 - confidence) / 2
    ends = _quantiles(pairs[:, 0], pairs[:, 1], np.array([[tail], [1 - tail]]))  # (2, pairs)
    low, high = (end[index.ravel()].reshape(first.shape)[()] for end in ends)
    return low, high


def _quantiles(a: FloatArray, b: FloatArray, probability: FloatArray) -> FloatArray:
    low, high = np.zeros(np.broadcast_shapes(a.shape, probability.shape)), np.ones(1)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_below = chance_below(a, b, middle) < probability
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return (low + high) / 2


def _log_beta(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(_log_gamma(a) + _log_gamma(b) - _log_gamma(a + b), dtype=np.float64)


def _fraction(a: FloatArray, b: FloatArray, x: FloatArray) -> FloatArray:
    """1 / (1 + d_1 / (1 + d_2 / (1 + ...))) by Lentz's method, until every entry stands still."""
    above = np.ones(a.shape)
    below = 1 / _nonzero(1 - (a + b) * x / (a + 1))
    value = below.copy()
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = np.ones(a.shape)
        for term in (even, odd):
            below = 1 / _nonzero(1 + term * below)
            above = _nonzero(1 + term / above)
            change = above * below
            value *= change
        if (np.abs(change - 1) <= _CONVERGED).all():
            break
    return value


def _nonzero(values: FloatArray) -> FloatArray:
    return np.where(values == 0, _TINY, values)
