"""Scored traces by hand and by Hypothesis, and step scorers with one property each."""

import random
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from rewardgate.prm import StepRow, StepScore
from rewardgate.prm.calibration import ScoredTrace

NAN = float("nan")


def trace(
    values: Sequence[float | None],
    first_error: int | None,
    *,
    problem: str = "p",
    final_correct: bool | None = None,
    source: str = "",
    difficulty: str = "",
) -> ScoredTrace:
    """A trace whose labels follow from its first error: right before it, unknown behind it."""
    n = len(values)
    labels = np.full(n, NAN)
    if first_error is not None:
        labels[: n if first_error < 0 else first_error] = 1.0
        labels[first_error : first_error + 1] = 0.0 if first_error >= 0 else labels[first_error : first_error + 1]
    return ScoredTrace(
        problem_id=problem,
        values=np.array([NAN if value is None else value for value in values], dtype=np.float64),
        labels=labels,
        first_error=first_error,
        final_correct=final_correct,
        source=source,
        difficulty=difficulty,
    )


# Few distinct scores, so that ties are common.
scores = st.one_of(st.none(), st.sampled_from([0.0, 0.2, 0.25, 0.5, 0.75, 0.9, 1.0]), st.floats(0, 1, width=16))


@st.composite
def traces(draw: st.DrawFn) -> list[ScoredTrace]:
    """A handful of labelled traces of a handful of problems."""
    found = []
    for _ in range(draw(st.integers(1, 8))):
        values = draw(st.lists(scores, min_size=1, max_size=5))
        first_error = draw(st.integers(-1, len(values) - 1))
        found.append(trace(values, first_error, problem=draw(st.sampled_from("pqr"))))
    return found


class Oracle:
    """Says of every step what a table says of its text; None of a text that is not in it."""

    version = "test"

    def __init__(self, values: dict[str, float | None]) -> None:
        self.values = values
        self.asked: list[StepRow] = []

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        self.asked += rows
        return [[StepScore(self.values.get(step.strip()), "told", "") for step in row.steps] for row in rows]


class Dice:
    """Knows nothing: a number at random for every step."""

    version = "test"

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        return [[StepScore(self._random.random(), "thrown", "") for _ in row.steps] for row in rows]


class Broken:
    """Raises whatever it was built with."""

    version = "test"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        raise self._error
