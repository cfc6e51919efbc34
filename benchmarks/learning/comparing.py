"""Few runs and what they allow to say: means over seeds, and correlations, with their intervals."""

from collections.abc import Callable, Sequence
from math import nan, sqrt
from statistics import fmean, stdev

import numpy as np

# Student's t, 97.5 %, by degrees of freedom: for the few seeds that there are.
T_975 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean and 95 % interval over seeds by Student's t, which takes them for normal; NaN bounds for one seed.

    Example:
        >>> [round(one, 3) for one in mean_interval([0.1, 0.2, 0.3])]
        [0.2, -0.048, 0.448]
    """
    mean = fmean(values)
    if len(values) < 2:
        return mean, nan, nan
    half = T_975.get(len(values) - 1, 1.96) * stdev(values) / sqrt(len(values))
    return mean, mean - half, mean + half


def ranks(values: Sequence[float]) -> np.ndarray:
    """1 for the least; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = counts.cumsum()
    return (last - (counts - 1) / 2)[inverse]


def correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Pearson's; NaN where one of them does not vary."""
    a, b = np.asarray(x, dtype=float) - np.mean(x), np.asarray(y, dtype=float) - np.mean(y)
    size = sqrt(float((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / size if size > 0 else nan


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Spearman's."""
    return correlation(ranks(x).tolist(), ranks(y).tolist())


def bootstrapped(
    measure: Callable[[Sequence[float], Sequence[float]], float],
    x: Sequence[float],
    y: Sequence[float],
    *,
    draws: int = 2_000,
    seed: int = 0,
) -> tuple[float, float]:
    """The 95 % percentile interval of a measure of pairs, drawn anew with replacement; draws without a value are left
    out."""
    generator = np.random.default_rng(seed)
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    found = []
    for _ in range(draws):
        chosen = generator.integers(len(a), size=len(a))
        found.append(measure(a[chosen].tolist(), b[chosen].tolist()))
    known = [value for value in found if value == value]
    return (float(np.quantile(known, 0.025)), float(np.quantile(known, 0.975))) if known else (nan, nan)
