"""One quantity in several units."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.compounds import read_compound


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("3 hours and 20 minutes", Fraction(10, 3), "h"),  # 3 + 20/60
        ("2 h 30 min", Fraction(5, 2), "h"),
        ("1 day, 2 hours, and 30 minutes", Fraction(53, 48), "day"),  # (24 + 2.5) / 24
        (r"3\text{ hours }20\text{ minutes}", Fraction(10, 3), "h"),
        ("5 ft 3 in", Fraction(21, 4), "ft"),
        ("5 feet and 3 inches", Fraction(21, 4), "ft"),
        ("2 dollars and 50 cents", Fraction(5, 2), "$"),
        ("3 m 40 cm", Fraction(17, 5), "m"),
    ],
)
def test_parts_add_up_in_the_first_unit(text: str, value: Fraction, unit: str):
    found = read_compound(text)
    assert found is not None
    assert found.unit is not None
    assert (found.value, found.unit.name) == (value, unit)


@pytest.mark.parametrize(
    "text",
    [
        "3 hours",
        "3 m, 40 cm",  # two lengths
        "3 m and 40 cm",
        "20 minutes and 3 hours",
        "3 hours and 20 hours",
        "3 hours and 20 cm",
        "3 hours or 20 minutes",
        "3 apples and 20 pears",
        "3 hours and 20",
        "3 and 20 minutes",
        "",
    ],
)
def test_other_lists_are_no_quantity(text: str):
    assert read_compound(text) is None


@given(st.integers(0, 1000), st.integers(0, 59), st.integers(0, 59))
def test_a_time_is_worth_its_seconds(hours: int, minutes: int, seconds: int):
    found = read_compound(f"{hours} hours, {minutes} minutes and {seconds} seconds")
    assert found is not None
    assert found.value == Fraction(3600 * hours + 60 * minutes + seconds, 3600)
