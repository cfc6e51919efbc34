from pathlib import Path
from typing import Any

import pytest
from rollout_records import write_lines

from rewardgate.rollouts import read

ROW: dict[str, Any] = {
    "question": "How many?",
    "ground_truth": "16 - 3 = <<16-3=13>>13\n13 + 5 = 18\nA: 18",
    "6b": {"is_correct": False, "solution": "A: 17"},
    "175b": {"is_correct": True, "solution": "A: 18"},
}


def test_each_model_is_a_rollout_with_its_name_as_policy(tmp_path: Path) -> None:
    reading = read(write_lines(tmp_path / "rollouts.jsonl", ROW))
    (group,) = reading
    assert reading.format == "gsm8k_solutions"
    assert [(rollout.policy_version, rollout.response, rollout.reward) for rollout in group.rollouts] == [
        ("6b", "A: 17", 0.0),
        ("175b", "A: 18", 1.0),
    ]
    assert "2 different models" in reading.summary.notes[0]


@pytest.mark.parametrize(
    ("ground_truth", "target"),
    [
        ("so\nA: 18", "18"),
        ("A: 7", "7"),
        ("so\n#### 1,000", "1,000"),
        ("so A: 18 apples", "so A: 18 apples"),
        ("", None),
    ],
)
def test_the_target_is_what_stands_after_the_mark(tmp_path: Path, ground_truth: str, target: str | None) -> None:
    (group,) = read(write_lines(tmp_path / "rollouts.jsonl", ROW | {"ground_truth": ground_truth}))
    assert group.target == target


def test_a_row_of_no_model_or_of_no_text_is_refused(tmp_path: Path) -> None:
    bad = [{"6b": None, "175b": 1}, {"6b": {"is_correct": True, "solution": 3}}, {"question": 5}]
    reading = read(write_lines(tmp_path / "rollouts.jsonl", *[ROW] * 4, *[ROW | change for change in bad]))
    assert reading.summary.n_rollouts == 8
    assert [refusal.field for refusal in reading.summary.refusals] == ["solution", "6b.solution", "question"]
