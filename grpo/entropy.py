"""How undecided the policy is at each token, in nats: for a bonus in the loss, a log, or advantages shaped by it."""

from math import isfinite

import torch
from torch import Tensor

from ..errors import ArgumentError
from .shapes import check_numbers

__all__ = ["entropy_per_token"]


def entropy_per_token(logits: Tensor, *, temperature: float = 1.0) -> Tensor:
    """H = logsumexp(z) - sum softmax(z) z with z = logits / temperature, over the last dimension.

    All logits are held at once: a head that never does computes the same chunk by chunk.

    Args:
        logits: (..., V); half precision is widened to float32. -inf marks a token that cannot be drawn.
        temperature: positive; the sampler's, so that it is the entropy of what was drawn from.

    Returns:
        (...) in [0, log V], with a graph.

    Raises:
        ArgumentError: a temperature that is not positive, or integer logits.

    Example:
        >>> entropy_per_token(torch.tensor([[0.0, 0.0], [1.0, 0.0]]))
        tensor([0.6931, 0.5822])
    """
    check_numbers("logits", logits)
    if not logits.is_floating_point():
        raise ArgumentError(f"logits: expected a float dtype, got {str(logits.dtype).removeprefix('torch.')}")
    if not (temperature > 0 and isfinite(temperature)):
        raise ArgumentError(f"temperature: expected a positive number, got {temperature}")
    scaled = logits.to(torch.promote_types(logits.dtype, torch.float32)) / temperature
    logprobs = scaled.log_softmax(-1)
    # 0 log 0 is 0, and its gradient too: -inf must not be multiplied.
    return -(logprobs.exp() * logprobs.masked_fill(logprobs == -torch.inf, 0)).sum(-1)
