"""How far what a sampler drew from lies from what the trainer reproduces, by the log-probabilities of both.

Two things make them differ before any update: another program's sums, in another precision; and `top_p` or `top_k`,
which give what they cut off to the tokens that are kept. The first scatters around 0. The second goes one way: every
kept token of the sampler is likelier by 1 / m, m the probability that is kept.
"""

from dataclasses import dataclass
from math import nan

from torch import Tensor

from ...errors import ArgumentError
from ...grpo.ratios import clamped_log_ratio, importance_weights

__all__ = ["SamplerMismatch", "sampler_mismatch"]


@dataclass(frozen=True, slots=True)
class SamplerMismatch:
    """Figures over sampled tokens, of w = π / π_sampler, π the trainer's of the same weights. NaN of no token.

    Args:
        tokens: how many.
        mean_difference, max_difference: of |log w|.
        kept_mass: mean of w: the share of π's probability on tokens that the sampler could draw, 1 but for noise where
            nothing is cut off. A gradient from the samples knows nothing of the rest.
        capped: share of tokens with w above the cap, whose weight in the loss is the cap.
        effective_share: (Σ w)² / (n Σ w²) of the capped w: so many tokens of π's own are the n worth, as a share.
    """

    tokens: int
    mean_difference: float
    max_difference: float
    kept_mass: float
    capped: float
    effective_share: float


def sampler_mismatch(
    old_logprobs: Tensor, rollout_logprobs: Tensor, completion_mask: Tensor, *, cap: float = 2.0
) -> SamplerMismatch:
    """What is to be known before `importance_weights` are relied on, which are applied by `policy_loss`.

    Args:
        old_logprobs: (B, T) of the trainer, with the weights that sampled.
        rollout_logprobs: (B, T) that the sampler reported.
        completion_mask: (B, T) bool, True = counts.
        cap: of the weights; `LossConfig.cap`.

    Raises:
        ArgumentError: as `importance_weights`; a counted log-probability that is not finite.

    Example:
        >>> import torch
        >>> old = torch.tensor([[0.4, 0.3]]).log()  # of 0.4, 0.3, 0.2 and 0.1
        >>> found = sampler_mismatch(old, (old.exp() / 0.7).log(), torch.ones(1, 2).bool())  # top_k = 2 keeps 0.7
        >>> round(found.kept_mass, 4), round(found.max_difference, 4)
        (0.7, 0.3567)
    """
    weights = importance_weights(old_logprobs, rollout_logprobs, completion_mask, cap=cap)[completion_mask].double()
    old, rollout = (tensor.detach()[completion_mask].double() for tensor in (old_logprobs, rollout_logprobs))
    if not weights.numel():
        return SamplerMismatch(0, nan, nan, nan, nan, nan)
    for name, tensor in (("old_logprobs", old), ("rollout_logprobs", rollout)):
        if not bool(tensor.isfinite().all()):
            raise ArgumentError(f"{name}: expected finite numbers where completion_mask is True, got others")
    difference = clamped_log_ratio(old, rollout)
    ratio = difference.exp()
    return SamplerMismatch(
        tokens=weights.numel(),
        mean_difference=difference.abs().mean().item(),
        max_difference=difference.abs().max().item(),
        kept_mass=ratio.mean().item(),
        capped=(ratio > cap).double().mean().item(),
        effective_share=(weights.sum().square() / (len(weights) * weights.square().sum())).item(),
    )
