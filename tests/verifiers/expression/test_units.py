"""Units of answers."""

from fractions import Fraction

import pytest

from rewardgate.verifiers.expression.units import conversion, read_unit, units_conflict


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("cm", "cm"),
        ("centimeters", "cm"),
        (r"\text{ square inches}", "in^2"),
        (r"\text{cm}^2", "cm^2"),
        ("%", "percent"),
        (r"^\circ", "degree"),
        ("$", "$"),
        ("dollars", "$"),
        ("Apples", "apples"),
        ("hours", "h"),
        ("feet", "ft"),
    ],
)
def test_a_unit_has_one_name(text: str, name: str):
    unit = read_unit(text)
    assert unit is not None
    assert unit.name == name


@pytest.mark.parametrize("text", ["", "units", "square units", r"\text{ units}", "in total"])
def test_words_that_name_no_unit_are_none(text: str):
    assert read_unit(text) is None


@pytest.mark.parametrize(
    ("answer", "target", "factor"),
    [
        ("minutes", "hours", Fraction(1, 60)),
        ("m", "cm", 100),
        ("m^2", "cm^2", 10_000),
        ("cents", "dollars", Fraction(1, 100)),
        ("in", "cm", Fraction(254, 100)),
        ("cm", "cm", 1),
        ("apples", "cm", 1),
    ],
)
def test_convertible_units_convert_exactly(answer: str, target: str, factor: Fraction):
    assert conversion(read_unit(answer), read_unit(target)) == factor


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        ("cm", "hours", True),
        ("cm", "m", False),
        ("cm", "cm^2", True),
        ("dollars", "euros", True),
        ("miles", "km", False),
        ("apples", "pears", True),
        ("blue marbles", "marbles", False),
        ("", "cm", False),
    ],
)
def test_units_of_other_dimensions_conflict(one: str, other: str, conflict: bool):
    assert units_conflict(read_unit(one), read_unit(other)) is conflict
    assert units_conflict(read_unit(other), read_unit(one)) is conflict
