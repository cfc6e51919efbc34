from pathlib import Path

import numpy as np
from rollout_records import write_lines
from tool_dumps import episode, trace

from rewardgate.rollouts import read

GOOD = {"correct": (1.0, 1.0), "fmt": (1.0, 0.2)}
POOR = {"correct": (0.0, 1.0), "fmt": (1.0, 0.2)}


def test_episodes_belong_together_by_task_and_rewards_are_summed_by_weight(tmp_path: Path) -> None:
    rows = [
        episode("a", trace("1", "4", GOOD)),
        episode("b", trace("2", "5", POOR)),
        episode("a", trace("3", "4", POOR)),
    ]
    reading = read(write_lines(tmp_path / "traces.jsonl", *rows))
    assert reading.format == "verifiers_traces"
    first, second = reading
    assert (first.group_id, first.target, first.prompt_id) == ("a", "4", "a")
    assert first.prompt == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+2?"}]
    assert [rollout.reward for rollout in first.rollouts] == [1.2, 0.2]
    one = second.rollouts[0]
    assert (one.rewards, one.response, one.truncated, one.policy_version) == (
        {"correct": 0.0, "fmt": 1.0, "reward": 0.2},
        "5",
        False,
        "m",
    )


def test_a_failed_attempt_has_no_reward_and_the_prompt_of_its_siblings(tmp_path: Path) -> None:
    rows = [episode("a", trace("1", "4", GOOD)), episode("a", trace("2", None, {}))]
    reading = read(write_lines(tmp_path / "traces.jsonl", *rows))
    (group,) = reading
    failed = group.rollouts[1]
    assert (failed.reward, failed.response, failed.truncated, failed.prompt) == (None, None, None, group.prompt)
    assert reading.summary.warnings == {"attempts_that_failed": 1}


def test_an_episode_without_a_trace_is_refused_with_its_error(tmp_path: Path) -> None:
    reading = read(write_lines(tmp_path / "traces.jsonl", episode("a", trace("1", "4", GOOD)), episode("a")))
    (refusal,) = reading.summary.refusals
    assert (refusal.line, refusal.field) == (2, "traces")
    assert "the worker died" in refusal.reason


def test_traces_that_are_scored_again_count_once(tmp_path: Path) -> None:
    for name in ("run", "replay"):
        (tmp_path / name).mkdir()
    write_lines(tmp_path / "run/traces.jsonl", *[episode("a", trace(name, "4", GOOD)) for name in "12"])
    write_lines(tmp_path / "replay/traces.jsonl", *[episode("a", trace(name, "4", POOR)) for name in "12"])
    reading = read(tmp_path)
    assert reading.summary.n_rollouts == 2
    assert "2 episodes have the ids of earlier ones (scored again, or filtered): left out" in reading.summary.notes


def test_only_the_agents_that_are_trained_have_rollouts(tmp_path: Path) -> None:
    user = trace("2", "bye", POOR, agent={"name": "user", "trainable": False})
    path = write_lines(tmp_path / "traces.jsonl", episode("a", trace("1", "4", GOOD), user))
    assert [rollout.rollout_id for group in read(path) for rollout in group.rollouts] == ["1"]
    path = write_lines(tmp_path / "other.jsonl", episode("a", user))
    assert [rollout.rollout_id for group in read(path) for rollout in group.rollouts] == ["2"]


def test_the_response_is_the_last_sampled_message_on_its_branch(tmp_path: Path) -> None:
    def node(parent: int | None, role: str, content: str, *, sampled: bool = False) -> dict[str, object]:
        return {"parent": parent, "message": {"role": role, "content": content}, "sampled": sampled}

    nodes = [
        node(None, "user", "2+2?"),
        node(0, "assistant", "given up", sampled=True),
        node(0, "assistant", "call", sampled=True),
        node(2, "tool", "5"),
        node(3, "assistant", "4", sampled=True),
        node(4, "tool", "after the end"),
    ]
    path = write_lines(tmp_path / "traces.jsonl", episode("a", trace("1", "x", GOOD, nodes=nodes)))
    (group,) = read(path)
    response = group.rollouts[0].response
    assert isinstance(response, list)
    assert [turn["content"] for turn in response] == ["call", "5", "4"]


def test_a_length_stop_is_a_truncation_whoever_says_it(tmp_path: Path) -> None:
    cut = trace("1", "4", GOOD, calls=[{"node": 2, "finish_reason": "length"}])
    stopped = trace("2", "4", GOOD, stop_condition="max_total_tokens")
    path = write_lines(tmp_path / "traces.jsonl", episode("a", cut), episode("a", stopped))
    assert [rollout.truncated for group in read(path) for rollout in group.rollouts] == [True, True]


def test_a_reward_alone_with_weight_1_is_the_reward(tmp_path: Path) -> None:
    rows = [
        episode("a", trace("1", "4", {"correct": (1.0, 1.0)})),
        episode("b", trace("2", "4", {"correct": (1.0, 0.5)})),
    ]
    first, second = (group.rollouts[0] for group in read(write_lines(tmp_path / "traces.jsonl", *rows)))
    assert (first.rewards, second.rewards) == ({"correct": 1.0}, {"correct": 1.0, "reward": 0.5})


def test_sampled_tokens_are_loaded_on_request(tmp_path: Path) -> None:
    one = trace("1", "4", GOOD)
    one["nodes"][-1] |= {"token_ids": [7, 8, 9], "mask": [False, True, True], "logprobs": [-0.5, -0.25]}
    path = write_lines(tmp_path / "traces.jsonl", episode("a", one))
    (group,) = read(path, tokens=True)
    rollout = group.rollouts[0]
    assert rollout.token_ids is not None
    assert rollout.rollout_logprobs is not None
    np.testing.assert_array_equal(rollout.token_ids, [8, 9])
    np.testing.assert_array_equal(rollout.rollout_logprobs, [-0.5, -0.25])
    (group,) = read(path)
    assert group.rollouts[0].token_ids is None
