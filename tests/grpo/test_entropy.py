"""Entropy of a distribution from its logits."""

from math import inf, log

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.grpo import entropy_per_token


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=6), st.sampled_from([0.5, 1.0, 2.0]))
def test_it_is_that_of_torchs_own_distribution(logits: list[float], temperature: float) -> None:
    tensor = torch.tensor([logits], dtype=torch.float64)
    expected = torch.distributions.Categorical(logits=tensor / temperature).entropy()
    torch.testing.assert_close(entropy_per_token(tensor, temperature=temperature), expected, rtol=1e-9, atol=1e-9)


def test_tokens_that_cannot_be_drawn_add_nothing_and_have_no_gradient() -> None:
    logits = torch.tensor([[0.0, 0.0, -inf]], requires_grad=True)
    entropy = entropy_per_token(logits)
    (gradient,) = torch.autograd.grad(entropy.sum(), logits)
    assert entropy.item() == pytest.approx(log(2))
    assert gradient.isfinite().all()


def test_half_precision_is_widened() -> None:
    found = entropy_per_token(torch.zeros(1, 3, dtype=torch.bfloat16))
    assert (found.dtype, found.item()) == (torch.float32, pytest.approx(log(3)))


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match="temperature: expected a positive number, got 0"):
        entropy_per_token(torch.zeros(1, 2), temperature=0)
    with pytest.raises(ArgumentError, match="logits: expected a float dtype, got int64"):
        entropy_per_token(torch.zeros(1, 2, dtype=torch.int64))
