"""The rewards as they would be with the reward pipeline repaired, and what that does to the groups.

Only what has a repairable cause is changed, and only where the referee gives a definite verdict. Rewards
that were paid for wrong answers stay as they are, unless the target itself is at fault: then the referee
decides about every rollout of it.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from ...diagnostics.groups import GroupKind, GroupKinds
from ...verifiers.base import Outcome
from ..judging import REFUSED, Judged
from ..report.model import Repair
from .deciding import Cause

__all__ = ["near_kind", "repair_part", "repaired_reward"]

_MOST_IDS = 10_000


def repaired_reward(
    rollout: Judged,
    cause: Cause | None,
    *,
    gold_fails: bool,
    correct: float,
    wrong: float,
    only: Collection[Cause] | None = None,
) -> float | None:
    """The reward of `rollout` once its cause is repaired.

    Args:
        rollout: as judged.
        cause: why it was not scored correct; None where it was.
        gold_fails: whether its target is at fault.
        correct: the reward of a right answer.
        wrong: the reward of a wrong one that has none yet.
        only: repair these causes only; None repairs all that can be.

    Returns:
        The reward; None where it stays, or becomes, unknown.
    """
    # A rollout scored right is touched only where its target is at fault.
    repaired_by = Cause.GOLD if cause is None else cause
    is_repaired = repaired_by.is_repairable and (only is None or repaired_by in only)
    is_repaired &= gold_fails or repaired_by is not Cause.GOLD
    if not is_repaired or rollout.referee is None:
        return rollout.scored
    if rollout.referee.outcome is Outcome.CORRECT:
        return correct
    if rollout.referee.outcome in REFUSED:
        return wrong if cause is None or rollout.scored is None else rollout.scored
    return None if rollout.referee.outcome is Outcome.BAD_TARGET else rollout.scored


def near_kind(kind: GroupKind, successes: int, scored: int, near: int) -> str:
    """The kind of a group, mixed ones with at most `near` successes or failures told apart.

    Example:
        >>> [near_kind(GroupKind.MIXED, successes, 8, 1) for successes in (1, 4, 7)]
        ['near_all_wrong', 'mixed', 'near_all_correct']
    """
    if kind is GroupKind.MIXED and successes <= near and 2 * successes < scored:
        return "near_all_wrong"
    if kind is GroupKind.MIXED and successes >= scored - near and 2 * successes > scored:
        return "near_all_correct"
    return str(kind)


def repair_part(
    before: GroupKinds,
    after: GroupKinds,
    group_ids: Sequence[str],
    rewards: Sequence[float | None],
    repaired: Sequence[float | None],
) -> Repair:
    """Which groups change their kind, by id.

    Args:
        before, after: kinds of the same groups in the same order.
        group_ids: their names.
        rewards, repaired: (B,) the rewards behind them.
    """
    pairs = list(zip(group_ids, before.kinds, after.kinds, strict=True))
    changed = [(group_id, was, now) for group_id, was, now in pairs if was is not now]

    def become(kind: GroupKind) -> tuple[str, ...]:
        return tuple(group_id for group_id, _, now in changed if now is kind)[:_MOST_IDS]

    return Repair(
        changes=dict(Counter(f"{was} -> {now}" for _, was, now in pairs)),
        n_rollouts_flipped=sum(was != now for was, now in zip(rewards, repaired, strict=True)),
        become_mixed=become(GroupKind.MIXED),
        become_all_correct=become(GroupKind.ALL_CORRECT),
        become_unscorable=become(GroupKind.UNSCORABLE),
    )
