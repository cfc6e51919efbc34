"""CISPO: a weight without a gradient, under two conventions."""

import pytest
import torch

from rewardgate.grpo import cispo_band_losses, cispo_cap_losses, policy_loss


def slopes(function: object, **options: float) -> list[float]:
    logprobs = torch.full((4,), -2.0, requires_grad=True)
    ratio, advantages = torch.tensor([0.1, 1.1, 2.0, 2.0]), torch.tensor([1.0, 1.0, 1.0, -1.0])
    (gradient,) = torch.autograd.grad(function(logprobs, ratio, advantages, **options).sum(), logprobs)
    return gradient.tolist()


def test_no_token_loses_its_gradient_and_the_bound_is_a_distance_or_a_ratio() -> None:
    # -min(max(r, 0.8), 1.3) A, and -min(r, 1.3) A.
    assert slopes(cispo_band_losses, epsilon_low=0.2, epsilon_high=0.3) == pytest.approx([-0.8, -1.1, -1.3, 1.3])
    assert slopes(cispo_cap_losses, ratio_cap=1.3) == pytest.approx([-0.1, -1.1, -1.3, 1.3])


def test_the_record_counts_bounded_weights_on_each_side() -> None:
    ratios = torch.tensor([[0.1, 1.1, 2.0, 2.0]])
    advantages, mask = torch.tensor([[1.0, 1.0, 1.0, -1.0]]), torch.ones(1, 4, dtype=torch.bool)
    for options in ({"form": "cispo_band", "epsilon_low": 0.2}, {"form": "cispo_cap", "ratio_cap": 1.2}):
        _, stats = policy_loss(ratios.log(), torch.zeros(1, 4), advantages, mask, **options)
        below = 0.25 if options["form"] == "cispo_band" else 0.0
        assert (stats.below_positive, stats.clipped_high, stats.above_negative) == (below, 0.25, 0.25)
