"""From token losses to one number, with the divisor in the open.

A mean of means over micro-batches is not the mean over the batch: short micro-batches then weigh too much, in
most trainers at some time. Here every reduction is a sum over a divisor that can be given, so that the losses
and gradients of micro-batches add up to those of the whole optimizer batch.
"""

from math import isfinite
from typing import Literal, get_args

from torch import Tensor

from ..errors import ArgumentError
from .shapes import check_mask, check_numbers, check_rank, check_same_shape

__all__ = ["Reduction", "loss_normalizer", "reduce_tokens"]

Reduction = Literal["token_mean", "sequence_mean", "constant"]


def loss_normalizer(completion_mask: Tensor, *, reduction: Reduction = "token_mean") -> int:
    """What a reduction divides by: ask once for the whole optimizer batch, pass to every micro-batch.

    Args:
        completion_mask: (B, T) bool of the whole optimizer batch, True = counts. Over several processes, sum
            what each returns.
        reduction: `"token_mean"` or `"sequence_mean"`; `"constant"` is the caller's own number.

    Returns:
        Counted tokens, or rows with at least one.

    Raises:
        ArgumentError: a mask that is not bool (B, T), or another reduction.

    Example:
        >>> import torch
        >>> mask = torch.tensor([[True, True, True], [True, False, False], [False, False, False]])
        >>> loss_normalizer(mask), loss_normalizer(mask, reduction="sequence_mean")
        (4, 2)
    """
    check_mask("completion_mask", completion_mask)
    check_rank("completion_mask", completion_mask, "(B, T)")
    if reduction not in ("token_mean", "sequence_mean"):
        raise ArgumentError(f'reduction: expected "token_mean" or "sequence_mean", got {reduction!r}')
    return int((completion_mask if reduction == "token_mean" else completion_mask.any(1)).sum())


def reduce_tokens(
    values: Tensor, completion_mask: Tensor, *, reduction: Reduction = "token_mean", normalizer: float | None = None
) -> Tensor:
    """One number from a value a token; nothing under a False mask is read, NaN included.

    Args:
        values: (B, T), losses.
        completion_mask: (B, T) bool, True = counts.
        reduction: `"token_mean"`: sum over tokens / tokens of the batch, so that every token weighs the same.
            `"sequence_mean"`: sum over rows of the row's mean / rows with a token, so that every rollout does.
            `"constant"`: sum over tokens / normalizer, so that no length weighs anything.
        normalizer: the divisor of the whole optimizer batch (`loss_normalizer`), positive; None: `values` are
            the whole batch. `"constant"` has no default: Dr. GRPO's own is the token budget of a completion
            times the rows, TRL's too; verl's leaves the rows out. With the number of rows it is the mean over
            sequences of token sums.

    Returns:
        A scalar, 0 with a graph where no token counts.

    Raises:
        ArgumentError: shapes that differ, a mask that is not bool, an unknown reduction, or a normalizer that
            is not a positive number while a token counts.

    Source:
        token mean: DAPO (arXiv 2503.14476); sequence mean: GRPO (arXiv 2402.03300), where rows without a token
        are not spoken of: verl leaves them out of the divisor, as here, and TRL counts them (for that, normalizer=B).

    Example:
        >>> import torch
        >>> losses = torch.tensor([[1.0, 2.0, 3.0], [6.0, float("nan"), float("nan")]])
        >>> mask = torch.tensor([[True, True, True], [True, False, False]])
        >>> reduce_tokens(losses, mask), reduce_tokens(losses, mask, reduction="sequence_mean")
        (tensor(3.), tensor(4.))
    """
    check_numbers("values", values)
    check_rank("values", values, "(B, T)")
    check_mask("completion_mask", completion_mask)
    check_same_shape("completion_mask", completion_mask, "values", values)
    check_reduction(reduction, normalizer)
    if normalizer is None:
        # At least 1: an empty batch is 0 / 1, not 0 / 0.
        normalizer = max(loss_normalizer(completion_mask, reduction=reduction), 1)
    elif normalizer == 0:
        if bool(completion_mask.any()):
            raise ArgumentError("normalizer: expected a positive number where tokens count, got 0")
        normalizer = 1
    counted = values.where(completion_mask, 0)
    if reduction == "sequence_mean":
        lengths = completion_mask.sum(1).clamp(min=1)  # (B,)
        return (counted.sum(1) / lengths).sum() / normalizer
    return counted.sum() / normalizer


def check_reduction(reduction: str, normalizer: float | None) -> None:
    """Refuse an unknown reduction, a constant without a number, and a number that is none."""
    if reduction not in get_args(Reduction):
        raise ArgumentError(f"reduction: expected one of {', '.join(get_args(Reduction))}, got {reduction!r}")
    if normalizer is None:
        if reduction == "constant":
            raise ArgumentError(
                'normalizer: expected a number with reduction "constant", got None; '
                "pass rows times the token budget of a completion"
            )
    elif not (normalizer >= 0 and isfinite(normalizer)):
        raise ArgumentError(f"normalizer: expected a positive number, got {normalizer}")
