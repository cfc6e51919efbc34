"""AVSPO: virtual rewards beside those of a degenerate group, while the batch has too many of such groups.

The virtual rewards belong to no rollout and never enter the gradient: only the real rows get advantages. In
effect a degenerate group gets the sign of its outcome times at most sqrt(K / G), switched on by the batch.
"""

from dataclasses import dataclass, replace
from math import ceil

import numpy as np
import torch
from torch import Tensor

from ..diagnostics import GroupKind
from ..errors import ArgumentError
from .scored import ScoredRows, check_options, scored_rows
from .shapes import check_known, check_numbers, check_rank

__all__ = ["CollapseThreshold", "avspo_advantages", "beside_virtual", "virtual_count", "virtual_ladder"]


@dataclass(frozen=True, slots=True)
class CollapseThreshold:
    """The share of degenerate groups above which AVSPO steps in. `updated` returns the next one.

    Args:
        value: that share.
        step: how far an update moves it.
        low, high: bounds of it.
        mean_reward: of the batch before; None at first.

    Raises:
        ArgumentError: unless 0 <= low <= value <= high <= 1 and step >= 0.

    Source:
        arXiv 2605.21125: starts at 0.5, moves by 0.01 with the change of the batch's mean reward, lower while
        that stagnates. The paper's text was not open to us: the exact rule (up when the mean rose, down
        otherwise) and the bounds are ours.

    Example:
        >>> threshold = CollapseThreshold().updated(torch.tensor([0.0, 1.0]))
        >>> threshold.value, threshold.updated(torch.tensor([0.0, 0.0])).value
        (0.5, 0.49)
    """

    value: float = 0.5
    step: float = 0.01
    low: float = 0.05
    high: float = 0.95
    mean_reward: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.value <= self.high <= 1:
            raise ArgumentError(
                f"value: expected 0 <= low <= value <= high <= 1, got low {self.low}, value {self.value}, "
                f"high {self.high}"
            )
        if not self.step >= 0:
            raise ArgumentError(f"step: expected a number of at least 0, got {self.step}")

    def updated(self, rewards: Tensor) -> "CollapseThreshold":
        """After a batch with these rewards, of any shape; NaN is left out, a batch without a reward changes nothing."""
        check_numbers("rewards", rewards)
        check_known("rewards", rewards)
        mean = float(rewards.detach().cpu().double().nanmean())
        if mean != mean:
            return self
        if self.mean_reward is None:
            return replace(self, mean_reward=mean)
        moved = self.value + (self.step if mean > self.mean_reward else -self.step)
        return replace(self, value=min(max(moved, self.low), self.high), mean_reward=mean)


def avspo_advantages(
    rewards: Tensor,
    group_ids: Tensor | None = None,
    *,
    step_in_above: float = 0.5,
    alpha: float = 0.5,
    anchor: float = 0.1,
    ddof: int = 0,
    epsilon: float = 1e-4,
    correct_at: float = 1.0,
    wrong_at: float = 0.0,
) -> Tensor:
    """GRPO in mixed groups; in all-wrong and all-correct ones (R - mean(R')) / (std(R') + epsilon), R' = R and V.

    Steps in only where more than `step_in_above` of the batch's groups are degenerate; otherwise it is GRPO
    with this ddof and epsilon. Nonzero in those groups by design: all-wrong rows get the same negative number,
    all-correct ones its opposite. With ddof 0 it is at most sqrt(K / G), reached by equal V, and whatever
    `anchor`, as long as epsilon is far below it.

    Args:
        rewards, group_ids: as in `group_advantages`.
        step_in_above: the threshold, e.g. `CollapseThreshold.value`.
        alpha, anchor: of `virtual_count` and `virtual_ladder`.
        ddof, epsilon: of every standard deviation here.
        correct_at, wrong_at: as in `diagnostics.group_kinds`. Groups tied in between (partial credit) get 0:
            nothing says on which side a virtual reward should be.

    Returns:
        As `group_advantages`; exactly 0 for tied groups, singletons and unscored rows.

    Raises:
        ArgumentError: as `group_advantages`.

    Source:
        arXiv 2605.21125 and its project page. Its ACR counts groups with std < 1e-6; ours counts groups of
        equal rewards, among those with at least two scored rows. ddof is not stated; the bound sqrt(K / G)
        holds for 0, our default. epsilon is ours, as in `grpo_advantages`.

    Example:
        Two of three groups are degenerate, and 2 (2/3)^0.5 = 1.63, so K = 2. R' = 0, 0, 0.1, 0.05 has mean
        0.0375 and std 0.04146.

        >>> avspo_advantages(torch.tensor([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]]), epsilon=0.0)
        tensor([[-0.9045, -0.9045],
                [ 0.9045,  0.9045],
                [ 1.0000, -1.0000]])
    """
    check_options(ddof=ddof, epsilon=epsilon)
    if not 0 <= step_in_above <= 1:
        raise ArgumentError(f"step_in_above: expected a share in [0, 1], got {step_in_above}")
    batch = scored_rows(rewards, group_ids, correct_at=correct_at, wrong_at=wrong_at)
    advantages = batch.standardised(ddof=ddof, epsilon=epsilon)
    acr = _degenerate_share(batch)
    if acr > step_in_above:
        scored = batch.judgement.scored
        below = np.zeros(len(scored))  # (N,) what an all-wrong group of that size gets
        for size in np.unique(scored[scored > 1]).tolist():
            ladder = virtual_ladder(virtual_count(acr, size, alpha=alpha), anchor=anchor)
            # Only the distance to the virtual rewards counts: any equal group is one of zeros.
            zeros = torch.zeros(size, dtype=torch.float64)
            below[scored == size] = beside_virtual(zeros, ladder, ddof=ddof, epsilon=epsilon)[0]
        shift = batch.spread(below)
        advantages = np.where(batch.in_groups(GroupKind.ALL_WRONG), shift, advantages)
        advantages = np.where(batch.in_groups(GroupKind.ALL_CORRECT), -shift, advantages)
    return batch.returned(advantages)


def virtual_count(acr: float, size: int, *, alpha: float = 0.5) -> int:
    """K = max(1, min(G, ceil(G ACR^alpha))): how many virtual rewards stand beside a group.

    Args:
        acr: share of degenerate groups in the batch, 0 to 1.
        size: G, scored rows of the group.
        alpha: at least 0; 0 gives K = G whatever the ACR.

    Raises:
        ArgumentError: numbers outside those ranges.

    Source:
        arXiv 2605.21125, alpha = 0.5.

    Example:
        >>> virtual_count(0.5, 8), virtual_count(0.0, 8), virtual_count(1.0, 8)
        (6, 1, 8)
    """
    if not 0 <= acr <= 1:
        raise ArgumentError(f"acr: expected a share in [0, 1], got {acr}")
    if size < 1:
        raise ArgumentError(f"size: expected at least 1 row, got {size}")
    if not alpha >= 0:
        raise ArgumentError(f"alpha: expected a number of at least 0, got {alpha}")
    # 35 (9/49)^0.5 is 15, and must not become 16 because a power was rounded up.
    return max(1, min(size, ceil(size * acr**alpha - 1e-9)))


def virtual_ladder(count: int, *, anchor: float = 0.1) -> Tensor:
    """Distances (K,) of the virtual rewards from a group's own, falling evenly from `anchor` to anchor / K.

    All-wrong groups get virtual rewards that far above their own, all-correct ones that far below.

    Raises:
        ArgumentError: anchor not positive.

    Source:
        arXiv 2605.21125 has strata that fall from near 1, and rise from an anchor of 0.1. Even rungs, the same
        on both sides, are ours: the paper's ladder was not open to us.

    Example:
        >>> virtual_ladder(4)
        tensor([0.1000, 0.0750, 0.0500, 0.0250], dtype=torch.float64)
    """
    if not anchor > 0:
        raise ArgumentError(f"anchor: expected a positive number, got {anchor}")
    return anchor * torch.arange(count, 0, -1, dtype=torch.float64) / count


def beside_virtual(rewards: Tensor, virtual: Tensor, *, ddof: int = 0, epsilon: float = 0.0) -> Tensor:
    """Advantages (n,) of one group's rewards (n,), mean and std taken with virtual rewards (K,) beside them.

    With one virtual reward, the highest possible, this is NGRPO's (arXiv 2509.18851).

    Args:
        rewards: (n,) of the group's scored rows.
        virtual: (K,) rewards without a rollout.
        ddof, epsilon: of the standard deviation of all n + K.

    Raises:
        ArgumentError: a rank other than these, or an option outside its range.

    Example:
        Equal V give -sqrt(K / n).

        >>> beside_virtual(torch.zeros(4), torch.tensor([0.1]))
        tensor([-0.5000, -0.5000, -0.5000, -0.5000])
    """
    check_options(ddof=ddof, epsilon=epsilon)
    check_numbers("virtual", virtual)
    check_rank("virtual", virtual, "(K,)")
    check_rank("rewards", rewards, "(n,)")
    batch = scored_rows(torch.cat([rewards.double(), virtual.double()]).unsqueeze(0), None)
    advantages = batch.standardised(ddof=ddof, epsilon=epsilon)
    return torch.from_numpy(advantages[: len(rewards)]).to(rewards.dtype)


def _degenerate_share(batch: ScoredRows) -> float:
    """Of the groups with at least two scored rows: 0 if there are none."""
    degenerate = sum(int(batch.judgement.is_kind(kind).sum()) for kind in GroupKind if kind.is_degenerate)
    return degenerate / max(int((batch.judgement.scored > 1).sum()), 1)
