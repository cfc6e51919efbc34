"""Equations and inequalities up to a constant factor."""

import pytest

from rewardgate.verifiers.expression.parser import UnreadableError
from rewardgate.verifiers.expression.relations import is_relation, probe_relations


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        ("y=2x+3", "4x-2y+6=0", True),
        ("y=2x+3", "2x+3=y", True),
        ("y=2x+3", "y=2x-3", False),
        ("x^2+y^2=4", "x^2+y^2=2", False),
        (r"\frac{x^2}{4}+\frac{y^2}{9}=1", "9x^2+4y^2=36", True),
        ("y-2=3(x-1)", "y=3x-1", True),
        (r"y=\sqrt2x", r"\sqrt2y=2x", True),
        ("y=e^x", "2y-2e^x=0", True),
        ("x+y<1", "2>2x+2y", True),
        ("x+y<1", "x+y>1", False),
        ("x+y<1", r"x+y\le1", False),
        ("x+y<1", "-x-y>-1", True),
        ("x+y=1", r"x+y\ne1", False),
        ("xy=1", r"y=\frac{1}{x}", None),  # the same curve, but not up to a constant
        ("y=e^x", r"x=\ln y", None),
        ("3=3", "4=4", None),
    ],
)
def test_relations_are_the_same_up_to_a_constant_factor(first: str, second: str, equal: bool | None):
    assert probe_relations(first, second).equal is equal
    assert probe_relations(second, first).equal is equal


@pytest.mark.parametrize("text", ["a=b=c", "1<x<2", "x=", r"x\approx2", r"x\in A", "x"])
def test_what_is_no_relation_of_two_sides_is_refused(text: str):
    with pytest.raises(UnreadableError):
        probe_relations(text, "x=1")


def test_a_relation_is_told_by_its_sign():
    assert [is_relation(text) for text in ("x=1", r"x\le1", r"\left(x\right)", r"\ln x")] == [True, True, False, False]
