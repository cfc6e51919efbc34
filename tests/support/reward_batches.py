"""Batches of rewards for the tests of the estimators: a strategy, and a slow reference in plain Python floats."""

from collections.abc import Callable
from math import fsum, isnan, nan, sqrt
from typing import NamedTuple

import torch
from hypothesis import strategies as st
from torch import Tensor

CONSTANTS = (0.35, 0.1, 0.3, 1 / 3, 0.7, -2.5, 1e4 + 0.1, 1e-12, 0.0, 1.0)
"""Rewards whose mean, over some number of rows, is not the reward itself in floating point."""


class Batch(NamedTuple):
    """Rewards, NaN where unscored, and the group of each."""

    rewards: list[float]
    ids: list[int]

    @property
    def tensors(self) -> tuple[Tensor, Tensor]:
        return torch.tensor(self.rewards, dtype=torch.float64), torch.tensor(self.ids, dtype=torch.int64)


def batches(rewards: st.SearchStrategy[float] | None = None, max_size: int = 24) -> st.SearchStrategy[Batch]:
    """Ragged, interleaved groups with any integers as ids; a few rewards unscored."""
    graded = st.sampled_from([0.0, 1.0, 0.35, -1.0]) | st.floats(-10, 10, width=32)
    ids = st.sampled_from([-7, 0, 3, 4, 2**62, -(2**62)])
    known = graded if rewards is None else rewards
    rows = st.lists(st.tuples(known | st.just(nan), ids), max_size=max_size)
    return rows.map(lambda pairs: Batch([reward for reward, _ in pairs], [group for _, group in pairs]))


def by_loop(batch: Batch, of_group: Callable[[list[float]], list[float]]) -> list[float]:
    """What `of_group` says of the scored rewards of every group, at their rows; 0 in unscored rows."""
    advantages = [0.0] * len(batch.rewards)
    for group in set(batch.ids):
        rows = [row for row, i in enumerate(batch.ids) if i == group and not isnan(batch.rewards[row])]
        for row, advantage in zip(rows, of_group([batch.rewards[row] for row in rows]), strict=True):
            advantages[row] = advantage
    return advantages


def centred(rewards: list[float]) -> list[float]:
    """R - mean(R), exactly 0 where all are equal."""
    if len(set(rewards)) < 2:
        return [0.0] * len(rewards)
    mean = fsum(rewards) / len(rewards)
    return [reward - mean for reward in rewards]


def std(rewards: list[float], ddof: int) -> float:
    """sqrt(sum (R - mean)^2 / (n - ddof)); 0 for fewer than two."""
    if len(rewards) < 2:
        return 0.0
    mean = fsum(rewards) / len(rewards)
    return sqrt(fsum((reward - mean) ** 2 for reward in rewards) / (len(rewards) - ddof))
