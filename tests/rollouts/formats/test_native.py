from pathlib import Path

import numpy as np
from rollout_records import write_lines

from rewardgate.rollouts import Group, Rollout, read, write_rollouts
from rewardgate.rollouts.formats.native import SCHEMA


def test_rows_with_the_schema_and_rows_by_hand_are_native(tmp_path: Path) -> None:
    by_hand = {"prompt_id": "p", "response": "4", "target": "4", "rewards": {"accuracy": 1}}
    for rows in ([{"schema": SCHEMA, "prompt_id": "p", "response": "4"}], [by_hand]):
        reading = read(write_lines(tmp_path / "rollouts.jsonl", *rows))
        assert reading.format == "native"
        assert [len(group) for group in reading] == [1]
    assert read(write_lines(tmp_path / "rollouts.jsonl", by_hand | {"question": "q"})).format == "columns"


def test_a_row_that_breaks_a_rule_is_refused_by_field(tmp_path: Path) -> None:
    good = {"schema": SCHEMA, "prompt_id": "p", "response": "4", "rewards": {}}
    bad = [{"truncated": "perhaps"}, {"rewards": [1]}, {"unknown": 1}, {"prompt_id": 3}, {"prompt_id": None}]
    reading = read(write_lines(tmp_path / "rollouts.jsonl", good, *[good | change for change in bad]))
    assert reading.summary.n_rollouts == 1
    assert [refusal.field for refusal in reading.summary.refusals] == [
        *("truncated", "rewards", "unknown", "prompt_id", "prompt_id")
    ]


def test_a_reward_that_is_no_number_is_unknown_as_everywhere(tmp_path: Path) -> None:
    row = {"schema": SCHEMA, "prompt_id": "p", "response": "4", "rewards": {"accuracy": float("nan")}}
    reading = read(write_lines(tmp_path / "rollouts.jsonl", row))
    assert [group.rollouts[0].rewards for group in reading] == [{"accuracy": None}]
    assert reading.summary.warnings == {"reward_nan": 1}


def test_a_row_without_prompt_id_is_known_by_its_prompt(tmp_path: Path) -> None:
    rows = [{"schema": SCHEMA, "prompt": prompt, "response": "4"} for prompt in ("a", "b", "a")]
    assert [len(group) for group in read(write_lines(tmp_path / "rollouts.jsonl", *rows))] == [2, 1]


def test_tokens_survive_and_are_loaded_only_on_request(tmp_path: Path) -> None:
    ids, logprobs = np.array([5, 6]), np.array([-0.1, -1e-17])
    rollout = Rollout(prompt_id="p", response="4", token_ids=ids, rollout_logprobs=logprobs)
    write_rollouts(tmp_path / "rollouts.jsonl", [Group(group_id="g", rollouts=(rollout,))])
    ((plain,),) = [group.rollouts for group in read(tmp_path / "rollouts.jsonl")]
    assert plain.token_ids is None
    ((loaded,),) = [group.rollouts for group in read(tmp_path / "rollouts.jsonl", tokens=True)]
    assert loaded.token_ids is not None
    np.testing.assert_array_equal(loaded.token_ids, ids)
    np.testing.assert_array_equal(loaded.rollout_logprobs, logprobs)


def test_of_a_training_run_what_it_was_trained_on_is_read(tmp_path: Path) -> None:
    row = {"schema": SCHEMA, "prompt_id": "p", "response": "4", "rewards": {"reward": 1.0}}
    kept = {"rollouts/step_000001.jsonl", "rollouts/step_000002.jsonl"}
    for name in (*kept, "evaluations/step_000002.jsonl", "checkpoints/step_000002/ahead.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write_lines(tmp_path / name, row)
    assert {path.relative_to(tmp_path).as_posix() for path in read(tmp_path).files} == kept
    # Asked for by name, they are read as any other.
    assert read(tmp_path / "evaluations").summary.n_rollouts == 1
