"""math-verify on a leash: its known false accepts, and what it must still accept. Runs in this process."""

import json
from decimal import Decimal

import pytest

from rewardgate.verifiers.workers.math_verify import compare


@pytest.mark.parametrize(
    ("target", "answer", "equal"),
    [
        (r"\sqrt{80}", r"4\sqrt{5}", True),
        (r"\frac{1}{2004!}", r"\frac{1}{2006!}", False),
        (r"\frac{1}{2^{99}}", r"\frac{1}{2^{98}}", False),
        (r"1-\frac{1}{e}", r"1+\frac{1}{e}", False),
        (r"\sqrt{x^2}", "x", False),
        (r"\sqrt{\frac{1}{n}}", r"\frac{1}{\sqrt{n}}", True),
        (r"e^{i\pi}", "-1", True),
        (r"\frac{10\sqrt{10.5}}{27}", r"\frac{5\sqrt{42}}{27}", True),
        ("3x-y+13=0", "y=3x+13", True),
        ("3x-y+13=0", "y=3x-13", False),
        ("x>5", "x<5", False),
        ("2x>10", "x>5", True),
        ("-x>-5", "x<5", True),
        (r"2\sin b\cos a", r"\sin(a+b)-\sin(a-b)", True),
        (r"2\ln x", r"\ln(x^2)", True),
        (r"11\sqrt{2}m", r"11\sqrt{2}", False),
    ],
)
def test_equality_is_what_mathematics_says(target: str, answer: str, equal: bool):
    found = compare(target, answer)
    assert found.get("equal", False) is equal
    json.dumps(found)  # what is not plain data never leaves a worker


@pytest.mark.parametrize("answer", [r"4\sqrt(2)", r"2\foo{3}", "4+1)"])
def test_a_text_whose_end_is_dropped_is_unreadable(answer: str):
    assert compare("4", answer) == {"unreadable": "answer"}


def test_an_unreadable_target_is_told_apart():
    assert compare(r"\frac{1}{", "1") == {"unreadable": "target"}


def test_values_have_forty_digits_and_travel_as_json():
    found = compare(r"\sqrt{2}", "x")
    # The integer square root of 2 * 10^78 has the digits of sqrt(2) * 10^39.
    assert abs(Decimal(found["target_value"]) ** 2 - 2) < Decimal(10) ** -26
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("infinite", [r"\infty", r"-2\infty"])
def test_infinity_has_no_digits(infinite: str):
    found = compare("42", infinite)
    assert (found["equal"], found["answer_value"]) == (False, None)
