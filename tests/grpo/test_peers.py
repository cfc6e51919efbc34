"""Our advantages beside those of TRL's and verl's own code, on groups where all three have something to say.

Where they differ on purpose (equal rewards, singletons) the difference is shown, so that it is seen to go away.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from rewardgate.grpo import (
    group_advantages,
    importance_weights,
    overlong_penalties,
    reinforce_pp_advantages,
    reinforce_pp_baseline_advantages,
)


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


def masked_tokens(n_rows: int) -> tuple[Tensor, Tensor]:
    """Values (n_rows, 7) and a mask with holes, as tool calls make them, and rows of several lengths."""
    generator = torch.Generator().manual_seed(2)
    values = torch.rand(n_rows, 7, generator=generator, dtype=torch.float64)
    mask = (torch.arange(7) <= torch.arange(n_rows)[:, None] % 7) & (torch.rand(n_rows, 7, generator=generator) < 0.8)
    mask[:, 0] = True
    return values, mask


@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_token_returns_whitened_over_the_batch_are_verls(verl: Any, gamma: float) -> None:
    values, mask = masked_tokens(9)
    theirs, _ = verl.compute_reinforce_plus_plus_outcome_advantage(
        values * mask, mask.double(), config=SimpleNamespace(gamma=gamma)
    )
    # verl's mean divides by the count plus 1e-8.
    torch.testing.assert_close(reinforce_pp_advantages(values, mask, gamma=gamma), theirs, rtol=1e-8, atol=1e-8)


def test_the_group_baseline_whitened_over_tokens_is_verls_but_for_singletons(verl: Any) -> None:
    rewards, ids = mixed_groups([2, 3, 5])
    _, mask = masked_tokens(10)
    by_token = torch.zeros(10, 7, dtype=torch.float64)
    by_token[:, 0] = rewards
    theirs, _ = verl.compute_reinforce_plus_plus_baseline_outcome_advantage(by_token, mask.double(), ids.tolist())
    ours = reinforce_pp_baseline_advantages(rewards, ids, mask)
    torch.testing.assert_close(ours, theirs, rtol=1e-7, atol=1e-7)


def test_normalised_components_are_verls_where_every_rollout_has_one_token(verl: Any) -> None:
    # With one token each, its whitening over tokens is ours over rollouts. It sums in float32.
    outcomes, ids = mixed_groups([4, 4, 8])
    form = outcomes.flip(0)
    ones = torch.ones(16, 1, dtype=torch.float64)
    theirs, _ = verl.compute_gdpo_outcome_advantage(
        outcomes[:, None],
        ones,
        ids.numpy(),
        epsilon=1e-6,
        config={"gdpo_reward_keys": ["outcome", "form"], "gdpo_reward_weights": [1.0, 0.5]},
        non_tensor_batch={"outcome": outcomes.numpy(), "form": form.numpy()},
        batch={"prompts": torch.zeros(16, 1), "attention_mask": torch.ones(16, 2, dtype=torch.int64)},
    )
    options = {"components": form[:, None], "weights": [1.0, 0.5], "epsilon": 1e-6}
    ours = group_advantages(outcomes, ids, estimator="gdpo", **options)
    torch.testing.assert_close(ours, theirs[:, 0].double(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("unknown", [0, 4])
def test_normalised_components_are_trls(nanstd: Any, unknown: int) -> None:
    # As TRL's `normalize_then_sum`, with its own nanstd: each component in its group, the sum over the batch.
    outcomes = mixed_groups([8] * 3)[0].view(3, 8)
    form = outcomes.flip(0, 1)
    form.view(-1)[torch.arange(unknown) * 5] = torch.nan
    both = torch.stack([outcomes, form], dim=2)  # (N, G, K)
    normalised = (both - both.nanmean(1, keepdim=True)) / (nanstd(both, dim=1, keepdim=True) + 1e-4)
    summed = (normalised * torch.tensor([1.0, 2.0])).nansum(2)
    theirs = (summed - summed.mean()) / (nanstd(summed) + 1e-4)
    ours = group_advantages(outcomes, estimator="gdpo", components=form[..., None], weights=[1.0, 2.0])
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-6)


def test_overlong_completions_are_punished_as_by_trl() -> None:
    rewards = pytest.importorskip("trl.rewards", reason="NOT RUN: TRL is not installed")
    lengths = [0, 79, 80, 81, 90, 99, 100, 101, 500]
    theirs = rewards.get_soft_overlong_punishment(max_completion_len=100, soft_punish_cache=20)(
        completion_ids=[[0] * length for length in lengths]
    )
    ours = overlong_penalties(torch.tensor(lengths, dtype=torch.float64), max_tokens=100, buffer=20)
    assert ours.tolist() == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("level", ["token", "sequence"])
def test_truncated_importance_weights_are_verls(level: str) -> None:
    name = "verl.trainer.ppo.rollout_corr_helper"
    corrections = pytest.importorskip(name, reason="NOT RUN: verl is not installed")
    values, mask = masked_tokens(9)
    old, rollout = values - 0.5, torch.zeros_like(values)
    theirs, _ = corrections.compute_rollout_correction_weights(
        old - rollout, mask.double(), rollout_is=level, rollout_is_threshold=1.2
    )
    ours = importance_weights(old, rollout, mask, cap=1.2, level=level)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
