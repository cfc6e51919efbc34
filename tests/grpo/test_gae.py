"""The critic: an independent recursion, tool tokens, what the critic is told of unscored rows, and its loss."""

from math import nan

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import Tensor

from rewardgate.errors import ArgumentError
from rewardgate.grpo import gae_advantages, token_returns, value_losses, whitened

T64 = torch.float64


@st.composite
def critics(draw: st.DrawFn) -> tuple[Tensor, Tensor, Tensor]:
    """Rewards, values and a mask with holes, (B, T)."""
    shape = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    rewards, values = (draw(arrays(np.float64, shape, elements=st.floats(-2, 2))) for _ in range(2))
    return torch.from_numpy(rewards), torch.from_numpy(values), torch.from_numpy(draw(arrays(np.bool_, shape)))


@given(critics(), st.sampled_from([0.0, 0.9, 1.0]), st.sampled_from([0.0, 0.95, 1.0]))
def test_advantages_are_discounted_sums_of_errors_over_the_rows_own_tokens(
    batch: tuple[Tensor, Tensor, Tensor], gamma: float, lam: float
) -> None:
    rewards, values, mask = batch
    found, returns = gae_advantages(rewards.where(mask, nan), values.where(mask, nan), mask, gamma=gamma, lam=lam)
    for row in range(len(rewards)):
        r, v = rewards[row][mask[row]].tolist(), [*values[row][mask[row]].tolist(), 0.0]
        errors = [r[t] + gamma * v[t + 1] - v[t] for t in range(len(r))]
        expected = [sum((gamma * lam) ** k * error for k, error in enumerate(errors[t:])) for t in range(len(r))]
        assert found[row][mask[row]].tolist() == pytest.approx(expected, abs=1e-9)
        assert found[row][~mask[row]].eq(0).all()
    torch.testing.assert_close(returns, (found + values).where(mask, 0), rtol=1e-12, atol=1e-12)


@given(critics())
def test_without_discount_it_is_the_return_less_the_value(batch: tuple[Tensor, Tensor, Tensor]) -> None:
    rewards, values, mask = batch
    advantages, returns = gae_advantages(rewards, values, mask)
    torch.testing.assert_close(returns, token_returns(rewards, mask), rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(advantages, (token_returns(rewards, mask) - values).where(mask, 0), rtol=1e-9, atol=1e-9)


def test_an_unscored_row_teaches_neither_the_policy_nor_the_critic_nor_the_whitening() -> None:
    rewards = torch.tensor([[0.0, 1.0], [0.0, nan], [0.5, 0.0]], dtype=T64)
    values, mask = torch.tensor([[0.5, 0.75], [0.3, 0.4], [0.1, 0.2]], dtype=T64), torch.ones(3, 2, dtype=torch.bool)
    advantages, returns = gae_advantages(rewards, values, mask, whiten=True)
    assert advantages[1].tolist() == [0.0, 0.0]
    assert torch.equal(returns[1], values[1])
    others = [0, 2]
    alone, _ = gae_advantages(rewards[others], values[others], mask[others], whiten=True)
    torch.testing.assert_close(advantages[others], alone, rtol=1e-12, atol=1e-12)


def test_whitening_changes_the_advantages_and_not_the_returns() -> None:
    rewards, values = torch.tensor([[0.0, 1.0]], dtype=T64), torch.tensor([[0.5, 0.25]], dtype=T64)
    mask = torch.ones(1, 2, dtype=torch.bool)
    plain, returns = gae_advantages(rewards, values, mask, gamma=0.9, lam=0.9)
    white, same = gae_advantages(rewards, values, mask, gamma=0.9, lam=0.9, whiten=True, ddof=0, epsilon=0.1)
    assert torch.equal(white, whitened(plain, mask, ddof=0, epsilon=0.1))
    assert torch.equal(returns, same)


def test_values_are_data() -> None:
    values = torch.zeros(1, 2, requires_grad=True)
    advantages, returns = gae_advantages(torch.ones(1, 2), values, torch.ones(1, 2, dtype=torch.bool))
    assert [advantages.requires_grad, returns.requires_grad] == [False, False]


def test_a_value_is_believed_only_so_far_from_its_old_one() -> None:
    values = torch.tensor([1.0, 1.0], requires_grad=True)
    returns, old = torch.tensor([2.0, 2.0]), torch.tensor([1.0, 0.0])
    # Held within ±0.2 of the old value: 1 and 0.2; errors 1 and 1.8, of which the larger counts, without a gradient.
    losses = value_losses(values, returns, old_values=old, clip=0.2)
    assert losses.tolist() == pytest.approx([0.5, 1.62])
    (gradient,) = torch.autograd.grad(losses.sum(), values)
    assert gradient.tolist() == [-1.0, 0.0]


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    ones, mask = torch.ones(1, 2), torch.ones(1, 2, dtype=torch.bool)
    with pytest.raises(ArgumentError, match=r"lam: expected a number in \[0, 1\], got -0.1"):
        gae_advantages(ones, ones, mask, lam=-0.1)
    with pytest.raises(ArgumentError, match=r"values: expected finite numbers where .* got nan at 0, 1"):
        gae_advantages(ones, torch.tensor([[1.0, nan]]), mask)
    with pytest.raises(ArgumentError, match="old_values: expected a tensor with clip, got None"):
        value_losses(ones, ones, clip=0.2)
    with pytest.raises(ArgumentError, match="clip: expected a positive number or None, got 0"):
        value_losses(ones, ones, old_values=ones, clip=0)
