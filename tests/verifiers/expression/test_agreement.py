"""Agreement: equal, different, or neither for certain."""

from fractions import Fraction

import pytest

from rewardgate.verifiers.expression.agreement import agree, agree_in_floats, as_digits
from rewardgate.verifiers.expression.enclosures import Enclosure, mp_field

FIELD = mp_field(192)


def many_digits(text: str, radius: str = "1e-55") -> Enclosure:
    return Enclosure(FIELD.functions.mpf(text), FIELD.functions.mpf(radius))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (Fraction(1, 3), Fraction(2, 6), True),
        (Fraction(1, 3), Fraction(1, 4), False),
        (Enclosure(1.0, 1e-16), Enclosure(1.0 + 2e-16, 1e-16), True),
        (Enclosure(1.0, 1e-16), Enclosure(1.1, 1e-16), False),
        (Enclosure(1.0, 1e-16), Enclosure(1.0 + 1e-12, 1e-16), None),  # apart, but not clearly
        (Enclosure(1.0, 0.5), Enclosure(1.1, 0.5), None),
        (Enclosure(0.0, 1e-16), Enclosure(1e-17, 1e-16), None),  # zeros have no size to compare with
    ],
)
def test_floats_tell_clear_cases_only(first: object, second: object, expected: bool | None):
    assert agree_in_floats(first, second) is expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("1.5", "1.5", True),
        ("1.5", "1.50000000000000000000000000000000000001", False),
        ("0", "0", True),
        ("1e-56", "0", True),  # inside the error of a zero
        ("1e-52", "0", False),
    ],
)
def test_many_digits_tell_the_rest(first: str, second: str, expected: bool | None):
    assert agree([many_digits(first), many_digits(second)], FIELD) is expected


def test_a_wide_enclosure_is_no_agreement():
    assert agree([many_digits("1.5", "1e-3"), many_digits("1.5")], FIELD) is None
    assert agree([many_digits("1e-60"), Fraction(1, 10**60)], FIELD) is None


def test_real_values_have_digits_and_imaginary_ones_none():
    assert str(as_digits(Fraction(1, 8))) == "0.125"
    assert str(as_digits(many_digits("2.5"))) == "2.5"
    assert as_digits(many_digits("1e-56")) == 0
    assert as_digits(Enclosure(FIELD.functions.mpc(1, 1), 0)) is None
