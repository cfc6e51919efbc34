from fractions import Fraction

import pytest

from rewardgate.prm.arithmetic.operands import Operand, read_right
from rewardgate.prm.arithmetic.readings import MAX_ROUNDED, n_rounded, plain_value, readings, without_marks


def operand(text: str) -> Operand:
    found = read_right(text, 0, len(text))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("12", [12]),
        ("20% * 50", [10, 1000]),
        ("2 hours", [2, 7200]),
        ("50 cents * 4", [200, 2]),
        ("1/2 hour", [Fraction(1, 2), 1800]),
        ("1/0", []),
        ("9^99999", []),
        (r"\sqrt{2}", []),
    ],
)
def test_marks_count_or_not_and_what_has_no_value_has_no_reading(text: str, values: list[Fraction]) -> None:
    assert [reading.value for reading in readings(operand(text))] == values


@pytest.mark.parametrize(
    ("text", "unit"), [("12", 1), ("1.50", Fraction(1, 100)), ("25%", Fraction(1, 100)), ("1+1", None)]
)
def test_a_literal_knows_the_unit_in_its_last_place(text: str, unit: Fraction | None) -> None:
    assert readings(operand(text))[0].unit == unit


def test_the_slack_is_what_half_a_unit_in_each_rounded_decimal_moves() -> None:
    # d(2 * 3.142) = 2 * 0.0005; a decimal of two places is taken as exact.
    assert readings(operand("2 * 3.142"))[0].slack() == Fraction(1, 1000)
    assert readings(operand("2 * 3.14"))[0].slack() == 0
    # d(1.000 * 2.000) = 0.0005 * 2 + 0.0005 * 1
    assert readings(operand("1.000 * 2.000"))[0].slack() == Fraction(3, 2000)


def test_letters_have_no_reading() -> None:
    assert readings(operand("A - B")) == ()


def test_rounded_decimals_are_counted_and_marks_removed() -> None:
    assert n_rounded(operand("1.234 + 5.67 + 0.1234")) == 2
    assert MAX_ROUNDED >= 2
    assert without_marks("(20%)+(2@3600)") == "(20)+(2)"
    assert plain_value("2*3") == 6
