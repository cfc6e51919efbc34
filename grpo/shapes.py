"""What every function here asks of its tensors, checked once at the public door, and the groups of a batch.

Shapes: B rollouts, N groups, G rollouts a group, S steps, T completion tokens. Masks: True = counts.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..diagnostics.rows import FloatArray, number_groups
from ..errors import ArgumentError

__all__ = [
    "Groups",
    "check_finite",
    "check_integers",
    "check_known",
    "check_mask",
    "check_numbers",
    "check_rank",
    "check_row_count",
    "check_same_shape",
    "groups_of",
    "rows_and_groups",
]


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Which rows of a batch are compared with each other. Groups are numbered in order of first appearance.

    Args:
        index: (B,) int64, the group of every row, 0..N-1.
        count: (N,) int64, rows of every group, unscored ones included.
        size: G where every group has G rows and they are adjacent, so that (B,) can be viewed as (N, G);
            None for ragged or interleaved groups.
    """

    index: Tensor
    count: Tensor
    size: int | None

    def sums(self, values: Tensor) -> Tensor:
        """Sum over the rows of every group: (B,) -> (N,)."""
        if self.size is not None:
            return values.view(-1, self.size).sum(1)
        return values.new_zeros(len(self.count)).index_add_(0, self.index, values)

    def spread(self, per_group: Tensor) -> Tensor:
        """The value of its group at every row: (N,) -> (B,)."""
        if self.size is not None:
            return per_group.repeat_interleave(self.size)
        return per_group[self.index]

    def to(self, device: torch.device | str) -> "Groups":
        """The same groups on `device`."""
        return Groups(self.index.to(device), self.count.to(device), self.size)

    def __len__(self) -> int:
        return len(self.count)


def rows_and_groups(rewards: Tensor, group_ids: Tensor | None) -> tuple[FloatArray, Groups]:
    """Rewards as checked rows (B,), and their groups; both on the CPU, where they are judged.

    Args:
        rewards: (B,) with `group_ids`, or (N, G) without: a row a group. Any real dtype; NaN = unscored.
        group_ids: (B,) integers, any values, rows of a group need not be adjacent; None for (N, G).

    Returns:
        The rewards as float64 (B,), to be read only; and the groups.

    Raises:
        ArgumentError: another rank or dtype, lengths that differ, or an infinite reward.

    Example:
        >>> _, groups = rows_and_groups(torch.tensor([1.0, 0.0, 1.0]), torch.tensor([7, 3, 7]))
        >>> groups.index.tolist(), groups.count.tolist(), groups.size
        ([0, 1, 0], [2, 1], None)
        >>> rows_and_groups(torch.zeros(3, 4), None)[1].size
        4
    """
    check_numbers("rewards", rewards)
    if group_ids is None:
        if rewards.ndim != 2:
            raise ArgumentError(
                f"rewards: expected shape (N, G) where group_ids is None, got {tuple(rewards.shape)}; "
                "give group_ids for (B,)"
            )
        n_groups, size = rewards.shape
        index, count = np.repeat(np.arange(n_groups), size), np.full(n_groups, size)
        groups = Groups(torch.from_numpy(index), torch.from_numpy(count), size or None)
    else:
        check_rank("rewards", rewards, "(B,)")
        check_integers("group_ids", group_ids)
        check_same_shape("group_ids", group_ids, "rewards", rewards)
        groups = groups_of(group_ids.cpu())
    # In numpy: torch's threads cost more than they save at this size. It has no bfloat16.
    rows = rewards.detach().reshape(-1).cpu()
    values = (rows.float() if rows.dtype is torch.bfloat16 else rows).numpy().astype(np.float64, copy=False)
    if np.isinf(values).any():
        check_known("rewards", rewards)
    return values, groups


def groups_of(group_ids: Tensor) -> Groups:
    """The groups that integer ids (B,) make, on their device. The ids are read on the CPU: one copy of (B,).

    Raises:
        ArgumentError: not (B,), or no integers.
    """
    check_integers("group_ids", group_ids)
    check_rank("group_ids", group_ids, "(B,)")
    _, index, count = number_groups(group_ids.detach().cpu().numpy())
    groups = Groups(torch.from_numpy(index), torch.from_numpy(count), _common_size(index, count))
    return groups.to(group_ids.device)


def check_rank(name: str, tensor: Tensor, shape: str) -> None:
    """Refuse a tensor whose rank is not that of `shape`, written as in the docstrings: `"(B, T)"`."""
    if tensor.ndim != shape.strip("(),").count(",") + 1:
        raise ArgumentError(f"{name}: expected shape {shape}, got {tuple(tensor.shape)}")


def check_same_shape(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    """Refuse a tensor whose shape is not that of `other`."""
    if tensor.shape != other.shape:
        raise ArgumentError(f"{name}: expected shape {tuple(other.shape)} as {other_name}, got {tuple(tensor.shape)}")


def check_row_count(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    """Refuse a tensor that is not one entry a row of `other`, (B,) for (B, T)."""
    if tensor.shape != other.shape[:1]:
        raise ArgumentError(
            f"{name}: expected shape {tuple(other.shape[:1])}, one a row of {other_name}, got {tuple(tensor.shape)}"
        )


def check_numbers(name: str, tensor: Tensor) -> None:
    """Refuse what is no tensor of real numbers (floats, integers or booleans)."""
    if not isinstance(tensor, Tensor):
        raise ArgumentError(f"{name}: expected a tensor, got {type(tensor).__name__}")
    if tensor.is_complex():
        raise ArgumentError(f"{name}: expected a real dtype, got {_dtype(tensor)}")


def check_integers(name: str, tensor: Tensor) -> None:
    """Refuse what is no tensor of integers; booleans are none."""
    check_numbers(name, tensor)
    if tensor.is_floating_point() or tensor.dtype is torch.bool:
        raise ArgumentError(f"{name}: expected an integer dtype, got {_dtype(tensor)}")


def check_mask(name: str, tensor: Tensor) -> None:
    """Refuse what is no boolean tensor: a mask of 0.5 or of summed counts has no meaning here."""
    check_numbers(name, tensor)
    if tensor.dtype is not torch.bool:
        raise ArgumentError(f"{name}: expected dtype bool, got {_dtype(tensor)}; pass mask > 0")


def check_known(name: str, tensor: Tensor) -> None:
    """Refuse infinite entries; NaN passes, it says that a value is unknown."""
    infinite = tensor.isinf().nonzero()
    if len(infinite):
        where = tuple(infinite[0].tolist())
        raise ArgumentError(
            f"{name}: expected finite numbers or NaN, got {tensor[where].item()} at {', '.join(map(str, where))}"
        )


def check_finite(name: str, tensor: Tensor) -> None:
    """Refuse a tensor (B, T), 0 where the completion mask is False, with an entry that is not finite."""
    strange = (~tensor.isfinite()).nonzero()
    if len(strange):
        row, token = strange[0].tolist()
        raise ArgumentError(
            f"{name}: expected finite numbers where completion_mask is True, got {tensor[row, token].item()} "
            f"at {row}, {token}"
        )


def _common_size(index: np.ndarray, count: np.ndarray) -> int | None:
    if not len(count) or (count != count[0]).any():
        return None
    size = int(count[0])
    # Equal counts and every G-th row a new group: with ids numbered by first appearance, sorted means adjacent.
    return size if bool((index[1:] >= index[:-1]).all()) else None


def _dtype(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
