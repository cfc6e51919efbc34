"""Exact arithmetic, against Python's own Fractions, and its caps."""

from fractions import Fraction
from time import perf_counter, process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.arithmetic import CostlyError, Power, evaluate, is_costly

NUMBERS = st.integers(0, 50).map(lambda value: (str(value), Fraction(value)))


def combined(inner: st.SearchStrategy[tuple[str, Fraction]]) -> st.SearchStrategy[tuple[str, Fraction]]:
    def build(parts: tuple[tuple[str, Fraction], str, tuple[str, Fraction]]) -> tuple[str, Fraction]:
        (left, a), operator, (right, b) = parts
        if operator == "/":
            return (rf"\frac{{{left}}}{{{right}}}", a / b) if b else (f"({left})-({right})", a - b)
        value = {"+": a + b, "-": a - b, r"\cdot": a * b}[operator]
        return f"({left}){operator}({right})", value

    return st.tuples(inner, st.sampled_from(["+", "-", r"\cdot", "/"]), inner).map(build)


@given(st.recursive(NUMBERS, combined, max_leaves=8))
def test_nested_expressions_are_worth_what_fractions_say(case: tuple[str, Fraction]):
    text, value = case
    assert evaluate(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2+3*4", 14),
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2^{-3}", Fraction(1, 8)),
        ("2^3^2", 512),
        ("8/4/2", 1),
        ("5!", 120),
        (r"1\frac{1}{2}", Fraction(3, 2)),
        (r"-3\frac{1}{2}", Fraction(-7, 2)),
        (r"\sqrt{\frac{9}{4}}", Fraction(3, 2)),
        ("2(3)", 6),
        (r"3\times10^{-2}", Fraction(3, 100)),
        ("3^{3^{3}}", 3**27),
    ],
)
def test_literal_expressions(text: str, value: Fraction):
    assert evaluate(text) == value


@pytest.mark.parametrize(
    "text", ["", "x", "2+", "1/0", r"\sqrt{2}", "(1", "1)", "2^{1/2}", "1/2(3)", r"2\frac{x}{3}", "()"]
)
def test_what_is_no_rational_constant_is_none(text: str):
    assert evaluate(text) is None


def test_powers_beyond_the_cap_stay_powers_of_their_root():
    assert evaluate("8^{1000000}") == evaluate("2^{3000000}") == Power(2, 3_000_000)


@pytest.mark.parametrize(
    "text",
    [
        "2^{1000000}+1",
        "100000!",
        "(((3!)!)!)!",
        "(" * 200 + "1" + ")" * 200,
        "+".join("1" * 1000),
        "9" * 5000,
        "2^{-1000000}",
    ],
)
def test_what_costs_too_much_is_refused_at_once(text: str):
    started = perf_counter()
    with pytest.raises(CostlyError):
        evaluate(text)
    assert perf_counter() - started < 0.5


@pytest.mark.parametrize(
    ("text", "costly"),
    [
        ("x^{x^{x^{x}}}", True),
        ("e^{e^{x}}", False),
        ("1000!", True),
        ("n!", False),
        ("x^{99999}", True),
    ],
)
def test_the_syntactic_check_sees_towers(text: str, costly: bool):
    assert is_costly(text) is costly


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\binom{5}{2}", Fraction(10)),
        (r"3\binom{5}{2}+1", Fraction(31)),
        (r"\binom{4000}{2}", Fraction(4000 * 3999 // 2)),
        (r"\binom{2}{5}", None),
        (r"\binom{1/2}{1}", None),
    ],
)
def test_binomial_coefficients(text: str, value: Fraction | None):
    assert evaluate(text) == value


def test_a_huge_binomial_coefficient_is_refused():
    with pytest.raises(CostlyError):
        evaluate(r"\binom{100000}{50000}")


def test_the_syntactic_check_looks_at_many_digits_once():
    started = process_time()
    assert is_costly("7" * 50_000 + "!")
    assert not is_costly("7" * 50_000 + "x")
    assert process_time() - started < 1
