"""Token returns and REINFORCE++: the recurrence by hand, tool tokens, unscored rows, degenerate groups."""

from math import inf, nan

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import Tensor

from rewardgate.errors import ArgumentError
from rewardgate.grpo import (
    final_token_rewards,
    reinforce_pp_advantages,
    reinforce_pp_baseline_advantages,
    token_returns,
    whitened,
)

T64 = torch.float64


@st.composite
def rewards_and_masks(draw: st.DrawFn) -> tuple[Tensor, Tensor]:
    shape = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    rewards = draw(arrays(np.float64, shape, elements=st.floats(-2, 2)))
    return torch.from_numpy(rewards), torch.from_numpy(draw(arrays(np.bool_, shape)))


@given(rewards_and_masks(), st.sampled_from([0.0, 0.5, 0.9, 1.0]))
def test_returns_are_those_of_the_rows_own_tokens_in_a_list(batch: tuple[Tensor, Tensor], gamma: float) -> None:
    rewards, mask = batch
    found = token_returns(rewards.where(mask, nan), mask, gamma=gamma)
    for row in range(len(rewards)):
        own = rewards[row][mask[row]].tolist()
        expected = [sum(gamma**k * reward for k, reward in enumerate(own[t:])) for t in range(len(own))]
        assert found[row][mask[row]].tolist() == pytest.approx(expected, abs=1e-12)
        assert found[row][~mask[row]].eq(0).all()


def test_the_outcome_stands_at_the_last_token_that_counts() -> None:
    mask = torch.tensor([[True, True, False], [True, False, True], [False, False, False]])
    at_last = final_token_rewards(torch.tensor([1.0, nan, 5.0]), mask)
    assert at_last[0].tolist() == [0.0, 1.0, 0.0]
    assert at_last[1].isnan().tolist() == [False, False, True]
    assert at_last[2].tolist() == [0.0, 0.0, 0.0]


def test_an_unscored_row_gets_zero_and_never_moves_the_others() -> None:
    rewards = torch.tensor([[0.0, 1.0], [0.0, 0.0], [nan, 1.0]], dtype=T64)
    mask = torch.ones(3, 2, dtype=torch.bool)
    found = reinforce_pp_advantages(rewards, mask)
    assert found[2].tolist() == [0.0, 0.0]
    assert torch.equal(found[:2], reinforce_pp_advantages(rewards[:2], mask[:2]))


def test_a_group_baseline_is_weighed_by_tokens() -> None:
    # Groups (1, 0): ±1/2, at one token and at three: mean (1/2 - 3/2) / 4 = -1/4, deviations 3/4 and three times -1/4,
    # squares 9/16 + 3/16 = 3/4, variance 1/4 with ddof 1.
    mask = torch.tensor([[True, False, False], [True, True, True]])
    rewards, ids = torch.tensor([1.0, 0.0], dtype=T64), torch.tensor([0, 0])
    found = reinforce_pp_baseline_advantages(rewards, ids, mask, epsilon=0.0)
    assert found.tolist() == [pytest.approx([1.5, 0, 0]), pytest.approx([-0.5, -0.5, -0.5])]


def test_degenerate_groups_singletons_and_unscored_rows_stay_at_zero_without_centring_only() -> None:
    rewards = torch.tensor([1.0, 0.0, 0.35, 0.35, 1.0, nan], dtype=T64)
    ids, mask = torch.tensor([0, 0, 1, 1, 2, 0]), torch.tensor([[True, False]] * 6)
    mask[1, 1] = True
    kept = reinforce_pp_baseline_advantages(rewards, ids, mask, centre=False)
    assert kept[2:].eq(0).all()
    assert kept[:2, 0].ne(0).all()
    # Tokens 1/2, -1/2, -1/2, 0, 0, 0: their mean is -1/12, which centring takes from the silent rows too.
    moved = reinforce_pp_baseline_advantages(rewards, ids, mask)
    assert (moved[2:5, 0] > 0).all()
    assert moved[5].eq(0).all()


def test_a_batch_of_degenerate_groups_gets_exact_zeros() -> None:
    rewards, ids = torch.tensor([0.1, 0.1, 1e4 + 0.1, 1e4 + 0.1]), torch.tensor([0, 0, 1, 1])
    assert reinforce_pp_baseline_advantages(rewards, ids, torch.ones(4, 3, dtype=torch.bool)).eq(0).all()


@given(rewards_and_masks(), st.integers(0, 3))
def test_padding_never_changes_an_advantage(batch: tuple[Tensor, Tensor], columns: int) -> None:
    rewards, mask = batch
    wide = torch.cat([rewards.where(mask, inf), torch.full((len(rewards), columns), nan)], 1)
    wide_mask = torch.cat([mask, torch.zeros(len(mask), columns, dtype=torch.bool)], 1)
    found = reinforce_pp_advantages(wide, wide_mask)
    assert torch.equal(found[:, : mask.shape[1]], reinforce_pp_advantages(rewards, mask))


def test_whole_numbers_become_floats_and_the_scale_is_the_whitenings() -> None:
    rewards, mask = torch.tensor([[0, 2], [0, 0]]), torch.ones(2, 2, dtype=torch.bool)
    found = reinforce_pp_advantages(rewards, mask, ddof=0)
    assert found.dtype == torch.float32
    assert found.tolist() == [pytest.approx([1, 1]), pytest.approx([-1, -1])]
    assert torch.equal(found, whitened(token_returns(rewards, mask), mask, ddof=0))
    assert token_returns(torch.zeros(0, 4), torch.zeros(0, 4, dtype=torch.bool)).shape == (0, 4)


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    ones, mask = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.bool)
    with pytest.raises(ArgumentError, match=r"gamma: expected a number in \[0, 1\], got 1.5"):
        token_returns(ones, mask, gamma=1.5)
    with pytest.raises(ArgumentError, match="token_rewards: expected finite numbers or NaN, got inf at 0, 0"):
        token_returns(ones / 0, mask)
    with pytest.raises(
        ArgumentError, match=r"rewards: expected shape \(2,\), one a row of completion_mask, got \(3,\)"
    ):
        final_token_rewards(torch.ones(3), mask)
    with pytest.raises(
        ArgumentError, match=r"rewards: expected shape \(2,\), one a row of completion_mask, got \(3,\)"
    ):
        reinforce_pp_baseline_advantages(torch.ones(3), torch.zeros(3, dtype=torch.int64), mask)
