"""A critic's advantages: generalised advantage estimation over the policy's own tokens, and the critic's loss."""

import torch
from torch import Tensor

from ..errors import ArgumentError
from .returns import check_discount, counted_rewards
from .shapes import check_finite, check_numbers, check_same_shape
from .whitening import whitened

__all__ = ["gae_advantages", "value_losses"]


def gae_advantages(
    token_rewards: Tensor,
    values: Tensor,
    completion_mask: Tensor,
    *,
    gamma: float = 1.0,
    lam: float = 1.0,
    whiten: bool = False,
    ddof: int = 1,
    epsilon: float = 1e-8,
) -> tuple[Tensor, Tensor]:
    """delta_t = r_t + gamma V_{t+1} - V_t, A_t = delta_t + gamma lam A_{t+1}, and what the critic should have said.

    Tokens under a False mask (a tool's answer, padding) are stepped over: the next value and the next advantage are
    those of the next token that counts. V behind the last one is 0.

    Args:
        token_rewards: (B, T), as in `reinforce_pp_advantages`; a row with NaN is unscored.
        values: (B, T) V of every token, data: no gradient flows through.
        completion_mask: (B, T) bool, True = counts; nothing under a False is read.
        gamma, lam: in [0, 1]. The defaults, 1 and 1, are returns minus values: for an outcome at the last token.
        whiten: whiten the advantages over the batch, as verl does; not the returns.
        ddof, epsilon: of that; see `whitened`.

    Returns:
        Advantages (B, T), 0 in unscored rows; and returns A + V before whitening (B, T), in unscored rows V itself, so
        that the critic has no error there. Both 0 where the mask is False.

    Raises:
        ArgumentError: shapes that differ, a mask that is not bool, an infinite reward, a counted value that is not
            finite, or an option outside its range.

    Source:
        GAE (arXiv 1506.02438); stepping over tool tokens: verl 0.9.1 `compute_gae_advantage_return`.

    Example:
        >>> rewards, mask = torch.tensor([[0.0, 0.0, 1.0]]), torch.tensor([[True, False, True]])
        >>> advantages, returns = gae_advantages(rewards, torch.tensor([[0.5, 9.0, 0.75]]), mask)
        >>> advantages, returns
        (tensor([[0.5000, 0.0000, 0.2500]]), tensor([[1., 0., 1.]]))
    """
    rewards = counted_rewards(token_rewards, completion_mask)
    check_numbers("values", values)
    check_same_shape("values", values, "token_rewards", token_rewards)
    check_discount("gamma", gamma)
    check_discount("lam", lam)
    known = values.detach().where(completion_mask, 0).to(rewards.dtype)
    check_finite("values", known)
    advantages = torch.zeros_like(rewards)
    next_value, ahead = rewards.new_zeros(len(rewards)), rewards.new_zeros(len(rewards))
    for t in reversed(range(rewards.shape[1])):
        counts = completion_mask[:, t]
        # delta_t = r_t + gamma V_{t+1} - V_t;  A_t = delta_t + gamma lam A_{t+1}
        delta = rewards[:, t] + gamma * next_value - known[:, t]
        ahead = torch.where(counts, delta + gamma * lam * ahead, ahead)
        next_value = torch.where(counts, known[:, t], next_value)
        advantages[:, t] = ahead
    # One NaN spoils all tokens before it, and the row is unscored as a whole.
    counted = completion_mask & ~rewards.isnan().any(1, keepdim=True)
    advantages = advantages.where(counted, 0)
    returns = advantages + known
    return (whitened(advantages, counted, ddof=ddof, epsilon=epsilon) if whiten else advantages), returns


def value_losses(
    values: Tensor, returns: Tensor, *, old_values: Tensor | None = None, clip: float | None = None
) -> Tensor:
    """Half the squared error of the critic, a token: the larger of that and of the one with V held near its old value.

    Args:
        values: any shape, with a graph.
        returns: the same shape; data.
        old_values: the same shape, those that the returns were made with; needed by `clip`.
        clip: positive, how far from the old value V is believed; None: plain error.

    Returns:
        The same shape; reduce it with `reduce_tokens`.

    Raises:
        ArgumentError: shapes that differ, a clip that is not positive, or one without old_values.

    Source:
        PPO's implementation; half the square, as TRL and verl.

    Example:
        >>> value_losses(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 1.0]))
        tensor([0.5000, 0.0000])
    """
    check_same_shape("returns", returns, "values", values)
    errors = (values - returns.detach()).square() / 2
    if clip is None:
        return errors
    if not clip > 0:
        raise ArgumentError(f"clip: expected a positive number or None, got {clip}")
    if old_values is None:
        raise ArgumentError("old_values: expected a tensor with clip, got None")
    check_same_shape("old_values", old_values, "values", values)
    old = old_values.detach()
    held = old + (values - old).clamp(-clip, clip)
    return torch.maximum(errors, (held - returns.detach()).square() / 2)
