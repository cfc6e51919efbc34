"""The numeric verifier: tolerances, and what no tolerance forgives."""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError, WorkerDiedError, WorkerError, WorkerTimeoutError
from rewardgate.verifiers.base import Outcome
from rewardgate.verifiers.numeric import NumericVerifier


def outcome(answer: str, target: Any, **options: Any) -> Outcome:
    verifier = NumericVerifier(fallback=False, **options)
    return verifier.verify(rf"\boxed{{{answer}}}", target).outcome


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
        ({"decimals": 1.5}, "decimals"),
        ({"decimals": "3"}, "decimals"),
        ({"significant_digits": True}, "significant_digits"),
        ({"rel_tol": "0.1"}, "rel_tol"),
        ({"rel_tol": None}, "rel_tol"),
        ({"rel_tol": True}, "rel_tol"),
        ({"abs_tol": 1j}, "abs_tol"),
        ({"abs_tol": Decimal("NaN")}, "abs_tol"),
    ],
)
def test_options_that_break_their_rule_are_refused_by_name(options: dict[str, Any], name: str):
    with pytest.raises(ArgumentError, match=f"^{name}: expected"):
        NumericVerifier(**options)


def test_any_exact_or_foreign_real_number_is_a_tolerance():
    for tolerance in (Fraction(1, 100), Decimal("0.01"), np.float32(0.01)):
        assert outcome("101", "100", rel_tol=tolerance) is Outcome.CORRECT
    assert outcome("3.14", "3.1416", decimals=np.int64(2)) is Outcome.CORRECT


SLASHED = r"1/2\sqrt{2}"
"""A target with two readings, which only the worker computes."""


class FailingWorkers:
    """Stands for workers that fail on every question."""

    def __init__(self, failure: WorkerError) -> None:
        self.failure = failure

    def call(self, function: str, target: str, answer: str, *, timeout_s: float) -> dict[str, Any]:
        raise self.failure


@pytest.mark.parametrize(
    ("failure", "outcome"),
    [
        (WorkerDiedError("gone"), Outcome.ERROR),
        (WorkerError("unpicklable"), Outcome.ERROR),
        (WorkerTimeoutError("late"), Outcome.BUDGET),
    ],
)
def test_a_target_that_our_machinery_failed_to_compute_is_not_called_bad(failure: WorkerError, outcome: Outcome):
    verifier = NumericVerifier(workers=cast("Any", FailingWorkers(failure)))
    verdict = verifier.verify(r"\boxed{1.41}", SLASHED)
    assert (verdict.outcome, verdict.reward) == (outcome, None)
    assert verifier.verify(r"\boxed{1.41}", [SLASHED, "1.41"]).outcome is Outcome.CORRECT
    assert verifier.verify(r"\boxed{1.42}", ["1.41", SLASHED]).outcome is outcome  # the other may be right


def test_a_target_that_costs_too_much_to_read_is_a_spent_budget():
    verdict = NumericVerifier(fallback=False).verify("5", "100000!")
    assert (verdict.outcome, verdict.reward) == (Outcome.BUDGET, None)


def test_a_number_of_many_digits_has_a_magnitude():
    digits = "1" * 3_000 + "." + "1" * 3_000  # beyond what Python converts to text
    assert outcome(digits, digits, significant_digits=3) is Outcome.CORRECT


@pytest.mark.parametrize(
    ("answer", "target", "printed"),
    [
        (f"0.{'0' * 49}1", "0", "= 1e-50, bound 0"),
        (f"1{'0' * 50}", "0", "= 1e+50, bound 0"),
        ("1/3", "0", "= 0.333333, bound 0"),
        ("1000000", "0", "= 1000000, bound 0"),
    ],
)
def test_a_printed_distance_has_its_own_magnitude(answer: str, target: str, printed: str):
    assert NumericVerifier(fallback=False).verify(rf"\boxed{{{answer}}}", target).detail.endswith(printed)


def test_a_distance_is_printed_alike_in_any_decimal_context():
    with localcontext(prec=2):
        assert NumericVerifier(fallback=False).verify(r"\boxed{12345}", "0").detail.endswith("= 12345, bound 0")
