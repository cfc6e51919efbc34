"""One card a group that gives no advantage, or hardly any: its cause, what repairs it, and the evidence."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from ...diagnostics.groups import group_kinds
from ...diagnostics.intervals import clopper_pearson
from ...diagnostics.support import rate_upper_bound, samples_needed
from ..golds.texts import gold_text, target_key
from ..judging import Judged, JudgedGroup
from ..report.model import AnswerTally, Evidence, GroupCard, Support
from ..responses.texts import clipped
from .deciding import Cause, CauseFound, most_common_cause
from .repair import near_kind

__all__ = ["Case", "evidence", "group_card", "needs_card"]

_EXAMPLES = 3
_RATES = (0.1, 0.05, 0.01)


@dataclass(frozen=True, slots=True)
class Case:
    """A rollout with its cause (None where it was scored correct) and its reward after repair.

    `repaired_only(only=causes)` gives its reward when only these causes are repaired.
    """

    rollout: Judged
    found: CauseFound | None
    repaired: float | None
    repaired_only: Callable[..., float | None]


def needs_card(kind: str, *, gold_fails: bool) -> bool:
    """Whether a group of that kind is explained: it is degenerate or nearly so, and something was scored wrong."""
    return kind in ("all_wrong", "near_all_wrong", "near_all_correct", "tied", "unscorable") or (
        kind == "all_correct" and gold_fails
    )


def group_card(
    group: JudgedGroup, cases: Sequence[Case], *, near: int, correct_at: float, wrong_at: float, gold_fails: bool
) -> GroupCard:
    """The card of one group.

    The group takes the first cause that, repaired alone, changes its kind (nearly all wrong counts as a
    kind of its own); if none does, the cause of most of its rollouts.
    """

    judged = partial(_judged, near=near, correct_at=correct_at, wrong_at=wrong_at)
    kind, successes, scored = judged(tuple(case.rollout.scored for case in cases))
    repaired_kind, repaired_successes, repaired_scored = judged(tuple(case.repaired for case in cases))
    causes = [case.found.cause for case in cases if case.found is not None]
    curable = (
        candidate
        for candidate in Cause
        if candidate.is_repairable
        and (candidate in causes or (candidate is Cause.GOLD and gold_fails))
        and judged(tuple(case.repaired_only(only=(candidate,)) for case in cases))[0] != kind
    )
    cured = next(curable, None)
    # Without a rollout scored wrong only its target can have brought the group here.
    cause = cured or (most_common_cause(causes) if causes else Cause.GOLD)
    is_open = cause is Cause.UNDETERMINED and not kind.endswith("all_correct")
    return GroupCard(
        group_id=group.group_id,
        prompt=group.prompt,
        target=clipped(gold_text(group.target) or ("" if group.target is None else target_key(group.target))),
        kind=kind,
        repaired_kind=repaired_kind,
        successes=successes,
        scored=scored,
        size=len(cases),
        cause=str(cause),
        is_repairable=cured is not None,
        rollout_causes={str(name): count for name, count in sorted(Counter(causes).items(), key=_in_order)},
        answers=_tally(cases),
        support=_support(repaired_successes, repaired_scored) if is_open else None,
        evidence=_examples(cases, cause),
    )


@lru_cache(maxsize=4096)
def _judged(
    rewards: tuple[float | None, ...], *, near: int, correct_at: float, wrong_at: float
) -> tuple[str, int, int]:
    """Kind, successes and scored rollouts of one group; remembered, since few lists of rewards are to be met."""
    kinds = group_kinds(rewards, [0] * len(rewards), correct_at=correct_at, wrong_at=wrong_at)
    successes, scored = kinds.successes[0], kinds.scored[0]
    return near_kind(kinds.kinds[0], successes, scored, near), successes, scored


def evidence(case: Case) -> Evidence:
    """What one rollout shows."""
    rollout = case.rollout
    referee, suspect = rollout.referee, rollout.suspect
    return Evidence(
        source=rollout.source,
        reward=rollout.scored,
        cause=None if case.found is None else str(case.found.cause),
        why="" if case.found is None else clipped(case.found.why),
        extracted=None if referee is None else referee.extracted,
        span=None if referee is None else referee.span,
        referee="not judged" if referee is None else str(referee.outcome),
        referee_rule="" if referee is None else referee.rule,
        referee_detail="" if referee is None else referee.detail,
        suspect_detail=""
        if suspect is None or suspect is referee
        else f"{suspect.outcome} ({suspect.rule}) {suspect.detail}".strip(),
        excerpt="" if rollout.facts is None else rollout.facts.excerpt,
    )


def _in_order(item: tuple[Cause, int]) -> int:
    return list(Cause).index(item[0])


def _examples(cases: Sequence[Case], cause: Cause) -> tuple[Evidence, ...]:
    """The first rollouts of the group's own cause, then one of each other cause."""
    wrong = [case for case in cases if case.found is not None] or list(cases)
    own = [case for case in wrong if case.found is None or case.found.cause is cause]
    # A right answer that was refused shows more than a wrong one that was refused too.
    own = sorted(own, key=lambda case: not case.rollout.is_right)[: _EXAMPLES - 1]
    shown, seen = list(own), {cause}
    for case in wrong:
        if case.found is not None and case.found.cause not in seen:
            seen.add(case.found.cause)
            shown.append(case)
    return tuple(map(evidence, shown[: _EXAMPLES + 1]))


def _tally(cases: Sequence[Case]) -> tuple[AnswerTally, ...]:
    answers = Counter(
        case.rollout.referee.extracted
        for case in cases
        if case.rollout.referee is not None and case.rollout.referee.extracted
    )
    # Sorted by text too, so that the order of the rollouts changes nothing.
    ranked = sorted(answers.items(), key=lambda item: (-item[1], item[0]))
    return tuple(AnswerTally(answer=clipped(answer, 80), count=count) for answer, count in ranked[:5])


def _support(successes: int, scored: int) -> Support:
    if successes:  # rare, but there: the question left is how rare
        bound = clopper_pearson(successes, scored, confidence=0.9).high
        return Support(successes=successes, scored=scored, upper_bound=bound, more_samples={})
    more = {f"{rate:g}": max(0, samples_needed(rate) - scored) for rate in _RATES}
    return Support(successes=0, scored=scored, upper_bound=rate_upper_bound(scored), more_samples=more)
