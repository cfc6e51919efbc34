"""Credits within their group: centred and scaled over all its steps, exact zeros where none differs.

Step-weighted, as VeriGate has it: every credited step of the group counts once, however many tokens it has,
and a rollout of many steps weighs more than one of few.
"""

from typing import Literal

import torch
from torch import Tensor

from ..errors import ArgumentError
from .scored import check_options
from .shapes import Groups

__all__ = ["Baseline", "centred_credits", "differ_in_group", "standardised_credits"]

Baseline = Literal["group", "step_index"]

_ROUNDING = 1e-12
"""Credits closer than this share of their group's largest are equal: sums of equal rewards in another order differ
by that much, and dividing by their standard deviation would make advantages of it. No scorer has such digits."""


def centred_credits(credit: Tensor, groups: Groups, *, baseline: Baseline = "group") -> Tensor:
    """Credits minus their group's mean; exactly 0 in a group whose credits are all equal.

    Args:
        credit: (B, S) float64, NaN = no credit: left out, and NaN in the result.
        groups: of the B rows, on the device of the credit.
        baseline: `"group"`: the mean over all credited steps of the group; `"step_index"`: over those at the
            same place in their rollouts, which takes away what every first, second, … step has in common
            (a step that stands alone at its place gets 0).

    Returns:
        (B, S) float64.

    Raises:
        ArgumentError: another baseline.

    Source:
        the group's mean: VeriGate (arXiv 2605.30451). The one by index is ours.

    Example:
        >>> from rewardgate.grpo import groups_of
        >>> credit = torch.tensor([[3.0, 1.0], [2.0, torch.nan]]).double()
        >>> centred_credits(credit, groups_of(torch.tensor([7, 7]))).tolist()
        [[1.0, -1.0], [0.0, nan]]
    """
    if baseline not in ("group", "step_index"):
        raise ArgumentError(f"baseline: expected group or step_index, got {baseline!r}")
    n_steps, has_credit = credit.shape[1], ~credit.isnan()
    group = groups.index[:, None].expand_as(credit)  # (B, S)
    cell = group if baseline == "group" else group * n_steps + torch.arange(n_steps, device=credit.device)
    n_cells = len(groups) * (1 if baseline == "group" else n_steps)

    # Measured from the lowest of those compared, so that equal credits give 0 and a large offset costs no digits.
    lowest, highest = (_extreme(credit, cell, n_cells, which) for which in ("amin", "amax"))
    largest = _extreme(credit.abs(), group, len(groups), "amax")  # (N,)
    is_flat = (highest - lowest)[cell] <= _ROUNDING * largest[group]  # (B, S)
    above = (credit - lowest[cell]).where(has_credit, 0.0)
    total, count = _sums(above, cell, n_cells), _sums(has_credit.double(), cell, n_cells)
    centred = above - (total / count.clamp(min=1))[cell]
    return centred.where(~is_flat, 0.0).where(has_credit, torch.nan)


def differ_in_group(credit: Tensor, groups: Groups) -> Tensor:
    """(N,) True marks the groups with two different credits; `credit` (B, S) with NaN = no credit.

    Example:
        >>> from rewardgate.grpo import groups_of
        >>> credit = torch.tensor([[1.0, 1.0], [1.0, torch.nan], [1.0, 0.0]])
        >>> differ_in_group(credit, groups_of(torch.tensor([0, 0, 1]))).tolist()
        [False, True]
    """
    group = groups.index[:, None].expand_as(credit)
    lowest, highest = (_extreme(credit, group, len(groups), which) for which in ("amin", "amax"))
    return highest - lowest > _ROUNDING * torch.maximum(lowest.abs(), highest.abs())


def standardised_credits(
    credit: Tensor, groups: Groups, *, baseline: Baseline = "group", ddof: int = 0, epsilon: float = 1e-6
) -> Tensor:
    """(c - mean) / (std + epsilon) over all credited steps of a group; exactly 0 where all credits are equal.

    Args:
        credit, groups, baseline: as in `centred_credits`.
        ddof: std = sqrt(Σ (c - mean)² / (n - ddof)), n credited steps of the group; 0 or 1.
        epsilon: added to the standard deviation: differences well below it are not blown up to 1. Worth raising
            to the noise of a learned scorer, whose equal steps differ by 1e-3 in half precision.

    Returns:
        (B, S) float64, NaN where credit is.

    Raises:
        ArgumentError: ddof neither 0 nor 1, epsilon below 0, or another baseline.

    Source:
        VeriGate (arXiv 2605.30451), (c - mean) / std over all steps of the group. It states neither ddof nor an
        epsilon; ours are 0 and 1e-6.
    """
    check_options(ddof=ddof, epsilon=epsilon)
    centred = centred_credits(credit, groups, baseline=baseline)
    has_credit = ~centred.isnan()
    group = groups.index[:, None].expand_as(credit)
    squares = _sums(centred.where(has_credit, 0.0).square(), group, len(groups))
    std = (squares / (_sums(has_credit.double(), group, len(groups)) - ddof).clamp(min=1)).sqrt()  # (N,)
    # std is 0 only where every centred credit is.
    return centred / (std + epsilon).where(std > 0, 1.0)[group]


def _sums(values: Tensor, cell: Tensor, n_cells: int) -> Tensor:
    return values.new_zeros(n_cells).index_add_(0, cell.reshape(-1), values.reshape(-1))


def _extreme(values: Tensor, cell: Tensor, n_cells: int, which: str) -> Tensor:
    """(n_cells,) the lowest ("amin") or highest ("amax") number of every cell, 0 where it has none."""
    worst = torch.inf if which == "amin" else -torch.inf
    known = values.where(~values.isnan(), worst)
    found = values.new_full((n_cells,), worst).scatter_reduce_(0, cell.reshape(-1), known.reshape(-1), which)
    return found.where(found.isfinite(), 0.0)
