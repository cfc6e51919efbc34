"""Advantages of rollouts: the estimators that compare a reward with its group, and the registry of all.

The group-centred ones (GRPO, Dr. GRPO, batch-std, RLOO) have something to say only where the rewards of a
group differ. Elsewhere they return exact zeros, whatever the constant; `diagnostics` judges that on the raw
rewards, by equality. Dividing by std + epsilon instead makes advantages up to 0.99 out of rounding. Sign,
AVSPO and the baselines from outside the group are nonzero there by design.

In all of them a NaN reward means unscored: that row gets 0, and its siblings what they would get without it.
Rewards are data: no gradient flows through. Statistics are float64 on the CPU (see `scored`).
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..errors import ArgumentError
from ..registry import Registry
from .scored import check_options, divisible, scored_rows
from .shapes import check_mask, check_numbers, check_same_shape

__all__ = [
    "batch_std_advantages",
    "dr_grpo_advantages",
    "estimators",
    "group_advantages",
    "grpo_advantages",
    "rloo_advantages",
    "sign_advantages",
]

estimators: Registry[Tensor] = Registry("estimator", entry_point_group="rewardgate.estimators")
"""Name -> function `(rewards, group_ids, **options) -> advantages`, with the arguments of `group_advantages`."""


def group_advantages(
    rewards: Tensor,
    group_ids: Tensor | None = None,
    *,
    estimator: str = "grpo",
    learned: Tensor | None = None,
    unlearned_vote: bool = True,
    **options: Any,
) -> Tensor:
    """Advantages of a batch of rollouts by the estimator of that name.

    Where the comparison is with the group, singletons (groups with one scored row) get 0: there is nothing to
    compare with. How many there are, and of every other kind, `diagnostics.group_kinds(rewards, group_ids)` counts.

    Args:
        rewards: (B,) raw outcome rewards, any real dtype; NaN = unscored. Or (N, G), a row a group.
        group_ids: (B,) integers; groups may be ragged and interleaved. None for (N, G).
        estimator: a name of `estimators` (docs/estimators.md), or one that another package registered under the
            entry point group `rewardgate.estimators`.
        learned: bool in the shape of the rewards, False = no token of the row is learned from (cut off at the token
            limit, rejected); it gets 0. None: all are.
        unlearned_vote: such rows count in the statistics that the others are compared with, as in TRL and verl; False:
            the others get what they would get without them.
        **options: the estimator's own.

    Returns:
        Advantages in the shape, dtype and device of the rewards (torch's default dtype for integers).

    Raises:
        UnknownNameError: no estimator has that name; the message lists the known ones.
        ArgumentError: shapes or dtypes other than these, an infinite reward, an option missing or outside its range,
            or an estimator that returns another shape.

    Example:
        >>> import torch
        >>> rewards = torch.tensor([1.0, 0.0, 0.35, 0.35, 1.0, torch.nan])
        >>> group_advantages(rewards, torch.tensor([7, 7, 3, 3, 5, 5]), estimator="rloo")
        tensor([ 1., -1.,  0.,  0.,  0.,  0.])
        >>> rewards, learned = torch.tensor([[1.0, 0.0, 1.0]]), torch.tensor([[True, True, False]])
        >>> group_advantages(rewards, estimator="dr_grpo", learned=learned)
        tensor([[ 0.3333, -0.6667,  0.0000]])
        >>> group_advantages(rewards, estimator="dr_grpo", learned=learned, unlearned_vote=False)
        tensor([[ 0.5000, -0.5000,  0.0000]])
    """
    voting = rewards
    if learned is not None:
        check_numbers("rewards", rewards)
        check_mask("learned", learned)
        check_same_shape("learned", learned, "rewards", rewards)
        if not unlearned_vote:
            known = rewards if rewards.is_floating_point() else rewards.to(torch.get_default_dtype())
            voting = known.masked_fill(~learned, torch.nan)
    advantages = estimators.create(estimator, voting, group_ids, **options)
    if advantages.shape != rewards.shape:
        raise ArgumentError(
            f"{estimator}: expected advantages of shape {tuple(rewards.shape)}, got {tuple(advantages.shape)}"
        )
    return advantages if learned is None else advantages.masked_fill(~learned, 0)


def grpo_advantages(
    rewards: Tensor, group_ids: Tensor | None = None, *, ddof: int = 1, epsilon: float = 1e-4
) -> Tensor:
    """(R - mean) / (std + epsilon), mean and std over the group: GRPO.

    Args:
        rewards, group_ids: as in `group_advantages`.
        ddof: std divides by n - ddof; 0 or 1. For one success in four: 1.732 with 0, 1.5 with 1.
        epsilon: added to the standard deviation. It protects nothing here, degenerate groups being exact;
            it shrinks groups whose std is not far above it.

    Returns:
        As `group_advantages`; degenerate groups and singletons exactly 0.

    Source:
        DeepSeekMath (arXiv 2402.03300), outcome supervision: (r - mean(r)) / std(r). The paper states neither
        ddof nor an epsilon. Ours are TRL's (ddof 1, 1e-4); verl takes ddof 1 with 1e-6.

    Example:
        >>> import torch
        >>> grpo_advantages(torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.1, 0.1, 0.1, 0.1]]), epsilon=0.0)
        tensor([[ 1.5000, -0.5000, -0.5000, -0.5000],
                [ 0.0000,  0.0000,  0.0000,  0.0000]])
    """
    check_options(ddof=ddof, epsilon=epsilon)
    batch = scored_rows(rewards, group_ids)
    return batch.returned(batch.standardised(ddof=ddof, epsilon=epsilon))


def dr_grpo_advantages(rewards: Tensor, group_ids: Tensor | None = None) -> Tensor:
    """R - mean over the group, unscaled: Dr. GRPO. Sums to 0 in every group.

    Args:
        rewards, group_ids: as in `group_advantages`.

    Returns:
        As `group_advantages`; degenerate groups and singletons exactly 0.

    Source:
        Understanding R1-Zero-Like Training (arXiv 2503.20783), which also divides the loss by a constant
        instead of each length: that half is an option of the loss.

    Example:
        >>> import torch
        >>> dr_grpo_advantages(torch.tensor([[1.0, 0.0, 0.0, 0.0]]))
        tensor([[ 0.7500, -0.2500, -0.2500, -0.2500]])
    """
    batch = scored_rows(rewards, group_ids)
    return batch.returned(batch.centred())


def batch_std_advantages(
    rewards: Tensor, group_ids: Tensor | None = None, *, ddof: int = 1, epsilon: float = 1e-4
) -> Tensor:
    """(R - mean over the group) / (std over the batch + epsilon): every group scaled alike.

    Args:
        rewards, group_ids: as in `group_advantages`.
        ddof: of the standard deviation of all scored rewards, degenerate groups and singletons included.
        epsilon: added to it.

    Returns:
        As `group_advantages`; degenerate groups and singletons exactly 0.

    Source:
        TRL's `scale_rewards="batch"`, whose ddof and epsilon are ours.

    Example:
        Squared deviations from the batch's mean 1/4 sum to 3/4 + 3/4 = 1.5, so std = sqrt(1.5 / 7) = 0.463.

        >>> import torch
        >>> batch_std_advantages(torch.tensor([[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]]))[0]
        tensor([ 1.0799, -1.0799, -1.0799,  1.0799])
    """
    check_options(ddof=ddof, epsilon=epsilon)
    batch = scored_rows(rewards, group_ids)
    from_batch_mean = batch.as_one_group().centred()
    std = np.sqrt((from_batch_mean**2).sum() / max(batch.is_scored.sum() - ddof, 1))
    return batch.returned(batch.centred() / (divisible(std) + epsilon))


def rloo_advantages(rewards: Tensor, group_ids: Tensor | None = None) -> Tensor:
    """R minus the mean of the group's other scored rewards: REINFORCE leave-one-out. Sums to 0 in every group.

    Args:
        rewards, group_ids: as in `group_advantages`.

    Returns:
        As `group_advantages`; degenerate groups and singletons exactly 0. (For a singleton the paper's formula
        divides by 0; verl's `rloo` returns the raw reward, its `rloo_vectorized` 0.)

    Source:
        Back to Basics (arXiv 2402.14740).

    Example:
        >>> import torch
        >>> rloo_advantages(torch.tensor([[1.0, 0.0, 0.0, 0.0]]))
        tensor([[ 1.0000, -0.3333, -0.3333, -0.3333]])
    """
    batch = scored_rows(rewards, group_ids)
    return batch.returned(batch.left_out())


def sign_advantages(rewards: Tensor, group_ids: Tensor | None = None, *, allow_graded: bool = False) -> Tensor:
    """2R - 1: +1 for a success, -1 for a failure, whatever the group. Nonzero in degenerate groups by design.

    In expectation the gradient is 2 grad E[R]; that of R - mean is (G - 1) / G grad E[R], the same direction
    2G / (G - 1) times smaller (2.67 at G = 4). Compare the two at equal scale. An all-correct group pushes
    on for ever: watch the entropy.

    Args:
        rewards, group_ids: as in `group_advantages`; the groups are checked and not used.
        allow_graded: take rewards other than 0 and 1, for which 2R - 1 is no sign.

    Returns:
        As `group_advantages`; 0 only where unscored.

    Raises:
        ArgumentError: also where a reward is neither 0 nor 1 and `allow_graded` is False.

    Source:
        arXiv 2605.07689, the fixed-reference advantage, defined for rewards in {0, 1} only.

    Example:
        >>> import torch
        >>> sign_advantages(torch.tensor([[1.0, 0.0], [1.0, 1.0]]))
        tensor([[ 1., -1.],
                [ 1.,  1.]])
    """
    batch = scored_rows(rewards, group_ids)
    graded = (batch.values != 0) & (batch.values != 1)
    if not allow_graded and graded.any():
        row = int(graded.argmax())
        raise ArgumentError(
            f"rewards: expected 0 or 1, got {batch.values[row]} in row {row}; pass allow_graded=True to take it"
        )
    return batch.returned(batch.only_scored(2 * batch.values - 1))


for _name, _function in {
    "avspo": "avspo:avspo_advantages",
    "batch_std": "advantages:batch_std_advantages",
    "dr_grpo": "advantages:dr_grpo_advantages",
    "ema": "baselines:ema_advantages",
    "gdpo": "components:gdpo_advantages",
    "global": "baselines:global_advantages",
    "grpo": "advantages:grpo_advantages",
    "maxrl": "maxrl:maxrl_advantages",
    "ngrpo": "ngrpo:ngrpo_advantages",
    "pool": "pool_baseline:pool_advantages",
    "rloo": "advantages:rloo_advantages",
    "sign": "advantages:sign_advantages",
}.items():
    estimators.register(_name, f"rewardgate.grpo.{_function}")
