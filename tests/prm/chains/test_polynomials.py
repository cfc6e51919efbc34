"""Exact polynomials against values computed apart from them, and their bounds."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.prm.chains.polynomials import (
    NotRationalError,
    coefficients,
    difference,
    divided,
    greatest_divisor,
    linear_part,
    ratio,
    value_at,
    without_repetition,
)
from rewardgate.verifiers.expression.parser import parse

ROOTS = st.lists(st.integers(-5, 5).map(Fraction), min_size=1, max_size=4)


def with_roots(roots: list[Fraction]) -> list[Fraction]:
    """Coefficients of the product of (x - root), the constant one first."""
    product = [Fraction(1)]
    for root in roots:
        shifted, scaled = [Fraction(0), *product], [-root * size for size in product] + [Fraction(0)]
        product = [one + other for one, other in zip(shifted, scaled, strict=True)]
    return product


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 9))
def test_a_ratio_has_the_value_of_its_expression(x: int, y: int, z: int) -> None:
    above, below = ratio(parse(r"\frac{(x+y)^2-3x}{z}-\frac{x}{z+1}"))
    point = {"x": Fraction(x), "y": Fraction(y), "z": Fraction(z)}
    expected = Fraction((x + y) ** 2 - 3 * x, z) - Fraction(x, z + 1)
    assert value_at(above, point) / value_at(below, point) == expected


@given(ROOTS, ROOTS)
def test_the_greatest_divisor_has_the_common_roots(first: list[Fraction], second: list[Fraction]) -> None:
    common = [root for root in sorted(set(first)) for _ in range(min(first.count(root), second.count(root)))]
    assert greatest_divisor(with_roots(first), with_roots(second)) == with_roots(common)


@given(ROOTS)
def test_without_repetition_every_root_stands_once(roots: list[Fraction]) -> None:
    single = without_repetition(with_roots(roots))
    assert [size / single[-1] for size in single] == with_roots(sorted(set(roots)))


def test_a_division_leaves_what_it_leaves() -> None:
    # x^2 + 1 = (x + 1)(x - 1) + 2
    assert divided([Fraction(1), Fraction(0), Fraction(1)], [Fraction(-1), Fraction(1)]) == ([1, 1], [2])


def test_a_linear_part_is_told_apart() -> None:
    polynomial, _ = difference(parse("xy+2x"), parse("3y"))
    slope, rest = linear_part(polynomial, "x") or ({}, {})
    assert (value_at(slope, {"y": Fraction(4)}), value_at(rest, {"y": Fraction(4)})) == (6, -12)
    assert linear_part(difference(parse("x^2"), parse("1"))[0], "x") is None
    assert coefficients(difference(parse("x^2"), parse("4"))[0]) == [-4, 0, 1]


@pytest.mark.parametrize("text", [r"\sqrt{x}", "x^y", "x^{40}", "(a+b+c+d+k+m+n+p)^8", r"\frac{1}{x-x}", r"\pi x"])
def test_what_is_no_small_quotient_is_refused(text: str) -> None:
    with pytest.raises(NotRationalError):
        ratio(parse(text))
