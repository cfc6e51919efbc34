"""The clipped policy loss over sequence or token advantages, with KL, and what it saw."""

from math import inf
from typing import Literal

import torch
from torch import Tensor

from ..errors import ArgumentError
from .kl import KlEstimator, check_kl_in_loss, kl_per_token
from .loss_stats import LossStats, loss_stats
from .ratios import LOG_RATIO_LIMIT, clamped_log_ratio, importance_weights
from .reductions import Reduction, reduce_tokens
from .shapes import check_mask, check_numbers, check_rank, check_same_shape

__all__ = ["RatioAgainst", "policy_loss"]

RatioAgainst = Literal["old", "rollout"]


def policy_loss(
    logprobs: Tensor,
    old_logprobs: Tensor | None,
    advantages: Tensor,
    completion_mask: Tensor,
    *,
    epsilon_low: float = 0.2,
    epsilon_high: float = 0.2,
    dual_clip: float | None = None,
    reduction: Reduction = "token_mean",
    normalizer: float | None = None,
    beta: float = 0.0,
    kl: KlEstimator = "k3",
    ref_logprobs: Tensor | None = None,
    ratio_against: RatioAgainst = "old",
    rollout_logprobs: Tensor | None = None,
    importance_cap: float | None = None,
) -> tuple[Tensor, LossStats]:
    """PPO's clipped loss of a (micro-)batch, to be minimised, and the record of it.

        r = π / π_old, L = max(-A r, -A clip(r, 1 - epsilon_low, 1 + epsilon_high)), and for A < 0: min(L, -c A)
        loss = reduce(w L + beta KL)

    Clipping only takes gradient away: where A is 0 there is none, whatever epsilon is. Nothing under a False
    mask is read, so padding may hold -inf or NaN. A micro-batch needs the whole batch's `normalizer`; its own
    token count is right only if it is the whole batch.

    Args:
        logprobs: (B, T) of the completion tokens under the weights being optimised, with a graph. Half
            precision is widened to float32.
        old_logprobs: (B, T) under the trainer's weights when the batch arrived. None: the weights have not
            moved since, the ratio is 1 and its gradient that of logprobs; right for one update a batch only.
        advantages: (B,), or (B, T) one a token.
        completion_mask: (B, T) bool, True = counts.
        epsilon_low, epsilon_high: how far the ratio may fall below and rise above 1; low in [0, 1], high at
            least 0. DAPO's are 0.2 and 0.28.
        dual_clip: c, above 1: the most that a token with A < 0 may cost, in units of |A|. None: no bound
            (PPO's); verl's is 3.
        reduction, normalizer: as in `reduce_tokens`.
        beta: weight of the KL, at least 0.
        kl: `"k2"` or `"k3"`; see `kl_per_token`. k1 is refused: it has no place in a loss.
        ref_logprobs: (B, T) under the reference policy; not needed where beta = 0 (then only logged).
        ratio_against: `"old"`; or `"rollout"`: the ratio is against `rollout_logprobs`, `old_logprobs` is not
            read, and the sampler's mismatch is in the ratio, so that no importance weight is allowed.
        rollout_logprobs: (B, T) that the sampler reported. With `"old"`: token losses (not the KL) are
            weighted by w = `importance_weights`.
        importance_cap: of w, by default 2.

    Returns:
        A scalar (0 with a graph where no token counts), and its `LossStats`.

    Raises:
        ArgumentError: shapes or dtypes other than stated, a counted entry that is not finite, options outside
            their ranges, k1, beta above 0 without ref_logprobs, `"rollout"` without rollout_logprobs or with
            importance_cap, and importance_cap without rollout_logprobs.

    Source:
        PPO (arXiv 1707.06347); low and high: DAPO (arXiv 2503.14476); dual clip: arXiv 1912.09729. On the
        boundary itself (r = 1 + epsilon_high) the loss has a kink; we take the inner slope.

    Example:
        >>> new, old = torch.tensor([[0.06, 0.10]]).log(), torch.tensor([[0.05, 0.05]]).log()
        >>> loss, stats = policy_loss(new, old, torch.tensor([1.0]), torch.ones(1, 2).bool(), epsilon_high=0.28)
        >>> round(loss.item(), 4), stats.clipped_high  # -(1.2 + 1.28) / 2: the ratios are 1.2 and 2
        (-1.24, 0.5)
    """
    _check_tensors(
        logprobs,
        advantages,
        completion_mask,
        old_logprobs=old_logprobs,
        ref_logprobs=ref_logprobs,
        rollout_logprobs=rollout_logprobs,
    )
    _check_clipping(epsilon_low, epsilon_high, dual_clip)
    check_kl_in_loss(beta, kl, ref_logprobs)
    _check_ratio(ratio_against, rollout_logprobs, importance_cap)

    # -inf * 0 and NaN * 0 are NaN, and torch.where passes on a NaN gradient of the branch not taken: padding is
    # replaced before anything is computed from it.
    precision = torch.promote_types(logprobs.dtype, torch.float32)
    new = logprobs.where(completion_mask, 0).to(precision)  # (B, T)
    data = {
        "advantages": advantages[:, None].expand_as(new) if advantages.ndim == 1 else advantages,
        "old_logprobs": old_logprobs if ratio_against == "old" else None,
        "rollout_logprobs": rollout_logprobs,
        "ref_logprobs": ref_logprobs,
    }
    known = {
        name: tensor.detach().where(completion_mask, 0).to(precision)
        for name, tensor in data.items()
        if tensor is not None
    }
    _check_finite({"logprobs": new.detach(), **known})
    gain = known["advantages"]
    against = known.get(f"{ratio_against}_logprobs", new.detach())

    ratio = clamped_log_ratio(new, against).exp()
    losses = torch.maximum(-gain * ratio, -gain * ratio.clamp(1 - epsilon_low, 1 + epsilon_high))
    if dual_clip is not None:
        losses = torch.where(gain < 0, torch.minimum(losses, -dual_clip * gain), losses)
    weights = divergence = None
    if ratio_against == "old" and rollout_logprobs is not None:
        weights = importance_weights(against, known["rollout_logprobs"], completion_mask, cap=importance_cap or 2.0)
        losses = losses * weights
    if ref_logprobs is not None:
        # With beta = 0 it is only logged, and must not hold the graph.
        divergence = kl_per_token(new if beta > 0 else new.detach(), known["ref_logprobs"], estimator=kl)

    policy = reduce_tokens(losses, completion_mask, reduction=reduction, normalizer=normalizer)
    penalty = torch.zeros_like(policy)
    if divergence is not None and beta > 0:
        penalty = beta * reduce_tokens(divergence, completion_mask, reduction=reduction, normalizer=normalizer)
    loss = policy + penalty
    counts = {"clamped": (new - against).abs() > LOG_RATIO_LIMIT}
    shares = {
        "clipped_low": (gain < 0) & (ratio < 1 - epsilon_low),
        "clipped_high": (gain > 0) & (ratio > 1 + epsilon_high),
        "clipped_dual": (gain < 0) & (ratio > (inf if dual_clip is None else dual_clip)),
    }
    means = {"ratio_mean": ratio}
    if divergence is not None:
        counts["kl_clamped"] = (known["ref_logprobs"] - new).abs() > LOG_RATIO_LIMIT
        means["kl"] = divergence
    if weights is not None:
        shares["truncated"] = weights == weights.new_tensor(importance_cap or 2.0)
    losses_of = {"loss": loss, "policy_loss": policy, "kl_loss": penalty}
    return loss, loss_stats(completion_mask, losses=losses_of, counts=counts, shares=shares, means=means, ratio=ratio)


def _check_tensors(logprobs: Tensor, advantages: Tensor, completion_mask: Tensor, **others: Tensor | None) -> None:
    check_numbers("logprobs", logprobs)
    check_rank("logprobs", logprobs, "(B, T)")
    check_mask("completion_mask", completion_mask)
    check_same_shape("completion_mask", completion_mask, "logprobs", logprobs)
    check_numbers("advantages", advantages)
    if advantages.shape not in (logprobs.shape, logprobs.shape[:1]):
        raise ArgumentError(
            f"advantages: expected shape {tuple(logprobs.shape[:1])} or {tuple(logprobs.shape)}, "
            f"got {tuple(advantages.shape)}"
        )
    for name, tensor in others.items():
        if tensor is not None:
            check_numbers(name, tensor)
            check_same_shape(name, tensor, "logprobs", logprobs)


def _check_finite(tensors: dict[str, Tensor]) -> None:
    # One question to the device for all of them; which one it was is asked only when it matters.
    if bool(torch.stack([tensor.isfinite().all() for tensor in tensors.values()]).all()):
        return
    for name, tensor in tensors.items():
        for row, token in (~tensor.isfinite()).nonzero().tolist():
            raise ArgumentError(
                f"{name}: expected finite numbers where completion_mask is True, "
                f"got {tensor[row, token].item()} at {row}, {token}"
            )


def _check_clipping(epsilon_low: float, epsilon_high: float, dual_clip: float | None) -> None:
    if not 0 <= epsilon_low <= 1:
        raise ArgumentError(f"epsilon_low: expected a number in [0, 1], got {epsilon_low}")
    if not epsilon_high >= 0:
        raise ArgumentError(f"epsilon_high: expected a number of at least 0, got {epsilon_high}")
    # c <= 1 would take the gradient of every token with A < 0 on the policy itself.
    if dual_clip is not None and not dual_clip > 1:
        raise ArgumentError(f"dual_clip: expected a number above 1 or None, got {dual_clip}")


def _check_ratio(ratio_against: str, rollout_logprobs: Tensor | None, importance_cap: float | None) -> None:
    if ratio_against not in ("old", "rollout"):
        raise ArgumentError(f"ratio_against: expected old or rollout, got {ratio_against!r}")
    if rollout_logprobs is None and (ratio_against == "rollout" or importance_cap is not None):
        wanted = 'ratio_against="rollout"' if ratio_against == "rollout" else "importance_cap"
        raise ArgumentError(f"rollout_logprobs: expected a tensor with {wanted}, got None")
    if ratio_against == "rollout" and importance_cap is not None:
        raise ArgumentError(
            f'importance_cap: expected None with ratio_against="rollout", got {importance_cap}; '
            "the ratio holds the mismatch already and would count it twice"
        )
    if importance_cap is not None and not importance_cap > 0:
        raise ArgumentError(f"importance_cap: expected a positive number, got {importance_cap}")
