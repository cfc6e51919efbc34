"""Whole solutions: does an aggregate of the step scores rank right ones above wrong ones, and does it where it is hard?

What a search or a gate leans on. A scorer may rank single steps of easy sources well and solutions of hard ones no
better than chance, which a figure over all of them hides: so every source and every difficulty stands by itself.
Beside the aggregates stands what needs no scorer: how many steps a solution has.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ...prm.calibration.aggregates import AGGREGATES, CONTROL, aggregates
from ...prm.calibration.ranking import auc
from ...prm.calibration.scored import ScoredTrace
from ..report.steps import AggregateRanking, Stratum, Truth
from .resampled import Resampling, problems_of

__all__ = ["aggregate_rankings"]

TRUTHS: tuple[Truth, ...] = ("steps", "answer")


def aggregate_rankings(traces: Sequence[ScoredTrace], resampling: Resampling) -> Iterator[AggregateRanking]:
    """Every aggregate in every stratum, by either truth that the file knows; strata without both sides are absent."""
    for truth in TRUTHS:
        for stratum, name, chosen in _strata(traces):
            yield from _rankings(chosen, truth, stratum, name, resampling)


def _strata(traces: Sequence[ScoredTrace]) -> Iterator[tuple[Stratum, str, Sequence[ScoredTrace]]]:
    yield "all", "all", traces
    sources = sorted({trace.source for trace in traces})
    difficulties = sorted({trace.difficulty for trace in traces})
    if len(sources) > 1:
        for source in sources:
            yield "source", source, [trace for trace in traces if trace.source == source]
    if len(difficulties) > 1:
        for difficulty in difficulties:
            yield "difficulty", difficulty, [trace for trace in traces if trace.difficulty == difficulty]


def _is_right(trace: ScoredTrace, truth: Truth) -> bool | None:
    if truth == "answer":
        return trace.final_correct
    return None if trace.first_error is None else trace.first_error == -1


def _rankings(
    traces: Sequence[ScoredTrace], truth: Truth, stratum: Stratum, name: str, resampling: Resampling
) -> Iterator[AggregateRanking]:
    known = [(trace, right) for trace in traces if (right := _is_right(trace, truth)) is not None]
    heard = [(trace, right) for trace, right in known if not trace.is_silent]
    if len({right for _, right in heard}) < 2:
        return
    problems, n_problems = problems_of([trace for trace, _ in heard])
    is_right = np.array([right for _, right in heard], dtype=np.bool_)
    found = [
        {
            **aggregates([None if np.isnan(value) else value for value in one.values.tolist()]),
            CONTROL: -float(len(one.values)),
        }
        for one, _ in heard
    ]
    for aggregate in (*AGGREGATES, CONTROL):
        values = np.array([one[aggregate] for one in found], dtype=np.float64)
        low, high = resampling.auc_ends(values, is_right, problems, n_problems)
        yield AggregateRanking(
            truth=truth,
            stratum=stratum,
            name=name,
            aggregate=aggregate,
            n_right=int(is_right.sum()),
            n_wrong=int((~is_right).sum()),
            n_silent=len(known) - len(heard),
            mean_right=float(values[is_right].mean()),
            mean_wrong=float(values[~is_right].mean()),
            auc=auc(values, is_right),
            auc_low=low,
            auc_high=high,
        )
