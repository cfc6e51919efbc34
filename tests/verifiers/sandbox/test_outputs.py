"""What a program printed against what was expected: by lines, tokens, to the letter, and with a tolerance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.sandbox.outputs import Comparison, output_difference

printed = st.text(alphabet="ab1.5 \n\r\t-", max_size=30)
COMPARISONS: tuple[Comparison, ...] = ("lines", "tokens", "exact")


@pytest.mark.parametrize("comparison", COMPARISONS)
@given(text=printed)
def test_an_output_is_its_own(comparison: Comparison, text: str) -> None:
    assert output_difference(text, text, comparison=comparison) is None
    assert output_difference(text, text, comparison=comparison, float_tolerance=1e-6) is None


@given(printed, printed)
def test_what_the_letter_forgives_lines_do_and_what_lines_forgive_tokens_do(one: str, other: str) -> None:
    lines, tokens, exact = (output_difference(one, other, comparison=kind) is None for kind in COMPARISONS)
    assert lines or not exact
    assert tokens or not lines


@pytest.mark.parametrize("comparison", COMPARISONS)
@given(one=printed, other=printed)
def test_it_does_not_matter_which_of_two_is_expected(comparison: Comparison, one: str, other: str) -> None:
    there = output_difference(one, other, comparison=comparison) is None
    assert there == (output_difference(other, one, comparison=comparison) is None)


@given(printed)
def test_one_more_word_is_too_many(text: str) -> None:
    for comparison in COMPARISONS:
        assert output_difference(text, text + "\nx", comparison=comparison) is not None
        assert output_difference(text + "\nx", text, comparison=comparison) is not None


@pytest.mark.parametrize(
    ("expected", "got", "lines", "tokens", "exact"),
    [
        ("3\n", "3", True, True, False),
        ("3\n", "3  \n\n\n", True, True, False),
        ("1 2\n3\n", "1 2\r\n3\r\n", True, True, False),
        ("", "\n", True, True, False),
        ("", "", True, True, True),
        ("1 2", " 1\t 2", True, True, False),
        ("1\n2", "1 2", False, True, False),
        ("1\n\n2", "1\n2", False, True, False),
        ("1 2 3", "3 2 1", False, False, False),
        ("1 2 2 1 1", "1 2", False, False, False),
        ("3", "3\nand more", False, False, False),
        ("3\n30", "3", False, False, False),
        ("Yes", "YES", False, False, False),
        ("1", "1.0", False, False, False),
        ("1", "01", False, False, False),
        ("-1000000000000000007", "-1000000000000000000", False, False, False),
    ],
)
def test_what_each_comparison_forgives(expected: str, got: str, *, lines: bool, tokens: bool, exact: bool) -> None:
    found = [output_difference(expected, got, comparison=kind) is None for kind in COMPARISONS]
    assert found == [lines, tokens, exact]


@pytest.mark.parametrize(
    ("expected", "got", "is_right"),
    [
        ("0.5", "0.5004", True),  # 4e-4 <= 1e-3
        ("0.5", "0.502", False),
        ("1000.0", "1000.9", True),  # 0.9 <= 1e-3 * 1000
        ("1e3", "1000.9", True),
        (".5", "0.50", True),
        ("0.0", "-0.0", True),
        ("0.5", "1/2", False),
        ("0.5", "nan", False),
        ("0.5", "inf", False),
        ("0.5", "1e400", False),
        ("nan", "nan", True),  # letter for letter
        ("1000000", "1000001", False),  # an integer takes its digits alone
        ("-1000001", "-1000000", False),
        ("3", "3.0", False),
        ("3.0", "3", True),
        ("1.0 2.0", "1.0001 2.0001", True),
        ("1.0 2.0", "1.0001", False),
        ("x 1.0", "y 1.0", False),
        ("0." + "1" * 70, "0." + "1" * 71, False),  # longer than any number is read
    ],
)
def test_a_tolerance_is_for_numbers_that_are_written_with_a_point(expected: str, got: str, *, is_right: bool) -> None:
    for comparison in ("lines", "tokens"):
        assert (output_difference(expected, got, comparison=comparison, float_tolerance=1e-3) is None) is is_right


def test_the_first_difference_is_told_and_clipped() -> None:
    assert output_difference("1\n2\n3", "1\n5\n6") == "line 2: expected '2', got '5'"
    assert output_difference("1 2", "1", comparison="tokens") == "token 2: expected '2', got nothing more"
    assert output_difference("1", "1 2", comparison="tokens") == "token 2: expected nothing more, got '2'"
    assert output_difference("a", "b" * 1_000, comparison="exact") == f"expected 'a', got '{'b' * 80}…'"
