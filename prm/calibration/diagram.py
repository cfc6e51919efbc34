"""Does a score mean what it says? The reliability diagram, and its expected calibration error.

Of the steps scored 0.8 four in five should be right. A scorer can rank perfectly and fail this, or pass it by giving
every step the base rate and rank nothing: read it beside the AUC and the base rate.
"""

from typing import NamedTuple

import numpy as np

from ...errors import ArgumentError
from .scored import BoolArray, FloatArray, IntArray

__all__ = ["N_BINS", "Bin", "bin_sums", "bins", "calibration_error"]

N_BINS = 10


class Bin(NamedTuple):
    """The steps scored in [low, high), the last bin with its upper end.

    Args:
        n: how many.
        mean_score: their mean score; NaN where there is none.
        share_right: how many of them are right; NaN where there is none.
    """

    low: float
    high: float
    n: int
    mean_score: float
    share_right: float


def bins(values: FloatArray, is_right: BoolArray, *, n_bins: int = N_BINS) -> list[Bin]:
    """The reliability diagram over bins of equal width.

    Args:
        values: (n,) in [0, 1].
        is_right: (n,) bool.
        n_bins: at least 1.

    Example:
        >>> for one in bins(np.array([0.1, 0.9, 1.0, 0.8]), np.array([False, True, True, False]), n_bins=2):
        ...     print(one.low, one.high, one.n, round(one.mean_score, 3), round(one.share_right, 3))
        0.0 0.5 1 0.1 0.0
        0.5 1.0 3 0.9 0.667
    """
    sums = bin_sums(values, is_right, np.zeros(len(values), dtype=np.int64), 1, n_bins=n_bins)[0]
    edges = np.linspace(0, 1, n_bins + 1)
    return [
        Bin(float(low), float(high), int(n), score / n if n else float("nan"), right / n if n else float("nan"))
        for low, high, (n, score, right) in zip(edges[:-1], edges[1:], sums.tolist(), strict=True)
    ]


def bin_sums(
    values: FloatArray, is_right: BoolArray, clusters: IntArray, n_clusters: int, *, n_bins: int = N_BINS
) -> FloatArray:
    """(C, bins, 3) of every cluster and bin: steps, sum of their scores, right ones among them.

    Sums of clusters drawn again and again are all that a resampled calibration error needs.

    Args:
        values: (n,) in [0, 1].
        is_right: (n,) bool.
        clusters: (n,) 0..n_clusters - 1.
        n_clusters, n_bins: C and the number of bins.

    Raises:
        ArgumentError: a value outside [0, 1] or NaN, or no bin.
    """
    if n_bins < 1:
        raise ArgumentError(f"n_bins: expected at least 1, got {n_bins}")
    if not ((values >= 0) & (values <= 1)).all():
        raise ArgumentError("values: expected numbers in [0, 1]; leave unknown rows out, and say how many")
    place = clusters * n_bins + np.minimum((values * n_bins).astype(np.int64), n_bins - 1)
    sums = [np.bincount(place, weights=column, minlength=n_clusters * n_bins) for column in (None, values, is_right)]
    return np.stack(sums, axis=-1).astype(np.float64).reshape(n_clusters, n_bins, 3)


def calibration_error(sums: FloatArray) -> FloatArray:
    """(...) the expected calibration error of sums (..., bins, 3); NaN where there is no step.

    Source:
        Naeini, Cooper & Hauskrecht 2015, equal widths: Σ_b n_b / n · |mean score_b - share right_b|. It is never
        below 0, so that noise alone lifts it: few steps a bin make it look worse than it is.

    Example:
        Two of two scored 1.0 are right, one of two scored 0.5 is: no error. Scored 0.9 each, the first bin is off by
        0.1 and holds half of the steps.

        >>> right = np.array([True, True, True, False])
        >>> for scores in ([1.0, 1.0, 0.5, 0.5], [0.9, 0.9, 0.5, 0.5]):
        ...     sums = bin_sums(np.array(scores), right, np.zeros(4, dtype=np.int64), 1)
        ...     print(calibration_error(sums).round(3).tolist())
        [0.0]
        [0.05]
    """
    n = sums[..., 0].sum(axis=-1)
    # n_b |mean score_b - share right_b| = |sum of scores_b - right_b|
    gaps = np.abs(sums[..., 1] - sums[..., 2]).sum(axis=-1)
    return np.divide(gaps, n, out=np.full(np.shape(n), np.nan), where=n > 0)
