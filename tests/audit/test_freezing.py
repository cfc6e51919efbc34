from typing import Any

from audited import Groups, group

from rewardgate.audit import audit
from rewardgate.audit.freezing import freeze
from rewardgate.audit.replaying import FrozenCase
from rewardgate.verifiers import Outcome, Verdict

RIGHT, WRONG = r"so \boxed{0.5}", r"so \boxed{7}"


def frozen(*groups: Any, **options: Any) -> list[FrozenCase]:
    reading: Any = Groups(*groups)
    return freeze(audit(reading, **options), reading)


def test_a_right_answer_that_was_refused_must_be_accepted() -> None:
    (found,) = frozen(group("p", "1/2", [(RIGHT, 0.0), (WRONG, 0.0)], prompt="Half of 1?"))
    assert (found.expected, found.cause) == ("accept", "false_negative:format")
    # Whole, as the verifier was given it.
    assert (found.prompt, found.target, found.response, found.extracted) == ("Half of 1?", "1/2", RIGHT, "0.5")
    assert found.source == "p.jsonl:1"
    assert found.why == "the same value in another notation"


def test_a_wrong_answer_that_was_paid_must_be_rejected() -> None:
    (found,) = frozen(group("p", "1/2", [(WRONG, 1.0), (RIGHT, 1.0)]))
    assert (found.expected, found.cause, found.response) == ("reject", "paid_but_wrong", WRONG)


def test_where_scoring_failed_the_referees_verdict_is_frozen() -> None:
    found = frozen(group("p", "1/2", [(RIGHT, None), (WRONG, None), (WRONG + "!", 0.0), (WRONG + "?", 0.0)]))
    assert [(one.expected, one.cause, one.response) for one in found] == [
        ("accept", "scoring_fault", RIGHT),
        ("reject", "scoring_fault", WRONG),
    ]


def test_an_honest_file_freezes_nothing() -> None:
    assert frozen(group("p", "1/2", [(RIGHT, 1.0), (WRONG, 0.0)]), group("q", "3", [(WRONG, 0.0), (WRONG, 0.0)])) == []


class Refuses:
    """Accepts what is written as the target, but no target with a slash."""

    version = "1"

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
        is_right = f"{{{target}}}" in completion and "/" not in target
        return Verdict(Outcome.CORRECT, 1.0) if is_right else Verdict(Outcome.INCORRECT, 0.0)


def test_a_target_that_the_verifier_under_audit_refuses_must_be_accepted_as_the_responses_write_it() -> None:
    found = frozen(
        group("p", "1/2", [(r"so \boxed{1/2}", 0.0), (WRONG, 0.0)]),
        group("q", "7", [(WRONG, 0.0), (RIGHT, 0.0)]),
        suspect=Refuses(),
    )
    assert ("accept", "gold", r"\boxed{1/2}", "") in [
        (one.expected, one.cause, one.response, one.source) for one in found
    ]


def test_each_completion_is_frozen_once() -> None:
    members = [(RIGHT, 0.0), (WRONG, 0.0)]
    assert len(frozen(group("p", "1/2", members), group("q", "1/2", members))) == 1
