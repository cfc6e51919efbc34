"""Our advantages beside those of TRL's and verl's own code, on groups where all three have something to say.

Where they differ on purpose (equal rewards, singletons) the difference is shown, so that it is seen to go away.
"""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from rewardgate.grpo import group_advantages


@pytest.fixture
def verl() -> Any:
    return pytest.importorskip("verl.trainer.ppo.core_algos", reason="NOT RUN: verl is not installed")


@pytest.fixture
def nanstd() -> Any:
    return pytest.importorskip("trl.trainer.utils", reason="NOT RUN: TRL is not installed").nanstd


def mixed_groups(sizes: list[int]) -> tuple[Tensor, Tensor]:
    """Graded rewards, no two of a group equal, in shuffled order."""
    generator = torch.Generator().manual_seed(0)
    ids = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    order = torch.randperm(len(ids), generator=generator)
    return torch.rand(len(ids), generator=generator, dtype=torch.float64)[order], ids[order]


def of_verl(function: Any, rewards: Tensor, ids: Tensor, **options: Any) -> Tensor:
    tokens = rewards.clone().unsqueeze(1)  # (B, 1): verl reads outcome rewards off the last token
    return function(tokens, torch.ones_like(tokens), index=ids.numpy(), **options)[0][:, 0]


@pytest.mark.parametrize(
    ("name", "its_options", "estimator", "options"),
    [
        ("grpo", {"epsilon": 1e-6}, "grpo", {"epsilon": 1e-6}),
        ("grpo", {"norm_adv_by_std_in_grpo": False}, "dr_grpo", {}),
        ("rloo", {}, "rloo", {}),
        ("rloo_vectorized", {}, "rloo", {}),
    ],
)
def test_ragged_groups_get_verls_advantages(
    verl: Any, name: str, its_options: dict[str, Any], estimator: str, options: dict[str, Any]
) -> None:
    rewards, ids = mixed_groups([2, 3, 8, 16, 5])
    theirs = of_verl(getattr(verl, f"compute_{name}_outcome_advantage"), rewards, ids, **its_options)
    ours = group_advantages(rewards, ids, estimator=estimator, **options)
    torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


def test_verls_vectorized_rloo_gives_singletons_zero_as_we_do_and_its_loop_their_reward(verl: Any) -> None:
    rewards, ids = torch.tensor([0.7, 1.0, 0.0], dtype=torch.float64), torch.tensor([0, 1, 1])
    assert group_advantages(rewards, ids, estimator="rloo")[0] == 0
    assert of_verl(verl.compute_rloo_vectorized_outcome_advantage, rewards, ids)[0] == 0
    assert of_verl(verl.compute_rloo_outcome_advantage, rewards, ids)[0] == 0.7


def test_verl_makes_advantages_of_equal_rewards_and_we_do_not(verl: Any) -> None:
    rewards, ids = torch.full((8,), 1e4 + 0.1), torch.zeros(8, dtype=torch.int64)
    assert of_verl(verl.compute_grpo_outcome_advantage, rewards, ids).abs().max() > 0.3
    assert group_advantages(rewards, ids, epsilon=1e-6).eq(0).all()


@pytest.mark.parametrize("unscored", [0, 3])
def test_scored_rows_get_trls_advantages(nanstd: Any, unscored: int) -> None:
    # TRL computes them inside its trainer: its own nanstd, and the mean, difference and quotient around it. Its
    # n / (n - 1) is a quotient of integers, and so float32 whatever the rewards are.
    rewards = mixed_groups([8] * 5)[0].view(5, 8)
    rewards.view(-1)[torch.arange(unscored) * 11] = torch.nan
    centred = rewards - rewards.nanmean(1, keepdim=True)
    for estimator, scale in {"grpo": nanstd(rewards, dim=1).unsqueeze(1), "batch_std": nanstd(rewards)}.items():
        theirs = (centred / (scale + 1e-4)).nan_to_num(0.0)
        torch.testing.assert_close(group_advantages(rewards, estimator=estimator), theirs, rtol=1e-7, atol=1e-9)


def test_the_loop_over_interleaved_ids_needs_no_sorted_uids(verl: Any) -> None:
    rewards, ids = mixed_groups([4, 4, 4])
    theirs = verl.compute_grpo_outcome_advantage(
        rewards.clone().unsqueeze(1), torch.ones(12, 1), index=np.array([f"uid-{i}" for i in ids]), epsilon=1e-4
    )[0][:, 0]
    torch.testing.assert_close(group_advantages(rewards, ids), theirs, rtol=1e-9, atol=1e-9)
