"""Groups that look alive only in the sum: dead by their outcome, moved by length, format or whatever else is in it.

An estimator that filters or normalises by the total reward takes such a group for a mixed one and learns what the
outcome never said.
"""

from ..diagnostics.groups import GroupKind, group_kinds
from .judging import Judgement
from .report.duplicates import Phantom

__all__ = ["phantom_part"]

_MOST_IDS = 2_000


def phantom_part(judgement: Judgement, *, correct_at: float) -> Phantom | None:
    """The groups that are degenerate on the outcome reward and not on the one that was learned from.

    None where the file names no outcome reward beside the one learned from.

    Args:
        judgement: all groups.
        correct_at: outcome reward from which a rollout counts as correct.
    """
    if judgement.outcome_name is None:
        return None
    outcomes: list[float | None] = []
    totals: list[float | None] = []
    index: list[int] = []
    for position, group in enumerate(judgement.groups):
        for rollout in group.rollouts:
            outcomes.append(rollout.outcome)
            totals.append(rollout.logged)
            index.append(position)
    by_outcome = group_kinds(outcomes, index, correct_at=correct_at)
    by_total = group_kinds(totals, index, correct_at=correct_at)

    def moved(kind: GroupKind) -> list[str]:
        pairs = zip(judgement.groups, by_outcome.kinds, by_total.kinds, strict=True)
        return [group.group_id for group, was, now in pairs if was is kind and now is GroupKind.MIXED]

    wrong, right = moved(GroupKind.ALL_WRONG), moved(GroupKind.ALL_CORRECT)
    return Phantom(
        outcome=judgement.outcome_name,
        n_groups=len(judgement.groups),
        all_wrong_but_signal=tuple(wrong[:_MOST_IDS]),
        all_correct_but_signal=tuple(right[:_MOST_IDS]),
        n_all_wrong_but_signal=len(wrong),
        n_all_correct_but_signal=len(right),
    )
