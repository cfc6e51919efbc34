"""The findings of an audit as frozen cases, which a test replays.

A case is one rollout whole, with the verdict that the audit's referee stands for. The referee is not the truth: read
the cases before they become a law of yours, and throw out those that you do not agree with.
"""

from collections import Counter
from collections.abc import Iterator

from ..rollouts.reading import Reading
from ..rollouts.records import Rollout
from ..rollouts.writing import row_text
from ..verifiers.base import Outcome
from .causes.deciding import Cause
from .golds.offering import offered
from .golds.texts import gold_text, target_key
from .judging import REFUSED
from .replaying import Expected, FrozenCase
from .report.evidence import Evidence
from .report.model import AuditReport
from .responses.texts import clipped

__all__ = ["freeze"]

MAX_CASES_OF_A_CAUSE = 200


def freeze(report: AuditReport, reading: Reading) -> list[FrozenCase]:
    """The findings of `report` as cases, in the order of the file, each completion once.

    Right answers that were scored wrong must be accepted, wrong ones that were paid must be rejected; a rollout whose
    scoring failed must get the referee's verdict. Where a verifier was audited, a target that it refuses as an answer
    to itself must be accepted in the form that the responses use. At most 200 cases of each cause.

    Args:
        report: an audit's; the evidence that it keeps is what is frozen.
        reading: what it was made from; iterated once more.
    """
    wanted: dict[str, tuple[Expected, Evidence]] = {}
    for expected, evidence in _evidence(report):
        wanted[evidence.source] = (expected, evidence)
    refused: set[str] = set()
    if report.golds is not None and report.golds.tested_with == "suspect":
        refused = {failing.target for failing in report.golds.failing}
    cases: list[FrozenCase] = []
    seen: set[str] = set()
    counts: Counter[str] = Counter()
    for group in reading:
        for rollout in group.rollouts:
            shown = wanted.get(str(rollout.source))
            found = () if shown is None else (_of_rollout(rollout, *shown),)
            for case in (*found, *_of_target(rollout, refused, report)):
                key = row_text({"target": case.target, "response": case.response, "expected": case.expected})
                if case.response and key not in seen and counts[case.cause] < MAX_CASES_OF_A_CAUSE:
                    seen.add(key)
                    counts[case.cause] += 1
                    cases.append(case)
    return cases


def _evidence(report: AuditReport) -> Iterator[tuple[Expected, Evidence]]:
    """Rollouts that were scored otherwise than the referee judges them, or not at all."""
    for card in report.cards:
        for found in card.evidence:
            if found.cause is not None and found.referee == Outcome.CORRECT:
                yield "accept", found
            elif found.cause == Cause.SCORING_FAULT and found.referee in REFUSED:
                yield "reject", found
    if report.paid_but_wrong is not None:
        for found in report.paid_but_wrong.examples:
            yield "reject", found


def _of_rollout(rollout: Rollout, expected: Expected, found: Evidence) -> FrozenCase:
    return FrozenCase(
        expected=expected,
        prompt=rollout.prompt,
        target="" if rollout.target is None else rollout.target,
        response="" if rollout.response is None else rollout.response,
        cause=found.cause or "paid_but_wrong",
        why=found.why or found.referee_detail,
        extracted=found.extracted,
        source=found.source,
    )


def _of_target(rollout: Rollout, refused: set[str], report: AuditReport) -> Iterator[FrozenCase]:
    """The rollout's target as an answer to itself, where the verifier under audit refuses it."""
    target = rollout.target
    if target is None or report.golds is None:
        return
    shown = clipped(target if isinstance(target, str) else target_key(target))
    text = gold_text(target)
    if shown in refused and text is not None:
        yield FrozenCase(
            expected="accept",
            prompt=rollout.prompt,
            target=target,
            response=offered(text, "bare" if "\n" in text else report.golds.form),
            cause=str(Cause.GOLD),
            why="the target itself, in the form that the responses use",
            extracted=text,
        )
