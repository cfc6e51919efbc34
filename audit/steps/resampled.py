"""Intervals of the figures of scored solutions: the same number of draws and the same seed for all of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...diagnostics.rows import group_index
from ...prm.calibration.ranking import weighted_auc
from ...prm.calibration.resampling import cluster_interval
from ...prm.calibration.scored import BoolArray, FloatArray, IntArray, ScoredTrace

__all__ = ["Ends", "Resampling", "problems_of", "ratio"]

Ends = tuple[float | None, float | None]
"""Both ends of an interval; None, None where there is none."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are drawn: `resamples` times, from `seed` on."""

    resamples: int
    seed: int

    def ends(self, statistic: Callable[[FloatArray], FloatArray], n_clusters: int, *, rows: int = 0) -> Ends:
        """Of a figure of draws (R, C); see `cluster_interval`."""
        found = cluster_interval(statistic, n_clusters, rows=rows, resamples=self.resamples, seed=self.seed)
        return (None, None) if found is None else (found.low, found.high)

    def auc_ends(self, values: FloatArray, is_right: BoolArray, clusters: IntArray, n_clusters: int) -> Ends:
        """Of the AUC of rows (n,), each of one of the clusters."""
        return self.ends(
            lambda drawn: weighted_auc(values, is_right, drawn[:, clusters]), n_clusters, rows=4 * len(values)
        )


def problems_of(traces: Sequence[ScoredTrace]) -> tuple[IntArray, int]:
    """(n,) the problem of each solution, numbered, and how many problems there are."""
    ids, index = group_index([trace.problem_id for trace in traces])
    return index, len(ids)


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """part / whole, NaN where whole is 0."""
    return np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
