"""Answers in words that say the same as the target are right, the opposite and the doubtful are not."""

import pytest

from rewardgate.verifiers import get
from rewardgate.verifiers.expression.said import says_the_same

ROWS = [
    ("The graph is an ellipse.", "\\text{ellipse}", True),
    ("The graph is not an ellipse.", "\\text{ellipse}", False),
    ("The graph is a hyperbola.", "\\text{ellipse}", False),
    ("It falls on a Friday.", "\\text{Friday}", True),
    ("It falls on a Friday or a Saturday.", "\\text{Friday}", False),
    ("If the day is Friday.", "\\text{Friday}", False),
    ("The series is convergent.", "\\text{convergent}", True),
    ("The series is divergent.", "\\text{convergent}", False),
    ("\\boxed{\\text{The series diverges}}", "\\text{diverges}", True),
    ("\\boxed{\\text{Yes, it is}}", "\\text{Yes}", True),
    ("\\boxed{\\text{No, it is not}}", "\\text{Yes}", False),
    ("\\boxed{\\text{It is not odd}}", "\\text{odd}", False),
    ("\\boxed{y=\\frac{1}{c-x}}", "y=\\frac{1}{C-x}", True),
    ("\\boxed{x^2+y^2=c}", "x^2+y^2=C", True),
    ("\\boxed{x^2-y^2=c}", "x^2+y^2=C", False),
    ("\\boxed{\\frac12ab\\sin c}", "\\frac12ab\\sin C", False),
    ("I doubt that the graph is an ellipse.", "\\text{ellipse}", False),
    ("We start on a Friday. It ends on a Sunday.", "\\text{Friday}", False),
]


@pytest.mark.parametrize(("completion", "target", "right"), ROWS)
def test_auto_takes_what_says_the_same(completion: str, target: str, right: bool) -> None:
    verdict = get("auto").verify(completion, target)
    assert (verdict.reward == 1) is right, verdict


@pytest.mark.parametrize(
    ("target", "answer", "same"),
    [
        ("yes", "yes it is", True),
        ("yes", "yes it is not", False),
        ("no", "no it is not", True),
        ("odd", "it is odd", True),
        ("odd", "it is even", False),
        ("impossible", "not possible", True),
        ("possible", "not possible", False),
        ("alice", "alice wins", True),
        ("alice", "bob wins", False),
        ("absolutely convergent", "converges absolutely", True),
        ("absolutely convergent", "convergent", False),
        ("", "", False),
    ],
)
def test_words_are_compared_without_their_subject(target: str, answer: str, same: bool) -> None:
    assert says_the_same(target, answer) is same
