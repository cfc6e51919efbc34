"""verl's names for groups and estimators, as ours."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..errors import ArgumentError

__all__ = ["estimator_options", "group_numbers"]

_GRPO = ("grpo", "grpo_vectorized", "verigate")
_RLOO = ("rloo", "rloo_vectorized")


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


def group_numbers(names: Sequence[Any]) -> Tensor:
    """(B,) int64: the names of groups, numbered as they appear."""
    numbers: dict[Any, int] = {}
    return torch.tensor([numbers.setdefault(name, len(numbers)) for name in names], dtype=torch.int64)
