import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from probe_reports import CHANCE, PAID, SUBSTRING, report

from rewardgate.audit.probes.fixing import FixRow, fix_row, verify_fix
from rewardgate.audit.probes.model import CaseVerdict, ProbeCase
from rewardgate.audit.probes.repros import Repro, repros_of
from rewardgate.errors import InputError

REFUSED = PAID.model_copy(
    update={"probe": "boxed", "expectation": "accept", "response": r"\boxed{42}", "accepted": False, "reward": 0.0}
)


def box(text: str) -> str:
    return ([*re.findall(r"boxed{(.*?)}", text), ""])[0]


def repro(*cases: CaseVerdict) -> Repro:
    (found,) = repros_of(report(findings=(SUBSTRING.model_copy(update={"evidence": cases}),)))
    return found


def after(judge: Callable[[str, str], bool | None], *cases: CaseVerdict) -> FixRow:
    """What becomes of a finding with these cases where the patched verifier judges so (None: it raised)."""

    def ask(lane: int, asked: Sequence[ProbeCase]) -> list[CaseVerdict]:
        return [
            PAID.model_copy(
                update={
                    "expectation": case.expectation,
                    "response": case.response,
                    "accepted": (accepted := judge(case.response, case.target)),
                    "outcome": "error" if accepted is None else "returned",
                }
            )
            for case in asked
        ]

    return fix_row(repro(*(cases or (PAID,))), ask)


@pytest.mark.parametrize(
    ("judge", "status", "detail"),
    [
        (lambda text, target: target in text, "still_there", "1 of 1 cases still go wrong"),
        (lambda text, target: box(text) == target, "fixed", ""),
        (lambda text, target: False, "overdone", r"none of 1 references is accepted any more: '\\boxed{42}' for '42'"),
        (
            lambda text, target: box(text) in (target, ""),
            "overdone",
            "an empty response is accepted for 1 of 1 targets",
        ),
        (lambda text, target: None, "no_verdict", "1 of 1: error"),
    ],
)
def test_a_patch_is_judged_by_the_stored_cases_and_by_what_it_broke_in_return(
    judge: Callable[[str, str], bool | None], status: str, detail: str
) -> None:
    row = after(judge)
    assert (row.status, row.detail) == (status, detail)
    assert (row.n_cases, row.n_right) == (1, status in ("fixed", "overdone"))


def test_a_case_that_never_had_a_verdict_and_still_has_none_is_still_there() -> None:
    lost = PAID.model_copy(update={"accepted": None, "reward": None, "outcome": "timeout"})
    assert after(lambda text, target: None, lost).status == "still_there"


def test_a_right_answer_that_was_refused_is_fixed_when_it_is_accepted() -> None:
    row = after(lambda text, target: box(text) == target, REFUSED)
    assert (row.status, row.n_right) == ("fixed", 1)


def test_what_is_right_in_one_process_and_wrong_in_the_other_is_still_there() -> None:
    calls: list[str] = []

    def judge(text: str, target: str) -> bool:
        calls.append(text)
        return len(calls) == 2

    row = after(judge)
    assert (row.status, row.n_right, len(calls)) == ("still_there", 0, 2)


def test_an_empty_response_that_was_always_paid_is_another_findings_matter() -> None:
    controls = report().controls.model_copy(update={"n_empty_accepted": 25})
    (found,) = repros_of(report(findings=(SUBSTRING,), controls=controls))

    def ask(lane: int, asked: Sequence[ProbeCase]) -> list[CaseVerdict]:
        return [
            PAID.model_copy(
                update={"expectation": case.expectation, "accepted": box(case.response) in (case.target, "")}
            )
            for case in asked
        ]

    assert fix_row(found, ask).status == "fixed"


def test_a_fault_that_no_case_shows_is_not_called_fixed() -> None:
    found = verify_fix(repros_of(report(findings=(CHANCE,), verifier="math")))
    (row,) = found.rows
    assert (row.status, row.detail) == ("not_rerun", "no single case shows it: probe the verifier again")
    assert not found.is_fixed


def test_a_patched_file_is_asked_in_killable_processes(tmp_path: Path) -> None:
    path = tmp_path / "grader.py"
    path.write_text(
        "import os\n\n\ndef grade(completion, target):\n"
        "    if 'crash' in completion:\n        os._exit(1)\n"
        "    return float(completion == '\\\\boxed{42}')\n",
        encoding="utf-8",
    )
    crashes = PAID.model_copy(update={"response": "crash 42"})
    found = verify_fix([repro(PAID), repro(REFUSED), repro(crashes)], verifier=f"{path}:grade", timeout_s=60)
    assert [row.status for row in found.rows] == ["fixed", "fixed", "no_verdict"]
    assert found.verifier == f"{path}:grade"
    assert not found.is_fixed
    assert found.rows[2].detail == "1 of 1: crash"


def test_a_verifier_that_is_gone_is_an_error() -> None:
    with pytest.raises(InputError, match="expected an importable function"):
        verify_fix([repro(PAID)], verifier="gone.py:grade")
