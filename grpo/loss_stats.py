"""What a loss saw: one record a micro-batch, merged into one an optimizer step."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan, nan

import torch
from torch import Tensor

__all__ = ["LossStats", "loss_stats", "merge_loss_stats"]


@dataclass(frozen=True, slots=True)
class LossStats:
    """Figures of one `policy_loss` over the tokens that count; NaN where there is none.

    A token is *clipped* where its gradient is exactly 0 because of the ratio. Shares are of counted tokens.

    Args:
        loss: the value returned, KL included. Losses of micro-batches with one normalizer add up.
        policy_loss, kl_loss: its two parts, kl_loss with beta in it.
        rows: rows with at least one counted token.
        tokens: counted tokens.
        clipped_low: share with A < 0 and ratio < 1 - epsilon_low.
        clipped_high: share with A > 0 and ratio > 1 + epsilon_high.
        clipped_dual: share with A < 0 and ratio > dual_clip.
        ratio_mean, ratio_max: of π over what the ratio is against, after the clamp.
        clamped: tokens whose log-ratio lay outside ±20, with no gradient for that reason.
        kl: mean of the estimator; NaN without ref_logprobs.
        kl_clamped: tokens whose log π_ref - log π lay outside ±20.
        truncated: share whose importance weight was cut to its cap; NaN without weights.
    """

    loss: float
    policy_loss: float
    kl_loss: float
    rows: int
    tokens: int
    clipped_low: float
    clipped_high: float
    clipped_dual: float
    ratio_mean: float
    ratio_max: float
    clamped: int
    kl: float
    kl_clamped: int
    truncated: float


@torch.no_grad()
def loss_stats(
    completion_mask: Tensor,
    *,
    losses: dict[str, Tensor],
    counts: dict[str, Tensor],
    shares: dict[str, Tensor],
    means: dict[str, Tensor],
    ratio: Tensor,
) -> LossStats:
    """The record of one loss, from tensors; the numbers leave the device in two copies.

    Args:
        completion_mask: (B, T) bool, True = counts.
        losses: scalars, by field.
        counts, shares: (B, T) bool, by field: tokens to count, and to divide by all counted ones.
        means: (B, T), by field, to average over counted tokens.
        ratio: (B, T).
    """
    marked = {**counts, **shares}
    integers = [completion_mask.any(1).sum(), completion_mask.sum()]
    integers += [(tokens & completion_mask).sum() for tokens in marked.values()]
    rows, tokens, *of_marked = torch.stack(integers).tolist()
    # One more entry, so that a batch without tokens has a maximum too.
    highest = torch.cat([ratio.where(completion_mask, -torch.inf).flatten(), ratio.new_full((1,), -torch.inf)]).max()
    reals = [highest, *losses.values(), *(values.where(completion_mask, 0).sum() for values in means.values())]
    highest, *of_real = torch.stack(reals).tolist()

    figures = dict(zip([*marked, *losses, *means], [*of_marked, *of_real], strict=True))
    for name in (*shares, *means):
        figures[name] = figures[name] / tokens if tokens else nan
    absent = {"kl": nan, "kl_clamped": 0, "truncated": nan}
    return LossStats(**{**absent, **figures}, rows=rows, tokens=tokens, ratio_max=highest if tokens else nan)


def merge_loss_stats(stats: Iterable[LossStats]) -> LossStats:
    """The record of an optimizer batch from those of its micro-batches (all with the batch's normalizer).

    Losses and counts are summed, shares and means weighted by tokens, maxima taken.

    Example:
        >>> first = LossStats(0.1, 0.1, 0.0, 1, 3, 0.0, 1.0, 0.0, 1.5, 2.0, 0, nan, 0, nan)
        >>> second = LossStats(0.2, 0.2, 0.0, 1, 1, 0.0, 0.0, 0.0, 0.5, 0.5, 0, nan, 0, nan)
        >>> merged = merge_loss_stats([first, second])
        >>> merged.tokens, merged.clipped_high, merged.ratio_mean, merged.ratio_max
        (4, 0.75, 1.25, 2.0)
    """
    parts = list(stats)

    def mean(name: str) -> float:
        known = [(part.tokens, getattr(part, name)) for part in parts if not isnan(getattr(part, name))]
        total = sum(tokens for tokens, _ in known)
        return sum(tokens * value for tokens, value in known) / total if total else nan

    return LossStats(
        loss=sum(part.loss for part in parts),
        policy_loss=sum(part.policy_loss for part in parts),
        kl_loss=sum(part.kl_loss for part in parts),
        rows=sum(part.rows for part in parts),
        tokens=sum(part.tokens for part in parts),
        clipped_low=mean("clipped_low"),
        clipped_high=mean("clipped_high"),
        clipped_dual=mean("clipped_dual"),
        ratio_mean=mean("ratio_mean"),
        ratio_max=max((part.ratio_max for part in parts if not isnan(part.ratio_max)), default=nan),
        clamped=sum(part.clamped for part in parts),
        kl=mean("kl"),
        kl_clamped=sum(part.kl_clamped for part in parts),
        truncated=mean("truncated"),
    )
