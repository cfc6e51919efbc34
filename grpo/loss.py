"""The policy loss over sequence or token advantages, with KL and entropy, and what it saw."""

from dataclasses import fields, replace
from typing import Any

import torch
from torch import Tensor

from ..errors import ArgumentError
from .loss_config import LossConfig
from .loss_stats import LossStats, loss_stats
from .reductions import check_reduction, token_weights
from .shapes import check_finite, check_mask, check_numbers, check_rank, check_row_count, check_same_shape
from .token_losses import token_losses

__all__ = ["policy_loss"]


def policy_loss(
    logprobs: Tensor,
    old_logprobs: Tensor | None,
    advantages: Tensor,
    completion_mask: Tensor,
    *,
    rollout_logprobs: Tensor | None = None,
    ref_logprobs: Tensor | None = None,
    entropy: Tensor | None = None,
    degenerate: Tensor | None = None,
    normalizer: float | None = None,
    config: LossConfig | None = None,
    **options: Any,
) -> tuple[Tensor, LossStats]:
    """The loss of a (micro-)batch, to be minimised, and the record of it. By default PPO's clipped one:

        r = π / π_old, L = max(-A r, -A clip(r, 1 - epsilon_low, 1 + epsilon_high))
        loss = reduce(w L + beta KL - entropy_coef H)

    Nothing under a False mask is read, so padding may hold -inf or NaN. A micro-batch needs the whole batch's
    `normalizer`; its own token count is right only if it is the whole batch.

    Args:
        logprobs: (B, T) of the completion tokens under the weights being optimised, with a graph. Half
            precision is widened to float32.
        old_logprobs: (B, T) under the trainer's weights when the batch arrived. None: the weights have not
            moved since, the ratio is 1 and its gradient that of logprobs; right for one update a batch only.
        advantages: (B,), or (B, T) one a token.
        completion_mask: (B, T) bool, True = counts.
        rollout_logprobs: (B, T) that the sampler reported; see `LossConfig`, `ratio_against` and `importance`.
        ref_logprobs: (B, T) under the reference policy; not needed where beta = 0 (then only logged).
        entropy: (B, T) nats of the policy at every token, with a graph; needed where entropy_coef > 0, else only
            logged. See `entropy_per_token`.
        degenerate: (B,) bool, True = all outcomes of the row's group are equal (`diagnostics.group_kinds`); needed
            where kl_on_degenerate is False, else only for its share of the gradient in the record.
        normalizer: the divisor, as in `reduce_tokens`, of the whole optimizer batch: `config.normalizer(…)`. None: this
            is the whole batch, and every row counts.
        config: what is minimised; the defaults where None.
        **options: of `LossConfig`, instead of what `config` says: `policy_loss(..., epsilon_high=0.28)`.

    Returns:
        A scalar (0 with a graph where no token counts), and its `LossStats`.

    Raises:
        ArgumentError: shapes or dtypes other than stated, a counted entry that is not finite, an unknown option or
            one outside its range, a tensor missing that an option needs, and importance_cap without
            rollout_logprobs.

    Source:
        the form's own; see `clipped_losses`, `sequence_log_ratios`, `cispo_band_losses`.

    Example:
        >>> new, old = torch.tensor([[0.06, 0.10]]).log(), torch.tensor([[0.05, 0.05]]).log()
        >>> loss, stats = policy_loss(new, old, torch.tensor([1.0]), torch.ones(1, 2).bool(), epsilon_high=0.28)
        >>> round(loss.item(), 4), stats.clipped_high  # -(1.2 + 1.28) / 2: the ratios are 1.2 and 2
        (-1.24, 0.5)
    """
    config = _changed(LossConfig() if config is None else config, options)
    others = {
        "old_logprobs": old_logprobs,
        "rollout_logprobs": rollout_logprobs,
        "ref_logprobs": ref_logprobs,
        "entropy": entropy,
    }
    _check_tensors(logprobs, advantages, completion_mask, degenerate, others)
    normalizer = _normalizer(normalizer, config, completion_mask)

    # -inf * 0 and NaN * 0 are NaN, and torch.where passes on a NaN gradient of the branch not taken: padding is
    # replaced before anything is computed from it.
    precision = torch.promote_types(logprobs.dtype, torch.float32)
    new = logprobs.where(completion_mask, 0).to(precision)  # (B, T)
    gain = advantages[:, None].expand_as(new) if advantages.ndim == 1 else advantages
    if config.ratio_against == "rollout":
        others["old_logprobs"] = None  # not read, not even to be refused
    known = {
        name: tensor.where(completion_mask, 0).to(precision)
        for name, tensor in {"advantages": gain, **others}.items()
        if tensor is not None
    }
    is_bonus = config.entropy_coef > 0
    known = {name: tensor if name == "entropy" and is_bonus else tensor.detach() for name, tensor in known.items()}
    _check_finite({"logprobs": new.detach(), **known})
    gain = known.pop("advantages")
    rows = None if degenerate is None else degenerate[:, None].expand_as(new)

    losses = token_losses(new, gain, config, completion_mask=completion_mask, degenerate=rows, **known)
    weights = token_weights(completion_mask, reduction=config.reduction, normalizer=normalizer, dtype=precision)
    loss = (losses.total * weights).sum()
    slopes = None
    if loss.requires_grad and new.requires_grad:
        (slopes,) = torch.autograd.grad(loss, new, retain_graph=True)
    stats = loss_stats(
        losses,
        gain,
        config,
        weights=weights,
        completion_mask=completion_mask,
        slopes=slopes,
        entropy=known.get("entropy"),
        degenerate=rows,
    )
    return loss, stats


def _changed(config: LossConfig, options: dict[str, Any]) -> LossConfig:
    known = {entry.name for entry in fields(LossConfig)}
    for name in options:
        if name not in known:
            raise ArgumentError(f"{name}: expected an option of the loss ({', '.join(sorted(known))})")
    return replace(config, **options) if options else config


def _check_tensors(
    logprobs: Tensor,
    advantages: Tensor,
    completion_mask: Tensor,
    degenerate: Tensor | None,
    others: dict[str, Tensor | None],
) -> None:
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
    if degenerate is not None:
        check_mask("degenerate", degenerate)
        check_row_count("degenerate", degenerate, "logprobs", logprobs)


def _normalizer(given: float | None, config: LossConfig, completion_mask: Tensor) -> float | None:
    if given is None and config.normalize_over == "kept":
        raise ArgumentError(
            'normalizer: expected a number with normalize_over="kept", got None; ask config.normalizer(…, kept=…)'
        )
    if given is None and config.completion_budget is not None:
        given = config.normalizer(completion_mask)
    check_reduction(config.reduction, given)
    return given


def _check_finite(tensors: dict[str, Tensor]) -> None:
    # One question to the device for all of them; which one it was is asked only when it matters.
    if bool(torch.stack([tensor.isfinite().all() for tensor in tensors.values()]).all()):
        return
    for name, tensor in tensors.items():
        check_finite(name, tensor)
