from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.verifiers import Verdict, get
from rewardgate.verifiers.arguments import as_verifier, number, positive, whole
from rewardgate.verifiers.batch import iter_verdicts, verify_many
from rewardgate.verifiers.compose import AllOf, Weighted
from rewardgate.verifiers.functions import FunctionVerifier
from rewardgate.verifiers.isolation import Workers

MATH = get("math")


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises(ArgumentError) as error:
        call()
    return str(error.value)


def test_numbers_of_other_libraries_are_numbers() -> None:
    assert (whole("n", np.int64(2), at_least=0), positive("x", np.float32(0.5)), number("x", -3)) == (2, 0.5, -3.0)


@pytest.mark.parametrize("value", ["2", None, True, 1.5, -1, nan, [2]])
def test_what_is_no_whole_number_is_refused(value: object) -> None:
    assert refused(lambda: whole("n", value, at_least=0)) == f"n: expected a whole number >= 0, got {value!r}"


@pytest.mark.parametrize("value", ["2", None, True, 0, -1, nan, inf, [2]])
def test_what_is_no_positive_number_is_refused(value: object) -> None:
    assert refused(lambda: positive("x", value)) == f"x: expected a positive number, got {value!r}"


@pytest.mark.parametrize("value", ["2", None, True, nan, -inf])
def test_what_is_no_finite_number_is_refused(value: object) -> None:
    assert refused(lambda: number("x", value)) == f"x: expected a finite number, got {value!r}"


def test_a_name_is_a_verifier_wherever_one_is_wanted() -> None:
    assert as_verifier(MATH) is MATH
    assert [verdict.reward for verdict in verify_many("math", [("4", "4")])] == [1.0]
    with pytest.raises(UnknownNameError, match="numerc"):
        verify_many("numerc", [])


class OnlyVersion:
    version = "1"


class OnlyVerify:
    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
        raise AssertionError("asked, though it is no verifier")


@pytest.mark.parametrize("wrong", [5, None, OnlyVersion(), OnlyVerify(), lambda completion, target: 1.0])
def test_what_is_no_verifier_is_refused_before_any_row_is_judged(wrong: Any) -> None:
    wanted = "expected a registered name or an object with verify and version"
    for name, call in (
        ("verifier", lambda: iter_verdicts(wrong, [("4", "4")])),
        ("verifier", lambda: verify_many(wrong, [])),
        ("parts", lambda: AllOf(["math", wrong])),
        ("parts", lambda: Weighted([("math", 1), (wrong, 1)])),
    ):
        assert refused(call) == f"{name}: {wanted}, got {type(wrong).__name__}"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: iter_verdicts(MATH, [], workers="2"), "workers: expected a whole number >= 0, got '2'"),
        (lambda: iter_verdicts(MATH, [], budget_s="5"), "budget_s: expected a positive number of seconds, got '5'"),
        (lambda: Workers("2"), "size: expected a whole number >= 1, got '2'"),
        (lambda: get("math", timeout_s="x"), "timeout_s: expected a positive number of seconds, got 'x'"),
        (lambda: FunctionVerifier("a:b", timeout_s="x"), "timeout_s: expected a positive number, got 'x'"),
        (lambda: FunctionVerifier("a:b", batch_size=1.5), "batch_size: expected a whole number >= 1, got 1.5"),
        (lambda: get("numeric", significant_digits="3"), "significant_digits: expected None or a whole number >= 1"),
        (lambda: get("weighted", parts=5), "parts: expected names with their weights, or pairs"),
        (lambda: get("weighted", parts=["math"]), "parts: expected names with their weights, or pairs"),
        (lambda: get("weighted", parts={"math": "1"}), "parts: expected a positive weight for math, got '1'"),
        (lambda: get("all_of", parts=5), "parts: expected at least one verifier in a sequence, got 5"),
        (lambda: get("math", extractor=5), "extractor: expected a registered name or an extractor, got int"),
    ],
)
def test_an_option_of_the_wrong_type_is_named_with_its_rule(call: Callable[[], Any], words: str) -> None:
    assert refused(call).startswith(words)
