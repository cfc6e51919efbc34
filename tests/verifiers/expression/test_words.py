"""Numbers in words, against a spelling written here independently."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.words import read_fraction_words, read_words

ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelled(value: int) -> str:
    for size, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if value >= size:
            rest = f" {spelled(value % size)}" if value % size else ""
            return f"{spelled(value // size)} {name}{rest}"
    if value < 20:
        return ONES[value]
    return TENS[value // 10 - 2] + (f"-{ONES[value % 10]}" if value % 10 else "")


@given(st.integers(0, 999_999_999))
def test_every_spelled_number_is_read(value: int):
    assert read_words(spelled(value)) == value


@pytest.mark.parametrize(
    "text", ["", "one two", "twenty twelve", "a dozen", "million", "and", "one and", "ten one", "twelve apples"]
)
def test_what_spells_no_number_is_none(text: str):
    assert read_words(text) is None


def test_british_and_is_read():
    assert read_words("One hundred and five") == 105


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("one half", Fraction(1, 2)),
        ("a third", Fraction(1, 3)),
        ("two-thirds", Fraction(2, 3)),
        ("three quarters", Fraction(3, 4)),
        ("eleven tenths", Fraction(11, 10)),
        ("two halves", Fraction(1)),
        ("third", None),
        ("the third", None),
        ("one second", None),
        ("half", None),
        ("one half of it", None),
    ],
)
def test_a_fraction_needs_its_count(text: str, value: Fraction | None):
    assert read_fraction_words(text) == value
