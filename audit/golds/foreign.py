"""Targets that belong to another prompt of the same file: rows that slipped, or columns joined in another order.

Rollouts that agree on an answer, and not on their target, are a matter for a person: models agree on wrong answers
too. But where the agreed answers of such groups are the targets of *other* such groups, or their targets the agreed
answers of others, far more often than by chance, the targets were exchanged. How often that happens by chance is
counted in the same file: how often the agreed answer of such a group is the target of a group that was scored right.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ...verifiers.base import Outcome
from ..judging import JudgedGroup, Judgement
from .texts import gold_text

__all__ = ["agreed_answer", "foreign_targets"]

LEAST_AGREEING = 3
AGREEING_SHARE = 0.6
LEAST_EXCHANGED = 3
MOST_BY_CHANCE = 0.1
"""Share of the exchanges found that chance may explain."""


class _Suspected(NamedTuple):
    group_id: str
    answer: str
    target: str


def agreed_answer(group: JudgedGroup) -> str | None:
    """The answer to which most rollouts of `group` commit, all of them refused; None where there is none."""
    if any(rollout.is_right for rollout in group.rollouts):
        return None
    answers = Counter(
        _key(rollout.referee.extracted)
        for rollout in group.rollouts
        if rollout.referee is not None and rollout.referee.outcome is Outcome.INCORRECT and rollout.referee.extracted
    )
    if not answers:
        return None
    answer, count = max(answers.items(), key=lambda item: (item[1], item[0]))
    return answer if count >= max(LEAST_AGREEING, AGREEING_SHARE * len(group.rollouts)) else None


def foreign_targets(judgement: Judgement, *, correct_at: float) -> Mapping[str, str]:
    """Group id -> why its target is another prompt's.

    Args:
        judgement: all rollouts.
        correct_at: reward from which a rollout counts as correct.
    """
    suspected: list[_Suspected] = []
    healthy: Counter[str] = Counter()
    for group in judgement.groups:
        target = gold_text(group.target)
        if target is None:
            continue
        is_paid = any(one.scored is not None and one.scored >= correct_at for one in group.rollouts)
        answer = None if is_paid else agreed_answer(group)
        if answer is not None:
            suspected.append(_Suspected(group.group_id, answer, _key(target)))
        elif is_paid:
            healthy[_key(target)] += 1
    answers, targets = Counter(one.answer for one in suspected), Counter(one.target for one in suspected)
    hits = [(targets[one.answer] > 0, answers[one.target] > 0) for one in suspected]
    by_answer, by_target = _by_chance(suspected, healthy)
    # One of the two is enough where chance would hardly bring it about; else it must be both.
    for is_found, chance in ((any, by_answer + by_target), (all, by_answer * by_target)):
        found = [one for one, hit in zip(suspected, hits, strict=True) if is_found(hit)]
        if len(found) >= LEAST_EXCHANGED and chance * len(suspected) <= MOST_BY_CHANCE * len(found):
            return {one.group_id: _why(one, targets) for one in found}
    return {}


def _by_chance(suspected: list[_Suspected], healthy: Counter[str]) -> tuple[float, float]:
    """How often an answer of `suspected` is another's target by chance, and a target another's answer."""
    n, n_healthy = len(suspected), healthy.total()
    if not n or not n_healthy:
        return 1.0, 1.0
    # Healthy targets stand for those of the suspected: there are as many, or the share is scaled to that.
    scale = min(1.0, n / n_healthy)
    by_answer = scale * sum(one.answer in healthy for one in suspected) / n
    return by_answer, scale * sum(one.target in healthy for one in suspected) / n


def _why(one: _Suspected, targets: Counter[str]) -> str:
    if targets[one.answer]:
        return f"the rollouts agree on {one.answer}, which is the target of another prompt with the same fault"
    return f"the rollouts agree on {one.answer}, and the target is what those of another such prompt agree on"


def _key(text: str) -> str:
    return "".join(text.split()).strip("$")
