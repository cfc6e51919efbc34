import pickle
from math import nan, sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reward_batches import Batch, batches, by_loop, centred, std

from rewardgate.errors import ArgumentError
from rewardgate.grpo import (
    CollapseThreshold,
    avspo_advantages,
    beside_virtual,
    grpo_advantages,
    virtual_count,
    virtual_ladder,
)


def float64(*rows: object) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def test_degenerate_groups_get_what_virtual_rewards_beside_them_make() -> None:
    # Two groups of three are degenerate: ACR 2/3, K = ceil(2 sqrt(2/3)) = ceil(1.63) = 2, V = 0.1, 0.05 above 0
    # and below 1. R' = 0, 0, 0.1, 0.05: mean 0.0375, squares 0.0125 / 4 - 0.0375^2 = 0.00171875, std 0.0414578.
    shift = 0.0375 / sqrt(0.00171875)
    advantages = avspo_advantages(float64([0, 0], [1, 1], [1, 0]), epsilon=0.0)
    assert advantages.flatten().tolist() == pytest.approx([-shift, -shift, shift, shift, 1, -1], rel=1e-12)


def test_it_is_grpo_where_few_groups_are_degenerate() -> None:
    rewards = float64([0, 0], [1, 0], [0, 1])  # ACR 1/3
    assert torch.equal(avspo_advantages(rewards), grpo_advantages(rewards, ddof=0))
    assert avspo_advantages(rewards, step_in_above=0.3)[0].lt(0).all()


def test_as_many_as_the_threshold_is_not_more() -> None:
    assert avspo_advantages(float64([0, 0], [1, 0]), step_in_above=0.5)[0].tolist() == [0.0, 0.0]


def test_tied_groups_singletons_and_unscored_rows_get_zero() -> None:
    rewards, ids = float64(0.5, 0.5, 1, 0, 0, nan), torch.tensor([0, 0, 1, 2, 2, 2])
    advantages = avspo_advantages(rewards, ids)
    assert advantages[[0, 1, 2, 5]].tolist() == [0.0] * 4
    assert advantages[3] == advantages[4] < 0


def test_rewards_of_minus_one_and_one_have_the_same_sides() -> None:
    binary = avspo_advantages(float64([0, 0, 0], [1, 1, 1]))
    assert torch.equal(avspo_advantages(float64([-1, -1, -1], [1, 1, 1])), binary)
    assert avspo_advantages(float64([0.9, 0.9]), correct_at=0.9)[0].gt(0).all()


@given(batches(st.sampled_from([0.0, 1.0, 0.5])), st.sampled_from([0, 1]), st.floats(0, 0.9), st.floats(0, 2))
def test_the_advantages_are_those_of_a_loop_with_the_virtual_rewards_written_out(
    batch: Batch, ddof: int, step_in_above: float, alpha: float
) -> None:
    def scored(group: int) -> list[float]:
        return [r for r, i in zip(*batch, strict=True) if i == group and r == r]

    comparable = [scored(group) for group in set(batch.ids) if len(scored(group)) > 1]
    acr = sum(len(set(group)) == 1 for group in comparable) / max(len(comparable), 1)

    def of_group(rewards: list[float]) -> list[float]:
        virtual = []
        if len(rewards) > 1 and len(set(rewards)) == 1 and rewards[0] != 0.5 and acr > step_in_above:
            k = virtual_count(acr, len(rewards), alpha=alpha)
            step = -0.1 / k if rewards[0] == 1 else 0.1 / k
            virtual = [rewards[0] + step * (rung + 1) for rung in range(k)]
        augmented = [*rewards, *virtual]
        return [value / (std(augmented, ddof) + 1e-4) for value in centred(augmented)[: len(rewards)]]

    advantages = avspo_advantages(*batch.tensors, step_in_above=step_in_above, alpha=alpha, ddof=ddof)
    assert advantages.tolist() == pytest.approx(by_loop(batch, of_group), abs=1e-9)


@given(st.integers(1, 64), st.floats(0, 1), st.floats(0, 3))
def test_there_is_at_least_one_virtual_reward_and_never_more_than_real_ones(
    size: int, acr: float, alpha: float
) -> None:
    assert 1 <= virtual_count(acr, size, alpha=alpha) <= size


@pytest.mark.parametrize(
    ("acr", "size", "alpha", "count"),
    [
        (0.5, 8, 0.5, 6),  # 8 x 0.7071 = 5.66
        (0.0, 8, 0.5, 1),
        (1.0, 8, 0.5, 8),
        (9 / 49, 35, 0.5, 15),  # 35 x 3/7 = 15, and 15.000000000000002 in floating point
        (0.25, 8, 0.0, 8),
    ],
)
def test_the_count_is_g_times_a_power_of_the_acr_rounded_up(acr: float, size: int, alpha: float, count: int) -> None:
    assert virtual_count(acr, size, alpha=alpha) == count


def test_the_ladder_falls_evenly_from_the_anchor() -> None:
    assert virtual_ladder(4, anchor=0.2).tolist() == pytest.approx([0.2, 0.15, 0.1, 0.05])


@given(st.integers(2, 32), st.integers(1, 32), st.floats(0.001, 1))
def test_equal_virtual_rewards_give_the_bound_and_a_spread_less(size: int, count: int, anchor: float) -> None:
    bound = sqrt(count / size)
    equal = beside_virtual(torch.zeros(size, dtype=torch.float64), torch.full((count,), anchor, dtype=torch.float64))
    assert equal.tolist() == pytest.approx([-bound] * size, rel=1e-9)
    spread = beside_virtual(torch.zeros(size, dtype=torch.float64), virtual_ladder(count, anchor=anchor))
    assert spread.abs().max().item() <= bound + 1e-12


def test_the_threshold_rises_with_the_reward_and_falls_while_it_stagnates_within_bounds() -> None:
    threshold = CollapseThreshold()
    values = []
    for mean in (0.2, 0.3, 0.3, 0.1, 0.4):
        threshold = threshold.updated(float64(mean, nan))
        values.append(round(threshold.value, 10))
    assert values == [0.5, 0.51, 0.5, 0.49, 0.5]
    assert threshold.mean_reward == pytest.approx(0.4)
    low = CollapseThreshold(value=0.05, mean_reward=1.0).updated(float64([0.0, 0.0]))
    high = CollapseThreshold(value=0.95, mean_reward=0.0).updated(torch.tensor([1, 1]))
    assert (low.value, high.value) == (0.05, 0.95)


def test_a_batch_without_a_reward_moves_no_threshold() -> None:
    threshold = CollapseThreshold(mean_reward=0.3)
    assert threshold.updated(float64(nan, nan)) is threshold
    assert threshold.updated(torch.zeros(0)) is threshold
    assert pickle.loads(pickle.dumps(threshold)) == threshold


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match=r"^value: expected 0 <= low <= value <= high <= 1, got low 0.05, value 2,"):
        CollapseThreshold(value=2)
    with pytest.raises(ArgumentError, match=r"^step: expected a number of at least 0, got -1$"):
        CollapseThreshold(step=-1)
    with pytest.raises(ArgumentError, match=r"^acr: expected a share in \[0, 1\], got 1.5$"):
        virtual_count(1.5, 8)
    with pytest.raises(ArgumentError, match=r"^size: expected at least 1 row, got 0$"):
        virtual_count(0.5, 0)
    with pytest.raises(ArgumentError, match=r"^alpha: expected a number of at least 0, got -0.5$"):
        virtual_count(0.5, 8, alpha=-0.5)
    with pytest.raises(ArgumentError, match=r"^anchor: expected a positive number, got 0$"):
        virtual_ladder(3, anchor=0)
    with pytest.raises(ArgumentError, match=r"^virtual: expected shape \(K,\), got \(1, 1\)$"):
        beside_virtual(torch.zeros(2), torch.zeros(1, 1))
    with pytest.raises(ArgumentError, match=r"^wrong_at: expected a number below correct_at = 1.0, got 1$"):
        avspo_advantages(float64([1, 0]), wrong_at=1)
    with pytest.raises(ArgumentError, match=r"^step_in_above: expected a share in \[0, 1\], got nan$"):
        avspo_advantages(float64([0, 0]), step_in_above=nan)
