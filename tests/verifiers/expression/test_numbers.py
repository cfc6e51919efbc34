"""Exact numbers and their spellings."""

from decimal import Decimal, Inexact, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.normalise import normalise
from rewardgate.verifiers.expression.numbers import Power, as_fraction, read_quantity, same_value, terminates


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-1,234,567.50", Fraction("-1234567.5")),
        ("1 234", 1234),
        ("½", Fraction(1, 2)),
        ("7 3/4", Fraction(31, 4)),
        (r"0.1\overline{6}", Fraction(1, 6)),
        ("0.(3)", Fraction(1, 3)),
        ("twelve", 12),
        ("3 million", 3_000_000),
        (r"1.5\text{ million dollars}", 1_500_000),
        ("5×10³", 5000),
        ("3e6", 3_000_000),
        ("-$5", -5),
        ("12th", 12),
        (r"12^{\text{th}}", 12),
        ("1112112_3", 1121),
        ("FF_{16}", 255),
        ("3,50 €", Fraction(7, 2)),
        ("(((5)))", 5),
        (".5", Fraction(1, 2)),
        (r"\frac{-2}{5}", Fraction(-2, 5)),
        ("007", 7),
        (r"\text{USD }18", 18),
    ],
)
def test_each_spelling_has_its_exact_value(text: str, value: Fraction):
    quantity = read_quantity(normalise(text))
    assert quantity is not None
    assert as_fraction(quantity.value) == value


@pytest.mark.parametrize(
    "text", ["", "x", "5x", "3+4i", "4:30", "5 or 6", "1,22", "9 cm by 3 cm", "³", "1,2,3", "2.5.3", "5xy"]
)
def test_what_is_not_one_number_is_none(text: str):
    assert read_quantity(normalise(text)) is None


@given(st.fractions(), st.fractions())
def test_equality_is_that_of_fractions(one: Fraction, other: Fraction):
    assert same_value(one, other) is (one == other)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_a_decimal_equals_its_fraction(value: Decimal):
    assert same_value(value, Fraction(value))


def test_neither_size_nor_exponent_is_expanded():
    assert same_value(Decimal("1e1000000"), Power(10, 1_000_000))
    assert not same_value(Decimal("1e999999999"), Decimal("1e999999998"))
    assert as_fraction(Decimal("1e999999999")) is None


def test_the_callers_decimal_context_does_not_matter():
    with localcontext() as context:
        context.prec = 3
        context.traps[Inexact] = True
        quantity = read_quantity("123456.5 million")
    assert quantity is not None
    assert as_fraction(quantity.value) == 123_456_500_000


@pytest.mark.parametrize(
    ("value", "finite"),
    [
        (Fraction(3, 40), True),
        (Fraction(1, 3), False),
        (Fraction(1, 7), False),
        (Decimal("0.1"), True),
    ],
)
def test_which_values_terminate(value: Fraction | Decimal, finite: bool):
    assert terminates(value) is finite


def test_a_vague_number_is_marked():
    for text in (r"\text{about }50", r"100\text{ or so}", "roughly 7"):
        quantity = read_quantity(normalise(text))
        assert quantity is not None
        assert quantity.vague
