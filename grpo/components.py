"""Several rewards a rollout, each normalised in its group before they are summed: GDPO.

Summed first, a reward of large spread drowns one of small, and different combinations with the same sum get the same
advantage. The gate is not asked: it listens to the outcome alone, whatever else is in the reward.
"""

from collections.abc import Sequence
from math import isfinite

import numpy as np
import torch
from torch import Tensor

from ..errors import ArgumentError
from .scored import check_options, divisible, scored_rows
from .shapes import check_known, check_numbers

__all__ = ["gdpo_advantages"]


def gdpo_advantages(
    rewards: Tensor,
    group_ids: Tensor | None = None,
    *,
    components: Tensor,
    weights: Sequence[float] | None = None,
    ddof: int = 1,
    epsilon: float = 1e-4,
    scale_by_batch: bool = True,
) -> Tensor:
    """Σ_k w_k (R_k - mean_k) / (std_k + epsilon) over the group, and that over the std of the batch.

    A component that is equal throughout a group says nothing there, exactly; a group in which all are equal gets
    exact zeros. An unknown component (NaN) adds nothing to its row and is left out for its siblings; a row whose
    outcome is unknown is left out of all.

    Args:
        rewards, group_ids: as in `group_advantages`: the outcome, the first component.
        components: (B, K), or (N, G, K): the others, any scale; NaN = unknown.
        weights: K + 1 finite numbers, the outcome's first; None: all 1.
        ddof, epsilon: of every standard deviation here.
        scale_by_batch: divide the sums by their standard deviation over the scored rows, so that their size does not
            grow with the number of components. Their mean is 0 already, and zeros stay zeros.

    Returns:
        As `group_advantages`; 0 where every component is equal in the group, for singletons and unscored rows.

    Raises:
        ArgumentError: also another shape of the components, an infinite one, or weights that are not K + 1 numbers.

    Source:
        GDPO (arXiv 2601.05242), TRL's `normalize_then_sum` (ddof 1, epsilon 1e-4, a sum in which unknown components
        are 0); verl's `gdpo` whitens over tokens instead, so that long rollouts weigh more. That a row without an
        outcome is left out is ours.

    Example:
        >>> import torch
        >>> outcomes, form = torch.tensor([[1.0, 0.0, 0.0, 0.0]]), torch.tensor([[[0.1], [0.1], [0.1], [0.0]]])
        >>> gdpo_advantages(outcomes, components=form, epsilon=0.0, scale_by_batch=False)
        tensor([[ 2.,  0.,  0., -2.]])
    """
    check_options(ddof=ddof, epsilon=epsilon)
    batch = scored_rows(rewards, group_ids)
    check_numbers("components", components)
    if components.ndim != rewards.ndim + 1 or components.shape[:-1] != rewards.shape:
        raise ArgumentError(
            f"components: expected shape {tuple(rewards.shape)} and one more dimension, got {tuple(components.shape)}"
        )
    check_known("components", components)
    n_components = components.shape[-1] + 1
    shares = [1.0] * n_components if weights is None else [float(weight) for weight in weights]
    if len(shares) != n_components or not all(isfinite(share) for share in shares):
        raise ArgumentError(f"weights: expected {n_components} finite numbers, the outcome's first, got {shares}")

    total = shares[0] * batch.standardised(ddof=ddof, epsilon=epsilon)
    columns = components.detach().cpu().double().reshape(len(batch.values), n_components - 1)
    outcome_known = torch.from_numpy(batch.is_scored)
    for share, column in zip(shares[1:], columns.unbind(1), strict=True):
        known = column.where(outcome_known, torch.nan).view(rewards.shape)
        component = scored_rows(known, None if group_ids is None else group_ids.cpu())
        total = total + share * component.standardised(ddof=ddof, epsilon=epsilon)
    if scale_by_batch:
        std = np.sqrt((total**2).sum() / max(int(batch.is_scored.sum()) - ddof, 1))
        total = total / (divisible(std) + epsilon)
    return batch.returned(total)
