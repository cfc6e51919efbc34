"""What a row may be, and the verdict that it gets whatever its verifier does."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.rollouts.records import Rollout
from rewardgate.verifiers import Outcome, Verdict, get
from rewardgate.verifiers.rows import as_triple, error, plain_verdict, row_verdict, verdict_of_plain

NO_COMPLETIONS: list[Any] = [5, 5.0, True, b"5", bytearray(), {"content": "5"}, ["5"], [None], ("5",), object()]
MESSAGES = [{"role": "assistant", "content": "4"}]


@pytest.mark.parametrize(
    ("row", "triple"),
    [
        (("4", "5"), ("4", "5", None)),
        (["4", "5"], ("4", "5", None)),  # JSON has no tuples
        (("4", "5", "2+2?"), ("4", "5", "2+2?")),
        ((MESSAGES, ["5", "6"], None), (MESSAGES, ["5", "6"], None)),
        (("", ""), ("", "", None)),  # empty is not unknown
        (Rollout(prompt_id="a", response="4", target="5", prompt="2+2?"), ("4", "5", "2+2?")),
        (SimpleNamespace(response="4", target={"tests": []}, prompt=None), ("4", {"tests": []}, None)),
    ],
)
def test_a_row_is_two_or_three_values_or_an_object_that_has_them(row: Any, triple: tuple[Any, ...]) -> None:
    assert as_triple(row) == triple


@pytest.mark.parametrize(
    ("row", "outcome", "rule"),
    [
        (("4", None), Outcome.BAD_TARGET, "no_target"),
        ((None, "5"), Outcome.ERROR, "no_response"),
        ((None, None), Outcome.BAD_TARGET, "no_target"),
        (Rollout(prompt_id="a", target="5"), Outcome.ERROR, "no_response"),
        (("4",), Outcome.ERROR, "unreadable_row"),
        (("4", "5", None, None), Outcome.ERROR, "unreadable_row"),
        ("45", Outcome.ERROR, "unreadable_row"),  # a string of two characters is no pair
        ({"response": "4", "target": "5"}, Outcome.ERROR, "unreadable_row"),
        (None, Outcome.ERROR, "unreadable_row"),
    ],
)
def test_a_row_that_cannot_be_judged_has_a_verdict_without_a_reward(row: Any, outcome: Outcome, rule: str) -> None:
    verdict = as_triple(row)
    assert isinstance(verdict, Verdict)
    assert (verdict.outcome, verdict.reward, verdict.rule) == (outcome, None, rule)


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


class Returns:
    """A verifier that returns, or raises, what it is told to."""

    version = "1"

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_verifiers_own_verdict_is_passed_on() -> None:
    verdict = Verdict(Outcome.CORRECT, 1.0)
    assert row_verdict(Returns(verdict), ("4", "4", None)) is verdict


@pytest.mark.parametrize(
    ("answer", "rule", "detail"),
    [
        (ValueError("odd"), "raised", "ValueError: odd"),
        (UnprintableError(), "raised", "UnprintableError: (its message cannot be printed: RuntimeError)"),
        (1.0, "not_a_verdict", "expected a Verdict, got float"),
        (None, "not_a_verdict", "expected a Verdict, got NoneType"),
    ],
)
def test_a_verifier_that_raises_or_returns_something_else_is_an_error(answer: object, rule: str, detail: str) -> None:
    verdict = row_verdict(Returns(answer), ("4", "4", None))
    assert (verdict.outcome, verdict.reward, verdict.rule, verdict.detail) == (Outcome.ERROR, None, rule, detail)


def test_a_flood_in_an_exception_is_cut() -> None:
    assert len(error("raised", "x" * 10_000).detail) == 500


@given(
    st.builds(
        Verdict,
        st.just(Outcome.INCORRECT),
        st.floats(0, 1, exclude_max=True),
        st.none() | st.text(),
        st.none() | st.tuples(st.integers(0), st.integers(0)),
        st.text(),
        st.text(),
        st.floats(0, 1e6),
    )
    | st.builds(Verdict, st.sampled_from([Outcome.BUDGET, Outcome.ERROR, Outcome.BAD_TARGET]), st.none())
)
def test_a_verdict_survives_the_way_through_json(verdict: Verdict) -> None:
    back = verdict_of_plain(json.loads(json.dumps(plain_verdict(verdict))))
    assert back == verdict
    assert back.seconds == verdict.seconds


@pytest.mark.parametrize("completion", NO_COMPLETIONS)
def test_what_is_no_completion_is_the_callers_error_and_no_zero(completion: Any) -> None:
    for name, target in (("math", "5"), ("numeric", "5"), ("exact", "5"), ("choice", "B"), ("auto", "5")):
        verdict = get(name).verify(completion, target)
        assert (verdict.outcome, verdict.reward, verdict.rule) == (Outcome.ERROR, None, "unreadable_completion")
    assert get("format", tags=["answer"]).verify(completion, "").reward is None
    assert get("all_of", parts=["math", "numeric"]).verify(completion, "5").outcome is Outcome.ERROR
    row = as_triple((completion, "5"))
    assert isinstance(row, Verdict)
    assert row.detail == f"completion: expected text or a list of messages, got {type(completion).__name__}"


def test_no_completion_at_all_is_an_error_too() -> None:
    assert get("math").verify(None, "5").outcome is Outcome.ERROR


def test_the_message_of_an_exception_becomes_one_line() -> None:
    class Raises:
        version = "1"

        def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
            raise ValueError("first\nsecond\r\nthird\u2028fourth\n")

    assert row_verdict(Raises(), ("4", "4", None)).detail == "ValueError: first second third fourth"
