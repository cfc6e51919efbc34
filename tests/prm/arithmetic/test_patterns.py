import pytest

from rewardgate.prm.arithmetic.patterns import (
    at,
    ends_range,
    is_fraction,
    is_glued,
    is_mixed,
    is_sign,
    multiplies,
    starts,
    unit_end,
)
from rewardgate.prm.arithmetic.tokens import tokens_of


@pytest.mark.parametrize(
    ("text", "fraction", "mixed"),
    [
        ("1/2", True, False),
        ("1 / 2", False, False),
        ("1.5/2", False, False),
        ("3 1/2", False, True),
        ("3 3/2", False, False),
        ("31/2", True, False),
        ("3 1 / 2", False, False),
    ],
)
def test_fractions_and_mixed_numbers_are_told_by_their_spaces(text: str, fraction: bool, mixed: bool) -> None:
    tokens = tokens_of(text)
    assert is_fraction(tokens, 0) is fraction
    assert is_mixed(tokens, 0) is mixed


@pytest.mark.parametrize(("text", "expected"), [("3-4", True), ("3 - 4", False), ("4-3", False), ("3+4", False)])
def test_a_tight_rising_difference_may_be_a_range(text: str, expected: bool) -> None:
    assert ends_range(tokens_of(text), 3) is expected


@pytest.mark.parametrize(("text", "expected"), [("as -3", True), ("as - 3", False), ("5-3", False), ("as +3", False)])
def test_a_minus_glued_to_its_number_alone_is_a_sign(text: str, expected: bool) -> None:
    assert is_sign(tokens_of(text), 1) is expected


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("5 apples", 2),
        ("5 apples + 3", 2),
        ("5 apples + -3", 2),
        ("5 red apples, 3", 3),
        ("5 gallons/week", 4),
        ("5 cm^2", 4),
        ("5 cm^{2}", 6),
        ("5 boxes x 3", 2),
        ("5 apples and 3", 2),
        ("5 apples + tax", None),
        ("5 apples 3", None),
        ("5 s^2", None),
        ("5 and 3", None),
        ("5 of 3", None),
    ],
)
def test_a_unit_ends_before_an_operator_or_a_pause(text: str, end: int | None) -> None:
    assert unit_end(tokens_of(text), 1) == end


def test_questions_about_places_outside_are_answered_no() -> None:
    tokens = tokens_of("3 x 4")
    assert multiplies(tokens, 1)
    assert starts(tokens, 2)
    assert not any((at(tokens, 3, "number"), at(tokens, -1, "number"), starts(tokens, 3), multiplies(tokens, 3)))
    assert not is_glued(tokens, 0)
    assert not is_fraction(tokens, -2)
    assert not ends_range(tokens, 2)
