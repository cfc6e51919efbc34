"""Stored repros asked again after a patch: fixed, still there, or fixed by refusing what is right."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from ..report.evidence import Part
from .asking import LANES, Asker
from .model import CaseVerdict, Expectation, ProbeCase, Severity
from .repros import Repro

__all__ = ["FixReport", "FixRow", "FixStatus", "fix_row", "verify_fix"]

FixStatus = Literal["fixed", "still_there", "overdone", "no_verdict", "not_rerun"]

Ask = Callable[[int, Sequence[ProbeCase]], Sequence[CaseVerdict]]

_NO_CASE = "no single case shows it: probe the verifier again"


class FixRow(Part):
    """What became of one finding.

    `status` is `fixed` (every case is judged right, in two processes), `still_there`, `overdone` (the cases are, but
    the verifier now refuses the references, or accepts an empty response), `no_verdict` (a case that had a verdict
    timed out, crashed or raised) or `not_rerun` (no single case shows it: probe again).
    """

    fingerprint: str
    fault: str
    severity: Severity
    sentence: str
    status: FixStatus
    n_cases: int
    n_right: int
    detail: str = ""
    worst: CaseVerdict | None = None


class FixReport(Part):
    """What became of every stored finding; `is_fixed` where all of them are fixed."""

    schema_version: str = "rewardgate.fix/1"
    verifier: str
    is_fixed: bool
    rows: tuple[FixRow, ...]


def verify_fix(repros: Sequence[Repro], *, verifier: str | None = None, timeout_s: float = 5.0) -> FixReport:
    """Ask every stored case again, one by one, in two killable processes.

    Args:
        repros: what `read_repros` returns, of one verifier.
        verifier: where the patched verifier is; default: where it was.
        timeout_s: seconds that one case may take.

    Raises:
        InputError: the verifier cannot be found, imported or called.
    """
    name = verifier or (repros[0].verifier if repros else "")
    if not any(repro.cases for repro in repros):
        rows = [_row(repro, "not_rerun", [], _NO_CASE) for repro in repros]
    else:
        with Asker(name, timeout_s=timeout_s) as asker:
            rows = []
            for repro in repros:
                asker.correct_at = repro.correct_at
                rows.append(fix_row(repro, partial(asker.ask_in, how="one by one")))
    return FixReport(verifier=name, is_fixed=all(row.status == "fixed" for row in rows), rows=tuple(rows))


def fix_row(repro: Repro, ask: Ask) -> FixRow:
    """What became of one finding; `ask(lane, cases)` says what the verifier in that process judges."""
    if not repro.cases:
        return _row(repro, "not_rerun", [], _NO_CASE)
    cases = [
        ProbeCase(
            case.probe,
            case.expectation,
            case.target,
            case.response,
            case.prompt,
            case.recipe,
            is_specification=case.is_specification,
        )
        for case in repro.cases
    ]
    lanes = [ask(lane, cases) for lane in range(LANES)]
    # Right in one process and wrong in the other is wrong.
    verdicts = [
        next((one for one in answers if not _is_right(one)), answers[0]) for answers in zip(*lanes, strict=True)
    ]
    wrong = [verdict for verdict in verdicts if not _is_right(verdict)]
    if not wrong:
        overdone = _overdone(ask, repro)
        return _row(repro, "overdone" if overdone else "fixed", verdicts, overdone)
    had_verdict = {(case.target, case.response) for case in repro.cases if case.accepted is not None}
    if all(one.accepted is None and (one.target, one.response) in had_verdict for one in wrong):
        return _row(repro, "no_verdict", verdicts, f"{len(wrong)} of {len(verdicts)}: {wrong[0].outcome}")
    return _row(repro, "still_there", verdicts, f"{len(wrong)} of {len(verdicts)} cases still go wrong")


def _overdone(ask: Ask, repro: Repro) -> str:
    """What the patch broke in return; empty where nothing."""
    prompts = {case.target: case.prompt for case in repro.cases}
    specifications = {case.target for case in repro.cases if case.is_specification}

    def case_of(probe: str, expectation: Expectation, target: str, response: str) -> ProbeCase:
        is_specification = target in specifications
        prompt = prompts.get(target)
        return ProbeCase(probe, expectation, target, response, prompt, is_specification=is_specification)

    references = [case_of("reference", "accept", target, response) for target, response in repro.references]
    answers = ask(0, references)
    # One may never have been accepted; that none is, is the patch's doing.
    if answers and not any(_is_right(one) for one in answers):
        return (
            f"none of {len(answers)} references is accepted any more: {answers[0].response!r} for {answers[0].target!r}"
        )
    if not repro.refused_empty:
        return ""
    empty = [case_of("empty", "reject", target, "") for target, _ in repro.references]
    n_paid = sum(one.accepted is True for one in ask(0, empty))
    return f"an empty response is accepted for {n_paid} of {len(empty)} targets" if n_paid else ""


def _is_right(verdict: CaseVerdict) -> bool:
    return verdict.accepted is (verdict.expectation == "accept")


def _row(repro: Repro, status: FixStatus, verdicts: Sequence[CaseVerdict], detail: str) -> FixRow:
    wrong = [verdict for verdict in verdicts if not _is_right(verdict)]
    return FixRow(
        fingerprint=repro.fingerprint,
        fault=repro.fault,
        severity=repro.severity,
        sentence=repro.sentence,
        status=status,
        n_cases=len(repro.cases),
        n_right=len(verdicts) - len(wrong),
        detail=detail,
        worst=next(iter(wrong), None),
    )
