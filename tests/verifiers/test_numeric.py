"""The numeric verifier: tolerances, and what no tolerance forgives."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.verifiers.base import Outcome
from rewardgate.verifiers.numeric import NumericVerifier


def outcome(answer: str, target: object, **options: float) -> Outcome:
    verifier = NumericVerifier(fallback=False, **options)  # pyright: ignore[reportArgumentType]
    return verifier.verify(rf"\boxed{{{answer}}}", target).outcome  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("options", "answer", "target", "right"),
    [
        ({}, "3.14", "3.1416", False),
        ({}, "3.1416000", "3.1416", True),
        ({"abs_tol": 0.01}, "3.14", "3.1416", True),  # |3.14 - 3.1416| = 0.0016
        ({"abs_tol": 0.001}, "3.14", "3.1416", False),
        ({"rel_tol": 0.01}, "101", "100", True),  # the bound is met exactly: 1 = 0.01 * 100
        ({"rel_tol": 0.01}, "101.0000001", "100", False),
        ({"significant_digits": 3}, "3.14", "3.1416", True),  # bound 0.005
        ({"significant_digits": 3}, "314", "314159", False),
        ({"significant_digits": 2}, "0.0031", "0.003149", True),  # bound 0.00005
        ({"decimals": 2}, "3.14", "3.1416", True),  # bound 0.005
        ({"decimals": 0}, "3", "3.4", True),  # bound 0.5
        ({"decimals": 2}, "3.15", "3.1416", False),
        ({"rel_tol": 0.1}, "x = 5", "5", True),
        ({"rel_tol": 0.1}, "1,050", "1000", True),
        ({"rel_tol": 0.01}, "20.1", "20%", True),
        ({"rel_tol": 0.01}, "0.201", "20%", True),  # as a value: 100 * 0.201 is 0.1 from 20, bound 0.2
        ({"rel_tol": 0.01}, "121 minutes", "2 hours", True),
        ({"rel_tol": 0.5}, "20%", "20", False),
        ({"rel_tol": 0.5}, "5 cm", "5 hours", False),
    ],
)
def test_the_bound_is_met_or_missed(options: dict[str, float], answer: str, target: str, right: bool):
    assert (outcome(answer, target, **options) is Outcome.CORRECT) is right


@given(st.fractions(-1000, 1000), st.integers(0, 100), st.integers(-200, 200))
def test_a_relative_bound_is_that_of_exact_fractions(target: Fraction, percent: int, change: int):
    answer = target * (1 + Fraction(change, 100))
    right = abs(answer - target) <= Fraction(percent, 100) * abs(target)
    found = outcome(str(answer), str(target), rel_tol=percent / 100)
    assert (found is Outcome.CORRECT) is right


def test_the_detail_prints_distance_and_bound():
    verdict = NumericVerifier(abs_tol=0.01).verify(r"\boxed{3.14}", "3.1416")
    assert verdict.detail == "|3.14 - 3.1416| = 0.0016, bound 0.01"


def test_several_values_are_a_hedge_and_words_are_no_number():
    assert outcome("5 or 6", "5", rel_tol=1) is Outcome.HEDGED
    assert outcome(r"\text{many}", "5", rel_tol=1) is Outcome.UNSUPPORTED
    assert outcome("10^{10^{10^{10}}}", "5", rel_tol=1) is Outcome.INCORRECT
    assert outcome("100000!", "5", rel_tol=1) is Outcome.BUDGET


@pytest.mark.parametrize("target", ["", "abc", [], {"other": 1}, "1,2"])
def test_a_target_that_is_no_number_is_bad(target: object):
    assert outcome("5", target) is Outcome.BAD_TARGET


def test_expressions_are_computed_in_a_worker():
    verifier = NumericVerifier(rel_tol=0.01)
    assert verifier.verify(r"\boxed{\sqrt{2}}", "1.41").reward == 1
    assert verifier.verify(r"\boxed{6.28}", r"2\pi").reward == 1
    assert verifier.verify(r"\boxed{x+1}", "5").outcome is Outcome.UNSUPPORTED


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"rel_tol": -1}, "rel_tol"),
        ({"abs_tol": float("nan")}, "abs_tol"),
        ({"significant_digits": 0}, "significant_digits"),
        ({"decimals": -1}, "decimals"),
    ],
)
def test_options_out_of_range_are_refused_by_name(options: dict[str, float], name: str):
    with pytest.raises(ArgumentError, match=f"^{name}: expected"):
        NumericVerifier(**options)  # pyright: ignore[reportArgumentType]
