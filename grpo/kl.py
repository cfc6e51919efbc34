"""How far the policy is from its anchor: k2 and k3 in the loss, k1 in the reward only.

x = log π_ref - log π of the sampled token. The three estimate KL(π ‖ π_ref) from it, and their gradients differ:

    k1 = -x            d/dlogprob  1          no gradient of the KL: its mean under π is 0
    k2 = x² / 2                   -x          on policy, the gradient of KL(π ‖ π_ref) without bias
    k3 = exp(x) - x - 1            1 - exp(x)  on policy, the gradient of KL(π_ref ‖ π)
"""

from typing import Literal

from torch import Tensor

from ..errors import ArgumentError
from .ratios import clamped_log_ratio
from .shapes import check_mask, check_numbers, check_rank, check_same_shape

__all__ = ["KlEstimator", "check_kl_in_loss", "kl_per_token", "kl_reward"]

KlEstimator = Literal["k1", "k2", "k3"]


def kl_per_token(logprobs: Tensor, ref_logprobs: Tensor, *, estimator: KlEstimator = "k3") -> Tensor:
    """An estimate of KL(π ‖ π_ref) at every token; x is held within ±20, outside of which no gradient flows.

    Args:
        logprobs: any shape, of the policy that sampled the tokens; the gradient is with respect to them.
        ref_logprobs: the same shape, of the reference policy; no gradient.
        estimator: `"k1"`, `"k2"` or `"k3"`.

    Returns:
        The same shape; k2 and k3 are never negative.

    Raises:
        ArgumentError: shapes that differ, or an unknown estimator.

    Source:
        Schulman 2020, "Approximating KL divergence"; k3 as in GRPO (arXiv 2402.03300). verl also holds k3
        within ±10; we do not.

    Example:
        >>> import torch
        >>> logprobs, ref = torch.tensor([-1.0]), torch.tensor([-1.5])
        >>> [round(kl_per_token(logprobs, ref, estimator=k).item(), 4) for k in ("k1", "k2", "k3")]
        [0.5, 0.125, 0.1065]
    """
    check_same_shape("ref_logprobs", ref_logprobs, "logprobs", logprobs)
    x = clamped_log_ratio(ref_logprobs.detach(), logprobs)
    if estimator == "k1":
        return -x
    if estimator == "k2":
        return x.square() / 2
    if estimator == "k3":
        # exp(x) - x - 1 is 0.0 in float32 at x = 1e-4, where it should be 5e-9.
        return x.expm1() - x
    raise ArgumentError(f"estimator: expected k1, k2 or k3, got {estimator!r}")


def kl_reward(logprobs: Tensor, ref_logprobs: Tensor, completion_mask: Tensor, *, beta: float) -> Tensor:
    """-beta Σ_t (logprobs - ref_logprobs) of every rollout: what to add to its reward.

    Added to the rewards of the advantage estimator only. What decides whether a group is degenerate, and so
    whether the gate opens, is the outcome reward without it.

    Args:
        logprobs: (B, T) of the policy that sampled (`old_logprobs`); no gradient.
        ref_logprobs: (B, T).
        completion_mask: (B, T) bool, True = counts.
        beta: weight, at least 0.

    Returns:
        (B,), without a graph; 0 for rows without a token.

    Raises:
        ArgumentError: shapes that differ, a mask that is not bool, or beta below 0.

    Source:
        k1 in the reward: PPO for language models (arXiv 2203.02155), there token by token.

    Example:
        >>> import torch
        >>> kl_reward(torch.tensor([[-1.0, -1.0]]), torch.tensor([[-1.5, -2.0]]), torch.ones(1, 2).bool(), beta=0.1)
        tensor([-0.1500])
    """
    check_numbers("logprobs", logprobs)
    check_rank("logprobs", logprobs, "(B, T)")
    check_mask("completion_mask", completion_mask)
    check_same_shape("ref_logprobs", ref_logprobs, "logprobs", logprobs)
    check_same_shape("completion_mask", completion_mask, "logprobs", logprobs)
    _check_beta(beta)
    policy, reference = (tensor.detach().where(completion_mask, 0) for tensor in (logprobs, ref_logprobs))
    return -beta * kl_per_token(policy, reference, estimator="k1").sum(1)


def check_kl_in_loss(beta: float, estimator: str) -> None:
    """Refuse k1 in a loss, another estimator than k2 or k3, and a beta below 0."""
    _check_beta(beta)
    if estimator == "k1":
        raise ArgumentError(
            "kl: expected k2 or k3 in the loss, got 'k1'; the gradient of k1 is that of the log-probability, whose "
            "mean is 0 under the policy: noise, and no KL. Put k1 in the reward (kl_reward)"
        )
    if estimator not in ("k2", "k3"):
        raise ArgumentError(f"kl: expected k2 or k3, got {estimator!r}")


def _check_beta(beta: float) -> None:
    if not beta >= 0:
        raise ArgumentError(f"beta: expected a number of at least 0, got {beta}")
