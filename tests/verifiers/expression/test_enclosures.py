"""Enclosures: the true value is always inside, and what has no value says so."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath.libmp import to_rational

from rewardgate.verifiers.expression.enclosures import (
    FLOATS,
    DivisionByZeroError,
    Enclosure,
    Field,
    UndefinedError,
    Value,
    mp_field,
)

FIELDS = (FLOATS, mp_field(96))
SMALL = st.fractions(min_value=-1000, max_value=1000, max_denominator=997)


def contains(value: Value, truth: Fraction) -> bool:
    if isinstance(value, Fraction):
        return value == truth
    return abs(rational(value.middle) - truth) <= rational(value.radius)


def rational(number: Any) -> Fraction:
    return Fraction(number) if isinstance(number, int | float) else Fraction(*to_rational(number._mpf_))


def inexact(field: Field, value: Fraction) -> Enclosure:
    return field.enclosed(value)


@pytest.mark.parametrize("field", FIELDS, ids=["floats", "96 bits"])
@given(first=SMALL, second=SMALL, exponent=st.integers(-6, 6))
def test_the_true_value_is_inside_after_every_operation(field: Field, first: Fraction, second: Fraction, exponent: int):
    one, other = inexact(field, first), inexact(field, second)
    assert contains(field.add(one, other), first + second)
    assert contains(field.multiply(one, other), first * second)
    if first and second:
        assert contains(field.inverse(one), 1 / first)
        assert contains(field.whole_power(one, exponent), first**exponent)
        quotient = field.multiply(field.add(one, other), field.inverse(other))
        assert contains(quotient, (first + second) / second)


def test_rational_arithmetic_stays_exact_until_it_is_too_large():
    assert FLOATS.add(Fraction(1, 3), Fraction(1, 6)) == Fraction(1, 2)
    assert FLOATS.whole_power(Fraction(2), 1_000) == 2**1_000
    assert isinstance(mp_field(96).whole_power(Fraction(2), 10_000), Enclosure)
    assert FLOATS.whole_power(Fraction(-1), 10**12 + 1) == -1


def test_cancellation_widens_the_enclosure():
    third = FLOATS.enclosed(Fraction(1, 3))
    gone = FLOATS.add(third, FLOATS.multiply(Fraction(-1), third))
    assert isinstance(gone, Enclosure)
    assert gone.middle == 0
    assert 2**-54 < gone.radius < 2**-50


@pytest.mark.parametrize("field", FIELDS, ids=["floats", "96 bits"])
def test_a_division_by_zero_or_by_what_may_be_zero_has_no_value(field: Field):
    with pytest.raises(DivisionByZeroError):
        field.inverse(Fraction(0))
    with pytest.raises(DivisionByZeroError):
        field.whole_power(Fraction(0), -1)
    with pytest.raises(UndefinedError, match="near"):
        field.inverse(Enclosure(field.enclosed(Fraction(1, 10**20)).middle, 1))


def test_no_power_is_expanded_beyond_its_cap():
    with pytest.raises(UndefinedError, match="too large"):
        mp_field(96).whole_power(Fraction(10), 10**9)
    with pytest.raises((UndefinedError, OverflowError)):
        FLOATS.whole_power(Fraction(10), 4_000)


def test_what_underflows_keeps_an_error():
    tiny = FLOATS.multiply(Enclosure(1e-200, 0.0), Enclosure(1e-200, 0.0))
    assert isinstance(tiny, Enclosure)
    assert tiny.radius > 0


def test_the_size_of_a_value_counts_powers_of_two():
    assert [FLOATS.binary_size(value) for value in (Fraction(1024), Fraction(1, 1024), Fraction(0))] == [10, 10, 0]
    assert FLOATS.binary_size(Enclosure(math.pi, 0.0)) == 2
    assert mp_field(96).binary_size(mp_field(96).enclosed(Fraction(1, 1024))) == 9
