"""Rewards made ready for an estimator: float64 rows, judged groups, two-pass statistics.

All of it is numpy on the CPU. The judge reads the (B,) rewards and ids there anyway; sums on a GPU add in an
order that changes from run to run, some devices have no float64, and torch's threads cost more than they save
at this size. Nothing larger than (B,) is copied.
"""

from dataclasses import dataclass, replace
from math import isfinite
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..diagnostics import GroupKind
from ..diagnostics.groups import Judgement, judge
from ..diagnostics.rows import FloatArray
from ..errors import ArgumentError
from .shapes import Groups, rows_and_groups

__all__ = ["BoolArray", "ScoredRows", "check_options", "divisible", "scored_rows"]

BoolArray = npt.NDArray[np.bool_]
Item = TypeVar("Item", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """Rewards as rows, and what is known of their groups.

    Args:
        values: (B,) float64, 0 where unscored.
        is_scored: (B,) True marks the rows whose reward is known.
        groups: which rows are compared; on the CPU.
        judgement: the kind of every group and how many of its rows are scored.
        like: the rewards as given, for the shape, dtype and device of what is returned.
    """

    values: FloatArray
    is_scored: BoolArray
    groups: Groups
    judgement: Judgement
    like: Tensor

    @property
    def scored(self) -> FloatArray:
        """(N,) scored rows of every group; at least 1, so that it can divide."""
        return np.maximum(self.judgement.scored, 1).astype(np.float64)

    def sums(self, values: FloatArray, times: FloatArray | None = None) -> FloatArray:
        """Sum over the rows of every group, of `values` or of their products with `times`: (B,) -> (N,)."""
        if self.groups.size is None:
            weights = values if times is None else values * times
            sums = np.bincount(self.groups.index.numpy(), weights=weights, minlength=len(self.groups))
            return sums.astype(np.float64, copy=False)  # of no rows at all, bincount makes integers
        # einsum: a plain sum pays for every row of the matrix, and a product for memory.
        matrix = values.reshape(-1, self.groups.size)
        if times is None:
            return np.einsum("ng->n", matrix)
        return np.einsum("ng,ng->n", matrix, times.reshape(matrix.shape))

    def spread(self, per_group: npt.NDArray[Item]) -> npt.NDArray[Item]:
        """The value of its group at every row: (N,) -> (B,)."""
        if self.groups.size is not None:
            return np.repeat(per_group, self.groups.size)
        return per_group[self.groups.index.numpy()]

    def minus(self, values: FloatArray, per_group: FloatArray) -> FloatArray:
        """(B,) `values` (B,) less the value (N,) of their group; 0 where unscored."""
        difference = self.spread(per_group)
        np.subtract(values, difference, out=difference)  # fresh memory costs more than the subtraction
        return self.only_scored(difference)

    def only_scored(self, values: FloatArray) -> FloatArray:
        """`values` (B,) with 0 in unscored rows."""
        return values if self.is_scored.all() else np.where(self.is_scored, values, 0.0)

    def means(self) -> FloatArray:
        """(N,) mean of the scored rewards of every group; 0 where there are none."""
        # The mean of equal rewards is that reward, whatever rounding makes of their sum.
        is_equal = (self.judgement.scored > 0) & ~self.judgement.is_kind(GroupKind.MIXED)
        return np.where(is_equal, self.judgement.lowest, self.sums(self.values) / self.scored)

    def centred(self) -> FloatArray:
        """(B,) R - mean(R of the group); exactly 0 where unscored, and in all but mixed groups."""
        centred = self.minus(self.values, self.means())
        # The mean of two neighbouring floats rounds to one of them. What it is off by shows in what is left.
        return self.minus(centred, self.sums(centred) / self.scored)

    def standardised(self, *, ddof: int, epsilon: float) -> FloatArray:
        """(B,) centred / (std + epsilon), std = sqrt(sum centred^2 / (n - ddof)) of the group."""
        centred = self.centred()
        std = np.sqrt(self.sums(centred, times=centred) / np.maximum(self.scored - ddof, 1))
        return np.divide(centred, self.spread(divisible(std) + epsilon), out=centred)

    def left_out(self) -> FloatArray:
        """(B,) R - mean(the group's other scored rewards) = n / (n - 1) (R - mean); 0 where `centred` is."""
        return self.centred() * self.spread(self.scored / np.maximum(self.scored - 1, 1))

    def in_groups(self, kind: GroupKind) -> BoolArray:
        """(B,) True marks the scored rows of groups of that kind."""
        return self.spread(self.judgement.is_kind(kind)) & self.is_scored

    def as_one_group(self) -> "ScoredRows":
        """The same rows, compared with the whole batch."""
        n_rows = len(self.values)
        groups = Groups(torch.zeros(n_rows, dtype=torch.int64), torch.tensor([n_rows]), n_rows or None)
        known = np.where(self.is_scored, self.values, np.nan)
        return replace(self, groups=groups, judgement=_judged(known, groups))

    def returned(self, advantages: npt.NDArray[np.floating]) -> Tensor:
        """Advantages (B,) in the shape, dtype (torch's default for integers) and on the device of the rewards."""
        dtype = self.like.dtype if self.like.is_floating_point() else torch.get_default_dtype()
        if dtype is torch.float32:  # the usual one; in numpy, so that it wakes no thread of torch's
            advantages = advantages.astype(np.float32)
        return torch.from_numpy(advantages).to(dtype).to(self.like.device).view(self.like.shape)


def scored_rows(
    rewards: Tensor, group_ids: Tensor | None, *, correct_at: float = 1.0, wrong_at: float = 0.0
) -> ScoredRows:
    """The rows and judged groups of rewards; as `rows_and_groups`, the thresholds as in `diagnostics.group_kinds`."""
    known, groups = rows_and_groups(rewards, group_ids)
    batch = ScoredRows(known, ~np.isnan(known), groups, _judged(known, groups, correct_at, wrong_at), rewards)
    return replace(batch, values=batch.only_scored(known))


def divisible(std: FloatArray) -> FloatArray:
    """`std` with 1 for 0: there every centred reward is 0, or too small to have a square."""
    return np.where(std > 0, std, 1.0)


def check_options(*, ddof: int = 0, epsilon: float = 0.0) -> None:
    """Refuse what no standard deviation is computed with."""
    if ddof not in (0, 1):
        raise ArgumentError(f"ddof: expected 0 or 1, got {ddof}")
    if not (isfinite(epsilon) and epsilon >= 0):
        raise ArgumentError(f"epsilon: expected a finite number of at least 0, got {epsilon}")


def _judged(known: FloatArray, groups: Groups, correct_at: float = 1.0, wrong_at: float = 0.0) -> Judgement:
    return judge(known, groups.index.numpy(), groups.count.numpy(), correct_at=correct_at, wrong_at=wrong_at)
