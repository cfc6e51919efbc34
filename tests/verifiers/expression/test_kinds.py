"""Kinds of trees that a comparison must know of."""

import pytest

from rewardgate.verifiers.expression.kinds import (
    has_bare_logarithm,
    has_branches,
    has_jumps,
    is_imaginary,
    is_polynomial,
)
from rewardgate.verifiers.expression.parser import parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(x+1)^2y", True),
        (r"\sqrt2x+\sin(1)", True),  # whatever the coefficients are
        ("x^{-1}", False),
        (r"\frac{1}{x}", False),
        (r"\frac{x}{3}", True),
        ("x^n", False),
        (r"\sqrt{x}", False),
        (r"\sin x", False),
    ],
)
def test_a_polynomial_is_told_as_it_is_written(text: str, expected: bool):
    assert is_polynomial(parse(text)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("x^2+1/x", False), (r"\sin x", False), ("e^x", False), (r"\sqrt{x}", True), ("|x|", True), ("x^{1/3}", True)],
)
def test_functions_of_several_branches_are_told_from_the_others(text: str, expected: bool):
    assert has_branches(parse(text)) is expected


def test_the_other_kinds():
    assert [has_bare_logarithm(parse(text)) for text in (r"2\log x", r"\ln x", r"\log_2x")] == [True, False, False]
    assert [has_jumps(parse(text)) for text in (r"\lfloor x\rfloor", "|x|")] == [True, False]
    assert [is_imaginary(parse(text)) for text in ("2i", "i_1", "e")] == [True, False, False]
