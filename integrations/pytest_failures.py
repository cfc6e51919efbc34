"""What a failed check of a reward function says: what was offered, what it paid, what it should have, and where.

Targets and responses are a stranger's words: they are shown on one line, with what cannot be seen as an escape.
"""

import json
from collections.abc import Iterator, Sequence

from ..audit.probes.model import CaseVerdict, ProbeFinding, ProbeReport
from ..audit.replaying import Broken
from ..audit.report.text import shown
from ..rollouts.messages import completion_text
from ..verifiers.base import Verdict

__all__ = ["fault_text", "probes_text"]

_MOST_CHARS = 300
_RETURNED = "the function returned "


def fault_text(broken: Broken, *, at: str, name: str, correct_at: float) -> str:
    """A frozen case that the reward does not keep.

    Args:
        broken: the case, and what the reward said of it.
        at: the case's own file and line.
        name: the reward's.
        correct_at: what it returns for a right answer, at least.
    """
    case, verdict = broken.case, broken.verdict
    target = case.target if isinstance(case.target, str) else json.dumps(case.target, ensure_ascii=False)
    is_right = case.expected == "accept"
    did = "gives no reward to" if verdict.reward is None else "refuses" if is_right else "pays for"
    lines = [
        f"{at}: {name} {did} a {'right' if is_right else 'wrong'} answer",
        f"  offered:  {_end(completion_text(case.response))}",
        f"  target:   {_end(target)}",
        f"  paid:     {_paid(verdict)}",
        f"  should:   {f'{correct_at:g} or more' if is_right else f'less than {correct_at:g}'}",
        f"  rule:     {shown(case.cause)}: {shown(case.why)}",
    ]
    if case.source:
        lines.append(f"  found in: {shown(case.source)}")
    return "\n".join(lines)


def probes_text(report: ProbeReport, failing: Sequence[ProbeFinding], *, name: str) -> str:
    """Findings of the probes, each with the case that shows it best; or why there is no result.

    Args:
        report: of the probes.
        failing: those of its findings that fail the test; empty where the result is inconclusive.
        name: the reward's.
    """
    lines = [f"{name}: {f'{len(failing)} of the findings of its probes' if failing else shown(report.headline)}"]
    for finding in failing:
        lines += [f"  {finding.fault} ({finding.severity}): {shown(finding.sentence)}"]
        lines += [f"    {line}" for case in finding.evidence[:1] for line in _case(case)]
        lines += [f"    rule:     {shown(finding.explanation)}"]
    return "\n".join([*lines, f"  all of it: rewardgate probe {shown(report.verifier)}"])


def _case(case: CaseVerdict) -> Iterator[str]:
    paid = f"{case.reward:g}" if case.reward is not None else shown(f"nothing: {case.outcome} {case.detail}".rstrip())
    yield f"offered:  {_end(case.response)}"
    yield f"target:   {_end(case.target)}"
    yield f"paid:     {paid}; must {case.expectation}"


def _paid(verdict: Verdict) -> str:
    if verdict.rule == "returned":
        return shown(verdict.detail.removeprefix(_RETURNED))
    paid = "nothing" if verdict.reward is None else f"{verdict.reward:g}"
    return shown(f"{paid}: {verdict.outcome} ({verdict.rule}) {verdict.detail}".rstrip())


def _end(text: str) -> str:
    """The end of a text, where the answer is."""
    told = "" if len(text) <= _MOST_CHARS else f"({len(text) - _MOST_CHARS} characters) …"
    return told + (shown(text[-_MOST_CHARS:]) or "(empty)")
