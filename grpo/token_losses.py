"""The loss of each token, before any reduction: a pure function of what is known of that token.

Where `LossConfig.is_token_level`, tokens may come in any shape, order and cut: a head that never keeps all logits calls
it with one chunk of tokens after the other, takes the gradient with respect to the log-probabilities, and drops the
logits. The other forms need whole rows, (B, T).
"""

from dataclasses import dataclass

from torch import Tensor

from ..errors import ArgumentError
from .cispo import cispo_band_losses, cispo_cap_losses
from .clipping import clipped_losses
from .gspo import sequence_log_ratios
from .kl import kl_per_token
from .loss_config import LossConfig
from .ratios import LOG_RATIO_LIMIT, importance_weights, truncated_weights

__all__ = ["TokenLosses", "token_losses"]


@dataclass(frozen=True, slots=True, eq=False)
class TokenLosses:
    """The parts of each token's loss, all in the shape of the log-probabilities.

    Args:
        total: policy + beta kl - entropy_coef entropy: what is weighted, summed and minimised.
        policy: the form's loss times the importance weight.
        kl: estimate of the KL to the reference as it is in the loss, not yet times beta: 0 where `kl_on_degenerate`
            leaves it out. With beta = 0 it has no graph; None without ref_logprobs.
        log_ratio: log π - log π_old (or π_rollout) that the form reads, of the sequence where it is the sequence's;
            within ±20, without a graph.
        token_log_ratio: the same of the token itself.
        importance: weights in (0, cap]; None where there are none.
        is_clamped, is_kl_clamped: bool, True = that log-ratio, or the one to the reference, lay outside ±20.
    """

    total: Tensor
    policy: Tensor
    kl: Tensor | None
    log_ratio: Tensor
    token_log_ratio: Tensor
    importance: Tensor | None
    is_clamped: Tensor
    is_kl_clamped: Tensor | None


def token_losses(
    logprobs: Tensor,
    advantages: Tensor,
    config: LossConfig,
    *,
    completion_mask: Tensor | None = None,
    old_logprobs: Tensor | None = None,
    rollout_logprobs: Tensor | None = None,
    ref_logprobs: Tensor | None = None,
    importance: Tensor | None = None,
    entropy: Tensor | None = None,
    degenerate: Tensor | None = None,
) -> TokenLosses:
    """The losses of tokens that count; `policy_loss` is the checked door to it for whole rows.

    Of the tensors nothing is checked here, and padding must hold finite numbers (zeros): this runs once a chunk, and
    questions to a GPU would cost more than the arithmetic.

    Args:
        logprobs: any shape if `config.is_token_level`, else (B, T); float32 or float64, with a graph.
        advantages: the same shape.
        config: what is minimised. Its reduction is not read: multiply by `token_weights` and sum.
        completion_mask: (B, T) bool; only the forms that need whole rows read it.
        old_logprobs: the same shape as logprobs; None: the weights have not moved since.
        rollout_logprobs, ref_logprobs: the same shape, or None; without a graph.
        importance: weights already known, instead of those of rollout_logprobs: with weights a sequence and old
            log-probabilities known, `importance_weights(..., level="sequence")` is data, and what is left is a loss
            token by token.
        entropy: nats a token, with a graph where `entropy_coef` > 0.
        degenerate: bool that can be broadcast to the shape, True = the row's group is degenerate; read where
            `kl_on_degenerate` is False.

    Raises:
        ArgumentError: a tensor missing that an option needs, the mask among them.

    Example:
        >>> import torch
        >>> logprobs = torch.tensor([-1.0, -0.7], requires_grad=True)
        >>> old, advantages = torch.tensor([-1.0, -1.0]), torch.tensor([1.0, -1.0])
        >>> losses = token_losses(logprobs, advantages, LossConfig(), old_logprobs=old)
        >>> torch.autograd.grad(losses.total.sum(), logprobs)[0]
        tensor([-1.0000,  1.3499])
    """
    _check_needed(config, rollout_logprobs, ref_logprobs, importance, entropy, degenerate)
    against = rollout_logprobs if config.ratio_against == "rollout" else old_logprobs
    if against is None:
        against = logprobs.detach()
    raw = logprobs - against
    token_log_ratio = raw.clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)
    if config.form in ("gspo", "gspo_token"):
        if completion_mask is None:
            raise ArgumentError(f'completion_mask: expected a mask (B, T) with form "{config.form}", got None')
        gradient = "sequence" if config.form == "gspo" else "token"
        log_ratio = sequence_log_ratios(raw, completion_mask, gradient=gradient)
        is_clamped = log_ratio.detach().abs() >= LOG_RATIO_LIMIT
    else:
        log_ratio = token_log_ratio
        is_clamped = raw.detach().abs() > LOG_RATIO_LIMIT
    ratio = log_ratio.exp()
    policy = _form_losses(logprobs, ratio, advantages, config)

    if importance is None and rollout_logprobs is not None and config.importance_level != "off":
        importance = _importance(against, rollout_logprobs, completion_mask, config)
    if importance is not None:
        policy = policy * importance

    total, kl, is_kl_clamped = policy, None, None
    if ref_logprobs is not None:
        # With beta = 0 it is only logged, and must not hold the graph.
        kl = kl_per_token(logprobs if config.beta > 0 else logprobs.detach(), ref_logprobs, estimator=config.kl)
        is_kl_clamped = (ref_logprobs - logprobs.detach()).abs() > LOG_RATIO_LIMIT
        if config.beta > 0:
            if config.kl_times_ratio:
                kl = kl * ratio
            if not config.kl_on_degenerate and degenerate is not None:
                kl = kl.masked_fill(degenerate, 0.0)
            total = total + config.beta * kl
    if entropy is not None and config.entropy_coef > 0:
        total = total - config.entropy_coef * entropy
    return TokenLosses(
        total=total,
        policy=policy,
        kl=kl,
        log_ratio=log_ratio.detach(),
        token_log_ratio=token_log_ratio.detach(),
        importance=importance,
        is_clamped=is_clamped,
        is_kl_clamped=is_kl_clamped,
    )


def _check_needed(
    config: LossConfig,
    rollout_logprobs: Tensor | None,
    ref_logprobs: Tensor | None,
    importance: Tensor | None,
    entropy: Tensor | None,
    degenerate: Tensor | None,
) -> None:
    sampled = rollout_logprobs if importance is None else importance
    needs = [
        ("rollout_logprobs", rollout_logprobs, 'ratio_against="rollout"', config.ratio_against == "rollout"),
        ("rollout_logprobs", sampled, "importance_cap", config.importance_cap is not None),
        ("rollout_logprobs", sampled, f'importance="{config.importance}"', config.importance in ("token", "sequence")),
        ("ref_logprobs", ref_logprobs, f"beta = {config.beta}", config.beta > 0),
        ("entropy", entropy, f"entropy_coef = {config.entropy_coef}", config.entropy_coef > 0),
        ("degenerate", degenerate, "kl_on_degenerate=False", config.beta > 0 and not config.kl_on_degenerate),
    ]
    for name, tensor, reason, is_needed in needs:
        if is_needed and tensor is None:
            raise ArgumentError(f"{name}: expected a tensor with {reason}, got None")


def _form_losses(logprobs: Tensor, ratio: Tensor, advantages: Tensor, config: LossConfig) -> Tensor:
    band = {"epsilon_low": config.epsilon_low, "epsilon_high": config.epsilon_high}
    if config.form == "cispo_band":
        return cispo_band_losses(logprobs, ratio, advantages, **band)
    if config.ratio_cap is not None:  # the only form that has one
        return cispo_cap_losses(logprobs, ratio, advantages, ratio_cap=config.ratio_cap)
    return clipped_losses(ratio, advantages, **band, dual_clip=config.dual_clip, delta=config.delta)


def _importance(old: Tensor, rollout: Tensor, completion_mask: Tensor | None, config: LossConfig) -> Tensor:
    if config.importance_level == "token":
        return truncated_weights(old, rollout, cap=config.cap)
    if completion_mask is None:
        raise ArgumentError('completion_mask: expected a mask (B, T) with importance "sequence", got None')
    return importance_weights(old, rollout, completion_mask, cap=config.cap, level="sequence")
