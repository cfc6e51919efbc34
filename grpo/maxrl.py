"""MaxRL: the prompt's success rate in the denominator, so that rare successes count for more."""

import numpy as np
from torch import Tensor

from .scored import check_options, scored_rows

__all__ = ["maxrl_advantages"]


def maxrl_advantages(rewards: Tensor, group_ids: Tensor | None = None, *, epsilon: float = 0.0) -> Tensor:
    """(R - mean) / (mean + epsilon) over the group; 0 where the mean is not positive.

    The gradient of log E[R] is that of E[R] over E[R]: where one of eight succeeds, the success gets 7 (and 0.875
    from R - mean, 2.5 from GRPO). For rewards of at least 0: of others the mean is no success rate.

    Args:
        rewards, group_ids: as in `group_advantages`.
        epsilon: added to the mean.

    Returns:
        As `group_advantages`; degenerate groups and singletons exactly 0.

    Source:
        Maximum Likelihood Reinforcement Learning (arXiv 2602.02710), for rewards 0 and 1. No epsilon as in prime-rl's
        `max_rl`, from which also the 0 where the mean is not positive.

    Example:
        >>> import torch
        >>> maxrl_advantages(torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]))
        tensor([[ 3., -1., -1., -1.],
                [ 0.,  0.,  0.,  0.]])
    """
    check_options(epsilon=epsilon)
    batch = scored_rows(rewards, group_ids)
    means = batch.means()
    divisors = np.where(means > 0, means + epsilon, np.inf)
    return batch.returned(batch.centred() / batch.spread(divisors))
