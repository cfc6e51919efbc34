"""CISPO: the ratio is a bounded weight without a gradient, so that no token loses its own.

Two conventions share the name and the option `epsilon_high`, and mean different things by it. Here they are two.
"""

from torch import Tensor

__all__ = ["cispo_band_losses", "cispo_cap_losses"]


def cispo_band_losses(
    logprobs: Tensor, ratio: Tensor, advantages: Tensor, *, epsilon_low: float = 1.0, epsilon_high: float = 0.2
) -> Tensor:
    """-sg(clip(r, 1 - epsilon_low, 1 + epsilon_high)) A log π: the bound is a distance from 1.

    Args:
        logprobs: any shape, with a graph.
        ratio, advantages: the same shape; data.
        epsilon_low, epsilon_high: as in `LossConfig`, and not checked here. With epsilon_low = 1 nothing bounds the
            weight from below.

    Returns:
        Losses in the same shape. Their value means nothing by itself: only the gradient does.

    Source:
        MiniMax-M1 (arXiv 2506.13585), which leaves the lower bound out; verl 0.9.1 `cispo`.

    Example:
        >>> import torch
        >>> logprobs = torch.tensor([-1.0, -1.0], requires_grad=True)
        >>> losses = cispo_band_losses(logprobs, torch.tensor([1.1, 3.0]), torch.tensor([1.0, 1.0]), epsilon_high=0.28)
        >>> torch.autograd.grad(losses.sum(), logprobs)[0]
        tensor([-1.1000, -1.2800])
    """
    return -ratio.detach().clamp(1 - epsilon_low, 1 + epsilon_high) * advantages * logprobs


def cispo_cap_losses(logprobs: Tensor, ratio: Tensor, advantages: Tensor, *, ratio_cap: float) -> Tensor:
    """-sg(min(r, ratio_cap)) A log π: the bound is the ratio itself.

    Args:
        logprobs, ratio, advantages: as in `cispo_band_losses`.
        ratio_cap: positive, and not checked here.

    Source:
        ScaleRL (arXiv 2510.13786), whose cap is 5; TRL 1.16, `loss_type="cispo"`, which calls it `epsilon_high`.

    Example:
        >>> import torch
        >>> cispo_cap_losses(torch.tensor([-1.0]), torch.tensor([9.0]), torch.tensor([1.0]), ratio_cap=5.0)
        tensor([5.])
    """
    return -ratio.detach().clamp(max=ratio_cap) * advantages * logprobs
