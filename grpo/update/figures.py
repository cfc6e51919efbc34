"""The record of a loss from the log-probabilities that a pass left behind."""

import torch
from torch import Tensor

from ..loss_config import LossConfig
from ..loss_stats import LossStats, loss_stats
from ..token_losses import token_losses

__all__ = ["token_figures"]


def token_figures(
    config: LossConfig,
    known: dict[str, Tensor],
    logprobs: Tensor,
    mask: Tensor,
    entropy: Tensor | None = None,
    *,
    live_only: bool = False,
) -> LossStats:
    """What `policy_loss` would have recorded: the loss is made again, of (b, T) numbers, for its slopes.

    Args:
        config: of the loss.
        known: of `TokenData.at`, (b, T).
        logprobs, entropy: (b, T), 0 where `mask` is False.
        mask: (b, T) bool, True = was scored.
        live_only: as in `LossStats`.
    """
    known = dict(known)
    weights, advantages = known.pop("weights"), known.pop("advantages")
    new = logprobs.where(mask, 0).requires_grad_()
    losses = token_losses(new, advantages, config, completion_mask=mask, entropy=entropy, **known)
    (slopes,) = torch.autograd.grad((losses.total * weights).where(mask, 0).sum(), new)
    return loss_stats(
        losses,
        advantages,
        config,
        weights=weights,
        completion_mask=mask,
        slopes=slopes,
        entropy=entropy,
        degenerate=known.get("degenerate"),
        live_only=live_only,
    )
