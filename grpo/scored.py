"""Rewards made ready for an estimator: float64 rows, judged groups, two-pass statistics.

All of it lives on the CPU. The judge reads the (B,) rewards and ids there anyway; sums on a GPU add in an
order that changes from run to run, and some devices have no float64. Nothing larger than (B,) is copied.
"""

from dataclasses import dataclass, replace
from math import isfinite

import numpy as np
import torch
from torch import Tensor

from ..diagnostics import GroupKind
from ..diagnostics.groups import Judgement, judge
from ..errors import ArgumentError
from .shapes import Groups, rows_and_groups

__all__ = ["ScoredRows", "check_options", "divisible", "scored_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """Rewards as rows, and what is known of their groups.

    Args:
        values: (B,) float64, 0 where unscored.
        is_scored: (B,) True marks the rows whose reward is known.
        groups: which rows are compared.
        judgement: the kind of every group and how many of its rows are scored.
        like: the rewards as given, for the shape, dtype and device of what is returned.
    """

    values: Tensor
    is_scored: Tensor
    groups: Groups
    judgement: Judgement
    like: Tensor

    @property
    def scored(self) -> Tensor:
        """(N,) float64, scored rows of every group; at least 1, so that it can divide."""
        return torch.from_numpy(self.judgement.scored).double().clamp(min=1)

    def in_groups(self, kind: GroupKind) -> Tensor:
        """(B,) True marks the scored rows of groups of that kind."""
        return self.groups.spread(torch.from_numpy(self.judgement.is_kind(kind))) & self.is_scored

    def centred(self) -> Tensor:
        """(B,) R - mean(R of the group); exactly 0 where unscored, and in all but mixed groups."""
        mean = self.groups.sums(self.values) / self.scored
        # The mean of equal rewards is that reward, whatever rounding makes of their sum.
        is_mixed = torch.from_numpy(self.judgement.is_kind(GroupKind.MIXED))
        mean = torch.where(is_mixed, mean, torch.from_numpy(self.judgement.lowest))
        return self.only_scored(self.values - self.groups.spread(mean))

    def only_scored(self, values: Tensor) -> Tensor:
        """`values` (B,) with 0 in unscored rows."""
        return values if self.all_scored else values.masked_fill(~self.is_scored, 0.0)

    @property
    def all_scored(self) -> bool:
        """Whether no reward is unknown."""
        return int(self.judgement.scored.sum()) == len(self.values)

    def standardised(self, *, ddof: int, epsilon: float) -> Tensor:
        """(B,) centred / (std + epsilon), std = sqrt(sum centred^2 / (n - ddof)) of the group."""
        centred = self.centred()
        std = (self.groups.sums(centred * centred) / (self.scored - ddof).clamp(min=1)).sqrt()
        return centred / self.groups.spread(divisible(std) + epsilon)

    def left_out(self) -> Tensor:
        """(B,) R - mean(the group's other scored rewards) = n / (n - 1) (R - mean); 0 where `centred` is."""
        return self.centred() * self.groups.spread(self.scored / (self.scored - 1).clamp(min=1))

    def as_one_group(self) -> "ScoredRows":
        """The same rows, compared with the whole batch."""
        n_rows = len(self.values)
        groups = Groups(torch.zeros(n_rows, dtype=torch.int64), torch.tensor([n_rows]), n_rows or None)
        known = self.values.masked_fill(~self.is_scored, torch.nan)
        return replace(self, groups=groups, judgement=judge(known.numpy(), groups.index.numpy(), groups.count.numpy()))

    def returned(self, advantages: Tensor) -> Tensor:
        """Advantages (B,) in the shape, dtype (torch's default for integers) and on the device of the rewards."""
        dtype = self.like.dtype if self.like.is_floating_point() else torch.get_default_dtype()
        return advantages.to(dtype).to(self.like.device).view(self.like.shape)


def scored_rows(
    rewards: Tensor, group_ids: Tensor | None, *, correct_at: float = 1.0, wrong_at: float = 0.0
) -> ScoredRows:
    """The rows and judged groups of rewards; as `rows_and_groups`, the thresholds as in `diagnostics.group_kinds`."""
    rows, groups = rows_and_groups(rewards, group_ids)
    known, groups = rows.cpu().double(), groups.to("cpu")
    judgement = judge(
        known.numpy(), groups.index.numpy(), groups.count.numpy(), correct_at=correct_at, wrong_at=wrong_at
    )
    batch = ScoredRows(known, torch.from_numpy(~np.isnan(known.numpy())), groups, judgement, rewards)
    return replace(batch, values=batch.only_scored(known))


def divisible(std: Tensor) -> Tensor:
    """`std` with 1 for 0: there every centred reward is 0, or too small to have a square."""
    return torch.where(std > 0, std, 1.0)


def check_options(*, ddof: int = 0, epsilon: float = 0.0) -> None:
    """Refuse what no standard deviation is computed with."""
    if ddof not in (0, 1):
        raise ArgumentError(f"ddof: expected 0 or 1, got {ddof}")
    if not (isfinite(epsilon) and epsilon >= 0):
        raise ArgumentError(f"epsilon: expected a finite number of at least 0, got {epsilon}")
