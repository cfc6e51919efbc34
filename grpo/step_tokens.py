"""From steps to tokens: how many each step has, and the advantage that each token takes from its step or row."""

import torch
from torch import Tensor

__all__ = ["count_step_tokens", "spread_over_tokens"]


def count_step_tokens(step_ids: Tensor, completion_mask: Tensor, n_steps: int) -> Tensor:
    """(B, S) int64 on the CPU: the counted tokens of every step.

    Args:
        step_ids: (B, T) integers, -1 = no step; not read under a False mask.
        completion_mask: (B, T) bool, True = counts.
        n_steps: S.

    Example:
        >>> ids, mask = torch.tensor([[0, 0, 1, -1, 9]]), torch.tensor([[True, True, True, True, False]])
        >>> count_step_tokens(ids, mask, 3).tolist()
        [[2, 1, 0]]
    """
    column = _columns(step_ids, completion_mask, n_steps)
    counts = column.new_zeros(len(column), n_steps + 1)
    return counts.scatter_add_(1, column, torch.ones_like(column))[:, :n_steps].cpu()


def spread_over_tokens(
    by_row: Tensor, by_step: Tensor, takes_steps: Tensor, step_ids: Tensor, completion_mask: Tensor
) -> Tensor:
    """(B, T) the advantage of every token, 0 where the mask is False.

    Args:
        by_row: (B,), whose dtype is that of the result.
        by_step: (B, S), 0 for steps without an advantage.
        takes_steps: (B,) True marks the rows whose tokens take that of their step (0 for a token of none).
        step_ids, completion_mask: (B, T), as in `count_step_tokens`; the result is on their device.

    Example:
        >>> rows, steps = torch.tensor([5.0, 7.0]), torch.tensor([[1.0, 2.0], [1.0, 2.0]])
        >>> ids, mask = torch.tensor([[0, 1, -1], [0, 1, -1]]), torch.tensor([[True] * 3, [True, True, False]])
        >>> spread_over_tokens(rows, steps, torch.tensor([True, False]), ids, mask)
        tensor([[1., 2., 0.],
                [7., 7., 0.]])
    """
    device = completion_mask.device
    # One column more, of zeros, for tokens of no step and under a False mask.
    padded = torch.nn.functional.pad(by_step.to(by_row.dtype), (0, 1)).to(device)  # (B, S + 1)
    of_step = padded.gather(1, _columns(step_ids, completion_mask, by_step.shape[1]))
    of_row = by_row.to(device)[:, None].where(completion_mask, 0)
    return torch.where(takes_steps.to(device)[:, None], of_step, of_row)


def _columns(step_ids: Tensor, completion_mask: Tensor, n_steps: int) -> Tensor:
    return step_ids.where(completion_mask & (step_ids >= 0), n_steps).long()
