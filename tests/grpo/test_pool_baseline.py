"""The pools' posterior as a baseline: before the batch, by prompt, and RLOO where there is no past."""

from math import nan

import pytest
import torch

from rewardgate.diagnostics import PoolRules, PromptPools
from rewardgate.errors import ArgumentError
from rewardgate.grpo import group_advantages, pool_advantages

PROMPTS = ["old", "old", "new", "new", "known only by name", "known only by name"]
IDS = torch.tensor([0, 0, 1, 1, 2, 2])


def pools() -> PromptPools:
    known = PromptPools(["known only by name"])
    known.update([1.0, 1.0, 1.0, 0.0], ["old"] * 4, step=1)
    return known


def test_a_prompt_with_a_past_is_compared_with_it_and_another_with_its_siblings() -> None:
    rewards = torch.tensor([1.0, 0.0, 1.0, 0.0, 0.0, 0.0], dtype=torch.float64)
    found = pool_advantages(rewards, IDS, pools=pools(), prompt_ids=PROMPTS)
    # Beta(1/2 + 3, 1/2 + 1): mean 3.5 / 5. A prompt that was never visited has a prior and no past.
    assert found.tolist() == pytest.approx([0.3, -0.7, 1.0, -1.0, 0.0, 0.0])


def test_an_all_wrong_group_with_a_past_says_something_and_unscored_rows_do_not() -> None:
    rewards = torch.tensor([0.0, nan, 0.0, 0.0, nan, nan])
    found = pool_advantages(rewards, IDS, pools=pools(), prompt_ids=PROMPTS)
    assert found.tolist() == pytest.approx([-0.7, 0.0, 0.0, 0.0, 0.0, 0.0])


def test_the_discount_of_old_visits_is_the_pools() -> None:
    known = PromptPools(rules=PoolRules(half_life_visits=1, half_life_steps=1e9))
    known.update([0.0] * 8, [7] * 8, step=1)
    known.update([1.0] * 8, [7] * 8, step=2)
    # 4 failures are left of 8: Beta(1/2 + 8, 1/2 + 4), mean 8.5 / 13. Integer ids need no names.
    found = pool_advantages(torch.tensor([1.0], dtype=torch.float64), torch.tensor([7]), pools=known)
    assert found.item() == pytest.approx(1 - 8.5 / 13)


def test_nothing_is_updated_and_the_registry_knows_it() -> None:
    known, rewards = pools(), torch.tensor([1.0, 0.0] * 3)
    before = known.state_dict()
    found = group_advantages(rewards, IDS, estimator="pool", pools=known, prompt_ids=PROMPTS)
    assert torch.equal(found, pool_advantages(rewards.view(3, 2), pools=known, prompt_ids=PROMPTS).reshape(-1))
    assert known.state_dict() == before


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match=r"prompt_ids: expected one a reward \(6\), got 2"):
        pool_advantages(torch.zeros(6), IDS, pools=pools(), prompt_ids=PROMPTS[:2])
    with pytest.raises(ArgumentError, match="prompt_ids: expected the prompt of every row, got None"):
        pool_advantages(torch.zeros(2, 3), pools=pools())
