"""PPO's clip of a ratio, with the two bounds that have been put on tokens with a negative advantage.

Clipping only takes gradient away: where A is 0 there is none, whatever epsilon is.
"""

import torch
from torch import Tensor

__all__ = ["clipped_losses"]


def clipped_losses(
    ratio: Tensor,
    advantages: Tensor,
    *,
    epsilon_low: float = 0.2,
    epsilon_high: float = 0.2,
    dual_clip: float | None = None,
    delta: float | None = None,
) -> Tensor:
    """max(-A min(r, delta), -A clip(r, 1 - epsilon_low, 1 + epsilon_high)), and where A < 0 at most -dual_clip A.

    Args:
        ratio: any shape; the gradient is with respect to it.
        advantages: the same shape.
        epsilon_low, epsilon_high, dual_clip, delta: as in `LossConfig`, and not checked here.

    Returns:
        Losses in the same shape, to be minimised.

    Source:
        PPO (arXiv 1707.06347); low and high: DAPO (arXiv 2503.14476); dual clip: arXiv 1912.09729; delta:
        INTELLECT-2 (arXiv 2505.07291) and TRL. On the boundary itself (r = 1 + epsilon_high) the loss has a kink; we
        take the inner slope.

    Example:
        >>> ratio, advantages = torch.tensor([1.2, 2.0, 8.0]), torch.tensor([1.0, 1.0, -1.0])
        >>> clipped_losses(ratio, advantages, epsilon_high=0.28, delta=4.0)
        tensor([-1.2000, -1.2800,  4.0000])
    """
    bounded = ratio if delta is None else ratio.clamp(max=delta)
    losses = torch.maximum(-advantages * bounded, -advantages * ratio.clamp(1 - epsilon_low, 1 + epsilon_high))
    if dual_clip is None:
        return losses
    return torch.where(advantages < 0, torch.minimum(losses, -dual_clip * advantages), losses)
