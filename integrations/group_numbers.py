"""A host's names for groups, as the integers that the estimators and the gate take."""

from collections.abc import Hashable, Iterable

import torch
from torch import Tensor

__all__ = ["group_numbers"]


def group_numbers(names: Iterable[Hashable]) -> Tensor:
    """(B,) int64: the names, numbered as they appear.

    Example:
        >>> group_numbers(["q", 3, "q"])
        tensor([0, 1, 0])
    """
    numbers: dict[Hashable, int] = {}
    return torch.tensor([numbers.setdefault(name, len(numbers)) for name in names], dtype=torch.int64)
