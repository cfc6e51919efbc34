"""How far the policy that is trained has moved from the one that sampled: ratios, clips and KL, from logged numbers.

Two things make the log-probabilities of a token differ: the policy has been updated since it sampled, and the sampler
is another program than the trainer, with other kernels and another precision. `staleness` tells them apart: where it
is 0, all that is left is the mismatch.

The definitions are those of `grpo.policy_loss` and `grpo.kl_per_token`, read here from logs and without torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .rows import FloatArray

__all__ = ["LOG_RATIO_LIMIT", "PolicyLag", "Quantiles", "policy_lag"]

LOG_RATIO_LIMIT = 20.0
"""As in `grpo.ratios`: a log-ratio is held within ±20 before anything is computed from it."""


class Quantiles(NamedTuple):
    """Where a ratio lies: each is the value that this share of the tokens does not exceed."""

    q01: float
    q05: float
    q50: float
    q95: float
    q99: float


_SHARES = (0.01, 0.05, 0.5, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class PolicyLag:
    """Ratios r = π / π_rollout of sampled tokens; NaN where no token says anything.

    Args:
        rollouts: rollouts with at least one known token.
        tokens: tokens of which both log-probabilities are known; all figures are over them.
        unknown: tokens of which one is not.
        ratio: quantiles of r, linearly interpolated.
        ratio_mean, ratio_max: of r. The mean is 1 in expectation whatever the lag: what is informative is the spread.
        below, above: share with r < 1 - epsilon_low, and with r > 1 + epsilon_high.
        clipped_low, clipped_high: share of tokens with A < 0 and r < 1 - epsilon_low, and with A > 0 and
            r > 1 + epsilon_high, of the tokens whose advantage is known: what the loss would clip. NaN without
            advantages.
        k1, k2, k3: means of the three estimates of KL(π_rollout ‖ π) a token: -x, x²/2 and exp(x) - x - 1 with
            x = log π - log π_rollout.
        effective_share: (Σ r)² / (n Σ r²), the effective sample size of importance weights r, as a share; 1 where
            the policies agree.
        clamped: tokens whose log-ratio lay outside ±20.
    """

    rollouts: int
    tokens: int
    unknown: int
    ratio: Quantiles
    ratio_mean: float
    ratio_max: float
    below: float
    above: float
    clipped_low: float
    clipped_high: float
    k1: float
    k2: float
    k3: float
    effective_share: float
    clamped: int


def policy_lag(
    logprobs: Sequence[npt.ArrayLike | None],
    rollout_logprobs: Sequence[npt.ArrayLike | None],
    *,
    advantages: Sequence[npt.ArrayLike | float | None] | None = None,
    epsilon_low: float = 0.2,
    epsilon_high: float = 0.2,
) -> PolicyLag:
    """How far the trained policy is from the one that sampled, over the tokens of B rollouts.

    Args:
        logprobs: B entries of (T,) each, T of its own: the trainer's log-probabilities of the sampled tokens, at
            whatever moment is asked about; None for a rollout without, NaN for a token without.
        rollout_logprobs: likewise, as the sampler logged them.
        advantages: B entries, one number a rollout or (T,) of them; None where unknown.
        epsilon_low, epsilon_high: of the clip range, at least 0; a ratio within it is counted nowhere.

    Raises:
        ArgumentError: numbers of rollouts that differ, arrays of one rollout of different lengths, a log-probability
            above 0 (beyond rounding), or an epsilon below 0.

    Source:
        estimators: Schulman 2020, "Approximating KL divergence"; effective sample size: Kong 1992.

    Example:
        >>> lag = policy_lag([[-1.0, -0.5], None], [[-1.0, -1.0], [-2.0]], advantages=[1.0, 1.0])
        >>> lag.tokens, lag.unknown, round(lag.ratio_max, 3), lag.clipped_high
        (2, 1, 1.649, 0.5)
    """
    for name, epsilon in (("epsilon_low", epsilon_low), ("epsilon_high", epsilon_high)):
        if not epsilon >= 0:
            raise ArgumentError(f"{name}: expected a number of at least 0, got {epsilon}")
    given = [None] * len(logprobs) if advantages is None else advantages
    for name, rows in (("rollout_logprobs", rollout_logprobs), ("advantages", given)):
        if len(rows) != len(logprobs):
            raise ArgumentError(f"{name}: expected one entry a rollout ({len(logprobs)}), got {len(rows)}")
    ratios, signs, rollouts, unknown = [np.zeros(0)], [np.zeros(0)], 0, 0
    for row, (own, sampled, advantage) in enumerate(zip(logprobs, rollout_logprobs, given, strict=True)):
        log_ratio, sign = _of_rollout(row, own, sampled, advantage)
        is_known = ~np.isnan(log_ratio)
        rollouts, unknown = rollouts + bool(is_known.any()), unknown + int((~is_known).sum())
        ratios.append(log_ratio[is_known])
        signs.append(sign[is_known])
    return _figures(
        np.concatenate(ratios),
        np.concatenate(signs),
        rollouts=rollouts,
        unknown=unknown,
        low=1 - epsilon_low,
        high=1 + epsilon_high,
    )


def _of_rollout(
    row: int, logprobs: npt.ArrayLike | None, rollout_logprobs: npt.ArrayLike | None, advantage: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    """(T,) log-ratio, NaN where unknown, and the sign of the advantage, likewise."""
    own, sampled = _tokens("logprobs", row, logprobs), _tokens("rollout_logprobs", row, rollout_logprobs)
    if own is None or sampled is None:
        absent = np.full(len(own if own is not None else sampled if sampled is not None else ()), nan)
        return absent, absent
    if len(own) != len(sampled):
        raise ArgumentError(f"logprobs: expected {len(sampled)} tokens as sampled, got {len(own)} in row {row}")
    sign = np.sign(np.asarray(nan if advantage is None else advantage, dtype=np.float64))
    if sign.ndim > 1 or (sign.ndim == 1 and len(sign) != len(own)):
        raise ArgumentError(f"advantages: expected a number or shape ({len(own)},), got {sign.shape} in row {row}")
    # -inf - (-inf) is NaN: a token that both call impossible says nothing of the ratio.
    with np.errstate(invalid="ignore"):
        return own - sampled, np.broadcast_to(sign, own.shape)


def _tokens(name: str, row: int, values: npt.ArrayLike | None) -> FloatArray | None:
    if values is None:
        return None
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ArgumentError(f"{name}: expected shape (T,), got {array.shape} in row {row}")
    if (array > 1e-3).any():
        raise ArgumentError(f"{name}: expected log-probabilities, at most 0, got {array.max():g} in row {row}")
    return array


def _figures(
    log_ratio: FloatArray, sign: FloatArray, *, rollouts: int, unknown: int, low: float, high: float
) -> PolicyLag:
    n = len(log_ratio)
    if n == 0:
        return PolicyLag(0, 0, unknown, Quantiles(*[nan] * 5), *[nan] * 10, clamped=0)
    x = log_ratio.clip(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)
    ratio = np.exp(x)
    is_below, is_above = ratio < low, ratio > high
    n_signed = int((~np.isnan(sign)).sum())
    return PolicyLag(
        rollouts=rollouts,
        tokens=n,
        unknown=unknown,
        ratio=Quantiles(*np.quantile(ratio, _SHARES).tolist()),
        ratio_mean=float(ratio.mean()),
        ratio_max=float(ratio.max()),
        below=float(is_below.mean()),
        above=float(is_above.mean()),
        clipped_low=int((is_below & (sign < 0)).sum()) / n_signed if n_signed else nan,
        clipped_high=int((is_above & (sign > 0)).sum()) / n_signed if n_signed else nan,
        k1=float(-x.mean()),
        k2=float((x * x).mean() / 2),
        k3=float((np.expm1(x) - x).mean()),  # exp(x) - x - 1, which rounds to 0 near 0
        effective_share=float(ratio.sum() ** 2 / (n * (ratio * ratio).sum())),
        clamped=int((np.abs(log_ratio) > LOG_RATIO_LIMIT).sum()),
    )
