from pathlib import Path

import pytest
from scored_steps import Oracle

from rewardgate.audit.steps.scoring import BATCH_TRACES, score_traces
from rewardgate.prm import StepRow, StepScore
from rewardgate.rollouts.records import Source
from rewardgate.rollouts.step_formats import StepTrace


def read(number: int, **more: object) -> StepTrace:
    fields = {
        "id": str(number),
        "problem_id": str(number),
        "problem": f"problem {number}",
        "steps": ("a", "b"),
        "labels": (True, False),
        "first_error": 1,
        "final_correct": None,
        "target": "5",
        "scores": None,
        "source": "s",
        "difficulty": "3",
        "place": Source(file="f", line=number),
    }
    return StepTrace(**{**fields, **more})  # type: ignore[arg-type]


def test_the_scorer_is_asked_in_batches_about_every_solution_with_its_target() -> None:
    sizes: list[int] = []

    class Counting(Oracle):
        def score(self, rows: list[StepRow]) -> list[list[StepScore]]:
            sizes.append(len(rows))
            return super().score(rows)

    scorer = Counting({"a": 0.9})
    found = score_traces((read(number) for number in range(BATCH_TRACES + 3)), scorer)
    assert sizes == [BATCH_TRACES, 3]
    assert scorer.asked[0] == StepRow("problem 0", ("a", "b"), "5")
    assert found.rules == {"told": 2 * (BATCH_TRACES + 3)}
    one = found.traces[0]
    assert (one.problem_id, one.source, one.difficulty, one.first_error) == ("0", "s", "3", 1)
    assert one.values.tolist() == pytest.approx([0.9, float("nan")], nan_ok=True)
    assert one.labels.tolist() == [1.0, 0.0]


def test_a_row_without_scores_among_rows_with_them_is_silent() -> None:
    found = score_traces([read(0, scores=(0.5, None)), read(1)], None)
    assert [one.is_silent for one in found.traces] == [False, True]


def test_the_bar_goes_to_stderr(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    score_traces([read(0)], Oracle({"a": 1.0}), progress=True)
    assert capsys.readouterr().out == ""
