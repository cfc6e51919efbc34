"""Every rollout with its cause and its repaired reward; then the groups' cards, and what was paid for nothing."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from ..judging import REFUSED, Judged, Judgement
from ..report.model import CauseCount, GroupCard, PaidButWrong
from .cards import Case, evidence, group_card, needs_card
from .deciding import Cause, Clues, rollout_cause, target_fault
from .repair import repaired_reward

__all__ = ["Explained", "cause_counts", "explain", "group_cards", "paid_part"]

_MOST_PAID_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Explained:
    """One group's rollouts with their causes, and whether the group's target is at fault."""

    cases: tuple[Case, ...]
    gold_fails: bool


def explain(judgement: Judgement, clues: Clues, *, correct_at: float, wrong_at: float) -> list[Explained]:
    """The causes and repaired rewards of all rollouts, one entry a group.

    Args:
        judgement: all groups.
        clues: of the whole file.
        correct_at: reward from which a rollout counts as correct.
        wrong_at: reward of a wrong rollout, where the file shows none.
    """
    scored = [rollout.scored for _, rollout in judgement.rollouts() if rollout.scored is not None]
    correct = _usual([reward for reward in scored if reward >= correct_at], correct_at)
    wrong = _usual([reward for reward in scored if reward < correct_at], wrong_at)
    explained: list[Explained] = []
    for group in judgement.groups:
        gold_fault = target_fault(group, clues, correct_at=correct_at)
        gold_fails = gold_fault is not None
        cases = []
        for rollout in group.rollouts:
            is_paid = rollout.scored is not None and rollout.scored >= correct_at
            found = None if is_paid else rollout_cause(rollout, group, clues, gold_fault=gold_fault)
            cause = None if found is None else found.cause
            repaired = partial(repaired_reward, rollout, cause, gold_fails=gold_fails, correct=correct, wrong=wrong)
            cases.append(Case(rollout, found, repaired(), repaired))
        explained.append(Explained(tuple(cases), gold_fails))
    return explained


def group_cards(
    judgement: Judgement,
    explained: Sequence[Explained],
    kinds: Sequence[str],
    *,
    near: int,
    correct_at: float,
    wrong_at: float,
) -> list[GroupCard]:
    """Cards of the degenerate groups, then of the nearly degenerate ones, each in the file's order."""
    cards = [
        group_card(group, one.cases, near=near, correct_at=correct_at, wrong_at=wrong_at, gold_fails=one.gold_fails)
        for group, one, kind in zip(judgement.groups, explained, kinds, strict=True)
        if needs_card(kind, gold_fails=one.gold_fails)
    ]
    return sorted(cards, key=lambda card: card.kind.startswith("near"))


def cause_counts(explained: Sequence[Explained], cards: Sequence[GroupCard]) -> tuple[CauseCount, ...]:
    """Every cause of the closed set, in order, with how many rollouts and groups take it; zeros too."""
    rollouts = Counter(case.found.cause for one in explained for case in one.cases if case.found is not None)
    groups = Counter(card.cause for card in cards if not card.kind.startswith("near"))
    near_groups = Counter(card.cause for card in cards if card.kind.startswith("near"))
    return tuple(
        CauseCount(
            cause=str(cause), rollouts=rollouts[cause], groups=groups[str(cause)], near_groups=near_groups[str(cause)]
        )
        for cause in Cause
    )


def paid_part(explained: Sequence[Explained]) -> PaidButWrong:
    """Rollouts scored correct that the referee refuses; where the target is at fault too."""
    rules: Counter[str] = Counter()
    examples, n_groups = [], 0
    for one in explained:
        paid = [case for case in one.cases if case.found is None and _is_refused(case.rollout)]
        n_groups += bool(paid)
        for case in paid:
            assert case.rollout.referee is not None
            rules[case.rollout.referee.rule] += 1
            if len(examples) < _MOST_PAID_SHOWN:
                examples.append(evidence(case))
    return PaidButWrong(
        n_rollouts=rules.total(), n_groups=n_groups, by_rule=dict(rules.most_common()), examples=tuple(examples)
    )


def _is_refused(rollout: Judged) -> bool:
    return rollout.referee is not None and rollout.referee.outcome in REFUSED


def _usual(rewards: Sequence[float], default: float) -> float:
    """The middle one of the rewards that the file pays, which need not be 0 and 1."""
    return median(rewards) if rewards else default
