"""Advantages against what the pools know of a prompt: its discounted success rate before this batch."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from ..diagnostics import PromptPools
from ..diagnostics.rows import FloatArray
from ..errors import ArgumentError
from .scored import scored_rows

__all__ = ["pool_advantages"]


def pool_advantages(
    rewards: Tensor,
    group_ids: Tensor | None = None,
    *,
    pools: PromptPools,
    prompt_ids: Sequence[str | int] | None = None,
) -> Tensor:
    """R - the posterior mean of the prompt's success rate before this batch. Nonzero in degenerate groups by design.

    The baseline must not know the rewards it is subtracted from: take the advantages first, then `pools.update`. A
    prompt without a past gets RLOO's baseline, the mean of the other scored rollouts of its group, and so 0 where
    those are equal. Pools count successes: for graded rewards the rate is not their mean, which costs variance, no
    bias; `ema_advantages` keeps the mean itself.

    Args:
        rewards, group_ids: as in `group_advantages`.
        pools: what earlier batches showed; read, not updated.
        prompt_ids: (B,) the prompt of every row as the pools name it; None: group_ids are those names.

    Returns:
        As `group_advantages`; 0 where unscored. Not scaled.

    Raises:
        ArgumentError: also another number of prompt ids, or neither ids.

    Source:
        SPO (arXiv 2509.13232): a Beta posterior whose counts are discounted, as a persistent baseline. The discount
        is the pools' (by visits and by steps; SPO's follows the KL between policies), and so is the prior.

    Example:
        >>> import torch
        >>> pools = PromptPools()
        >>> _ = pools.update([1.0, 0.0, 0.0], ["p"] * 3, step=1)  # Beta(1/2 + 1, 1/2 + 2): mean 1.5 / 4
        >>> pool_advantages(torch.tensor([1.0, 0.0]), torch.tensor([0, 0]), pools=pools, prompt_ids=["p", "p"])
        tensor([ 0.6250, -0.3750])
    """
    batch = scored_rows(rewards, group_ids)
    if prompt_ids is None:
        if group_ids is None:
            raise ArgumentError("prompt_ids: expected the prompt of every row, got None; (N, G) rewards name no prompt")
        names: list[str | int] = group_ids.tolist()
    else:
        names = list(prompt_ids)
    if len(names) != len(batch.values):
        raise ArgumentError(f"prompt_ids: expected one a reward ({len(batch.values)}), got {len(names)}")
    rates = _rates(pools, names)
    has_past = ~np.isnan(rates)
    from_past = batch.only_scored(batch.values - np.where(has_past, rates, 0.0))
    return batch.returned(np.where(has_past, from_past, batch.left_out()))


def _rates(pools: PromptPools, names: list[str | int]) -> FloatArray:
    """(B,) posterior mean of every row's prompt; NaN where the pools have counted nothing."""
    wanted, (a, b) = set(names), pools.posterior()
    known = [(slot, name) for slot, name in enumerate(pools.prompt_ids) if name in wanted]
    prior = sum(pools.rules.prior)
    rates = {name: a[slot] / (a[slot] + b[slot]) for slot, name in known if a[slot] + b[slot] > prior}
    return np.array([rates.get(name, np.nan) for name in names], dtype=np.float64)
