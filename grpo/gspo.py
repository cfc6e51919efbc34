"""GSPO: one ratio a sequence, the geometric mean of its tokens', because the reward is the sequence's too."""

from typing import Literal

from torch import Tensor

from .ratios import LOG_RATIO_LIMIT

__all__ = ["sequence_log_ratios"]


def sequence_log_ratios(
    log_ratio: Tensor, completion_mask: Tensor, *, gradient: Literal["sequence", "token"] = "sequence"
) -> Tensor:
    """log s_i = mean over the tokens of log π - log π_old, at every token of the row, held within ±20.

    Both forms have the same values, and the same gradients where the advantage is the row's: -A s / |y| at each of
    its |y| tokens. They differ where advantages are by token: `"sequence"` gives every token the mean of what all of
    them earn, `"token"` each its own.

    Args:
        log_ratio: (B, T), with a graph.
        completion_mask: (B, T) bool, True = counts; nothing under a False is read.
        gradient: `"sequence"`: through the mean. `"token"`: s_i is data, times π / sg(π) of the token.

    Returns:
        (B, T); 0 at padding and in rows without a token.

    Source:
        GSPO (arXiv 2507.18071), eqs. 7 and 14. verl 0.9.1 has the token form alone and holds log s below 10; TRL 1.16
        has the sequence form, unheld.

    Example:
        >>> import torch
        >>> sequence_log_ratios(torch.tensor([[0.2, 0.4, 9.0]]), torch.tensor([[True, True, False]]))
        tensor([[0.3000, 0.3000, 0.0000]])
    """
    counted = log_ratio.where(completion_mask, 0)
    means = counted.sum(1, keepdim=True) / completion_mask.sum(1, keepdim=True).clamp(min=1)  # (B, 1)
    ratios = means.expand_as(counted) if gradient == "sequence" else means.detach() + counted - counted.detach()
    return ratios.clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT).where(completion_mask, 0)
