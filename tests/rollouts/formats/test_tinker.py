from pathlib import Path
from typing import Any

from rollout_records import write_lines

from rewardgate.rollouts import read


def row(group: int, trajectory: int, reward: float | None, *, iteration: int = 0, **fields: Any) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "split": "train",
        "iteration": iteration,
        "group_idx": group,
        "traj_idx": trajectory,
        "tags": ["gsm8k"],
        "sampling_client_step": iteration,
        "total_reward": reward,
        "final_reward": 0.0,
        "trajectory_metrics": {"correct": reward},
        "final_ob_len": 40,
        "steps": [{"ob_len": 10, "ac_len": 20}, {"ob_len": 40, "ac_len": 5}],
        **fields,
    }


def test_groups_are_counted_without_their_text(tmp_path: Path) -> None:
    rows = [row(0, 0, 1.0), row(0, 1, 0.0), row(1, 0, None), row(0, 0, 1.0, iteration=1)]
    reading = read(write_lines(tmp_path / "train_rollout_summaries.jsonl", *rows))
    assert reading.format == "tinker"
    assert [group.group_id for group in reading] == ["train/0/0", "train/0/1", "train/1/0"]
    first, second, third = reading
    assert [rollout.reward for rollout in first.rollouts] == [1.0, 0.0]
    assert second.rollouts[0].reward is None
    assert (third.rollouts[0].step, third.rollouts[0].policy_version, third.rollouts[0].n_tokens) == (1, 1, 25)
    assert third.rollouts[0].response is None
    assert any("no responses in this file" in note for note in reading.summary.notes)


def test_a_step_without_its_length_leaves_the_count_unknown(tmp_path: Path) -> None:
    (group,) = read(write_lines(tmp_path / "a.jsonl", row(0, 0, 1.0, steps=[{"ac_len": 3}, {}])))
    assert group.rollouts[0].n_tokens is None
