import json
from pathlib import Path
from typing import Any

import pytest
from tool_dumps import inspect_log, inspect_sample, write_eval

from rewardgate.rollouts import Reading, Rollout, read


def rollouts_of(reading: Reading) -> list[Rollout]:
    return [rollout for group in reading for rollout in group.rollouts]


def test_the_epochs_of_a_sample_are_its_group(tmp_path: Path) -> None:
    samples = [inspect_sample(name, epoch, "4", {"match": "C"}) for epoch in (1, 2) for name in (1, "b")]
    reading = read(write_eval(tmp_path / "log.eval", samples))
    assert reading.format == "inspect"
    assert [(group.group_id, [rollout.meta["epoch"] for rollout in group.rollouts]) for group in reading] == [
        ("1", [1, 2]),
        ("b", [1, 2]),
    ]
    one = rollouts_of(reading)[0]
    assert (one.prompt, one.response, one.target, one.truncated, one.n_tokens, one.policy_version) == (
        "1: 2+2?",
        "4",
        "4",
        False,
        7,
        "mock/m",
    )


@pytest.mark.parametrize(
    ("value", "rewards", "reward"),
    [
        ("C", {"s": 1.0}, 1.0),
        ("P", {"s": 0.5}, 0.5),
        ("I", {"s": 0.0}, 0.0),
        ("N", {"s": 0.0}, 0.0),
        (0.25, {"s": 0.25}, 0.25),
        (True, {"s": 1.0}, 1.0),
        (float("nan"), {"s": None}, None),
        ({"boxed": True, "right": "I"}, {"s.boxed": 1.0, "s.right": 0.0}, None),
        (["a"], {}, None),
    ],
)
def test_values_of_every_kind_are_rewards(tmp_path: Path, value: Any, rewards: dict[str, Any], reward: Any) -> None:
    (one,) = rollouts_of(read(write_eval(tmp_path / "log.eval", [inspect_sample(1, 1, "4", {"s": value})])))
    assert (one.rewards, one.reward) == (rewards, reward)


def test_the_first_scorer_with_one_value_is_the_reward(tmp_path: Path) -> None:
    scores = {"parts": {"boxed": 1}, "match": "I", "includes": "C"}
    reading = read(write_eval(tmp_path / "log.eval", [inspect_sample(1, 1, "4", scores)]))
    assert rollouts_of(reading)[0].reward == 0.0
    assert reading.fields["rewards"] == "parts, match, includes"
    assert rollouts_of(read(tmp_path / "log.eval", reward_key="includes"))[0].reward == 1.0


def test_a_failed_sample_has_neither_response_nor_reward(tmp_path: Path) -> None:
    samples = [inspect_sample(1, 1, "4", {"match": "C"}), inspect_sample(1, 2, None, {})]
    reading = read(write_eval(tmp_path / "log.eval", samples))
    failed = rollouts_of(reading)[1]
    assert (failed.reward, failed.response, failed.truncated) == (None, None, None)
    assert failed.meta["error"] == "the server went away"
    assert reading.summary.warnings == {"attempts_that_failed": 1}


def test_stops_by_length_and_by_limit_are_truncations(tmp_path: Path) -> None:
    cut = inspect_sample(1, 1, "4", {"match": "C"})
    cut["output"]["choices"][0]["stop_reason"] = "max_tokens"
    limited = inspect_sample(1, 2, "4", {"match": "C"}, limit={"type": "token", "limit": 9})
    assert [one.truncated for one in rollouts_of(read(write_eval(tmp_path / "log.eval", [cut, limited])))] == [
        True,
        True,
    ]


def test_a_response_of_several_turns_keeps_them_and_not_the_examples_of_the_input(tmp_path: Path) -> None:
    turns = [
        {"role": "user", "content": "1+1?", "source": "input"},
        {"role": "assistant", "content": "2", "source": "input"},
        {"role": "user", "content": "2+2?", "source": "input"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c"}], "id": "x"},
        {"role": "tool", "content": "4", "tool_call_id": "c"},
        {"role": "assistant", "content": "four", "id": "y"},
    ]
    sample = inspect_sample(1, 1, "four", {"match": "C"}, messages=turns, input=turns[:3])
    (one,) = rollouts_of(read(write_eval(tmp_path / "log.eval", [sample])))
    assert isinstance(one.response, list)
    assert [turn["content"] for turn in one.response] == ["", "4", "four"]
    assert one.response[0]["tool_calls"] == [{"id": "c"}]


def test_a_log_in_json_says_the_same_as_its_archive(tmp_path: Path) -> None:
    samples = [inspect_sample(1, epoch, "4", {"match": "C"}) for epoch in (1, 2)]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(inspect_log(samples), indent=2))
    archived = rollouts_of(read(write_eval(tmp_path / "log.eval", samples)))
    found = rollouts_of(read(path))
    assert [one.model_dump(exclude={"source"}) for one in found] == [
        one.model_dump(exclude={"source"}) for one in archived
    ]
