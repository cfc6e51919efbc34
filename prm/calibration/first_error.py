"""Where does a scorer see the first error, and is it there? ProcessBench's figures, and the threshold that they need.

A solution's prediction is its first step scored below the threshold; -1 where none is. A solution of which the scorer
said nothing has no prediction, and counts as a miss whichever it is, as an answer that cannot be read does in
ProcessBench: silence is no way to be right about correct solutions.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import ArgumentError
from .scored import BoolArray, FloatArray, ScoredTrace

__all__ = [
    "FirstErrorFigures",
    "best_threshold",
    "first_error_figures",
    "harmonic_mean",
    "predicted_first_error",
    "right_between",
]

NO_ERROR = -1


def predicted_first_error(values: FloatArray, threshold: float) -> int | None:
    """The first step scored below `threshold`, -1 where none is, None where no step is scored.

    Args:
        values: (S,) NaN = unknown, which is below nothing.

    Example:
        >>> nan = float("nan")
        >>> [predicted_first_error(np.array(v), 0.5) for v in ([0.9, nan, 0.4, 0.1], [0.5, nan], [nan])]
        [2, -1, None]
    """
    if np.isnan(values).all():
        return None
    below = np.flatnonzero(values < threshold)
    return int(below[0]) if len(below) else NO_ERROR


class FirstErrorFigures(NamedTuple):
    """Counts of labelled solutions at one threshold, and what follows from them.

    Args:
        n_erroneous, n_correct: solutions with a wrong step, and without.
        hits: erroneous ones whose prediction is the labelled step.
        early: erroneous ones whose prediction is a step before it, where nobody found fault.
        quiet: correct ones with prediction -1.
        flagged: correct ones with a prediction other than that.
        silent_erroneous, silent_correct: without a prediction; in neither of the above.
    """

    n_erroneous: int
    n_correct: int
    hits: int
    early: int
    quiet: int
    flagged: int
    silent_erroneous: int
    silent_correct: int

    @property
    def accuracy_erroneous(self) -> float:
        """Share of the erroneous ones whose first error is found; NaN without one."""
        return self.hits / self.n_erroneous if self.n_erroneous else float("nan")

    @property
    def accuracy_correct(self) -> float:
        """Share of the correct ones that are found correct; NaN without one."""
        return self.quiet / self.n_correct if self.n_correct else float("nan")

    @property
    def f1(self) -> float:
        """The harmonic mean of both accuracies: ProcessBench's F1, which is not that of a detector."""
        return float(harmonic_mean(np.float64(self.accuracy_erroneous), np.float64(self.accuracy_correct)))

    @property
    def precision(self) -> float:
        """Of the flags at or before the first error, those at it; every flag in a correct solution counts against.

        A flag behind the first error is none: what follows from a wrong step is wrong too.
        """
        flags = self.hits + self.early + self.flagged
        return self.hits / flags if flags else float("nan")


def first_error_figures(traces: Sequence[ScoredTrace], threshold: float) -> FirstErrorFigures:
    """The figures of all `traces` whose first error is labelled; the others are left out.

    Source:
        Zheng et al. 2024, ProcessBench (arXiv 2412.06559) and its evaluation code: mean(prediction = label) over the
        erroneous and over the correct solutions, and the harmonic mean of the two; an answer that cannot be read is
        wrong. Precision is ours.
    """
    counts = dict.fromkeys(FirstErrorFigures._fields, 0)
    for trace in traces:
        if trace.first_error is None:
            continue
        is_correct = trace.first_error == NO_ERROR
        counts["n_correct" if is_correct else "n_erroneous"] += 1
        said = predicted_first_error(trace.values, threshold)
        if said is None:
            counts["silent_correct" if is_correct else "silent_erroneous"] += 1
        elif is_correct:
            counts["quiet" if said == NO_ERROR else "flagged"] += 1
        elif said == trace.first_error:
            counts["hits"] += 1
        elif NO_ERROR < said < trace.first_error:
            counts["early"] += 1
    return FirstErrorFigures(**counts)


def harmonic_mean(one: FloatArray | np.float64, other: FloatArray | np.float64) -> FloatArray:
    """2ab / (a + b), 0 where both are 0, NaN where either is."""
    total = np.asarray(one + other, dtype=np.float64)
    return np.divide(2 * one * other, total, out=np.zeros_like(total), where=total != 0)


def best_threshold(traces: Sequence[ScoredTrace]) -> float:
    """The threshold with the highest F1 on `traces`, exactly: every distinct prediction is tried.

    Thresholds between the same two scores predict alike, so that their middle stands for them. Of several that are as
    good the one nearest to 0.5 is taken, of two as near the lower.

    Raises:
        ArgumentError: no erroneous or no correct solution among them, or none with a score.

    Example:
        The first is right for thresholds in (0.2, 0.9], the second up to 0.6: both at (0.2 + 0.6) / 2.

        >>> nan = np.nan
        >>> def trace(values, first_error):
        ...     labels = np.full(len(values), nan)
        ...     return ScoredTrace(problem_id="", values=np.array(values), labels=labels, first_error=first_error)
        >>> round(best_threshold([trace([0.9, 0.2, 0.1], 1), trace([0.8, 0.6], -1)]), 6)
        0.4
    """
    known = [trace for trace in traces if trace.first_error is not None]
    is_correct = np.array([trace.first_error == NO_ERROR for trace in known], dtype=np.bool_)
    n_erroneous, n_correct = int((~is_correct).sum()), int(is_correct.sum())
    heard = [trace.values for trace in known if not trace.is_silent]
    if not n_erroneous or not n_correct or not heard:
        raise ArgumentError(
            "traces: expected erroneous and correct ones, and scores, to choose a threshold by, got "
            f"{n_erroneous} and {n_correct}, {len(heard)} with a score"
        )
    scores = np.concatenate(heard)
    scores = np.unique(scores[~np.isnan(scores)])
    # Nothing is below the lowest score; above the highest, where that is not 1, everything is.
    candidates = np.concatenate([scores[:1], (scores[:-1] + scores[1:]) / 2, (scores[-1:] + 1) / 2])
    low, high = right_between(known)
    erroneous = _within(candidates, low[~is_correct], high[~is_correct]) / n_erroneous
    correct = _within(candidates, low[is_correct], high[is_correct]) / n_correct
    figures = harmonic_mean(erroneous, correct)
    best = candidates[figures >= figures.max() - 1e-12]
    return float(best[np.argmin(np.round(np.abs(best - 0.5), 12))])


def right_between(traces: Sequence[ScoredTrace]) -> tuple[FloatArray, FloatArray]:
    """(n,) low and high: each trace's prediction is right exactly for thresholds in (low, high]; never where NaN.

    An erroneous one is right where its labelled step is below the threshold and no step before it is; a correct one
    where no step is.
    """
    low, high = np.full(len(traces), np.nan), np.full(len(traces), np.nan)
    for row, trace in enumerate(traces):
        label = trace.first_error
        if label is None or trace.is_silent:
            continue
        before = trace.values if label == NO_ERROR else trace.values[:label]
        at = -np.inf if label == NO_ERROR else trace.values[label]
        highest = np.nanmin(before, initial=np.inf)
        if at < highest:  # never, where it is unknown
            low[row], high[row] = at, highest
    return low, high


def _within(candidates: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """(K,) how many of the intervals (low, high] hold each candidate."""
    is_ever: BoolArray = ~np.isnan(low)
    starts, ends = np.sort(low[is_ever]), np.sort(high[is_ever])
    begun = np.searchsorted(starts, candidates, side="left")  # low < candidate
    return (begun - np.searchsorted(ends, candidates, side="left")).astype(np.float64)  # high < candidate
