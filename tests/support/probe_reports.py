"""Probe reports in literals: one verifier with a substring fault, a chance fault and a strictness that is explained."""

from typing import Any

from rewardgate.audit.probes.model import (
    Behaviour,
    CaseVerdict,
    Controls,
    Headlines,
    ProbeFinding,
    ProbeReport,
    ProbeRow,
    Rate,
    Unmeasured,
)

PAID = CaseVerdict(
    probe="list_spray",
    expectation="reject",
    target="42",
    response=r"40, 41, 42, 43 in \boxed{7}",
    prompt="What is 6 * 7?",
    accepted=True,
    reward=1.0,
    outcome="accepted",
)
SUBSTRING = ProbeFinding(
    fingerprint="a1b2c3d4e5",
    fault="substring",
    severity="fail",
    sentence=r"A list of numbers that has the target in it is accepted for 25 of 25 targets, \boxed{7} too.",
    explanation="Compare the answer, not the text.",
    probes=("list_spray",),
    evidence=(PAID,),
)
CHANCE = ProbeFinding(
    fingerprint="f00dfeed00",
    fault="random",
    severity="warn",
    sentence="3 of 50 verdicts differ between two fresh processes.",
    explanation="Seed it.",
)
STRICT = ProbeFinding(
    fingerprint="0123456789",
    fault="strict_format",
    severity="info",
    sentence="Only the box is read.",
    explanation="An honest choice.",
    probes=("answer_tag",),
)


def row(probe: str, expectation: str, n: int, n_accepted: int, **other: Any) -> ProbeRow:
    """A row of the matrix with nothing lost unless told."""
    given: dict[str, Any] = {"n_errors": 0, "n_timeouts": 0, "n_crashes": 0, "bound": None, "is_underpowered": False}
    return ProbeRow(
        probe=probe,
        expectation=expectation,
        family="",
        meaning=probe,
        n=n,
        n_accepted=n_accepted,
        **{**given, **other},
    )


def report(**other: Any) -> ProbeReport:
    """The report of all three findings, with fields replaced."""
    nothing = Rate(count=0, n=25, rate=0.0, upper_bound=0.11, is_underpowered=True)
    given: dict[str, Any] = {
        "rewardgate_version": "0.1.0",
        "verifier": "graders/sub string.py:grade",
        "told": "a plain shape",
        "correct_at": 1.0,
        "targets_from": "built in",
        "n_targets": 25,
        "n_cases": 900,
        "seed": 0,
        "status": "findings",
        "severity": "fail",
        "headline": SUBSTRING.sentence,
        "controls": Controls(
            separates=True,
            form="boxed",
            forms=(),
            kinds=(),
            n_references=25,
            n_references_accepted=25,
            n_empty=25,
            n_empty_accepted=0,
        ),
        "headlines": Headlines(false_pass_ceiling=nothing, lazy=None, false_fail=nothing),
        "rows": (
            row("boxed", "accept", 25, 25),
            row("answer_tag", "accept", 25, 0, explained="the verifier reads the box alone"),
            row("list_spray", "reject", 25, 25, worst=PAID),
            row("long_text", "reject", 25, 0, n_timeouts=2),
            row("all_options", "reject", 0, 0),
        ),
        "behaviour": Behaviour(),
        "findings": (SUBSTRING, CHANCE, STRICT),
        "search": {},
        "not_measured": (Unmeasured(what="prompt echo", why="no prompts", enable="give rows with prompts"),),
        "seconds": 1.25,
    }
    return ProbeReport(**{**given, **other})
