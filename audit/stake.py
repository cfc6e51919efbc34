"""What the faults cost: rollouts and tokens whose group-relative advantage was missing or had the wrong sign.

Advantages are computed twice, from the rewards as they were scored and as they are repaired. Degenerate
groups have exact zeros, unscored rollouts no advantage; both by the one judge of `diagnostics.groups`.
"""

from collections.abc import Sequence

import numpy as np

from ..diagnostics.groups import FloatArray, GroupKind, IntArray, group_kinds
from .report.model import Stake

__all__ = ["group_advantages", "stake_part"]

_SAME_AS_MEAN = 1e-9
"""In units of the group's standard deviation; asked within mixed groups only, so that it never decides degeneracy."""


def group_advantages(rewards: Sequence[float | None], group_index: IntArray, *, divide_by_std: bool) -> FloatArray:
    """R - mean of the scored rewards of the group (Dr. GRPO), or that over their std (GRPO).

    Args:
        rewards: (B,) outcome rewards, None where unknown.
        group_index: (B,) position of each rollout's group, 0..N-1.
        divide_by_std: divide by the sample standard deviation (n - 1, as TRL and verl do; no epsilon).

    Returns:
        (B,) advantages, exact zeros in groups that are not mixed, NaN where the reward is unknown.

    Source:
        GRPO: arXiv 2402.03300; Dr. GRPO: arXiv 2503.20783.

    Example:
        >>> group_advantages([1, 0, 0, 0, 1, 1], np.array([0, 0, 0, 0, 1, 1]), divide_by_std=False).tolist()
        [0.75, -0.25, -0.25, -0.25, 0.0, 0.0]
    """
    values = np.array([np.nan if reward is None else reward for reward in rewards], dtype=np.float64)
    kinds = group_kinds(values, group_index)  # where a success begins does not matter: only mixed is asked for
    mixed = {group_id for group_id, kind in zip(kinds.ids, kinds.kinds, strict=True) if kind is GroupKind.MIXED}
    is_known = ~np.isnan(values)
    is_mixed = np.fromiter((index in mixed for index in group_index.tolist()), dtype=bool, count=len(values))
    counts = is_known & is_mixed
    size = int(group_index.max(initial=-1)) + 1
    n = np.bincount(group_index[counts], minlength=size)
    total = np.bincount(group_index[counts], weights=values[counts], minlength=size)
    mean = np.divide(total, n, out=np.zeros(size), where=n > 0)
    advantages = np.where(is_known, 0.0, np.nan)
    deviation = values[counts] - mean[group_index[counts]]
    squares = np.bincount(group_index[counts], weights=deviation**2, minlength=size)
    std = np.sqrt(np.divide(squares, n - 1, out=np.ones(size), where=n > 1))[group_index[counts]]
    # The rounding of a mean is no signal.
    deviation[np.abs(deviation) <= _SAME_AS_MEAN * std] = 0.0
    advantages[counts] = deviation / std if divide_by_std else deviation
    return advantages


def stake_part(
    scored: Sequence[float | None],
    repaired: Sequence[float | None],
    group_index: IntArray,
    *,
    units: Sequence[int],
    unit: str,
) -> Stake:
    """The shares of rollouts and of `units` (tokens, or characters) whose advantage was not as it should be.

    Args:
        scored: (B,) rewards as logged, or by the verifier under audit.
        repaired: (B,) rewards after repair.
        group_index: (B,) position of each rollout's group.
        units: (B,) length of each response.
        unit: what it is counted in.

    Example:
        >>> stake = stake_part([0, 0, 0, 0], [1, 0, 0, 0], np.zeros(4, int), units=[10, 10, 10, 30], unit="tokens")
        >>> stake.missing_rollouts, stake.wrong_sign_rollouts
        (1.0, 0.0)
    """
    before = group_advantages(scored, group_index, divide_by_std=False)
    after = group_advantages(repaired, group_index, divide_by_std=False)
    was, now = np.sign(np.nan_to_num(before)), np.sign(np.nan_to_num(after))
    masks = {
        "missing": (was == 0) & (now != 0),
        "wrong_sign": was * now < 0,
        # An advantage that becomes unknown was drawn from a reward that nobody can vouch for.
        "spurious": (was != 0) & (now == 0),
    }
    weights = np.asarray(units, dtype=np.float64)
    n, n_units = len(weights), float(weights.sum())
    shares: dict[str, float | None] = {}
    for name, mask in masks.items():
        shares[f"{name}_rollouts"] = float(mask.mean()) if n else None
        shares[f"{name}_units"] = float(weights[mask].sum() / n_units) if n_units else None
    return Stake(
        n_rollouts=n,
        unit=unit,
        n_units=int(n_units),
        mean_error_dr_grpo=_mean_error(before, after),
        mean_error_grpo=_mean_error(
            group_advantages(scored, group_index, divide_by_std=True),
            group_advantages(repaired, group_index, divide_by_std=True),
        ),
        **shares,
    )


def _mean_error(before: FloatArray, after: FloatArray) -> float | None:
    return float(np.abs(np.nan_to_num(before) - np.nan_to_num(after)).mean()) if len(before) else None
