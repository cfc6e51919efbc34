"""What a worker said of a case, as the verdict that stands in the report."""

from typing import Any

from ...verifiers.base import Outcome
from ...verifiers.workers.conditions import UNREACHED
from .model import CaseVerdict, ProbeCase

__all__ = ["LOST", "NOT_ASKED", "answer_of", "not_asked", "verdict_of"]

LOST = ("timeout", "crash")
"""Outcomes of a case that its process did not survive."""

NOT_ASKED = "not asked"
"""The outcome of a case that was left out."""

_WITHOUT_VERDICT = {"returned_none": "none", "returned_nan": "nan"}


def verdict_of(case: ProbeCase, answer: dict[str, Any], *, correct_at: float) -> CaseVerdict:
    """The verdict on `case`.

    Args:
        case: what was asked.
        answer: a verdict as plain data, from `verifiers.conditions.judged`.
        correct_at: the reward from which a response counts as accepted.
    """
    rule, outcome, reward, detail = (answer[key] for key in ("rule", "outcome", "reward", "detail"))
    if outcome in (*LOST, NOT_ASKED, Outcome.ERROR):
        outcome = _WITHOUT_VERDICT.get(rule, outcome)
        return _verdict(case, None, None, str(outcome), detail, answer["seconds"])
    if rule == "returned":
        # A function's number, as a fraction of the threshold that it was judged with.
        reward = reward * UNREACHED
        detail, accepted = f"returned {reward:g}", reward >= correct_at
        outcome = "accepted" if accepted else "refused"
    else:
        # No verdict for the target's own sake pays nobody.
        accepted = outcome == Outcome.CORRECT
    return _verdict(case, accepted, reward, str(outcome), detail, answer["seconds"])


def not_asked(case: ProbeCase) -> CaseVerdict:
    """The verdict on a case that was left out."""
    return _verdict(case, None, None, NOT_ASKED)


def answer_of(outcome: str, detail: str) -> dict[str, Any]:
    """An answer in place of the one that never came."""
    return {"outcome": outcome, "reward": None, "rule": "", "detail": detail, "seconds": None}


def _verdict(
    case: ProbeCase,
    accepted: bool | None,
    reward: float | None,
    outcome: str,
    detail: str = "",
    seconds: float | None = None,
) -> CaseVerdict:
    return CaseVerdict(
        probe=case.probe,
        expectation=case.expectation,
        target=case.target,
        response=case.response,
        prompt=case.prompt,
        recipe=case.recipe,
        is_specification=case.is_specification,
        accepted=accepted,
        reward=reward,
        outcome=outcome,
        detail=detail,
        seconds=seconds,
    )
