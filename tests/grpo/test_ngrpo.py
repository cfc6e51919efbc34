"""NGRPO: a virtual reward beside every group, against the general form that takes any virtual rewards."""

from math import nan, sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reward_batches import Batch, batches

from rewardgate.errors import ArgumentError
from rewardgate.grpo import beside_virtual, ngrpo_advantages


@given(batches(st.sampled_from([0.0, 1.0, 0.35, -1.0])), st.sampled_from([0, 1]), st.sampled_from([0.0, 1e-4]))
def test_every_group_gets_what_it_gets_beside_one_virtual_reward(batch: Batch, ddof: int, epsilon: float) -> None:
    rewards, ids = batch.tensors
    found = ngrpo_advantages(rewards, ids, ddof=ddof, epsilon=epsilon)
    for group in set(batch.ids):
        rows = (ids == group) & ~rewards.isnan()
        expected = beside_virtual(rewards[rows], torch.tensor([1.0]).double(), ddof=ddof, epsilon=epsilon)
        torch.testing.assert_close(found[rows], expected, rtol=1e-9, atol=1e-9)
    assert found[rewards.isnan()].eq(0).all()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 16])
def test_all_wrong_is_charged_evenly_and_all_correct_is_exactly_zero(size: int) -> None:
    rewards = torch.tensor([[0.0] * size, [1.0] * size, [nan] * size], dtype=torch.float64)
    found = ngrpo_advantages(rewards, epsilon=0.0)
    assert found[0].tolist() == pytest.approx([-1 / sqrt(size)] * size)
    assert found[1:].eq(0).all()


def test_a_reward_above_the_highest_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"rewards: expected at most max_reward = 1.0, got 1.5"):
        ngrpo_advantages(torch.tensor([[1.5, nan]]))
    with pytest.raises(ArgumentError, match="max_reward: expected a finite number, got inf"):
        ngrpo_advantages(torch.zeros(1, 2), max_reward=float("inf"))
