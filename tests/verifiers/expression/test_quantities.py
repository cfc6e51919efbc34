"""Single values under the policies for units, percent, exactness and digits."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.normalise import normalise
from rewardgate.verifiers.expression.numbers import Quantity, read_quantity
from rewardgate.verifiers.expression.quantities import (
    as_decimal,
    bare_latex,
    compare_quantities,
    compare_values,
    is_right_to_its_digits,
    is_rounded,
    rounds_to,
)
from rewardgate.verifiers.expression.results import SymbolicResult
from rewardgate.verifiers.expression.structures import read


def quantity(text: str) -> Quantity:
    found = read_quantity(normalise(text))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("target", "answer", "right"),
    [
        ("5", "5.0", True),
        ("50625", "50630", False),
        ("20.39", "20.3901", False),
        ("0.33", "1/3", True),
        ("0.34", "1/3", False),
        ("1/3", "0.333333", True),
        ("1/3", "0.33333", False),
        ("2/5", "0.4", True),
        ("20%", "20", True),
        ("20%", "1/5", True),
        ("20", "20%", False),
        ("0.2", "20%", False),
        ("2 hours", "120 minutes", True),
        ("35 cm", "35 m", False),
        ("101_2", "101", True),
        ("101_2", "101_3", False),
    ],
)
def test_numbers_follow_the_policies(target: str, answer: str, right: bool):
    assert compare_quantities(quantity(target), quantity(answer)).is_correct is right


@given(st.integers(-(10**40), 10**40), st.integers(-(10**40), 10**40))
def test_integers_are_exact_at_any_size(one: int, other: int):
    assert compare_quantities(quantity(str(one)), quantity(str(other))).is_correct is (one == other)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(0, 8))
def test_a_fraction_rounds_to_what_rounding_gives(numerator: int, denominator: int, places: int):
    exact = Fraction(numerator, denominator)
    # half up, in integers: floor(x * 10^p + 1/2)
    rounded = (2 * numerator * 10**places + denominator) // (2 * denominator)
    assert rounds_to(exact, Decimal(rounded).scaleb(-places))
    assert not rounds_to(exact, Decimal(rounded + 2).scaleb(-places))


def test_six_digits_may_be_rounded_or_cut_but_not_wrong():
    exact = Fraction(2, 3)
    assert is_right_to_its_digits(Decimal("0.666667"), exact)
    assert is_right_to_its_digits(Decimal("0.666666"), exact)
    assert not is_right_to_its_digits(Decimal("0.666668"), exact)
    assert not is_right_to_its_digits(Decimal("-0.666666"), exact)
    assert not is_right_to_its_digits(Decimal("0.66667"), exact)


def test_degrees_are_compared_with_radians_as_angles():
    asked: list[tuple[str, str]] = []

    def symbolic(target: str, answer: str) -> SymbolicResult:
        asked.append((target, answer))
        return SymbolicResult(True, None, None, "")

    assert compare_values(read(r"45^\circ"), read(r"\frac{\pi}{4}"), symbolic).rule == "angle"
    assert asked == [(r"\frac{(45)\pi}{180}", r"\frac{\pi}{4}")]


def test_an_unevaluated_sum_and_infinity_are_refused_unasked():
    def symbolic(target: str, answer: str) -> SymbolicResult:
        raise AssertionError("asked")

    assert compare_values(read("55"), read(r"\sum_{k=1}^{10}k"), symbolic).rule == "unevaluated"
    assert compare_values(read("5"), read(r"\infty"), symbolic).rule == "infinite"


def test_what_goes_to_the_worker_is_exact_and_without_unit():
    assert bare_latex(quantity("0.25")) == r"\frac{1}{4}"
    assert bare_latex(quantity(r"3\text{ cm}")) == "3"
    assert as_decimal(Decimal("1e999999999")) is None


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("37.7", True),
        ("37.69", True),
        ("37.70", True),
        ("38", True),
        ("37.8", False),
        ("37.5", False),
        (r"12\pi", False),
    ],
)
def test_an_irrational_value_is_rounded_or_cut(answer: str, right: bool):
    def twelve_pi(target: str, answer: str) -> SymbolicResult:
        return SymbolicResult(True, Decimal("37.69911184307751886155"), None, f"{answer} = {target}")

    assert is_rounded(read(answer), read(r"12\pi"), twelve_pi) is right


def test_an_approximation_in_another_unit_is_none():
    def never_asked(target: str, answer: str) -> SymbolicResult:
        raise AssertionError(f"asked about {target} and {answer}")

    assert is_rounded(quantity("0.33 m"), quantity("1/3 m"), never_asked)
    assert not is_rounded(quantity("0.33 cm"), quantity("1/3 m"), never_asked)
