import pytest
from pydantic import ValidationError

from rewardgate.rollouts import Group, Rollout, Source


def test_the_reward_is_the_named_one_then_the_only_one_then_the_usual_one() -> None:
    assert Rollout(prompt_id="p", rewards={"format": 1.0, "accuracy": 0.0}, reward_name="accuracy").reward == 0.0
    assert Rollout(prompt_id="p", rewards={"accuracy": 1.0}).reward == 1.0
    assert Rollout(prompt_id="p", rewards={"format": 1.0, "reward": 0.5}).reward == 0.5


def test_a_reward_that_nobody_can_tell_is_none_and_not_zero() -> None:
    assert Rollout(prompt_id="p").reward is None
    assert Rollout(prompt_id="p", rewards={"accuracy": None}).reward is None
    assert Rollout(prompt_id="p", rewards={"accuracy": 1.0, "format": 1.0}).reward is None


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_reward_that_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(ValidationError):
        Rollout(prompt_id="p", rewards={"reward": value})


def test_a_record_is_frozen_and_knows_its_fields() -> None:
    rollout = Rollout(prompt_id="p")
    with pytest.raises(ValidationError):
        rollout.prompt_id = "q"
    with pytest.raises(ValidationError, match="respons"):
        Rollout.model_validate({"prompt_id": "p", "respons": "4"})


def test_a_group_holds_one_prompt_and_at_least_one_rollout() -> None:
    with pytest.raises(ValidationError, match="at least one rollout"):
        Group(group_id="g", rollouts=())
    with pytest.raises(ValidationError, match="expected one prompt in the group, got 2"):
        Group(group_id="g", rollouts=(Rollout(prompt_id="p"), Rollout(prompt_id="q")))


def test_a_source_reads_as_file_and_line() -> None:
    assert str(Source(file="rollouts.jsonl", line=17)) == "rollouts.jsonl:17"
    assert str(Source(file="rollouts.jsonl", line=17, index=2)) == "rollouts.jsonl:17[2]"
