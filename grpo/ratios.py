"""Ratios of probabilities from log-probabilities: clamped, and truncated as importance weights.

Three policies have log-probabilities of the same tokens, and none stands in for another: `rollout_logprobs`
(the sampler's, data), `old_logprobs` (the trainer's weights frozen when the batch arrived) and `logprobs`
(those being optimised).
"""

from typing import Literal

from torch import Tensor

from ..errors import ArgumentError
from .shapes import check_mask, check_numbers, check_rank, check_same_shape

__all__ = ["LOG_RATIO_LIMIT", "clamped_log_ratio", "importance_weights", "truncated_weights"]

LOG_RATIO_LIMIT = 20.0
"""exp(88) overflows float32, and infinity times a mask of 0 is NaN; exp(20) is 5e8, past any ratio that means
anything. Outside the limit a token has no gradient, so whoever clamps counts."""


def clamped_log_ratio(logprobs: Tensor, against: Tensor) -> Tensor:
    """logprobs - against, within ±20: any shape, the same shape back; no gradient flows outside the limit.

    Source:
        the limit is verl's; TRL 1.16 has none.
    """
    return (logprobs - against).clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)


def importance_weights(
    old_logprobs: Tensor,
    rollout_logprobs: Tensor,
    completion_mask: Tensor,
    *,
    cap: float = 2.0,
    level: Literal["token", "sequence"] = "token",
) -> Tensor:
    """min(π_old / π_rollout, cap), without a graph: what makes a sampler's mismatch harmless.

    The sampler (another engine, another precision) and the trainer disagree about the same weights. A token's
    loss times this weight is the trainer's again, and nothing weighs more than `cap`.

    Args:
        old_logprobs: (B, T) of the trainer's weights when the batch arrived.
        rollout_logprobs: (B, T) that the sampler reported.
        completion_mask: (B, T) bool, True = counts.
        cap: positive; 2 is verl's, 3 TRL's.
        level: `"token"`: each token's own ratio, biased (it leaves out what came before the token) and tame.
            `"sequence"`: the product over the row's tokens, at each of them: unbiased below the cap, and for long
            rows mostly the cap or nearly 0.

    Returns:
        (B, T) weights in (0, cap], 0 where the mask is False.

    Raises:
        ArgumentError: shapes that differ, a mask that is not bool, another level, or a cap that is not positive.

    Source:
        truncated importance sampling: verl 0.9.1 `rollout_corr_helper`, TRL 1.16 `token_truncate` and
        `sequence_truncate`. The clamp of the log-ratio at ±20 is verl's.

    Example:
        >>> import torch
        >>> old, rollout = torch.tensor([[-1.0, -0.5, -1.0]]), torch.tensor([[-1.0, -1.5, -0.5]])
        >>> importance_weights(old, rollout, torch.tensor([[True, True, False]]))
        tensor([[1., 2., 0.]])
        >>> importance_weights(old, rollout, torch.tensor([[True, True, False]]), level="sequence")
        tensor([[2., 2., 0.]])
    """
    check_numbers("old_logprobs", old_logprobs)
    check_rank("old_logprobs", old_logprobs, "(B, T)")
    check_mask("completion_mask", completion_mask)
    for name, tensor in (("rollout_logprobs", rollout_logprobs), ("completion_mask", completion_mask)):
        check_same_shape(name, tensor, "old_logprobs", old_logprobs)
    if level not in ("token", "sequence"):
        raise ArgumentError(f"level: expected token or sequence, got {level!r}")
    if not cap > 0:
        raise ArgumentError(f"cap: expected a positive number, got {cap}")
    # Padding may hold anything, -inf - (-inf) included: it is replaced before anything is computed from it.
    old, rollout = (tensor.detach().where(completion_mask, 0) for tensor in (old_logprobs, rollout_logprobs))
    if level == "sequence":
        old, rollout = (tensor.sum(1, keepdim=True).expand_as(tensor) for tensor in (old, rollout))
    return truncated_weights(old, rollout, cap=cap).where(completion_mask, 0)


def truncated_weights(old_logprobs: Tensor, rollout_logprobs: Tensor, *, cap: float) -> Tensor:
    """min(exp(old - rollout), cap) in any shape, without a graph and unchecked; nothing is padding here."""
    return clamped_log_ratio(old_logprobs.detach(), rollout_logprobs).exp().clamp(max=cap)
