import json
from typing import Any

import pytest
from audited import audited, group
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.pooling import pools_of, suspect_groups
from rewardgate.diagnostics.pools import Pool, PoolRules, PromptPools
from rewardgate.rollouts.records import Group, Rollout


def logged(prompt_id: str, rewards: list[float | None], *, step: int | None = None, group_id: str = "") -> Group:
    rollouts = tuple(Rollout(prompt_id=prompt_id, rewards={"reward": reward}, step=step) for reward in rewards)
    return Group(group_id=group_id or f"{step}/{prompt_id}", rollouts=rollouts)


def test_groups_are_replayed_in_the_order_of_their_steps_wherever_they_stand() -> None:
    groups = [
        logged("a", [0.0] * 8, step=30),
        logged("a", [1.0, 0.0], step=10),
        logged("b", [1.0] * 8, step=20),
    ]
    by_hand = PromptPools(["a", "b"])
    by_hand.update([1.0, 0.0], ["a"] * 2, step=10)
    by_hand.update([1.0] * 8, ["b"] * 8, step=20)
    by_hand.update([0.0] * 8, ["a"] * 8, step=30)
    found = pools_of(groups)
    assert found.pools.state_dict() == by_hand.state_dict()
    assert (found.steps, found.n_groups, found.n_unknown, found.n_without_step) == ((10, 20, 30), 3, 0, 0)


@given(st.permutations([(step, prompt_id) for step in (1, 2, 5) for prompt_id in "ab"]))
def test_the_order_of_the_file_changes_nothing(order: list[tuple[int, str]]) -> None:
    rewards = {"a": [1.0, 0.0, 0.0], "b": [0.0] * 6}
    found = pools_of([logged(prompt_id, rewards[prompt_id], step=step) for step, prompt_id in order])
    assert found.pools.pool_of("b") is Pool.HARD
    rows = dict(zip(found.pools.prompt_ids, found.pools.table()["mean"], strict=True))
    # Three visits: (1 + 2^-.5 + 2^-1) = 2.207 of each; a: 2.207 successes of 6.62, b: none of 13.24.
    assert rows == pytest.approx({"a": 2.7071 / 7.6213, "b": 0.5 / 14.2426}, abs=1e-4)


def test_two_groups_of_a_prompt_at_one_step_are_one_visit() -> None:
    found = pools_of([logged("a", [1.0, 0.0], step=3), logged("a", [1.0, 1.0, None], step=3, group_id="again")])
    table = found.pools.table()
    assert table["visits"] == [1]
    assert table["mean"] == pytest.approx([3.5 / 5])


def test_without_steps_the_groups_of_a_prompt_follow_one_another() -> None:
    groups = [logged("a", [1.0] * 4), logged("b", [1.0] * 4), logged("a", [0.0] * 4)]
    found = pools_of(groups, rules=PoolRules(half_life_visits=1))
    assert found.steps == ()
    # a: 4 successes, halved at the second visit, then 4 failures.
    assert found.pools.posterior()[0].tolist() == [2.5, 4.5]
    assert found.pools.posterior()[1].tolist() == [4.5, 0.5]


def test_groups_without_a_step_among_others_are_left_out_and_counted() -> None:
    found = pools_of([logged("a", [1.0, 0.0], step=3), logged("b", [1.0, 1.0])])
    assert (found.n_groups, found.n_without_step) == (2, 1)
    assert found.pools.table()["visits"] == [1, 0]


def test_unknown_rewards_are_no_failures_and_such_groups_are_counted() -> None:
    found = pools_of([logged("a", [None, None, 1.0, 1.0], step=1), logged("b", [None] * 8, step=1)])
    assert found.n_unknown == 1
    assert found.pools.table()["visits"] == [1, 0]
    assert found.pools.posterior()[1].tolist() == [0.5, 0.5]


def test_the_reward_from_which_a_rollout_is_right_is_the_rules() -> None:
    found = pools_of([logged("a", [0.5] * 8, step=1)], rules=PoolRules(correct_at=0.5))
    assert found.pools.pool_of("a") is Pool.EASY


def test_prompts_of_suspect_groups_and_named_ones_are_set_aside() -> None:
    groups = [logged(name, [0.0] * 8, step=1) for name in ("a", "b", "c", "d")]
    found = pools_of(groups, evaluation=["a"], quarantine=["b"], suspect=["1/c"])
    assert [found.pools.pool_of(name) for name in "abcd"] == [Pool.EVAL, Pool.QUARANTINE, Pool.QUARANTINE, Pool.HARD]
    assert found.n_quarantined == 2
    assert found.pools.table()["visits"] == [1, 0, 0, 1]


def test_what_an_audit_blames_on_the_pipeline_is_suspect_and_what_it_blames_on_the_policy_is_not() -> None:
    wrong: list[Any] = [("So \\boxed{5}.", 0.0)] * 4
    refused: list[Any] = [("So \\boxed{4}.", 0.0)] * 4
    report = audited(group("policy", "4", wrong), group("pipeline", "4", refused))
    assert suspect_groups(report) == ["pipeline"]


def test_the_state_is_one_that_a_trainer_can_load() -> None:
    found = pools_of([logged("a", [0.0] * 8, step=7)])
    pools = PromptPools()
    pools.load_state_dict(json.loads(json.dumps(found.pools.state_dict())))
    assert pools.pool_of("a") is Pool.HARD
