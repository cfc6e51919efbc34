"""The stage before the worker: what it decides, with which rule, and what it hands on unchanged."""

import pytest

from rewardgate.verifiers.expression.results import SymbolicResult
from rewardgate.verifiers.probed import probed

HANDED_ON = SymbolicResult(True, None, None, "from the next stage")


def judged(target: str, answer: str) -> SymbolicResult:
    return probed(lambda _target, _answer: HANDED_ON)(target, answer)


@pytest.mark.parametrize(
    ("target", "answer", "equal", "rule"),
    [
        (r"\sqrt{8}", r"2\sqrt{2}", True, "equal_expression"),
        (r"\sqrt{8}", r"2\sqrt{3}", False, "different_expression"),
        ("y=2x+3", "2x-y+3=0", True, "equal_relation"),
        ("x+y<1", "x+y>1", False, "different_relation"),
    ],
)
def test_what_is_certain_is_decided_here(target: str, answer: str, equal: bool, rule: str):
    result = judged(target, answer)
    assert (result.equal, result.rule) == (equal, rule)


@pytest.mark.parametrize(
    ("target", "answer"),
    [
        (r"\int_0^1x", "6"),  # not read
        ("1/2x", "x/2"),  # read in two ways
        (r"\log 100", "2"),  # undecided
        ("x=1", "1"),  # a relation beside an expression
        ("xy=1", r"y=\frac{1}{x}"),
    ],
)
def test_what_is_not_certain_goes_on_unchanged(target: str, answer: str):
    assert judged(target, answer) is HANDED_ON


def test_the_digits_of_constants_are_handed_to_the_policies():
    result = judged(r"\sqrt{2}", "1.414")
    assert str(result.target_value).startswith("1.41421356")
    assert str(result.answer_value) == "1.414"


def test_the_detail_says_what_decided():
    assert judged("x", "|x|").detail == "|x| is not x (at x = -5/4)"
