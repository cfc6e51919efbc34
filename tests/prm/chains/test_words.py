"""What words between two equations allow to conclude."""

import pytest

from rewardgate.prm.chains.words import (
    asks_to_rewrite,
    defines,
    has_other_algebra,
    leaves_open,
    manipulates,
    substitutes,
    tries,
)


@pytest.mark.parametrize(
    "words",
    ["or", "If", "Let x be", "Suppose", "in the other case,", "does not", "Try", "plus or minus", "should be", "±"],
)
def test_words_that_begin_something_else_leave_open(words: str) -> None:
    assert leaves_open(f" {words} ")


@pytest.mark.parametrize(
    "words",
    [
        "so",
        "Let's simplify: ",
        "Dividing both sides by 2, we get",
        "Solving for x, we get: ",
        ".\nStep 7: ",
        "\n",
        "Thus,",
    ],
)
def test_words_that_go_on_do_not(words: str) -> None:
    assert not leaves_open(words)


def test_only_the_last_sentence_says_what_was_done() -> None:
    assert manipulates("That is true. Multiplying both sides by 2 gives ")
    assert not manipulates("We multiply both sides. The second number is ")
    assert substitutes("We now substitute and get ")
    assert not substitutes("We substitute later. Simplifying gives ")


def test_a_trial_is_told_from_a_computation() -> None:
    assert tries("Plugging in x = 1, we get")
    assert not tries("Simplifying, we get")


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Simplify $2(x+1)-x$.", True),
        ("Expand $(x+1)^2$", True),
        ("Simplify and solve $2x=4$", False),
        ("Find x. Simplify your answer.", False),
    ],
)
def test_a_prompt_that_asks_for_another_form_asks_for_nothing_else(prompt: str, expected: bool) -> None:
    assert asks_to_rewrite(prompt) is expected


def test_a_letter_is_defined_anew() -> None:
    assert defines("Now let x be the second number.", "x")
    assert defines("where $n$ is the number of boys", "n")
    assert not defines("Solving for x, we get", "x")
    assert not defines("let max be it", "x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("modulo 7", True),
        (r"3 \equiv 10", True),
        ("a fifth root of unity", True),
        (r"over \mathbb{F}_2", True),
        ("the characteristics of a square", False),
        ("written in base 8", True),
        ("the units digit of 7^4", True),
        ("an operation is defined by a * b = a + b", True),
        ("By the order of operations", False),
        ("3 days of the week", False),
        ("the base of the triangle", False),
    ],
)
def test_other_algebras_are_named(text: str, expected: bool) -> None:
    assert has_other_algebra(text) is expected
