"""RL-ZVP: in degenerate groups, advantages by how undecided the policy was at each token."""

from math import isfinite

import torch
from torch import Tensor

from ..diagnostics import GroupKind
from ..errors import ArgumentError
from .scored import check_options, scored_rows
from .shapes import check_finite, check_mask, check_numbers, check_rank, check_row_count, check_same_shape

__all__ = ["rlzvp_advantages"]


def rlzvp_advantages(
    rewards: Tensor,
    group_ids: Tensor,
    entropy: Tensor,
    completion_mask: Tensor,
    *,
    alpha: float = 0.1,
    ddof: int = 1,
    epsilon: float = 1e-4,
    correct_at: float = 1.0,
    wrong_at: float = 0.0,
) -> Tensor:
    """All-correct groups: alpha H_t; all-wrong: -alpha (max_k H_k - H_t); mixed: GRPO. Nonzero by design.

    What was right at an undecided token is pushed on most; what was wrong is charged most where the policy was sure.

    Args:
        rewards, group_ids: as in `group_advantages`, (B,).
        entropy: (B, T) nats of the policy at every token (`entropy_per_token`), data; nothing under a False mask is
            read.
        completion_mask: (B, T) bool, True = counts.
        alpha: at least 0.
        ddof, epsilon: of GRPO's standard deviation.
        correct_at, wrong_at: as in `diagnostics.group_kinds`; groups tied in between get 0.

    Returns:
        (B, T) in the dtype of the entropy; the largest entropy is of the row's own counted tokens. 0 where the mask is
        False, in tied groups, singletons and unscored rows.

    Raises:
        ArgumentError: as `group_advantages`; shapes that differ, a counted entropy that is not finite, or alpha
            below 0.

    Source:
        arXiv 2509.21880, eq. 5. The paper's alpha was not open to us; 0.1 is a public re-implementation's. A group of
        one rollout is not spoken of.

    Example:
        >>> entropies, mask = torch.tensor([[0.2, 1.4], [2.0, 0.1]]), torch.ones(2, 2, dtype=torch.bool)
        >>> rlzvp_advantages(torch.tensor([0.0, 0.0]), torch.tensor([0, 0]), entropies, mask)
        tensor([[-0.1200, -0.0000],
                [-0.0000, -0.1900]])
    """
    check_options(ddof=ddof, epsilon=epsilon)
    if not (alpha >= 0 and isfinite(alpha)):
        raise ArgumentError(f"alpha: expected a finite number of at least 0, got {alpha}")
    check_numbers("entropy", entropy)
    check_rank("entropy", entropy, "(B, T)")
    check_mask("completion_mask", completion_mask)
    check_same_shape("completion_mask", completion_mask, "entropy", entropy)
    check_rank("rewards", rewards, "(B,)")
    check_row_count("rewards", rewards, "entropy", entropy)
    known = entropy.detach().where(completion_mask, 0)
    check_finite("entropy", known)

    batch = scored_rows(rewards, group_ids, correct_at=correct_at, wrong_at=wrong_at)
    by_row = torch.from_numpy(batch.standardised(ddof=ddof, epsilon=epsilon)).to(known)[:, None]
    is_correct, is_wrong = (
        torch.from_numpy(batch.in_groups(kind)).to(known.device)[:, None]
        for kind in (GroupKind.ALL_CORRECT, GroupKind.ALL_WRONG)
    )
    # Entropies are at least 0, so that padding's 0 is never the largest.
    largest = known.amax(1, keepdim=True) if known.shape[1] else known.new_zeros(len(known), 1)
    advantages = by_row.expand_as(known)
    advantages = torch.where(is_correct, alpha * known, advantages)
    advantages = torch.where(is_wrong, -alpha * (largest - known), advantages)
    return advantages.where(completion_mask, 0)
