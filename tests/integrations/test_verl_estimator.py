"""verl's GRPO, written out in float64 loops, and where ours differs from it on purpose."""

from math import inf, nan, sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.integrations.verl_estimator import estimator_options, verigate_advantages


def token_rewards(rewards: list[float]) -> torch.Tensor:
    """(B, 3) with the reward on the last token, as verl puts it."""
    table = torch.zeros(len(rewards), 3)
    table[:, -1] = torch.tensor(rewards)
    return table


def advantages(rewards: list[float], index: list[str], **config: bool) -> list[float]:
    found, returns = verigate_advantages(token_rewards(rewards), torch.ones(len(rewards), 3), index, config)
    assert torch.equal(found, returns)
    assert torch.equal(found, found[:, :1].expand(-1, 3))
    return found[:, 0].tolist()


def by_hand(rewards: list[float], index: list[str], *, is_scaled: bool) -> list[float]:
    found = []
    for reward, name in zip(rewards, index, strict=True):
        group = [other for other, at in zip(rewards, index, strict=True) if at == name]
        mean = sum(group) / len(group)
        if max(group) == min(group):
            found.append(0.0)
        elif is_scaled:
            std = sqrt(sum((other - mean) ** 2 for other in group) / (len(group) - 1))
            found.append((reward - mean) / (std + 1e-6))
        else:
            found.append(reward - mean)
    return found


groups = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.sampled_from("abc")), min_size=1, max_size=20)


@given(groups, st.booleans())
def test_it_is_grpo(rows: list[tuple[float, str]], is_scaled: bool) -> None:
    rewards, index = [reward for reward, _ in rows], [name for _, name in rows]
    found = advantages(rewards, index, norm_adv_by_std_in_grpo=is_scaled)
    assert found == pytest.approx(by_hand(rewards, index, is_scaled=is_scaled), abs=1e-6)


@given(groups, st.lists(st.integers(0, 20), max_size=4), st.sampled_from([nan, inf, -inf]))
def test_an_unknown_reward_leaves_its_siblings_as_they_are_without_it(
    rows: list[tuple[float, str]], places: list[int], unknown: float
) -> None:
    with_unknown = list(rows)
    for place in places:
        with_unknown.insert(place, (unknown, "a"))
    found = advantages([reward for reward, _ in with_unknown], [name for _, name in with_unknown])
    known = [
        value for value, (reward, _) in zip(found, with_unknown, strict=True) if reward != unknown and reward == reward
    ]
    assert known == advantages([reward for reward, _ in rows], [name for _, name in rows])
    assert all(value == 0 for value, row in zip(found, with_unknown, strict=True) if row not in rows)


@pytest.mark.parametrize("reward", [0.3, 0.15, 1.2, 0.1])
def test_equal_rewards_are_exactly_nothing(reward: float) -> None:
    assert advantages([reward] * 16, ["p"] * 16) == [0.0] * 16


def test_a_group_of_one_is_compared_with_nothing() -> None:
    assert advantages([1.0, nan, 0.5], ["p", "p", "q"]) == [0.0, 0.0, 0.0]


def test_masked_tokens_get_nothing_and_the_dtype_stays() -> None:
    rewards = token_rewards([1.0, 0.0]).bfloat16()
    mask = torch.tensor([[1, 1, 0], [1, 0, 0]])
    found, _ = verigate_advantages(rewards, mask, ["p", "p"], None)
    assert found.dtype is torch.bfloat16
    assert (found != 0).long().tolist() == mask.tolist()


@pytest.mark.parametrize("name", ["gae", "reinforce_plus_plus", "remax", "opo", "gdpo", "grpo_passk"])
def test_an_estimator_that_is_not_centred_on_the_group_is_refused(name: str) -> None:
    with pytest.raises(ArgumentError, match=rf"algorithm\.adv_estimator: expected .*verigate.*, got {name}"):
        estimator_options(name, {})
