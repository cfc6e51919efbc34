"""How far a figure of labelled traces can be trusted: the bootstrap by problem, for any figure.

Solutions of one problem are right and wrong together, and so are the steps of one solution. So whole problems are
drawn, never rows. `diagnostics.intervals.bootstrap_by_prompt` is the same for a mean over prompts; what is asked of a
scorer (an AUC, a harmonic mean, a calibration error) is no mean.
"""

from collections.abc import Callable

import numpy as np

from ...diagnostics.intervals import Interval
from ...errors import ArgumentError
from .scored import FloatArray

__all__ = ["RESAMPLES", "cluster_interval"]

RESAMPLES = 1_000
_NUMBERS_AT_ONCE = 4_000_000


def cluster_interval(
    statistic: Callable[[FloatArray], FloatArray],
    n_clusters: int,
    *,
    rows: int = 0,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval | None:
    """A percentile interval of a figure in [0, 1], from resampling whole clusters.

    Where every resample gives the same figure, its spread says nothing. Then the bound is the exact one for "none of n
    clusters was different": a share 1 - tail^(1/n) of them may be, by as much as the figure can move.

    Args:
        statistic: how often each cluster was drawn (R, C) -> the figure of each draw (R,), NaN where undefined.
        n_clusters: C.
        rows: the width of the largest array that `statistic` makes of a draw, where that is not C; bounds memory.
        confidence: in (0, 1), two-sided.
        resamples: at least 100.
        seed: of numpy's default generator.

    Returns:
        None for fewer than two clusters (one says nothing about the others), or where the figure is undefined in
        more than half of the draws.

    Raises:
        ArgumentError: an option outside its range.

    Source:
        cluster bootstrap, percentile method (Davison & Hinkley 1997, section 3.8); the bound without spread as in
        `bootstrap_by_prompt`.

    Example:
        >>> right = np.array([1.0, 1.0, 0.0, 1.0])  # one trace a problem
        >>> cluster_interval(lambda drawn: drawn @ right / drawn.sum(axis=1), 4)
        Interval(low=0.25, high=1.0)
    """
    if not 0 < confidence < 1:
        raise ArgumentError(f"confidence: expected a number in (0, 1), got {confidence}")
    if resamples < 100:
        raise ArgumentError(f"resamples: expected at least 100, got {resamples}")
    if n_clusters < 2:
        return None
    generator = np.random.default_rng(seed)
    at_once = max(1, _NUMBERS_AT_ONCE // max(n_clusters, rows))
    parts = []
    for start in range(0, resamples, at_once):
        n = min(at_once, resamples - start)
        drawn = generator.integers(n_clusters, size=(n, n_clusters)) + n_clusters * np.arange(n)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=n * n_clusters).reshape(n, n_clusters)
        parts.append(statistic(counts.astype(np.float64)))
    figures = np.concatenate(parts)
    known = figures[~np.isnan(figures)]
    if 2 * len(known) < resamples:
        return None
    tail = (1 - confidence) / 2
    if np.ptp(known) < 1e-12:
        value, different = float(known[0]), 1 - tail ** (1 / n_clusters)
        return Interval(value - different * value, value + different * (1 - value))
    low, high = np.quantile(known, [tail, 1 - tail])
    return Interval(float(low), float(high))
