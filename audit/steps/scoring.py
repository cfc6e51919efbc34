"""From labelled solutions to scored ones: the scorer is asked in batches, and the texts are let go."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from ...errors import ArgumentError
from ...prm.base import StepRow, StepScorer
from ...prm.calibration.scored import ScoredTrace
from ...rollouts.step_formats.records import StepTrace
from ..asking_scorers import asked

__all__ = ["Scored", "score_traces"]

BATCH_TRACES = 64


@dataclass(slots=True)
class Scored:
    """The scored solutions of a file, and which rules decided how often."""

    traces: list[ScoredTrace] = field(default_factory=list)
    rules: Counter[str] = field(default_factory=Counter)


def score_traces(traces: Iterable[StepTrace], scorer: StepScorer | None, *, progress: bool = False) -> Scored:
    """Every solution with the scores of `scorer`; None takes those that stand in the file.

    Raises:
        ArgumentError: the scorer raises, or breaks its contract; or there is none, and no scores in the file.
    """
    found = Scored()
    shown = _shown(traces, progress)
    while batch := list(islice(shown, BATCH_TRACES)):
        if scorer is None:
            values = [trace.scores or (None,) * len(trace.steps) for trace in batch]
        else:
            rows = [StepRow(trace.problem, trace.steps, trace.target) for trace in batch]
            answers = asked(scorer, rows)
            values = [tuple(score.value for score in answer) for answer in answers]
            found.rules.update(score.rule for answer in answers for score in answer)
        found.traces += [_scored(trace, said) for trace, said in zip(batch, values, strict=True)]
    if scorer is None and all(trace.is_silent for trace in found.traces):
        raise ArgumentError("scorer: expected the name of one, as the file holds no step_scores, got none")
    return found


def _scored(trace: StepTrace, values: Sequence[float | None]) -> ScoredTrace:
    return ScoredTrace(
        problem_id=trace.problem_id,
        values=np.array([np.nan if value is None else value for value in values], dtype=np.float64),
        labels=np.array([np.nan if label is None else float(label) for label in trace.labels], dtype=np.float64),
        first_error=trace.first_error,
        final_correct=trace.final_correct,
        source=trace.source,
        difficulty=trace.difficulty,
    )


def _shown(traces: Iterable[StepTrace], progress: bool) -> Iterator[StepTrace]:
    if not progress:
        yield from traces
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,.0f} solutions scored"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("scoring", total=None)
        for trace in traces:
            yield trace
            bar.advance(task)
