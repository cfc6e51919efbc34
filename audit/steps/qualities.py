"""Scores of single steps against their labels: ranking, and whether they mean what they say."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...prm.calibration.diagram import bin_sums, bins, calibration_error
from ...prm.calibration.ranking import auc
from ...prm.calibration.scored import BoolArray, FloatArray, IntArray, ScoredTrace
from ..report.steps import ReliabilityBin, SourceSteps, StepQuality
from .resampled import Resampling, problems_of

__all__ = ["source_steps", "step_quality"]


def step_quality(traces: Sequence[ScoredTrace], resampling: Resampling) -> StepQuality | None:
    """Of all steps that are both scored and labelled; None where there is none."""
    steps = _steps(traces)
    if not len(steps.values):
        return None
    low, high = resampling.auc_ends(*steps[:4])
    sums = bin_sums(*steps[:4])  # (C, bins, 3)
    flat = sums.reshape(steps.n_problems, -1)
    ece_low, ece_high = resampling.ends(
        lambda drawn: calibration_error((drawn @ flat).reshape(len(drawn), *sums.shape[1:])), steps.n_problems
    )
    return StepQuality(
        n_labelled=steps.n_labelled,
        n=len(steps.values),
        n_wrong=int((~steps.is_right).sum()),
        base_rate=float(steps.is_right.mean()),
        auc=auc(steps.values, steps.is_right),
        auc_low=low,
        auc_high=high,
        ece=float(calibration_error(sums.sum(axis=0))),
        ece_low=ece_low,
        ece_high=ece_high,
        bins=tuple(ReliabilityBin(**one._asdict()) for one in bins(steps.values, steps.is_right)),
    )


def source_steps(source: str, traces: Sequence[ScoredTrace], resampling: Resampling) -> SourceSteps | None:
    """The same of one source, without the diagram."""
    steps = _steps(traces)
    if not len(steps.values):
        return None
    low, high = resampling.auc_ends(*steps[:4])
    return SourceSteps(
        source=source,
        n=len(steps.values),
        n_wrong=int((~steps.is_right).sum()),
        base_rate=float(steps.is_right.mean()),
        auc=auc(steps.values, steps.is_right),
        auc_low=low,
        auc_high=high,
        ece=float(calibration_error(bin_sums(*steps[:4]).sum(axis=0))),
    )


class _Steps(NamedTuple):
    """The steps that are scored and labelled, one a row: score, label, problem; and how many are labelled at all."""

    values: FloatArray
    is_right: BoolArray
    problems: IntArray
    n_problems: int
    n_labelled: int


def _steps(traces: Sequence[ScoredTrace]) -> _Steps:
    if not traces:
        return _Steps(np.zeros(0), np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.int64), 0, 0)
    problems, _ = problems_of(traces)
    values = np.concatenate([trace.values for trace in traces])
    labels = np.concatenate([trace.labels for trace in traces])
    of_step = np.repeat(problems, [len(trace.values) for trace in traces])
    is_labelled = ~np.isnan(labels)
    is_both = is_labelled & ~np.isnan(values)
    # Problems none of whose steps is in the figure would be drawn for nothing: renumbered without them.
    kept, index = np.unique(of_step[is_both], return_inverse=True)
    return _Steps(values[is_both], labels[is_both] == 1, index, len(kept), int(is_labelled.sum()))
