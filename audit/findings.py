"""From parts to findings: one sentence each, a severity, and the threshold that made it so.

The order is the order of repair: targets, then scoring, then causes, then groups. The headline is the
first of the worst findings.
"""

from collections.abc import Iterator, Sequence

from .report.model import (
    SEVERITIES,
    CauseCount,
    Duplicates,
    Finding,
    Golds,
    GroupTable,
    PaidButWrong,
    Permissive,
    Phantom,
    ReadingFacts,
    Severity,
    Stake,
)
from .report.text import percent
from .suspicions import suspicions

__all__ = ["findings", "headline"]

FAILING_GOLDS = 0.01
FALSE_NEGATIVES = 0.02
SCORING_FAULTS = 0.01
PAID = 0.02
STAKE = 0.05
DEGENERATE = 0.5
IN_THE_TEXT = 0.05
UNREADABLE_ROWS = 0.01


def findings(
    *,
    facts: ReadingFacts,
    golds: Golds | None,
    table: GroupTable,
    causes: Sequence[CauseCount],
    paid: PaidButWrong | None,
    stake: Stake | None,
    copies: Duplicates | None = None,
    permissive: Permissive | None = None,
    phantom: Phantom | None = None,
    highest_reward: float | None,
    correct_at: float,
) -> list[Finding]:
    """Every finding, in the order of repair; at least one."""
    found = [
        *_rows(facts),
        *_scale(highest_reward, correct_at, causes),
        *_golds(golds),
        *_causes(causes, facts.n_rollouts, facts.n_groups),
        *_paid(paid, facts.n_rollouts),
        *_stake(stake),
        *_groups(table),
        *suspicions(copies, permissive, phantom, facts.n_groups),
    ]
    return found or [
        Finding(section="groups", severity="ok", sentence="nothing was found among what could be measured")
    ]


def headline(found: Sequence[Finding]) -> Finding:
    """The first of the worst."""
    return max(found, key=lambda finding: SEVERITIES.index(finding.severity))


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _is_refusal(count: CauseCount) -> bool:
    return count.cause.startswith("false_negative")


def _severity(share: float, limit: float) -> Severity:
    return "fail" if share >= limit else "warn"


def _rows(facts: ReadingFacts) -> Iterator[Finding]:
    if facts.n_refused:
        share = facts.n_refused / facts.n_rows if facts.n_rows else 1.0
        yield Finding(
            section="reading",
            severity="warn" if share >= UNREADABLE_ROWS else "ok",
            sentence=f"{facts.n_refused} of {facts.n_rows} rows could not be read and are in no number here",
            threshold=f"warn from {percent(UNREADABLE_ROWS)} of the rows",
        )


def _scale(highest_reward: float | None, correct_at: float, causes: Sequence[CauseCount]) -> Iterator[Finding]:
    """Rewards on another scale than was assumed make every right answer look refused."""
    if highest_reward is not None and 0 < highest_reward < correct_at:
        yield Finding(
            section="reading",
            severity="fail" if any(count.rollouts for count in causes if _is_refusal(count)) else "warn",
            sentence=f"no reward reaches {correct_at:g}, the highest is {highest_reward:g}, and every rollout counts "
            "as wrong: if rewards are on another scale, say so with --correct-at",
            threshold="fail where the referee finds any of them right, else warn",
        )


def _golds(golds: Golds | None) -> Iterator[Finding]:
    if golds is None or not golds.n_failing:
        return
    if golds.tested_with == "suspect" and golds.n_failing == golds.n_tested and not golds.fixes:
        yield Finding(
            section="golds",
            severity="fail",
            sentence=f"the verifier accepts none of {golds.n_tested} targets as an answer to itself, in any form",
            threshold="fail",
        )
        return
    fix = golds.fixes[0] if golds.fixes else None
    cost = f"; {golds.n_right} right answers were scored wrong for it" if golds.n_right else ""
    cure = f"; {fix.name}: {fix.still_failing} of {fix.n_targets} still fail" if fix is not None else ""
    yield Finding(
        section="golds",
        severity=_severity(golds.n_failing / max(1, golds.n_targets), FAILING_GOLDS),
        sentence=f"{golds.n_failing} of {golds.n_targets} targets do not verify against themselves{cost}{cure}",
        threshold=f"fail from {percent(FAILING_GOLDS)} of the targets, else warn",
    )


def _causes(causes: Sequence[CauseCount], n_rollouts: int, n_groups: int) -> Iterator[Finding]:
    n = max(1, n_rollouts)
    faults = sum(count.rollouts for count in causes if count.cause == "scoring_fault")
    if faults:
        yield Finding(
            section="causes",
            severity=_severity(faults / n, SCORING_FAULTS),
            sentence=f"{_counted(faults, 'rollout')} ({percent(faults / n)}) without a reward because scoring failed",
            threshold=f"fail from {percent(SCORING_FAULTS)} of the rollouts, else warn",
        )
    negatives = [count for count in causes if _is_refusal(count)]
    refused = sum(count.rollouts for count in negatives)
    if refused:
        groups = sum(count.groups + count.near_groups for count in negatives)
        kinds = ", ".join(f"{count.cause.partition(':')[2]} {count.rollouts}" for count in negatives if count.rollouts)
        yield Finding(
            section="causes",
            severity=_severity(refused / n, FALSE_NEGATIVES),
            sentence=f"{_counted(refused, 'right answer')} scored wrong ({kinds}); "
            f"{_counted(groups, 'dead or nearly dead group')} due to it",
            threshold=f"fail from {percent(FALSE_NEGATIVES)} of the rollouts, else warn",
        )
    for cause, said in _IN_THE_TEXT.items():
        count = next((count for count in causes if count.cause == cause), None)
        if count is None or not count.groups:
            continue
        share = count.groups / max(1, n_groups)
        yield Finding(
            section="causes",
            severity="warn" if share >= IN_THE_TEXT else "ok",
            sentence=f"{_counted(count.groups, 'dead group')} {said}",
            threshold=f"warn from {percent(IN_THE_TEXT)} of the groups",
        )


_IN_THE_TEXT = {
    "tool_format": "of which most rollouts call tools in a way that cannot be parsed",
    "truncated": "of which most rollouts are cut off before an answer",
    "no_answer": "of which most rollouts commit to no answer",
    "hedged": "of which most rollouts hedge between answers",
    "undetermined": "without a fault of the reward pipeline: wrong by all that the file shows, rare or impossible",
}


def _paid(paid: PaidButWrong | None, n_rollouts: int) -> Iterator[Finding]:
    if paid is not None and paid.n_rollouts:
        share = paid.n_rollouts / max(1, n_rollouts)
        yield Finding(
            section="causes",
            severity=_severity(share, PAID),
            sentence=f"{_counted(paid.n_rollouts, 'rollout')} ({percent(share)}) paid though the referee refuses",
            threshold=f"fail from {percent(PAID)} of the rollouts, else warn",
        )


def _stake(stake: Stake | None) -> Iterator[Finding]:
    if stake is None or not stake.touched_rollouts:
        return
    units = (stake.missing_units or 0.0) + (stake.wrong_sign_units or 0.0)
    yield Finding(
        section="stake",
        severity=_severity(stake.touched_rollouts, STAKE),
        sentence=f"{percent(units)} of the {stake.unit} had no advantage, or one of the wrong sign, "
        "for faults that can be repaired",
        threshold=f"fail from {percent(STAKE)} of the rollouts, else warn",
    )


def _groups(table: GroupTable) -> Iterator[Finding]:
    comparable = table.all_wrong + table.mixed + table.all_correct + table.tied
    if not comparable:
        yield Finding(
            section="groups",
            severity="warn",
            sentence="no group has two scored rollouts: there is no group-relative advantage at all",
            threshold="warn",
        )
        return
    dead = comparable - table.mixed
    if dead / comparable >= DEGENERATE:
        yield Finding(
            section="groups",
            severity="warn",
            sentence=f"{dead} of {comparable} groups give no advantage ({table.all_wrong} all wrong, "
            f"{table.all_correct} all correct)",
            threshold=f"warn from {percent(DEGENERATE)} of the groups",
        )
