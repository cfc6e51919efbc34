"""REINFORCE++: returns of tokens, whitened over the batch, with no critic and no group; and its group-baseline form.

Both are by token, (B, T), and whiten last: ask for the whole batch before it is split. Nonzero in degenerate groups by
design: a token is compared with all others of the batch.
"""

import torch
from torch import Tensor

from ..errors import ArgumentError
from .advantages import dr_grpo_advantages
from .shapes import check_known, check_mask, check_numbers, check_rank, check_row_count, check_same_shape
from .whitening import whitened

__all__ = [
    "final_token_rewards",
    "reinforce_pp_advantages",
    "reinforce_pp_baseline_advantages",
    "token_returns",
]


def final_token_rewards(rewards: Tensor, completion_mask: Tensor) -> Tensor:
    """Outcome rewards at the last counted token of their rollout, 0 elsewhere.

    Args:
        rewards: (B,); NaN = unscored, and then NaN at that token.
        completion_mask: (B, T) bool, True = counts.

    Returns:
        (B, T) in the dtype of the rewards; a row without a counted token has none to carry its reward.

    Raises:
        ArgumentError: shapes or dtypes other than these.

    Example:
        >>> final_token_rewards(torch.tensor([1.0, 0.5]), torch.tensor([[True, True, False], [True, False, True]]))
        tensor([[0.0000, 1.0000, 0.0000],
                [0.0000, 0.0000, 0.5000]])
    """
    check_numbers("rewards", rewards)
    check_rank("rewards", rewards, "(B,)")
    check_mask("completion_mask", completion_mask)
    check_rank("completion_mask", completion_mask, "(B, T)")
    check_row_count("rewards", rewards, "completion_mask", completion_mask)
    is_last = completion_mask & (completion_mask.flip(1).cumsum(1).flip(1) == 1)
    return torch.zeros_like(completion_mask, dtype=rewards.dtype).where(~is_last, rewards[:, None])


def token_returns(token_rewards: Tensor, completion_mask: Tensor, *, gamma: float = 1.0) -> Tensor:
    """G_t = r_t + gamma G_{t+1} over the counted tokens of each row.

    Tokens under a False mask (a tool's answer, padding) are no step of the policy's: they are stepped over, neither
    discounting what follows nor losing it.

    Args:
        token_rewards: (B, T); nothing under a False mask is read.
        completion_mask: (B, T) bool, True = counts.
        gamma: in [0, 1].

    Returns:
        (B, T) in the dtype of the rewards, 0 where the mask is False.

    Raises:
        ArgumentError: shapes that differ, a mask that is not bool, an infinite reward, or gamma outside [0, 1].

    Example:
        >>> rewards, mask = torch.tensor([[0.0, 9.0, 0.0, 1.0]]), torch.tensor([[True, False, True, True]])
        >>> token_returns(rewards, mask, gamma=0.5)
        tensor([[0.2500, 0.0000, 0.5000, 1.0000]])
    """
    rewards = counted_rewards(token_rewards, completion_mask)
    check_discount("gamma", gamma)
    returns, ahead = torch.zeros_like(rewards), rewards.new_zeros(len(rewards))
    for t in reversed(range(rewards.shape[1])):
        # G_t = r_t + gamma G_{t+1}
        ahead = torch.where(completion_mask[:, t], rewards[:, t] + gamma * ahead, ahead)
        returns[:, t] = ahead
    return returns.where(completion_mask, 0)


def reinforce_pp_advantages(
    token_rewards: Tensor, completion_mask: Tensor, *, gamma: float = 1.0, ddof: int = 1, epsilon: float = 1e-8
) -> Tensor:
    """Token returns, whitened over the batch: REINFORCE++.

    Args:
        token_rewards, completion_mask, gamma: as in `token_returns`; `final_token_rewards` makes them of outcomes, less
            beta times the KL of each token if that is wanted in the reward. A row with NaN is unscored: it gets 0,
            and the others what they would get without it.
        ddof, epsilon: of the whitening; see `whitened`.

    Returns:
        (B, T), 0 where the mask is False, and everywhere if all returns are equal.

    Raises:
        ArgumentError: as `token_returns` and `whitened`.

    Source:
        REINFORCE++ (arXiv 2501.03262). As verl's `reinforce_plus_plus`, whose numbers it has.

    Example:
        Returns 1, 1 and 0: mean 2/3, variance 1/3.

        >>> rewards, mask = torch.tensor([[0.0, 1.0], [0.0, 0.0]]), torch.tensor([[True, True], [True, False]])
        >>> reinforce_pp_advantages(rewards, mask)
        tensor([[ 0.5774,  0.5774],
                [-1.1547,  0.0000]])
    """
    returns = token_returns(token_rewards, completion_mask, gamma=gamma)
    is_scored = ~returns.isnan().any(1, keepdim=True)
    return whitened(returns, completion_mask & is_scored, ddof=ddof, epsilon=epsilon)


def reinforce_pp_baseline_advantages(
    rewards: Tensor,
    group_ids: Tensor,
    completion_mask: Tensor,
    *,
    ddof: int = 1,
    epsilon: float = 1e-8,
    centre: bool = True,
) -> Tensor:
    """R minus the mean of the group, at every token of the rollout, then whitened over the batch.

    Before the whitening degenerate groups are exactly 0, as in `dr_grpo_advantages`; the whitening then takes the
    mean over tokens from all, which is not 0 where long rollouts fail more often. `centre=False` leaves them at 0.

    Args:
        rewards, group_ids: as in `group_advantages`.
        completion_mask: (B, T) bool, True = counts.
        ddof, epsilon, centre: of the whitening; see `whitened`.

    Returns:
        (B, T), 0 where the mask is False, in unscored rows, and everywhere if every group is degenerate.

    Raises:
        ArgumentError: as `group_advantages` and `whitened`.

    Source:
        REINFORCE++ (arXiv 2501.03262), the variant with a baseline. As verl's `reinforce_plus_plus_baseline`, but for
        singletons: there the raw reward is whitened, here 0.

    Example:
        >>> rewards, mask = torch.tensor([1.0, 0.0]), torch.ones(2, 1, dtype=torch.bool)
        >>> reinforce_pp_baseline_advantages(rewards, torch.tensor([0, 0]), mask)
        tensor([[ 0.7071],
                [-0.7071]])
    """
    centred = dr_grpo_advantages(rewards, group_ids)
    check_mask("completion_mask", completion_mask)
    check_rank("completion_mask", completion_mask, "(B, T)")
    check_row_count("rewards", rewards, "completion_mask", completion_mask)
    is_scored = ~rewards.isnan().to(completion_mask.device)[:, None]
    tokens = centred.to(completion_mask.device)[:, None].expand(completion_mask.shape)
    return whitened(tokens, completion_mask & is_scored, ddof=ddof, epsilon=epsilon, centre=centre)


def counted_rewards(token_rewards: Tensor, completion_mask: Tensor) -> Tensor:
    """Checked token rewards (B, T), without a graph and 0 where the mask is False; floats."""
    check_numbers("token_rewards", token_rewards)
    check_rank("token_rewards", token_rewards, "(B, T)")
    check_mask("completion_mask", completion_mask)
    check_same_shape("completion_mask", completion_mask, "token_rewards", token_rewards)
    rewards = token_rewards.detach().where(completion_mask, 0)
    check_known("token_rewards", rewards)
    return rewards if rewards.is_floating_point() else rewards.to(torch.get_default_dtype())


def check_discount(name: str, value: float) -> None:
    """Refuse a discount outside [0, 1]."""
    if not 0 <= value <= 1:
        raise ArgumentError(f"{name}: expected a number in [0, 1], got {value}")
