"""What a person should look at: everything from which no cause may be drawn."""

from collections import Counter
from collections.abc import Iterator

from ..verifiers.base import Outcome
from .golds.texts import gold_text
from .judging import Judged, JudgedGroup, Judgement
from .report.model import Review, ReviewItem
from .responses.texts import clipped

__all__ = ["review_part"]

_MOST_ITEMS = 500
_LEAST_AGREEING = 4
_AGREEING_SHARE = 0.75


def review_part(judgement: Judgement, *, correct_at: float) -> Review:
    """The queue: `ReviewItem` says for which reasons something is in it.

    A consensus against the target is seldom a wrong target, but it is cheap to look.
    """
    counts: Counter[str] = Counter()
    items: list[ReviewItem] = []
    for group in judgement.groups:
        for reason, rollout, detail in _of_group(group, correct_at):
            counts[reason] += 1
            if len(items) < _MOST_ITEMS:
                items.append(_item(reason, group, rollout, detail))
    return Review(counts=dict(counts), items=tuple(items))


def _of_group(group: JudgedGroup, correct_at: float) -> Iterator[tuple[str, Judged, str]]:
    undecided = {Outcome.UNSUPPORTED, Outcome.BUDGET, Outcome.ERROR}
    if len({rollout.scored for rollout in group.rollouts}) > 1:
        undecided.add(Outcome.BAD_TARGET)  # the grader can read what the referee cannot
    for rollout in group.rollouts:
        referee = rollout.referee
        if rollout.second_opinion and (rollout.scored is None or rollout.scored < correct_at):
            yield "second_opinion_accepts", rollout, "" if referee is None else referee.detail
        if referee is not None and referee.outcome in undecided:
            yield "referee_undecided", rollout, f"{referee.outcome} ({referee.rule}): {referee.detail}"
    answers = Counter(
        rollout.referee.extracted
        for rollout in group.rollouts
        if rollout.referee is not None and rollout.referee.outcome is Outcome.INCORRECT and rollout.referee.extracted
    )
    if not answers or any(rollout.is_right for rollout in group.rollouts):
        return
    answer, count = max(answers.items(), key=lambda item: (item[1], item[0]))
    if count >= max(_LEAST_AGREEING, _AGREEING_SHARE * len(group.rollouts)):
        first = next(one for one in group.rollouts if one.referee is not None and one.referee.extracted == answer)
        yield (
            "consensus_against_target",
            first,
            f"{count} of {len(group.rollouts)} rollouts answer {clipped(answer, 80)}",
        )


def _item(reason: str, group: JudgedGroup, rollout: Judged, detail: str) -> ReviewItem:
    return ReviewItem(
        reason=reason,
        group_id=group.group_id,
        source=rollout.source,
        target=clipped(gold_text(group.target) or "", 160),
        extracted=None if rollout.referee is None else rollout.referee.extracted,
        detail=detail,
    )
