"""Runs of symbols between words: where they begin and end, and where that is not certain."""

import pytest

from rewardgate.prm.chains.prose import has_gap, may_end, runs


def whole(text: str) -> list[str]:
    return [text[one.start : one.end] for one in runs(text, 0, len(text)) if one.is_begun and one.is_ended]


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("Solving for x, we get: x = 18.", "x = 18"),
        ("we have 2x + 3y = 7 pounds.", "2x + 3y = 7"),
        ("2(x+1)\n= 2x + 2", "2(x+1)\n= 2x + 2"),
        (r"That gives \frac{x}{2} = 3, so", r"\frac{x}{2} = 3"),
        ("we subtract, 3x + 4 – 4 = 28 – 4", "3x + 4 – 4 = 28 – 4"),
        ("which means 3xy = 12", "3xy = 12"),
    ],
)
def test_a_run_between_words_is_read(text: str, run: str) -> None:
    assert run in whole(text)


@pytest.mark.parametrize(
    "text",
    [
        "x = 5 times y",
        "x = 5%",
        "x = 5 — y",
        "the pens cost x = 5",
        "216 feet x 12 = 2592",
        "- x = 5",
        "x = 5 ... 7",
    ],
)
def test_a_run_that_may_go_on_is_not_whole(text: str) -> None:
    assert not any("= 5" in run or "2592" in run for run in whole(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2 x 3", True), ("3x $2", True), ("2x + 3", False), (r"2 \times 3", False), (r"2\pi r", False)],
)
def test_a_gap_between_two_operands_may_hide_a_sign(text: str, expected: bool) -> None:
    assert has_gap(text) is expected


@pytest.mark.parametrize(("text", "expected"), [("5, and", True), ("5", True), ("5 percent", False), ("5%", False)])
def test_punctuation_ends_what_stands_before_it_and_some_words_do_not(text: str, expected: bool) -> None:
    assert may_end(text, 1) is expected
