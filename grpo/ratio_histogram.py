"""Quantiles of ratios that can be merged: counts in bins of the log-ratio, the same bins in every process.

Quantiles of parts say nothing of the whole; counts do. The bins are spaced by the logarithm of |log r|, because what is
looked at spans six decades, from a sampler's rounding (1e-6) to a policy that has run away (20).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, exp, log, nan

import torch
from torch import Tensor

from ..errors import ArgumentError
from .ratios import LOG_RATIO_LIMIT

__all__ = ["RatioHistogram", "ratio_counts"]

RESOLUTION = 0.02
"""A quantile of log r is right to this share of itself: 1.2 for a true ratio between 1.196 and 1.204."""

_SMALLEST = 1e-6
"""|log r| up to this is counted as 0."""

_STEP = log((1 + RESOLUTION) / (1 - RESOLUTION))
_PER_SIGN = ceil(log(LOG_RATIO_LIMIT / _SMALLEST) / _STEP)
_BINS = 2 * _PER_SIGN + 1


@dataclass(frozen=True, slots=True)
class RatioHistogram:
    """How many tokens had a log-ratio in each bin.

    Args:
        counts: one a bin, from -20 to 20; empty for no tokens at all.

    Raises:
        ArgumentError: another number of bins.

    Example:
        >>> parts = [torch.tensor([0.0, 0.1, 0.2]), torch.tensor([0.2, 0.4])]
        >>> histograms = [RatioHistogram(tuple(ratio_counts(part).tolist())) for part in parts]
        >>> round(log(RatioHistogram.merged(histograms).quantile(0.5)), 2)
        0.2
    """

    counts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.counts) not in (0, _BINS):
            raise ArgumentError(f"counts: expected {_BINS} bins or none, got {len(self.counts)}")

    @classmethod
    def merged(cls, parts: Iterable["RatioHistogram"]) -> "RatioHistogram":
        """That of all their tokens."""
        known = [part.counts for part in parts if part.counts]
        return cls(tuple(map(sum, zip(*known, strict=True))))

    def quantile(self, share: float) -> float:
        """The ratio that this share of the tokens does not exceed (nearest rank); NaN without tokens.

        Raises:
            ArgumentError: a share outside [0, 1].
        """
        if not 0 <= share <= 1:
            raise ArgumentError(f"share: expected a number in [0, 1], got {share}")
        rank, seen = max(1, ceil(share * sum(self.counts))), 0
        for number, count in enumerate(self.counts):
            seen += count
            if seen >= rank:
                return exp(_middle(number - _PER_SIGN))
        return nan


def ratio_counts(log_ratio: Tensor, completion_mask: Tensor | None = None) -> Tensor:
    """The counts (bins,) int64 of a `RatioHistogram`, on the device of the log-ratios.

    Args:
        log_ratio: any shape, within ±20.
        completion_mask: the same shape, bool, True = counts; None: all do.
    """
    size = log_ratio.detach().abs()
    # A log-ratio just above the smallest must round up into the first bin, never to 0 and away.
    number = ((size.clamp(min=_SMALLEST) / _SMALLEST).log() / _STEP).ceil().clamp(1, _PER_SIGN)
    number = (number * log_ratio.sign()).where(size > _SMALLEST, 0).long() + _PER_SIGN
    counted = torch.ones_like(number) if completion_mask is None else completion_mask.long()
    return counted.new_zeros(_BINS).index_add_(0, number.reshape(-1), counted.reshape(-1))


def _middle(number: int) -> float:
    """The log-ratio with the same relative distance to both edges of a bin, numbered from 0 outwards."""
    if number == 0:
        return 0.0
    size = _SMALLEST * exp((abs(number) - 1) * _STEP) * (1 + RESOLUTION)
    return size if number > 0 else -size
