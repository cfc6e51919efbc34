from pathlib import Path
from typing import Any

import pytest
from rollout_records import write_lines

from rewardgate.rollouts import read

ROW: dict[str, Any] = {
    "idx": 38,
    "question": "angle?",
    "gt": "120",
    "answer": "120^\\circ",
    "gt_cot": "so",
    "solution": "so",
    "code": ["a", "b"],
    "response": ["a", "b"],
    "pred": ["120", "6"],
    "score": [True, False],
    "report": [None, None],
    "pred_score": [[3.8], [-1.0]],
    "level": "Level 1",
    "history": [],
}


def test_the_raw_answer_is_the_target_and_the_score_the_reward(tmp_path: Path) -> None:
    reading = read(write_lines(tmp_path / "rollouts.jsonl", ROW))
    (group,) = reading
    assert reading.format == "qwen_math"
    assert (group.prompt_id, group.prompt, group.target) == ("38", "angle?", "120^\\circ")
    first, second = group.rollouts
    assert (first.response, first.rewards, second.rewards) == ("a", {"score": 1.0}, {"score": 0.0})
    assert second.meta == {"gt": "120", "level": "Level 1", "pred": "6", "report": None, "pred_score": [-1.0]}
    assert second.source is not None
    assert (second.source.line, second.source.index) == (1, 1)


def test_the_normalised_gold_stands_in_where_there_is_no_raw_one(tmp_path: Path) -> None:
    (group,) = read(write_lines(tmp_path / "rollouts.jsonl", ROW | {"answer": ""}))
    assert group.target == "120"


def test_rows_out_of_step_are_refused(tmp_path: Path) -> None:
    bad: list[dict[str, Any]] = [{"code": []}, {"code": [1, 2]}, {"question": None}]
    reading = read(write_lines(tmp_path / "rollouts.jsonl", *[ROW] * 6, *[ROW | change for change in bad]))
    assert reading.summary.n_groups == 6
    assert [refusal.field for refusal in reading.summary.refusals] == ["code", "code", "question"]


@pytest.mark.parametrize("score", [[True], None])
def test_scores_out_of_step_are_unknown_and_counted(tmp_path: Path, score: Any) -> None:
    reading = read(write_lines(tmp_path / "rollouts.jsonl", *[ROW] * 6, ROW | {"score": score}))
    *_, last = reading
    assert [rollout.reward for rollout in last.rollouts] == [None, None]
    assert reading.summary.warnings["rewards_not_aligned"] == 1
