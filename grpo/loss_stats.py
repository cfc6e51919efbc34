"""What a loss saw: one record a micro-batch, merged over micro-batches and processes into one an optimizer step."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from math import isnan, nan
from typing import Any

import torch
from torch import Tensor

from ..errors import ArgumentError
from .loss_config import LossConfig
from .ratio_histogram import RatioHistogram, ratio_counts
from .token_losses import TokenLosses

__all__ = ["LossStats", "loss_stats", "merge_loss_stats"]

_QUANTILES = {"ratio_q01": 0.01, "ratio_q05": 0.05, "ratio_q50": 0.5, "ratio_q95": 0.95, "ratio_q99": 0.99}


@dataclass(frozen=True, slots=True, kw_only=True)
class LossStats:
    """Figures of one `policy_loss` over the tokens that count; NaN where there is none.

    r is the ratio that the form reads, after the clamp at ±20. Means and shares are over counted tokens.

    Args:
        loss: the value returned. Losses of micro-batches with one normalizer add up, and so do its parts:
        policy_loss, kl_loss, entropy_loss: with beta, and with -entropy_coef, in the last two.
        rows: rows with at least one counted token.
        tokens: counted tokens.
        live_only: rows without an advantage were left out, and the figures are those of the others: see `figures`.
        nonzero: share with A other than 0.
        clipped_low: share with A < 0 and r below the range (1 - epsilon_low).
        clipped_high: share with A > 0 and r above the range (1 + epsilon_high, or delta if that is less). These two
            have no gradient; under CISPO they have one, with a bounded weight.
        clipped_dual: share with A < 0 and r > dual_clip, or delta: no gradient either.
        below_positive, above_negative: share with A > 0 and r below the range, with A < 0 and r above it: outside,
            on the side that clipping leaves alone.
        ratio_mean, ratio_max: of r.
        ratios: histogram of r, for quantiles.
        clamped: tokens whose log-ratio lay outside ±20, with no gradient for that reason.
        k1, k2, k3: means of the three estimates of KL(π_old ‖ π): -x, x²/2 and exp(x) - x - 1 with x the log-ratio of
            the token, whatever the form reads.
        weight_mean, weight_square_mean: of r times the importance weight: see `effective_share`.
        truncated: share whose importance weight was cut to its cap; NaN without weights.
        kl: mean of the estimator against the reference, as it is in the loss; NaN without ref_logprobs.
        kl_clamped: tokens whose log π_ref - log π lay outside ±20.
        entropy: mean, in nats; NaN where it was not given.
        gradient_square: Σ (d loss / d log π)² over tokens; NaN where there was no graph.
        degenerate_gradient_square: the same over the rows of degenerate groups; NaN where they were not named.
    """

    loss: float = 0.0
    policy_loss: float = 0.0
    kl_loss: float = 0.0
    entropy_loss: float = 0.0
    rows: int = 0
    tokens: int = 0
    live_only: bool = False
    nonzero: float = nan
    clipped_low: float = nan
    clipped_high: float = nan
    clipped_dual: float = nan
    below_positive: float = nan
    above_negative: float = nan
    ratio_mean: float = nan
    ratio_max: float = nan
    ratios: RatioHistogram = field(default_factory=RatioHistogram, repr=False)
    clamped: int = 0
    k1: float = nan
    k2: float = nan
    k3: float = nan
    weight_mean: float = nan
    weight_square_mean: float = nan
    truncated: float = nan
    kl: float = nan
    kl_clamped: int = 0
    entropy: float = nan
    gradient_square: float = nan
    degenerate_gradient_square: float = nan

    @property
    def effective_share(self) -> float:
        """(Σ w)² / (n Σ w²), w = r times the importance weight: how many of the policy's own tokens n are worth, as a
        share; 1 where all weigh alike."""
        return self.weight_mean**2 / self.weight_square_mean if self.weight_square_mean > 0 else nan

    @property
    def degenerate_gradient(self) -> float:
        """Share of the rows of degenerate groups in the squared norm of d loss / d log π: what the update owes to
        groups whose outcomes say nothing (their KL, step credit, an estimator that is nonzero there).

        Of log-probabilities, not of weights: what tokens share in the weights' gradient, and what cancels there, it
        cannot know. An entropy bonus has no gradient of this kind and is not in it.
        """
        return self.degenerate_gradient_square / self.gradient_square if self.gradient_square > 0 else nan

    def ratio_quantile(self, share: float) -> float:
        """The r that this share of the tokens does not exceed; log r is right to 2 % of itself."""
        return self.ratios.quantile(share)

    def figures(self) -> dict[str, float]:
        """Everything by name, with 1, 5, 50, 95 and 99 % quantiles of r, for a log.

        Where the record is of live rows only, the names say so: `live_ratio_mean`. What rows without an advantage
        could not have changed (losses and gradients) keeps its name.
        """
        shown = [entry.name for entry in fields(self) if entry.name not in ("ratios", "live_only")]
        named = {name: getattr(self, name) for name in (*shown, "effective_share", "degenerate_gradient")}
        named |= {name: self.ratio_quantile(share) for name, share in _QUANTILES.items()}
        if not self.live_only:
            return named
        return {name if name in _OF_ALL_ROWS else f"live_{name}": value for name, value in named.items()}


_LOSSES = ("loss", "policy_loss", "kl_loss", "entropy_loss")
_SUMS = (*_LOSSES, "rows", "tokens", "clamped", "kl_clamped")
_GRADIENTS = ("gradient_square", "degenerate_gradient_square")
_OF_ALL_ROWS = (*_LOSSES, *_GRADIENTS, "degenerate_gradient")
_MEANS = (
    *("nonzero", "clipped_low", "clipped_high", "clipped_dual", "below_positive", "above_negative", "ratio_mean"),
    *("k1", "k2", "k3", "weight_mean", "weight_square_mean", "truncated", "kl", "entropy"),
)


@torch.no_grad()
def loss_stats(
    losses: TokenLosses,
    advantages: Tensor,
    config: LossConfig,
    *,
    weights: Tensor,
    completion_mask: Tensor | None = None,
    slopes: Tensor | None = None,
    entropy: Tensor | None = None,
    degenerate: Tensor | None = None,
    rows: int | None = None,
    live_only: bool = False,
) -> LossStats:
    """The record of one loss, from its tokens; the numbers leave the device in two copies.

    Args:
        losses: of `token_losses`; (B, T), or any shape with every token counted.
        advantages, weights: the same shape; the weights of `token_weights`.
        completion_mask: the same shape, bool, True = counts; None: all do.
        slopes: d loss / d log π, the same shape, weights included; None: unknown.
        entropy, degenerate: as in `token_losses`, in the same shape.
        rows: how many rows the tokens are of; counted in the mask where None.
        live_only: rows without an advantage are not among them.
    """
    counts = torch.ones_like(advantages, dtype=torch.bool) if completion_mask is None else completion_mask
    marked, means = _marks_and_means(losses, advantages, config, entropy)
    n_rows = counts.any(-1).sum() if rows is None else counts.new_tensor(rows, dtype=torch.int64)
    integers = torch.stack([n_rows, counts.sum(), *((tokens & counts).sum() for tokens in marked.values())])
    integers = torch.cat([integers, ratio_counts(losses.log_ratio, counts)]).tolist()
    n_marked = len(marked) + 2
    (n_rows, tokens, *of_marked), histogram = integers[:n_marked], integers[n_marked:]

    sums = {name: values.where(counts, 0).sum() for name, values in means.items()}
    sums |= {"loss": (losses.total * weights).sum(), "policy_loss": (losses.policy * weights).sum()}
    if losses.kl is not None and config.beta > 0:
        sums["kl_loss"] = config.beta * (losses.kl * weights).sum()
    if entropy is not None and config.entropy_coef > 0:
        sums["entropy_loss"] = -config.entropy_coef * (entropy * weights).sum()
    if slopes is not None:
        sums["gradient_square"] = slopes.square().sum()
        if degenerate is not None:
            sums["degenerate_gradient_square"] = slopes.masked_fill(~degenerate, 0).square().sum()
    # One more entry, so that a batch without tokens has a maximum too.
    highest = torch.cat([losses.log_ratio.where(counts, -torch.inf).flatten(), weights.new_full((1,), -torch.inf)])
    sums["ratio_max"] = highest.max().exp()
    figures: dict[str, Any] = dict(zip(sums, torch.stack(list(sums.values())).tolist(), strict=True))
    figures |= dict(zip(marked, of_marked, strict=True))
    for name in _MEANS:
        if name in figures:
            figures[name] = figures[name] / tokens if tokens else nan
    if tokens:
        figures["ratios"] = RatioHistogram(tuple(histogram))
    else:
        figures |= dict.fromkeys(("ratio_max", *_GRADIENTS), nan)
    return LossStats(**figures, rows=n_rows, tokens=tokens, live_only=live_only)


def _marks_and_means(
    losses: TokenLosses, advantages: Tensor, config: LossConfig, entropy: Tensor | None
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Tokens to count, and values to average, by field."""
    ratio, (low, high) = losses.log_ratio.exp(), config.ratio_range
    delta = torch.inf if config.delta is None else config.delta
    dual = max(delta, high) if config.dual_clip is None else config.dual_clip
    is_paid, is_charged = advantages > 0, advantages < 0
    marked = {
        "nonzero": advantages != 0,
        "clipped_low": is_charged & (ratio < low),
        "clipped_high": is_paid & (ratio > min(high, delta)),
        "clipped_dual": is_charged & (ratio > dual),
        "below_positive": is_paid & (ratio < low),
        "above_negative": is_charged & (ratio > high),
        "clamped": losses.is_clamped,
    }
    x = losses.token_log_ratio
    weight = ratio if losses.importance is None else ratio * losses.importance
    means = {
        "ratio_mean": ratio,
        "k1": -x,
        "k2": x.square() / 2,
        "k3": x.expm1() - x,
        "weight_mean": weight,
        "weight_square_mean": weight.square(),
    }
    if losses.importance is not None:
        marked["truncated"] = losses.importance == losses.importance.new_tensor(config.cap)
    if losses.kl is not None and losses.is_kl_clamped is not None:
        marked["kl_clamped"], means["kl"] = losses.is_kl_clamped, losses.kl
    if entropy is not None:
        means["entropy"] = entropy
    return marked, means


def merge_loss_stats(stats: Iterable[LossStats]) -> LossStats:
    """The record of an optimizer batch from those of its micro-batches and processes (all with the batch's normalizer).

    Losses, counts, histograms and squared gradients are summed, means and shares weighted by tokens, maxima taken.

    Raises:
        ArgumentError: records of live rows only among records of all rows: of neither would the result be.

    Example:
        >>> first = LossStats(tokens=3, rows=1, clipped_high=1.0, ratio_mean=1.5, ratio_max=2.0)
        >>> second = LossStats(tokens=1, rows=1, clipped_high=0.0, ratio_mean=0.5, ratio_max=0.5)
        >>> merged = merge_loss_stats([first, second])
        >>> merged.tokens, merged.clipped_high, merged.ratio_mean, merged.ratio_max
        (4, 0.75, 1.25, 2.0)
    """
    parts = list(stats)
    counted = [part for part in parts if part.tokens]
    if len({part.live_only for part in counted}) > 1:
        raise ArgumentError("stats: expected records of live rows only or of all rows, got both")

    def mean(name: str) -> float:
        known = [(part.tokens, getattr(part, name)) for part in counted if not isnan(getattr(part, name))]
        total = sum(tokens for tokens, _ in known)
        return sum(tokens * value for tokens, value in known) / total if total else nan

    merged: dict[str, Any] = {name: sum(getattr(part, name) for part in parts) for name in _SUMS}
    merged |= {name: mean(name) for name in _MEANS}
    merged |= {name: sum(getattr(part, name) for part in counted) if counted else nan for name in _GRADIENTS}
    return LossStats(
        **merged,
        live_only=any(part.live_only for part in counted or parts),
        ratio_max=max((part.ratio_max for part in counted), default=nan),
        ratios=RatioHistogram.merged(part.ratios for part in parts),
    )
