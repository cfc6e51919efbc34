from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rollout_records import write_lines

from rewardgate.errors import NoUsableRowsError
from rewardgate.rollouts import read


def row(content: Any, reward: float, **fields: Any) -> dict[str, Any]:
    return {"content": [content], "rewards": [reward], "input_lengths": [9], "idx": 0, **fields}


def test_samples_of_one_prompt_in_one_file_are_a_group(tmp_path: Path) -> None:
    for step in (10, 9):
        rows = [row(["2+2?", text], reward) for text, reward in (("4", 1.0), ("5", 0.0))]
        write_lines(tmp_path / f"train_data_step{step}.jsonl", *rows)
    reading = read(tmp_path)
    assert reading.format == "nemo_rl"
    assert [(group.prompt, group.rollouts[0].step) for group in reading] == [("2+2?", 9), ("2+2?", 10)]
    assert [(rollout.response, rollout.reward) for rollout in next(iter(reading)).rollouts] == [("4", 1.0), ("5", 0.0)]


def test_validation_logs_messages(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]
    (group,) = read(write_lines(tmp_path / "val_data_step7.jsonl", row(turns, 1.0)))
    assert (group.prompt, group.rollouts[0].response, group.rollouts[0].step) == (turns[:1], "4", 7)


def test_advantages_and_sampled_tokens_are_those_that_are_trained_on(tmp_path: Path) -> None:
    fields = {
        "advantages": [[0.5, 0.5, 0.5]],
        "token_ids": [[7, 8, 9]],
        "token_loss_mask": [[0, 1, 1]],
        "generation_logprobs": [[0.0, -0.5, -0.25]],
        "prev_logprobs": [[0.0, -0.75, -0.25]],
    }
    (group,) = read(write_lines(tmp_path / "train_data_step1.jsonl", row(["q", "4"], 1.0, **fields)), tokens=True)
    rollout = group.rollouts[0]
    assert rollout.meta == {"advantage": 0.5, "prev_logprobs": [-0.75, -0.25]}
    assert rollout.token_ids is not None
    assert rollout.rollout_logprobs is not None
    np.testing.assert_array_equal(rollout.token_ids, [8, 9])
    np.testing.assert_array_equal(rollout.rollout_logprobs, [-0.5, -0.25])


def test_a_row_without_a_prompt_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoUsableRowsError, match="expected at least a prompt and a response"):
        read(write_lines(tmp_path / "train_data_step1.jsonl", row(["all in one"], 1.0)))
