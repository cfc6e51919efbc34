from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_answers import as_number, last_box, of_trl, of_verl, right_reward

from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.verifiers import Extracted, Outcome, Verdict, get
from rewardgate.verifiers.testing.subject import as_subject


class OnlyVerify:
    """Without `version`, as somebody's own class may be."""

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
        return get("math").verify(completion, target, prompt=prompt)


class OnlyExtract:
    def extract(self, completion: Any, *, prompt: Any = None) -> Extracted | None:
        text = last_box(completion)
        return None if text is None else Extracted(text, None, "boxed")


JUDGES = [get("math"), "math", "boxed", OnlyVerify(), OnlyExtract(), of_trl, of_verl, right_reward, last_box, as_number]


@pytest.mark.parametrize("subject", JUDGES, ids=lambda one: getattr(one, "__name__", str(one)[:12]))
def test_whatever_judges_or_extracts_is_asked_alike(subject: Any) -> None:
    asked = as_subject(subject)
    assert asked.judge(r"so \boxed{5}", "5").reward == 1
    assert asked.judge(r"so \boxed{6}", "5").reward == 0
    rows = [(r"\boxed{5}", "5"), (r"\boxed{6}", "5"), (r"\boxed{7}", "7")]
    assert [verdict.reward for verdict in asked.judge_batch(rows)] == [1, 0, 1]


@pytest.mark.parametrize("subject", [OnlyVerify, 3, None, lambda a, b, c: 0.0, "nobody.knows:it"])
def test_what_is_neither_is_refused(subject: Any) -> None:
    with pytest.raises(ValueError, match="expected "):
        as_subject(subject)


def test_a_class_is_to_be_called_first() -> None:
    with pytest.raises(ArgumentError, match="subject: expected an object, got the class OnlyVerify; call it first"):
        as_subject(OnlyVerify)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UnknownNameError, match='unknown name "maths"'):
        as_subject("maths")


def test_what_a_function_raises_or_returns_is_told() -> None:
    def broken(completion: str, target: str) -> float:
        return 1 / len(completion)

    verdict = as_subject(broken).judge("", "5")
    assert (verdict.outcome, verdict.rule) == (Outcome.ERROR, "raised")
    assert verdict.detail.startswith("ZeroDivisionError: ")


def test_a_reward_function_is_right_from_what_it_is_told_on() -> None:
    def in_tens(completion: str, target: str) -> float:
        return 10 * right_reward(completion, target)

    assert as_subject(in_tens, correct_at=10).judge(r"\boxed{5}", "5").reward == 1


@pytest.mark.parametrize(
    ("found", "target", "committed"),
    [
        ("5", "5", None),
        (r" $\text{5}$.", "5", None),
        (r"{\mathbf{5}}", "5", None),
        (5.0, "5", None),
        ("1234", "1,234", None),
        (r"\frac{1}{2}", "0.5", r"\frac{1}{2}"),
        ("( 1, 2 )", "(1,2)", None),
        ("{1}+{2}", "{1}+{2}", None),
    ],
)
def test_an_extractor_finds_the_target_or_what_was_committed_to(found: Any, target: str, committed: str | None) -> None:
    assert as_subject(lambda text: found).judge("", target, committed).reward == 1


@pytest.mark.parametrize(("found", "target"), [("b", "B"), ("5", "-5"), ("", "5"), ("[1,2]", "(1,2)"), ("4", "2^2")])
def test_another_text_is_not_what_was_committed_to(found: str, target: str) -> None:
    assert as_subject(lambda text: found).judge("", target).reward == 0


def test_an_extractor_that_returns_something_else_is_told_so() -> None:
    verdict = as_subject(lambda text: True).judge("", "5")
    assert (verdict.outcome, verdict.detail) == (
        Outcome.ERROR,
        "TypeError: expected a text, a number or None, got bool",
    )


@given(st.text(max_size=40))
def test_no_text_found_makes_it_raise(text: str) -> None:
    assert as_subject(lambda _: text).judge("", "5").outcome is not Outcome.ERROR
