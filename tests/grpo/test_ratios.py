"""Importance weights of tokens: the cap, the limit of the log-ratio, and padding."""

from math import exp, inf

import pytest
import torch

from rewardgate.errors import ArgumentError
from rewardgate.grpo import importance_weights
from rewardgate.grpo.ratios import clamped_log_ratio

MASK = torch.tensor([[True, True, True, False]])


def test_a_weight_is_the_ratio_up_to_its_cap_and_zero_under_the_mask() -> None:
    old = torch.tensor([[-1.0, -0.1, -3.0, -inf]])
    rollout = torch.tensor([[-1.0, -1.1, -2.0, -inf]])
    # exp(0) = 1; exp(1) = 2.718, cut to 2; exp(-1).
    assert importance_weights(old, rollout, MASK).tolist() == [pytest.approx([1.0, 2.0, exp(-1.0), 0.0])]
    assert importance_weights(old, rollout, MASK, cap=3.0)[0, 1].item() == pytest.approx(exp(1.0))


def test_weights_are_data_even_where_the_log_probabilities_have_a_graph() -> None:
    old = torch.zeros(1, 4, requires_grad=True)
    assert not importance_weights(old, torch.zeros(1, 4), MASK).requires_grad


def test_no_log_ratio_overflows_and_none_has_a_gradient_outside_the_limit() -> None:
    logprobs = torch.tensor([-1000.0, -1.0, 0.0], requires_grad=True)
    ratio = clamped_log_ratio(logprobs, torch.tensor([0.0, -1.0, -1000.0])).exp()
    ratio.sum().backward()
    assert torch.isfinite(ratio).all()
    assert logprobs.grad is not None
    assert logprobs.grad.tolist() == [0.0, 1.0, 0.0]


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    zeros = torch.zeros(1, 4)
    with pytest.raises(ArgumentError, match=r"rollout_logprobs: expected shape \(1, 4\) as old_logprobs, got \(4,\)"):
        importance_weights(zeros, zeros[0], MASK)
    with pytest.raises(ArgumentError, match="completion_mask: expected dtype bool, got int64"):
        importance_weights(zeros, zeros, MASK.long())
    with pytest.raises(ArgumentError, match="cap: expected a positive number, got 0"):
        importance_weights(zeros, zeros, MASK, cap=0)


def test_a_sequences_weight_is_the_product_of_its_tokens_and_an_unknown_level_is_refused() -> None:
    old, rollout = torch.tensor([[0.0, 0.5, -torch.inf]]), torch.tensor([[0.3, 0.0, -torch.inf]])
    mask = torch.tensor([[True, True, False]])
    weights = importance_weights(old, rollout, mask, cap=9.0, level="sequence")
    assert weights.tolist() == [pytest.approx([1.2214028, 1.2214028, 0.0])]  # exp(0.2)
    with pytest.raises(ArgumentError, match="level: expected token or sequence, got 'row'"):
        importance_weights(old, rollout, mask, level="row")
