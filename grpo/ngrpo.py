"""NGRPO: one virtual rollout with the highest reward beside every group, so that an all-wrong one is below it."""

from math import isfinite

import numpy as np
from torch import Tensor

from ..errors import ArgumentError
from .scored import check_options, divisible, scored_rows

__all__ = ["ngrpo_advantages"]


def ngrpo_advantages(
    rewards: Tensor,
    group_ids: Tensor | None = None,
    *,
    max_reward: float = 1.0,
    ddof: int = 0,
    epsilon: float = 1e-4,
) -> Tensor:
    """(R - mean(R')) / (std(R') + epsilon) with R' = R and max_reward. Nonzero in all-wrong groups by design.

    An all-wrong group of G gets -1 / sqrt(G) with ddof 0, an all-correct one exactly 0, and mixed ones less than from
    GRPO, with a negative sum. The virtual rollout never enters the gradient.

    Args:
        rewards, group_ids: as in `group_advantages`.
        max_reward: the highest reward there is.
        ddof, epsilon: of the standard deviation over n + 1 rewards.

    Returns:
        As `group_advantages`; exactly 0 where unscored and in groups whose rewards all are max_reward. A singleton is
        compared with the virtual rollout alone.

    Raises:
        ArgumentError: also where a reward is above max_reward, which must be finite.

    Source:
        NGRPO (arXiv 2509.18851). Its asymmetric clipping is an option of the loss, and its values were not open to us.
        The paper states no ddof; ours is 0, as for `avspo`.

    Example:
        >>> import torch
        >>> ngrpo_advantages(torch.tensor([[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]), epsilon=0.0)
        tensor([[-0.5000, -0.5000, -0.5000, -0.5000],
                [ 0.0000,  0.0000,  0.0000,  0.0000]])
    """
    check_options(ddof=ddof, epsilon=epsilon)
    if not isfinite(max_reward):
        raise ArgumentError(f"max_reward: expected a finite number, got {max_reward}")
    batch = scored_rows(rewards, group_ids)
    if (batch.is_scored & (batch.values > max_reward)).any():
        raise ArgumentError(f"rewards: expected at most max_reward = {max_reward}, got {batch.values.max()}")
    # The mean of n and one more is that of the n plus a share of the distance to it.
    gap = max_reward - batch.means()
    raised = gap / (batch.scored + 1)
    below = batch.minus(batch.centred(), raised)
    squares = batch.sums(below, times=below) + (gap - raised) ** 2
    std = np.sqrt(squares / np.maximum(batch.scored + 1 - ddof, 1))
    return batch.returned(below / batch.spread(divisible(std) + epsilon))
