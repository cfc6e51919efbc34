import math

import pytest

from rewardgate.errors import ArgumentError
from rewardgate.prm import StepRow, StepScore
from rewardgate.prm.scoring import score_values, step_scores

ROWS = [StepRow("", ("a", "b")), StepRow("", ("c",))]


class Answers:
    version = "1"

    def __init__(self, answers: object) -> None:
        self._answers = answers

    def score(self, rows: object) -> object:
        return self._answers


def said(*values: float | None) -> list[StepScore]:
    return [StepScore(value, "", "") for value in values]


def test_answers_come_back_row_by_row() -> None:
    assert step_scores(Answers((tuple(said(0.5, None)), said(1.0))), ROWS) == [said(0.5, None), said(1.0)]


def test_a_scorer_is_not_called_for_no_row() -> None:
    assert step_scores(Answers(None), []) == []


@pytest.mark.parametrize(
    "answers",
    [
        [said(1.0, 1.0)],
        [said(1.0), said(1.0)],
        [said(1.0, 1.0), said(1.0, 1.0)],
        [said(1.0, 1.0), said(-0.1)],
        [said(1.0, 1.0), said(math.nan)],
        [said(1.0, 1.0), said(math.inf)],
    ],
)
def test_what_breaks_the_contract_is_refused(answers: list[list[StepScore]]) -> None:
    with pytest.raises(ArgumentError, match="step scorer: expected"):
        step_scores(Answers(answers), ROWS)


def test_unknown_is_nan_and_never_0() -> None:
    values = score_values(said(None, 0.0, 1.0))
    assert math.isnan(values[0])
    assert values[1:] == [0.0, 1.0]
