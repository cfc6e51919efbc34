"""The advantage estimator `verigate` for verl: GRPO that leaves unknown rewards out and makes nothing out of rounding.

An estimator of verl is given rewards a token, a mask and group names, no step scores and no token ids: the gate needs
the trainer `verigate_sync`. This is what it computes where the gate has nothing to say.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..errors import ArgumentError
from ..grpo import group_advantages
from .group_numbers import group_numbers

__all__ = ["estimator_options", "verigate_advantages"]

_GRPO = ("grpo", "grpo_vectorized", "verigate")
_RLOO = ("rloo", "rloo_vectorized")


def verigate_advantages(
    token_level_rewards: Tensor,
    response_mask: Tensor,
    index: Sequence[Any],
    config: Mapping[str, Any] | None = None,
    **_of_other_estimators: Any,
) -> tuple[Tensor, Tensor]:
    """(R - mean) / (std + 1e-6) over the group, std with ddof 1, in float64; exactly 0 in degenerate groups.

    verl's `grpo` with three differences: a group of equal rewards gets zeros (verl's float32 makes up to 0.26 of its
    rounding), a group of one gets 0 (verl's gives it its raw reward), and a row whose reward is NaN or infinite
    gets 0 and leaves its siblings what they would get without it (verl's gives them all NaN). Its tokens
    still count in the loss's denominator.

    Args:
        token_level_rewards: (B, T), summed over the tokens.
        response_mask: (B, T), 1 = counts.
        index: (B,) the group of each row.
        config: verl's `algorithm`; without `norm_adv_by_std_in_grpo` the difference is not divided.

    Returns:
        Advantages (B, T) in the dtype of the rewards, and the same as returns.

    Example:
        >>> rewards = torch.tensor([[0.0, 1.0], [0.0, 0.0], [0.0, torch.nan]])
        >>> verigate_advantages(rewards, torch.ones(3, 2), ["p", "p", "p"])[0][:, 0]
        tensor([ 0.7071, -0.7071,  0.0000])
    """
    rewards = token_level_rewards.double().sum(-1)
    rewards = rewards.masked_fill(rewards.isinf(), torch.nan)
    estimator, options = estimator_options("verigate", config or {})
    scalars = group_advantages(rewards, group_numbers(index), estimator=estimator, **options)
    advantages = scalars[:, None].to(token_level_rewards) * response_mask
    return advantages, advantages.clone()


def estimator_options(adv_estimator: Any, algorithm: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The estimator of ours, with its options, that computes what verl's `algorithm.adv_estimator` does.

    Raises:
        ArgumentError: one that compares a rollout with more, or less, than its group.

    Example:
        >>> estimator_options("grpo", {"norm_adv_by_std_in_grpo": False})
        ('dr_grpo', {})
    """
    name = str(getattr(adv_estimator, "value", adv_estimator))
    if name in _RLOO:
        return "rloo", {}
    if name not in _GRPO:
        known = ", ".join(_GRPO + _RLOO)
        raise ArgumentError(f"algorithm.adv_estimator: expected one centred on the group ({known}), got {name}")
    if algorithm.get("norm_adv_by_std_in_grpo", True):
        return "grpo", {"ddof": 1, "epsilon": 1e-6}
    return "dr_grpo", {}
