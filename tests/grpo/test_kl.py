"""The three estimators of the KL: values, gradients, float32 at small distances, and what they estimate."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.grpo import kl_per_token, kl_reward


@pytest.mark.parametrize("x", [-3.0, -0.5, 0.0, 0.5, 3.0])
def test_values_and_gradients_are_those_of_the_formulas(x: float) -> None:
    # x = log π_ref - log π; k1 = -x, k2 = x²/2, k3 = e^x - x - 1; slopes 1, -x, 1 - e^x.
    logprobs = torch.tensor(-4.0, dtype=torch.float64, requires_grad=True)
    ref = torch.tensor(-4.0 + x, dtype=torch.float64)
    e_x = torch.tensor(x, dtype=torch.float64).exp().item()
    for estimator, value, slope in (("k1", -x, 1.0), ("k2", x * x / 2, -x), ("k3", e_x - x - 1, 1 - e_x)):
        kl = kl_per_token(logprobs, ref, estimator=estimator)
        (gradient,) = torch.autograd.grad(kl, logprobs)
        assert kl.item() == pytest.approx(value, abs=1e-12), estimator
        assert gradient.item() == pytest.approx(slope, abs=1e-12), estimator


def test_k3_keeps_its_digits_in_single_precision() -> None:
    # exp(x) - x - 1 in float32 is 0.0 at x = 1e-4; the true value is x²/2 + x³/6 = 5.000167e-9.
    logprobs = torch.tensor([0.0])
    x = torch.tensor([1e-4])
    assert (x.exp() - x - 1).item() == 0.0
    assert kl_per_token(logprobs, x).item() == pytest.approx(5.000167e-9, rel=1e-2)


@pytest.mark.parametrize("estimator", ["k1", "k2", "k3"])
def test_beyond_twenty_the_value_is_held_and_the_gradient_is_zero(estimator: str) -> None:
    logprobs = torch.tensor(-100.0, requires_grad=True)
    kl = kl_per_token(logprobs, torch.tensor(-1.0), estimator=estimator)
    (gradient,) = torch.autograd.grad(kl, logprobs)
    at_limit = kl_per_token(torch.tensor(-20.0), torch.tensor(0.0), estimator=estimator)
    assert (kl.item(), gradient.item()) == (at_limit.item(), 0.0)


def test_under_the_policy_k2_has_the_gradient_of_the_kl_and_k1_has_none() -> None:
    # A policy over 4 tokens: the expectation over its own samples is a sum, so the gradients can be compared exactly.
    logits = torch.tensor([0.3, -0.2, 1.0, 0.0], dtype=torch.float64, requires_grad=True)
    ref = torch.tensor([0.0, 0.5, 0.2, -1.0], dtype=torch.float64).log_softmax(0)
    logprobs = logits.log_softmax(0)
    weights = logprobs.detach().exp()
    forward = torch.autograd.grad((logprobs.exp() * (logprobs - ref)).sum(), logits, retain_graph=True)[0]
    reverse = torch.autograd.grad((ref.exp() * (ref - logprobs)).sum(), logits, retain_graph=True)[0]

    def expected(estimator: str) -> torch.Tensor:
        kl = kl_per_token(logprobs, ref, estimator=estimator)
        return torch.autograd.grad((weights * kl).sum(), logits, retain_graph=True)[0]

    torch.testing.assert_close(expected("k1"), torch.zeros(4, dtype=torch.float64), rtol=0, atol=1e-15)
    torch.testing.assert_close(expected("k2"), forward, rtol=0, atol=1e-15)
    torch.testing.assert_close(expected("k3"), reverse, rtol=0, atol=1e-15)


@given(st.floats(-19, 0), st.floats(-19, 0))
def test_k2_and_k3_are_never_negative(logprob: float, ref: float) -> None:
    for estimator in ("k2", "k3"):
        assert kl_per_token(torch.tensor(logprob), torch.tensor(ref), estimator=estimator).item() >= 0


def test_the_kl_in_the_reward_is_a_sum_over_counted_tokens_without_a_graph() -> None:
    logprobs = torch.tensor([[-1.0, -2.0, -torch.inf], [-1.0, -1.0, -1.0]], requires_grad=True)
    ref = torch.tensor([[-1.5, -1.0, -torch.inf], [0.0, 0.0, 0.0]])
    mask = torch.tensor([[True, True, False], [False, False, False]])
    penalty = kl_reward(logprobs, ref, mask, beta=0.2)
    # Row 0: -0.2 * (0.5 - 1.0); row 1 has no token.
    assert penalty.tolist() == pytest.approx([0.1, 0.0])
    assert not penalty.requires_grad


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    ones, mask = torch.ones(1, 2), torch.ones(1, 2, dtype=torch.bool)
    with pytest.raises(ArgumentError, match="estimator: expected k1, k2 or k3, got 'k4'"):
        kl_per_token(ones, ones, estimator="k4")
    with pytest.raises(ArgumentError, match=r"ref_logprobs: expected shape \(1, 2\) as logprobs, got \(2,\)"):
        kl_per_token(ones, ones[0])
    with pytest.raises(ArgumentError, match="beta: expected a number of at least 0, got -1"):
        kl_reward(ones, ones, mask, beta=-1)
    with pytest.raises(ArgumentError, match="completion_mask: expected dtype bool, got float32"):
        kl_reward(ones, ones, ones, beta=1)
