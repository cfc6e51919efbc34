"""Literal small files, each with one trap that a real rollout file has sprung."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rollout_records import write_lines

from rewardgate.errors import ArgumentError, NoUsableRowsError
from rewardgate.rollouts import Reading, Refusal, Rollout, completion_text, read, read_rows


def reading_of(tmp_path: Path, *rows: dict[str, Any] | str, **options: Any) -> Reading:
    return read(write_lines(tmp_path / "rollouts.jsonl", *rows), **options)


def rollouts_of(tmp_path: Path, *rows: dict[str, Any] | str, **options: Any) -> list[Rollout]:
    return [rollout for group in reading_of(tmp_path, *rows, **options) for rollout in group.rollouts]


LONG = {"id": "a", "prompt_id": "p", "prompt": "2+2?", "response": "4", "answer": "4", "reward": 1.0, "level": 3}


def test_a_long_row_becomes_one_rollout_with_every_field(tmp_path: Path) -> None:
    extras = {"finish_reason": "length", "n_tokens": 7, "model": "m", "step": 3, "logprobs": [0.1], "x": "y" * 5000}
    (rollout,) = rollouts_of(tmp_path, LONG | extras)
    assert rollout.model_dump(exclude={"source"}, exclude_none=True) == {
        "prompt_id": "p",
        "prompt": "2+2?",
        "response": "4",
        "target": "4",
        "rewards": {"reward": 1.0},
        "rollout_id": "a",
        "truncated": True,
        "finish_reason": "length",
        "n_tokens": 7,
        "policy_version": "m",
        "step": 3,
        "meta": {"level": 3},  # neither the log-probabilities nor 5,000 characters
    }
    assert rollout.source is not None
    assert rollout.source.line == 1


def test_fields_tell_which_column_became_what(tmp_path: Path) -> None:
    assert dict(reading_of(tmp_path, LONG | {"group_id": "g", "step": 1}).fields) == {
        "prompt": "prompt",
        "prompt_id": "prompt_id",
        "group_id": "group_id",
        "step": "step",
        "response": "response",
        "target": "answer",
        "rewards": "reward",
        "rollout_id": "id",
    }


def test_identical_responses_are_two_samples(tmp_path: Path) -> None:
    (group,) = reading_of(tmp_path, LONG | {"id": "a"}, LONG | {"id": "b"}, LONG | {"id": "c", "response": "5"})
    assert [rollout.response for rollout in group.rollouts] == ["4", "4", "5"]


def test_a_repeated_loose_id_names_the_prompt_and_a_fresh_one_the_rollout(tmp_path: Path) -> None:
    rows = [{"id": f"p{i // 2}", "prompt": f"q{i // 2}", "response": "x"} for i in range(4)]
    assert [group.prompt_id for group in reading_of(tmp_path, *rows)] == ["p0", "p1"]
    rows = [{"idx": i % 2, "prompt": f"q{i // 2}", "response": "x"} for i in range(4)]  # the sample's number
    groups = list(reading_of(tmp_path, *rows))
    assert [len(group) for group in groups] == [2, 2]
    assert all(rollout.rollout_id is None for group in groups for rollout in group.rollouts)


def test_a_wide_row_is_one_group_and_its_lists_are_taken_apart(tmp_path: Path) -> None:
    row = {"idx": "p", "question": "q", "gt": "4", "responses": ["4", "5"], "rewards": [1, None], "pred": ["4", "5"]}
    (group,) = reading_of(tmp_path, row)
    assert group.prompt_id == "p"
    assert [rollout.rewards for rollout in group.rollouts] == [{"rewards": 1.0}, {"rewards": None}]
    assert [rollout.meta["pred"] for rollout in group.rollouts] == ["4", "5"]
    assert [str(rollout.source).rpartition("/")[2] for rollout in group.rollouts] == [
        "rollouts.jsonl:1",
        "rollouts.jsonl:1[1]",
    ]


def test_two_wide_rows_of_one_prompt_are_two_groups_with_two_ids(tmp_path: Path) -> None:
    row = {"prompt_id": "p", "responses": ["a"], "rewards": [1]}
    assert [group.group_id for group in reading_of(tmp_path, row, row)] == ["p", "p#2"]


def test_an_empty_list_is_a_refused_row_and_rewards_out_of_step_are_unknown(tmp_path: Path) -> None:
    row = {"prompt": "q", "completions": ["a", "b"], "rewards": [1, 0]}
    reading = reading_of(tmp_path, row, row | {"completions": [], "rewards": []}, row | {"rewards": [1]})
    assert [[rollout.reward for rollout in group.rollouts] for group in reading] == [[1.0, 0.0], [None, None]]
    assert [(refusal.line, refusal.field) for refusal in reading.summary.refusals] == [(2, "completions")]
    assert reading.summary.warnings["rewards_not_aligned"] == 1


def test_objects_in_a_list_are_responses_with_rewards_of_their_own(tmp_path: Path) -> None:
    samples = [{"text": "4", "reward": 1, "finish_reason": "stop"}, {"text": "5", "reward": 0, "id": "s"}]
    reading = reading_of(tmp_path, {"id": "p", "prompt": "q", "gold": "4", "samples": samples})
    (group,) = reading
    assert group.prompt_id == "p"
    assert [rollout.response for rollout in group.rollouts] == ["4", "5"]
    assert [rollout.reward for rollout in group.rollouts] == [1.0, 0.0]
    assert [rollout.truncated for rollout in group.rollouts] == [False, None]
    assert reading.fields["response"] == "samples.text"


def test_an_answer_inside_the_objects_that_varies_is_the_models(tmp_path: Path) -> None:
    samples = [{"text": "so 4", "answer": "4"}, {"text": "so 5", "answer": "5"}]
    (group,) = reading_of(tmp_path, {"id": "p", "prompt": "q", "samples": samples})
    assert group.target is None
    (group,) = reading_of(tmp_path, {"id": "p", "prompt": "q", "solution": "#### 4", "samples": samples})
    assert group.target == "#### 4"


def test_chat_choices_are_responses(tmp_path: Path) -> None:
    choices = [{"message": {"role": "assistant", "content": text}, "finish_reason": "length"} for text in "ab"]
    found = rollouts_of(tmp_path, {"id": "c", "prompt": "q", "choices": choices})
    assert [(rollout.response, rollout.truncated) for rollout in found] == [("a", True), ("b", True)]


def test_rewards_without_responses_are_groups_of_rewards(tmp_path: Path) -> None:
    reading = reading_of(tmp_path, {"prompt_id": "p", "rewards": [1.0, 0.0]}, {"prompt_id": "q", "rewards": [0.0]})
    assert [[rollout.reward for rollout in group.rollouts] for group in reading] == [[1.0, 0.0], [0.0]]
    assert any(note.startswith("no responses in this file") for note in reading.summary.notes)


def test_named_rewards_have_no_total_unless_the_file_has_one(tmp_path: Path) -> None:
    named = {"prompt": "q", "completion": "a", "rewards": {"accuracy": 1.0, "format": None}}
    (rollout,) = rollouts_of(tmp_path, named)
    assert (rollout.rewards, rollout.reward) == ({"accuracy": 1.0, "format": None}, None)
    (rollout,) = rollouts_of(tmp_path, named | {"score": 0.5})
    assert (rollout.rewards, rollout.reward) == ({"accuracy": 1.0, "format": None, "score": 0.5}, 0.5)


def test_a_missing_a_null_and_a_nan_reward_are_unknown(tmp_path: Path) -> None:
    rows = [dict(LONG, id=str(number), reward=reward) for number, reward in enumerate([1.0, None, math.nan])]
    reading = reading_of(tmp_path, *rows, {name: cell for name, cell in LONG.items() if name != "reward"})
    (group,) = reading
    assert [rollout.rewards for rollout in group.rollouts] == [{"reward": 1.0}] + [{"reward": None}] * 3
    assert reading.summary.warnings == {"reward_nan": 1}


def test_one_odd_reward_does_not_turn_a_column_into_named_rewards(tmp_path: Path) -> None:
    rows = [dict(LONG, reward=reward) for reward in (1, 0, {"score": 1.0}, [1.0])]
    assert [rollout.rewards for rollout in rollouts_of(tmp_path, *rows)] == [
        {"reward": 1.0},
        {"reward": 0.0},
        {"reward": None},
        {"reward": None},
    ]


def test_an_answer_that_varies_inside_a_prompt_is_the_models(tmp_path: Path) -> None:
    rows = [
        {"question": "q", "response": "r", "answer": answer, "gt": "4", "correct": answer == "4"} for answer in "45"
    ]
    reading = reading_of(tmp_path, *rows)
    (group,) = reading
    assert group.target == "4"
    assert [rollout.meta["answer"] for rollout in group.rollouts] == ["4", "5"]
    assert "answer differs between rows of one prompt in 1 of 1 prompts" in reading.summary.notes[0]
    (group,) = reading_of(tmp_path, *[{name: row[name] for name in ("question", "response", "answer")} for row in rows])
    assert group.target is None  # a prediction is no gold, even if there is no other
    (group,) = reading_of(tmp_path, *rows, target_key="answer")
    assert [rollout.target for rollout in group.rollouts] == ["4", "5"]


def test_a_solution_is_a_response_only_beside_a_target(tmp_path: Path) -> None:
    (rollout,) = rollouts_of(tmp_path, {"problem": "q", "solution": "so 4", "answer": "4"})
    assert (rollout.response, rollout.target) == ("so 4", "4")
    (rollout,) = rollouts_of(tmp_path, {"problem": "q", "solution": "so 4", "response": "5"})
    assert (rollout.response, rollout.target) == ("5", "so 4")


def test_messages_hold_the_prompt_and_its_last_assistant_turn(tmp_path: Path) -> None:
    system, user = {"role": "system", "content": "s"}, {"role": "user", "content": "q"}
    rows = [{"messages": [system, user, {"role": "assistant", "content": text}], "label": "4"} for text in "45"]
    (group,) = reading_of(tmp_path, *rows, {"messages": [system, user]})
    assert group.prompt == [system, user]
    assert [rollout.response for rollout in group.rollouts] == ["4", "5"]
    (group,) = reading_of(tmp_path, *[row | {"response": "r"} for row in rows])
    assert group.prompt == [system, user]
    assert group.rollouts[0].response == "r"


def test_content_in_parts_and_content_as_text_are_one_group(tmp_path: Path) -> None:
    contents: list[Any] = ["q", [{"type": "text", "text": "q"}]]
    rows = [
        {"prompt": [{"role": "user", "content": content}], "completion": [{"role": "assistant", "content": "4"}]}
        for content in contents
    ]
    (group,) = reading_of(tmp_path, *rows)
    assert [completion_text(rollout.response or "") for rollout in group.rollouts] == ["4", "4"]


def test_an_attempt_that_failed_is_a_rollout_without_response(tmp_path: Path) -> None:
    completion = [{"role": "assistant", "content": "4"}]
    rows = [{"prompt": "q", "completion": cell, "reward": None} for cell in (completion, [], None)]
    (group,) = reading_of(tmp_path, *rows)
    assert [rollout.response for rollout in group.rollouts] == [completion, None, None]


def test_wrong_types_are_refused_and_the_rest_is_kept(tmp_path: Path) -> None:
    reading = reading_of(tmp_path, LONG | {"response": 5}, LONG | {"prompt": 7}, LONG | {"response": {"a": 1}}, LONG)
    assert reading.summary.n_rollouts == 1
    assert [str(refusal).rpartition("/")[2] for refusal in reading.summary.refusals] == [
        "rollouts.jsonl:1: response: expected a response as text or messages, got 5",
        "rollouts.jsonl:2: prompt: expected a prompt as text or messages, got 7",
        'rollouts.jsonl:3: response: expected a response as text or messages, got {"a": 1}',
    ]


def test_columns_can_be_named_also_inside_objects(tmp_path: Path) -> None:
    row = {"p": "q", "info": {"gold": "4", "group": 1}, "r": "a", "ok": 0.5, "n": "x"}
    keys = {"prompt_key": "p", "response_key": "r", "target_key": "info.gold", "reward_key": "ok"}
    reading = reading_of(tmp_path, row, row, **keys, group_key="info.group", prompt_id_key="n")
    (group,) = reading
    assert (group.group_id, group.prompt_id, group.prompt, group.target) == ("1", "x", "q", "4")
    assert [rollout.reward for rollout in group.rollouts] == [0.5, 0.5]


def test_a_key_that_names_no_column_is_told_the_columns(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"reward_key: expected a column of the file, got \"nope\"; columns: id, "):
        reading_of(tmp_path, LONG, reward_key="nope")


def test_training_curves_and_data_sets_are_no_rollouts(tmp_path: Path) -> None:
    with pytest.raises(NoUsableRowsError, match="got curves: numbers a step, no rollouts"):
        reading_of(tmp_path, {"step": 1, "reward": 0.5})
    with pytest.raises(NoUsableRowsError, match=r"got 0 of 1; line 1: response: .*\[\"step\", \"run\", \"reward\"\]"):
        reading_of(tmp_path, {"step": 1, "run": "a", "reward": 0.5})
    with pytest.raises(NoUsableRowsError, match="response_key names a column of responses"):
        reading_of(tmp_path, {"question": "q", "answer": "4"})


def test_rows_without_a_prompt_can_be_verified(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rows.jsonl", {"response": "4", "target": 4}, "junk", {"response": "5", "target": 4})
    found = list(read_rows(path))
    assert [(row.prompt_id, row.response, row.target) for row in found if isinstance(row, Rollout)] == [
        ("row-1", "4", "4"),
        ("row-3", "5", "4"),
    ]
    assert isinstance(found[1], Refusal)
    assert found[1].line == 2


def test_tokens_are_loaded_only_on_request(tmp_path: Path) -> None:
    row = LONG | {"token_ids": [1, 2, 3], "logprobs": [-0.5, -1.0, -2.0]}
    (rollout,) = rollouts_of(tmp_path, row)
    assert rollout.token_ids is None
    assert not {"token_ids", "logprobs"} & set(rollout.meta)
    (rollout,) = rollouts_of(tmp_path, row, tokens=True)
    assert rollout.token_ids is not None
    assert rollout.rollout_logprobs is not None
    np.testing.assert_array_equal(rollout.token_ids, [1, 2, 3])
    np.testing.assert_array_equal(rollout.rollout_logprobs, [-0.5, -1.0, -2.0])


def test_a_table_of_text_is_read_by_the_same_rules(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.csv"
    path.write_text('Prompt,Response,Gold,Reward,step\nq,"a,\nb",9,1.0,3\nq,,25\\%,NULL,3\nq,c,9,nan,3\n')
    reading = read(path)
    (group,) = reading
    assert [(rollout.response, rollout.target, rollout.reward, rollout.step) for rollout in group.rollouts] == [
        ("a,\nb", "9", 1.0, 3),
        ("", "25\\%", None, 3),
        ("c", "9", None, 3),
    ]
    assert reading.summary.warnings == {"reward_not_a_number": 1, "reward_nan": 1, "targets_differ_in_group": 1}


@pytest.mark.parametrize("text", ["prompt,response\n", "[]", "[\n]\n"])
def test_a_file_of_no_rows_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rollouts"
    path.write_text(text)
    with pytest.raises(NoUsableRowsError):
        read(path)
    pq.write_table(pa.table({"prompt": pa.array([], pa.string()), "response": pa.array([], pa.string())}), path)
    with pytest.raises(NoUsableRowsError):
        read(path)


def test_parquet_lists_are_wide_rows(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.parquet"
    rows = {"prompt": ["q"], "completions": [["a", "b"]], "scores": [[1.0, None]], "token_ids": [[[1], [2, 3]]]}
    pq.write_table(pa.table(rows), path)
    (group,) = read(path, tokens=True)
    assert [rollout.rewards for rollout in group.rollouts] == [{"scores": 1.0}, {"scores": None}]
    assert [list(rollout.token_ids) for rollout in group.rollouts if rollout.token_ids is not None] == [[1], [2, 3]]


def test_a_deep_row_never_ends_the_reading(tmp_path: Path) -> None:
    for depth in (300, 500, 900, 990, 5000, 100_000):
        deep = '{"prompt": "q", "response": "x", "answer": ' + "[" * depth + "]" * depth + "}"
        reading = reading_of(tmp_path, deep, LONG)
        assert reading.summary.n_rollouts + reading.summary.n_refused == 2


def test_lone_surrogates_and_line_separators_stay_in_the_text(tmp_path: Path) -> None:
    text = "cut \ud83d and \u2028 raw \x85 NUL \0"
    path = tmp_path / "rollouts.jsonl"
    raw = json.dumps(LONG | {"response": text}, ensure_ascii=False)
    path.write_bytes(raw.encode("utf-8", "surrogatepass") + b"\n" + json.dumps(LONG | {"response": text}).encode())
    (group,) = read(path)
    assert [rollout.response for rollout in group.rollouts] == [text, text]
