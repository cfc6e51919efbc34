import pytest
from completions import anchored_text
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.answers.prose_numbers import last_number, widened_start


@pytest.mark.parametrize(
    "number",
    [
        "5",
        "-5",
        "−5",
        "1,234",
        "1,234.50",
        "$1,234.50",
        "€5",
        "3/4",
        "1 1/2",
        "50%",
        r"50\%",
        r"\frac{1}{2}",
        "1e-8",
        ".5",
        "25π",
        "√2",
    ],
)
def test_a_number_is_read_whole(number: str) -> None:
    text = f"It is {number} in all"
    found = last_number(text)
    assert found is not None
    assert text[found.start : found.end] == number


def test_a_list_marker_is_no_number() -> None:
    text = "We get 7.\n3. **Conclusion:**"
    found = last_number(text)
    assert found is not None
    assert text[found.start : found.end] == "7"


@pytest.mark.parametrize("lead", ["at most ", "less than ", "5 or ", "3, 4, or ", "1 and ", "between 4 and "])
def test_what_bounds_or_joins_a_number_belongs_to_the_answer(lead: str) -> None:
    text = f"It is {lead}9"
    assert text[widened_start(text, len(text) - 1) :] == f"{lead}9"


@given(st.integers(min_value=0).map(str))
def test_digits_are_never_cut(number: str) -> None:
    text = "so " * 3_000 + number
    found = last_number(text)
    assert found is not None
    assert text[found.start : found.end] == number


@given(anchored_text)
def test_a_found_number_holds_a_digit(text: str) -> None:
    found = last_number(text)
    assert found is None or any(map(str.isdigit, text[found.start : found.end]))
