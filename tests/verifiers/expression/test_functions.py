"""Functions against mpmath at twice the digits, exact values where they are exact, and no guess on a cut or jump."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.enclosures import FLOATS, Enclosure, UndefinedError, mp_field
from rewardgate.verifiers.expression.functions import FUNCTIONS, power

REFERENCE = {
    "ln": mpmath.log, "sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan, "arcsin": mpmath.asin,
    "arccos": mpmath.acos, "arctan": mpmath.atan, "sinh": mpmath.sinh, "cosh": mpmath.cosh, "tanh": mpmath.tanh,
    "abs": abs,
}  # fmt: skip
BITS = 192


@pytest.mark.parametrize("name", REFERENCE)
@given(value=st.fractions(min_value=-20, max_value=20, max_denominator=97), error=st.sampled_from([0.0, 1e-12]))
def test_the_true_value_is_inside(name: str, value: Fraction, error: float):
    for field in (FLOATS, mp_field(96)):
        # The argument is somewhere in its enclosure: the value at an end of it must be inside too.
        argument = Enclosure(field.enclosed(value).middle, field.enclosed(value).radius + error)
        try:
            found = FUNCTIONS[name](field, argument)
        except UndefinedError:
            continue
        with mpmath.workprec(BITS):
            for end in (-1, 1):
                truth = REFERENCE[name](mpmath.mpf(value.numerator) / value.denominator + end * mpmath.mpf(error))
                enclosed = field.enclosed(found)
                assert abs(mpmath.mpf(enclosed.middle) - truth) <= mpmath.mpf(enclosed.radius)


@given(
    base=st.fractions(min_value=0, max_value=50, max_denominator=97),
    exponent=st.fractions(min_value=-5, max_value=5, max_denominator=12),
)
def test_the_true_power_is_inside(base: Fraction, exponent: Fraction):
    assume(base > 0)
    found = FLOATS.enclosed(power(FLOATS, base, exponent))
    with mpmath.workprec(BITS):
        truth = (mpmath.mpf(base.numerator) / base.denominator) ** (
            mpmath.mpf(exponent.numerator) / exponent.denominator
        )
        assert abs(mpmath.mpf(found.middle) - truth) <= mpmath.mpf(found.radius)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("root", (Fraction(9, 4), Fraction(2)), Fraction(3, 2)),
        ("root", (Fraction(-27), Fraction(3)), Fraction(-3)),
        ("root", (Fraction(0), Fraction(2)), Fraction(0)),
        ("root", (Fraction(10**60), Fraction(3)), Fraction(10**20)),
        ("ln", (Fraction(1),), Fraction(0)),
        ("sin", (Fraction(0),), Fraction(0)),
        ("cos", (Fraction(0),), Fraction(1)),
        ("abs", (Fraction(-1, 3),), Fraction(1, 3)),
        ("floor", (Fraction(-7, 2),), Fraction(-4)),
        ("ceil", (Fraction(-7, 2),), Fraction(-3)),
        ("factorial", (Fraction(5),), Fraction(120)),
        ("binomial", (Fraction(6), Fraction(2)), Fraction(15)),
        ("binomial", (Fraction(1, 2), Fraction(2)), Fraction(-1, 8)),  # (1/2)(-1/2)/2
    ],
)
def test_exact_values_stay_exact(name: str, arguments: tuple[Fraction, ...], expected: Fraction):
    found = FUNCTIONS[name](FLOATS, *arguments)
    assert isinstance(found, Fraction)
    assert found == expected


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("root", (Fraction(-2), Fraction(2))),
        ("root", (Fraction(2), Fraction(1, 2))),
        ("ln", (Fraction(-1),)),
        ("ln", (Fraction(0),)),
        ("arcsin", (Fraction(3, 2),)),
        ("factorial", (Fraction(1, 2),)),
        ("factorial", (Fraction(10**6),)),
        ("binomial", (Fraction(5), Fraction(1, 2))),
        ("sin", (Fraction(10**300),)),
        ("floor", (Enclosure(2.0, 1e-15),)),
        ("root", (Enclosure(0.0, 1e-15), Fraction(2))),
    ],
)
def test_what_has_no_real_value_or_no_certain_one_is_undefined(name: str, arguments: tuple[Fraction, ...]):
    with pytest.raises(UndefinedError):
        FUNCTIONS[name](FLOATS, *arguments)


def test_a_negative_base_takes_whole_exponents_only_on_the_real_line():
    assert power(FLOATS, Fraction(-2), Fraction(3)) == -8
    with pytest.raises(UndefinedError):
        power(FLOATS, Fraction(-8), Fraction(1, 3))


def test_a_complex_field_takes_principal_values_off_the_cut():
    field = mp_field(96, is_complex=True)
    root = field.enclosed(FUNCTIONS["root"](field, Fraction(-4), Fraction(2)))
    assert abs(root.middle - 2j) < 1e-25
    just_below = Enclosure(field.functions.mpc(-4, -1e-28), 1e-27)
    with pytest.raises(UndefinedError, match="cut"):
        FUNCTIONS["root"](field, just_below, Fraction(2))


def test_an_odd_root_of_what_may_be_zero_is_about_zero():
    found = FUNCTIONS["root"](FLOATS, Enclosure(1e-16, 1e-15), Fraction(3))
    assert isinstance(found, Enclosure)
    assert found.middle == 0
    assert 1e-5 < found.radius < 1e-4  # the cube root of 1.1e-15 is 1.03e-5
