"""How far a rate can be trusted: intervals for a proportion, and the bootstrap by prompt.

The unit of an interval is the prompt. Rollouts of one prompt are right and wrong together, so that counting
them as independent makes an interval several times too narrow: for a rate over rollouts, ask
`bootstrap_by_prompt`; the three binomial intervals are for one observation a prompt (or a labelled sample).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .groups import FloatArray, IntArray, group_index, reward_values
from .incomplete_beta import lower_quantile, upper_quantile

__all__ = ["Interval", "PromptMean", "bootstrap_by_prompt", "clopper_pearson", "jeffreys", "wilson"]

_DRAWN_AT_ONCE = 4_000_000


class Interval(NamedTuple):
    """Both ends of a two-sided interval, in the unit of what it bounds."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PromptMean:
    """A mean over prompts with its interval and what it counts.

    Args:
        value: mean over prompts of the mean over the prompt's scored rollouts: every prompt weighs the same.
        interval: bounds of it.
        n_prompts: prompts with at least one scored rollout.
        n_rollouts: scored rollouts.
    """

    value: float
    interval: Interval
    n_prompts: int
    n_rollouts: int


def wilson(successes: int, n: int, *, confidence: float = 0.95) -> Interval:
    """Wilson's score interval: the one to display. Its coverage is right on average, not for every rate.

    Args:
        successes: 0..n.
        n: independent observations, at least 1.
        confidence: in (0, 1), two-sided.

    Raises:
        ArgumentError: numbers outside those ranges; with n = 0 a rate is not estimable, and no interval says so.

    Source:
        Wilson 1927, without continuity correction.

    Example:
        >>> [round(bound, 3) for bound in wilson(728, 800)]
        [0.888, 0.928]
    """
    _check(successes, n, confidence)
    z = -NormalDist().inv_cdf((1 - confidence) / 2)
    rate, scale = successes / n, 1 + z * z / n
    centre = (rate + z * z / (2 * n)) / scale
    half = z / scale * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    # At the ends the bound is 0 or 1 by algebra, and only nearly so in floating point.
    return Interval(0.0 if successes == 0 else centre - half, 1.0 if successes == n else centre + half)


def clopper_pearson(successes: int, n: int, *, confidence: float = 0.95) -> Interval:
    """Clopper and Pearson's exact interval: the one for a guarantee. Covers at least as often as it says.

    Args:
        successes: 0..n.
        n: independent observations, at least 1.
        confidence: in (0, 1), two-sided: each end is exceeded with probability at most (1 - confidence) / 2.

    Raises:
        ArgumentError: numbers outside those ranges.

    Source:
        Clopper & Pearson 1934, by quantiles of the beta distribution.

    Example:
        >>> [round(bound, 3) for bound in clopper_pearson(0, 59, confidence=0.9)]
        [0.0, 0.05]
    """
    _check(successes, n, confidence)
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else lower_quantile(successes, n - successes + 1, tail)
    high = 1.0 if successes == n else upper_quantile(successes + 1, n - successes, tail)
    return Interval(low, high)


def jeffreys(successes: int, n: int, *, confidence: float = 0.95) -> Interval:
    """Jeffreys' interval, Beta(x + 1/2, n - x + 1/2): the one whose posterior can be combined over strata.

    Args:
        successes: 0..n, x below.
        n: independent observations, at least 1.
        confidence: in (0, 1), equal-tailed.

    Raises:
        ArgumentError: numbers outside those ranges.

    Source:
        Brown, Cai & DasGupta 2001, with their ends: 0 at x = 0 and 1 at x = n.

    Example:
        >>> [round(bound, 3) for bound in jeffreys(1, 10)]
        [0.011, 0.381]
    """
    _check(successes, n, confidence)
    tail = (1 - confidence) / 2
    a, b = successes + 0.5, n - successes + 0.5
    low = 0.0 if successes == 0 else lower_quantile(a, b, tail)
    high = 1.0 if successes == n else upper_quantile(a, b, tail)
    return Interval(low, high)


def bootstrap_by_prompt(
    values: Sequence[float | None] | npt.ArrayLike,
    prompt_ids: Sequence[Hashable] | npt.NDArray[Any],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    value_range: tuple[float, float] = (0.0, 1.0),
) -> PromptMean:
    """Mean over prompts with a percentile interval from resampling whole prompts.

    Prompts that all agree would resample to an interval of width 0. Then the bound is the exact one for
    "none of n prompts was different": at most a share 1 - (tail)^(1/n) of prompts can be, by as much as
    `value_range` allows.

    Args:
        values: (B,) one number a rollout (a reward, an indicator); None or NaN where unknown, left out.
        prompt_ids: (B,) any hashables.
        confidence: in (0, 1), two-sided.
        resamples: bootstrap samples, at least 100.
        seed: of numpy's default generator; the same seed gives the same interval on the same numpy.
        value_range: least and greatest value that a rollout can have.

    Returns:
        Mean, interval and counts.

    Raises:
        ArgumentError: no scored value, a value outside value_range, lengths that differ, or options
            outside their ranges.

    Source:
        cluster bootstrap, percentile method (Davison & Hinkley 1997, section 3.8).

    Example:
        >>> mean = bootstrap_by_prompt([1, 1, 0, 0, 1, 1, 1, 0], [0, 0, 1, 1, 2, 2, 3, 3])
        >>> mean.value, mean.n_prompts, mean.interval
        (0.625, 4, Interval(low=0.25, high=1.0))
    """
    _check_confidence(confidence)
    if resamples < 100:
        raise ArgumentError(f"resamples: expected at least 100, got {resamples}")
    known, means = _prompt_means(values, prompt_ids, value_range)  # (rows,), (N,)
    tail = (1 - confidence) / 2
    # Prompts with the same mean are interchangeable, so their number is drawn instead of each of them.
    distinct, counts = np.unique(means, return_counts=True)
    if len(distinct) == 1:
        value, n = float(distinct[0]), len(means)
        different = 1 - tail ** (1 / n)
        low, high = (value + different * (end - value) for end in value_range)
        return PromptMean(value, Interval(low, high), n, len(known))
    drawn = _resampled(distinct, counts, resamples, seed)
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return PromptMean(float(means.mean()), Interval(float(low), float(high)), len(means), len(known))


def _prompt_means(
    values: Sequence[float | None] | npt.ArrayLike,
    prompt_ids: Sequence[Hashable] | npt.NDArray[Any],
    value_range: tuple[float, float],
) -> tuple[FloatArray, FloatArray]:
    numbers, (_, index) = reward_values(values), group_index(prompt_ids)
    if len(index) != len(numbers):
        raise ArgumentError(f"prompt_ids: expected one id a value ({len(numbers)}), got {len(index)}")
    is_scored = ~np.isnan(numbers)
    known, where = numbers[is_scored], index[is_scored]
    if not len(known):
        raise ArgumentError("values: expected at least one known value, got none")
    least, greatest = value_range
    outside = known[(known < least) | (known > greatest)]
    if len(outside):
        raise ArgumentError(f"values: expected numbers in [{least}, {greatest}], got {outside[0]}; see value_range")
    count = np.bincount(where)
    return known, np.bincount(where, weights=known)[count > 0] / count[count > 0]


def _resampled(distinct: FloatArray, counts: IntArray, resamples: int, seed: int) -> FloatArray:
    """Means of bootstrap samples of prompts: (resamples,)."""
    n = int(counts.sum())
    generator = np.random.default_rng(seed)
    at_once = max(1, _DRAWN_AT_ONCE // len(distinct))
    parts = []
    for start in range(0, resamples, at_once):
        drawn = generator.multinomial(n, counts / n, size=min(at_once, resamples - start))  # (r, distinct)
        parts.append(drawn @ distinct / n)
    return np.concatenate(parts)


def _check(successes: int, n: int, confidence: float) -> None:
    _check_confidence(confidence)
    if n < 1:
        raise ArgumentError(f"n: expected at least 1 observation, got {n}")
    if not 0 <= successes <= n:
        raise ArgumentError(f"successes: expected 0..{n}, got {successes}")


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ArgumentError(f"confidence: expected a number in (0, 1), got {confidence}")
