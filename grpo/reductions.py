"""From token losses to one number, with the divisor in the open.

A mean of means over micro-batches is not the mean over the batch: short micro-batches then weigh too much, in
most trainers at some time. Here every reduction is a weighted sum whose divisor can be given, so that the losses and
gradients of micro-batches, of processes, and of a batch without the rows that have no gradient, add up to those of
the whole optimizer batch.
"""

from math import isfinite
from typing import Literal, get_args

import torch
from torch import Tensor

from ..errors import ArgumentError
from .shapes import check_mask, check_numbers, check_rank, check_row_count, check_same_shape

__all__ = ["NormalizeOver", "Reduction", "loss_normalizer", "reduce_tokens", "token_weights"]

Reduction = Literal["token_mean", "sequence_mean", "constant"]
NormalizeOver = Literal["batch", "kept"]


def loss_normalizer(
    completion_mask: Tensor,
    *,
    reduction: Reduction = "token_mean",
    over: NormalizeOver = "batch",
    kept: Tensor | None = None,
    completion_budget: float | None = None,
) -> float:
    """What a reduction divides by: ask once for the whole optimizer batch, pass to every micro-batch.

    Args:
        completion_mask: (B, T) bool of the whole optimizer batch, True = counts; rows that will be dropped or skipped
            still in it. Over several processes, sum what each returns, and mind that DDP and FSDP average gradients:
            multiply each loss by the number of processes.
        reduction: see `reduce_tokens`.
        over: `"batch"`: every row, so that a batch in which fewer rows say something is a smaller step, and skipping
            rows without a gradient changes nothing. `"kept"`: the rows of `kept` only, so that what is left is a full
            step however little it is (dynamic sampling without the refill).
        kept: (B,) bool, True = the row is learned from. Needed by, and read under, `over="kept"` alone.
        completion_budget: positive, tokens that a completion may have; needed by `reduction="constant"` alone.

    Returns:
        `"token_mean"`: counted tokens. `"sequence_mean"`: rows with at least one. `"constant"`: rows, with a counted
        token or not, times `completion_budget`: Dr. GRPO's; with a budget of 1, rows.

    Raises:
        ArgumentError: masks that are not bool of these shapes, an unknown name, or an option missing or out of place.

    Example:
        >>> mask = torch.tensor([[True, True, True], [True, False, False], [False, False, False]])
        >>> loss_normalizer(mask), loss_normalizer(mask, reduction="sequence_mean")
        (4, 2)
        >>> loss_normalizer(mask, over="kept", kept=torch.tensor([False, True, True]))
        1
    """
    check_mask("completion_mask", completion_mask)
    check_rank("completion_mask", completion_mask, "(B, T)")
    if reduction not in get_args(Reduction):
        raise ArgumentError(f"reduction: expected one of {', '.join(get_args(Reduction))}, got {reduction!r}")
    if over not in get_args(NormalizeOver):
        raise ArgumentError(f"over: expected batch or kept, got {over!r}")
    counted = completion_mask
    if over == "kept":
        if kept is None:
            raise ArgumentError('kept: expected a mask (B,) with over="kept", got None')
        check_mask("kept", kept)
        check_row_count("kept", kept, "completion_mask", completion_mask)
        counted = completion_mask[kept]
    if (reduction == "constant") != (completion_budget is not None):
        wanted = "a positive number" if reduction == "constant" else "None"
        raise ArgumentError(
            f'completion_budget: expected {wanted} with reduction "{reduction}", got {completion_budget}'
        )
    if completion_budget is not None:
        if not (completion_budget > 0 and isfinite(completion_budget)):
            raise ArgumentError(f"completion_budget: expected a positive number, got {completion_budget}")
        return len(counted) * completion_budget
    return int((counted if reduction == "token_mean" else counted.any(1)).sum())


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
        >>> losses = torch.tensor([[1.0, 2.0, 3.0], [6.0, float("nan"), float("nan")]])
        >>> mask = torch.tensor([[True, True, True], [True, False, False]])
        >>> reduce_tokens(losses, mask), reduce_tokens(losses, mask, reduction="sequence_mean")
        (tensor(3.), tensor(4.))
    """
    check_numbers("values", values)
    check_rank("values", values, "(B, T)")
    check_same_shape("completion_mask", completion_mask, "values", values)
    weights = token_weights(completion_mask, reduction=reduction, normalizer=normalizer, dtype=values.dtype)
    return (values.where(completion_mask, 0) * weights).sum()


def token_weights(
    completion_mask: Tensor,
    *,
    reduction: Reduction = "token_mean",
    normalizer: float | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """What each token's loss is multiplied by before all are summed: the reduction, taken apart.

    With it a loss can be computed a token at a time, in any order and any cut, as long as every token is met once.

    Args:
        completion_mask, reduction, normalizer: as in `reduce_tokens`.
        dtype: of the weights.

    Returns:
        (B, T), 0 where the mask is False.

    Raises:
        ArgumentError: as `reduce_tokens`.

    Example:
        >>> mask = torch.tensor([[True, True], [True, False]])
        >>> token_weights(mask, reduction="sequence_mean")
        tensor([[0.2500, 0.2500],
                [0.5000, 0.0000]])
    """
    check_mask("completion_mask", completion_mask)
    check_rank("completion_mask", completion_mask, "(B, T)")
    check_reduction(reduction, normalizer)
    if normalizer is None:
        # At least 1: an empty batch is 0 / 1, not 0 / 0.
        normalizer = max(loss_normalizer(completion_mask, reduction=reduction), 1)
    elif normalizer == 0:
        if bool(completion_mask.any()):
            raise ArgumentError("normalizer: expected a positive number where tokens count, got 0")
        normalizer = 1
    counted = completion_mask.to(dtype)
    if reduction == "sequence_mean":
        counted = counted / completion_mask.sum(1, keepdim=True).clamp(min=1)
    return counted / normalizer


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
