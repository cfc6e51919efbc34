import pickle
from math import isnan, nan, sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reward_batches import Batch, batches, std

from rewardgate.errors import ArgumentError
from rewardgate.grpo import PromptMeans, ema_advantages, global_advantages, group_advantages, rloo_advantages


def float64(*rows: object) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def test_the_batch_is_the_baseline_of_every_group_degenerate_ones_too() -> None:
    # 1 0 | 0 0 | 1 1, mean 1/2; six squares of 1/2 sum to 3/2, std = sqrt(3/2 / 5) = sqrt(0.3) with ddof 1.
    up = 0.5 / sqrt(0.3)
    advantages = global_advantages(float64([1, 0], [0, 0], [1, 1]), epsilon=0.0)
    assert advantages.flatten().tolist() == pytest.approx([up, -up, -up, -up, up, up], rel=1e-12)
    # With ddof 0, std = 1/2.
    assert global_advantages(float64([1, 0]), ddof=0, epsilon=0.0).tolist() == [[1.0, -1.0]]


@pytest.mark.parametrize("reward", [0.35, 1e4 + 0.1])
def test_a_batch_of_equal_rewards_gets_exact_zeros(reward: float) -> None:
    assert global_advantages(torch.full((7, 3), reward), epsilon=0.0).eq(0).all()
    assert global_advantages(float64(reward), torch.tensor([5])).tolist() == [0.0]


@given(batches())
def test_the_global_advantages_are_those_of_one_loop_over_the_scored_rows(batch: Batch) -> None:
    scored = [reward for reward in batch.rewards if not isnan(reward)]
    mean = sum(scored) / max(len(scored), 1)
    is_constant = len(set(scored)) < 2
    expected = [0.0 if isnan(r) or is_constant else (r - mean) / (std(scored, 1) + 1e-4) for r in batch.rewards]
    assert global_advantages(*batch.tensors).tolist() == pytest.approx(expected, abs=1e-9)


def test_the_mean_of_a_prompt_is_that_of_its_past_rewards_with_weights_that_decay() -> None:
    # One rollout at a time, decay 0.9: weights 0.9^3, 0.9^2, 0.9, 1 of the rewards 1, 0, 0.5, 1 (times 0.1, which
    # cancels): (0.729 + 0 + 0.45 + 1) / (0.729 + 0.81 + 0.9 + 1) = 2.179 / 3.439.
    means = PromptMeans(decay=0.9)
    for reward in (1.0, 0.0, 0.5, 1.0):
        means = means.updated(float64(reward), torch.tensor([8]))
    assert means.mean(8) == pytest.approx(2.179 / 3.439, rel=1e-12)
    assert means.counts == {8: 4}
    assert means.mean(9) is None


def test_the_first_mean_is_the_first_reward_not_a_tenth_of_it() -> None:
    assert PromptMeans(decay=0.9).updated(float64(1.0), torch.tensor([0])).mean(0) == pytest.approx(1.0)


def test_a_group_of_n_decays_the_past_by_n_rollouts() -> None:
    # 4 rewards with mean 1/2 after 2 with mean 1: (0.9^4 (1 - 0.9^2) 1 + (1 - 0.9^4) 1/2) / (1 - 0.9^6).
    ids = torch.tensor([0, 0, 0, 0])
    means = PromptMeans(decay=0.9).updated(float64(1, 1), ids[:2]).updated(float64(1, 0, 1, 0), ids)
    assert means.mean(0) == pytest.approx((0.9**4 * (1 - 0.9**2) + (1 - 0.9**4) / 2) / (1 - 0.9**6), rel=1e-12)
    twice = PromptMeans().updated(float64(1, 0), ids[:2]).updated(float64(1, 0), ids[:2])
    assert twice.mean(0) == pytest.approx(PromptMeans().updated(float64(1, 0, 1, 0), ids).mean(0))


@given(st.lists(batches(max_size=8), max_size=4), st.floats(0.01, 0.99))
def test_the_means_are_those_of_a_loop_over_prompts(seen: list[Batch], decay: float) -> None:
    means = PromptMeans(decay=decay)
    totals: dict[int, float] = {}
    weights: dict[int, float] = {}
    for batch in seen:
        means = means.updated(*batch.tensors)
        for prompt in set(batch.ids):
            scored = [r for r, i in zip(*batch, strict=True) if i == prompt and not isnan(r)]
            if scored:
                kept = decay ** len(scored)
                totals[prompt] = kept * totals.get(prompt, 0) + (1 - kept) * sum(scored) / len(scored)
                weights[prompt] = kept * weights.get(prompt, 0) + (1 - kept)
    assert {prompt: means.mean(prompt) for prompt in means.counts} == {
        prompt: pytest.approx(totals[prompt] / weights[prompt], rel=1e-9, abs=1e-9) for prompt in totals
    }


def test_an_update_makes_a_new_state_and_leaves_the_old_one() -> None:
    before = PromptMeans().updated(float64(1.0), torch.tensor([0]))
    after = before.updated(float64(0.0, 1.0), torch.tensor([0, 1]))
    assert (before.counts, before.mean(0)) == ({0: 1}, pytest.approx(1.0))
    assert after.counts == {0: 2, 1: 1}
    assert pickle.loads(pickle.dumps(after)) == after


def test_unscored_rewards_move_no_mean() -> None:
    means = PromptMeans().updated(float64(1.0, nan, nan), torch.tensor([0, 0, 1]))
    assert means.counts == {0: 1}


def test_a_group_is_compared_with_the_past_of_its_prompt_not_with_itself() -> None:
    means = PromptMeans().updated(float64(1, 0, 0, 0), torch.tensor([3, 3, 3, 3]))  # mean 1/4
    advantages = ema_advantages(float64(0, 0, 1, nan), torch.tensor([3, 3, 3, 3]), means=means)
    assert advantages.tolist() == pytest.approx([-0.25, -0.25, 0.75, 0.0])


def test_a_prompt_without_a_past_gets_the_baseline_of_rloo() -> None:
    means = PromptMeans().updated(float64(0.5), torch.tensor([3]))
    rewards, ids = float64(1, 1, 0, 0.35, 0.35, 0.7, 1), torch.tensor([3, 9, 9, 4, 4, 5, 3])
    advantages = ema_advantages(rewards, ids, means=means)
    assert advantages.tolist() == pytest.approx([0.5, 1.0, -1.0, 0.0, 0.0, 0.0, 0.5])
    assert torch.equal(ema_advantages(rewards, ids, means=PromptMeans()), rloo_advantages(rewards, ids))


def test_the_registry_passes_the_means_on() -> None:
    ids = torch.tensor([3, 3])
    means = PromptMeans().updated(float64(1, 0), ids)
    assert group_advantages(float64(0, 0), ids, estimator="ema", means=means).tolist() == pytest.approx([-0.5, -0.5])


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match=r"^decay: expected a number in \(0, 1\), got 1$"):
        PromptMeans(decay=1)
    with pytest.raises(ArgumentError, match=r"^counts: expected the prompts of totals, got others$"):
        PromptMeans(totals={1: 0.5})
    with pytest.raises(ArgumentError, match=r"^totals: expected integers as keys, got '3'$"):
        PromptMeans(totals={"3": 0.5}, counts={"3": 1})
    with pytest.raises(ArgumentError, match=r"^group_ids: expected the prompt of every row, got None"):
        group_advantages(float64([1, 0]), estimator="ema", means=PromptMeans())
    with pytest.raises(ArgumentError, match=r"^group_ids: expected shape \(2,\) as rewards, got \(1,\)$"):
        PromptMeans().updated(float64(1, 0), torch.tensor([0]))
