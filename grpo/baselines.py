"""Advantages against a baseline from outside the group: the whole batch, or the prompt's own past.

Nonzero in degenerate groups by design: an all-wrong group has failed where others, or earlier rollouts of
the prompt, have not. What they say is how hard the prompt is, the same for every rollout of such a group.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from torch import Tensor

from ..errors import ArgumentError
from .scored import ScoredRows, check_options, scored_rows

__all__ = ["PromptMeans", "ema_advantages", "global_advantages"]


def global_advantages(
    rewards: Tensor, group_ids: Tensor | None = None, *, ddof: int = 1, epsilon: float = 1e-4
) -> Tensor:
    """(R - mean) / (std + epsilon), mean and std over the whole batch. Nonzero in degenerate groups by design.

    Args:
        rewards, group_ids: as in `group_advantages`; the groups are checked and not used.
        ddof: std divides by n - ddof; 0 or 1.
        epsilon: added to the standard deviation.

    Returns:
        As `group_advantages`; exactly 0 where unscored, and everywhere if all rewards of the batch are equal.

    Source:
        REINFORCE with the batch's mean as baseline, scaled as REINFORCE++ (arXiv 2501.03262) whitens, there
        over tokens, here over rollouts, so that long ones do not weigh more. ddof and epsilon are ours, as in
        `grpo_advantages`.

    Example:
        The mean is 1/4; squared deviations sum to 3/4, so that std = 1/2.

        >>> import torch
        >>> global_advantages(torch.tensor([[1.0, 0.0], [0.0, 0.0]]), epsilon=0.0)
        tensor([[ 1.5000, -0.5000],
                [-0.5000, -0.5000]])
    """
    check_options(ddof=ddof, epsilon=epsilon)
    batch = scored_rows(rewards, group_ids).as_one_group()
    return batch.returned(batch.standardised(ddof=ddof, epsilon=epsilon))


@dataclass(frozen=True, slots=True)
class PromptMeans:
    """Running mean reward of every prompt seen so far. `updated` returns the next one; nothing is changed.

    Of n new rewards of a prompt, total <- decay^n total + (1 - decay^n) mean(R), and the mean is total
    divided by 1 - decay^(all rewards so far): without that it would start near 0 and call every early
    rollout a success. A group of 16 moves it as far as two of 8 whose rewards are the same.

    Args:
        decay: weight that a reward keeps when one more rollout of its prompt is scored, in (0, 1);
            1 / (1 - decay) rollouts are remembered.
        totals: prompt id -> decayed total, not yet divided.
        counts: prompt id -> scored rollouts so far.

    Raises:
        ArgumentError: decay outside (0, 1), prompts that differ between the two, or ids that are no integers.

    Source:
        A prompt's past as baseline: SPO (arXiv 2509.13232), whose tracker is a Beta posterior with an adaptive
        decay. The exponential mean, its bias correction (as Adam's) and the default decay are ours.
    """

    decay: float = 0.98
    totals: Mapping[int, float] = field(default_factory=dict)
    counts: Mapping[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 < self.decay < 1:
            raise ArgumentError(f"decay: expected a number in (0, 1), got {self.decay}")
        if self.totals.keys() != self.counts.keys():
            raise ArgumentError("counts: expected the prompts of totals, got others")
        # JSON makes strings of them, and then no prompt would be found again.
        for prompt_id in self.totals:
            if not isinstance(prompt_id, int):
                raise ArgumentError(f"totals: expected integers as keys, got {prompt_id!r}")

    def mean(self, prompt_id: int) -> float | None:
        """The prompt's mean reward, None before its first scored rollout."""
        count = self.counts.get(prompt_id)
        return None if count is None else self.totals[prompt_id] / (1 - self.decay**count)

    def updated(self, rewards: Tensor, prompt_ids: Tensor) -> "PromptMeans":
        """With the rewards (B,) of one more batch; NaN is left out. Call it after the advantages are taken.

        Raises:
            ArgumentError: as `group_advantages`.
        """
        batch = scored_rows(rewards, prompt_ids)
        totals, counts = dict(self.totals), dict(self.counts)
        of_groups = zip(_ids(batch, prompt_ids), batch.means().tolist(), batch.judgement.scored.tolist(), strict=True)
        for prompt_id, mean, scored in of_groups:
            if scored:
                kept = self.decay**scored
                totals[prompt_id] = kept * totals.get(prompt_id, 0.0) + (1 - kept) * mean
                counts[prompt_id] = counts.get(prompt_id, 0) + scored
        return PromptMeans(self.decay, totals, counts)


def ema_advantages(rewards: Tensor, group_ids: Tensor, *, means: PromptMeans) -> Tensor:
    """R - the prompt's mean reward before this batch. Nonzero in degenerate groups by design.

    The baseline must not know the rewards it is subtracted from: take the advantages first, then
    `means = means.updated(rewards, group_ids)`. A prompt without a past gets RLOO's baseline, the mean of the
    other scored rollouts of its group, and so 0 where those are equal.

    Args:
        rewards: (B,) as in `group_advantages`.
        group_ids: (B,) integers that name the prompt, the same in every batch.
        means: what earlier batches showed.

    Returns:
        As `group_advantages`; 0 where unscored. Not scaled.

    Source:
        As `PromptMeans`. What to do with a new prompt is ours.

    Example:
        >>> import torch
        >>> ids = torch.tensor([3, 3])
        >>> means = PromptMeans().updated(torch.tensor([1.0, 0.0]), ids)
        >>> ema_advantages(torch.tensor([0.0, 0.0]), ids, means=means)
        tensor([-0.5000, -0.5000])
    """
    batch = scored_rows(rewards, group_ids)
    past = [means.mean(prompt_id) for prompt_id in _ids(batch, group_ids)]
    has_past = batch.spread(np.array([mean is not None for mean in past], dtype=np.bool_))
    from_past = batch.minus(batch.values, np.array([mean or 0.0 for mean in past]))
    return batch.returned(np.where(has_past, from_past, batch.left_out()))


def _ids(batch: ScoredRows, group_ids: Tensor) -> list[int]:
    """The id of every group, in the order of their numbers."""
    if group_ids is None:
        raise ArgumentError("group_ids: expected the prompt of every row, got None; (N, G) rewards name no prompt")
    ids = np.zeros(len(batch.groups), dtype=np.int64)
    ids[batch.groups.index.numpy()] = group_ids.cpu().numpy()
    return ids.tolist()
