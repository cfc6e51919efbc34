"""Choice letters in a maths answer."""

import pytest

from rewardgate.verifiers.expression.letters import compare_letters, without_letter


@pytest.mark.parametrize(
    ("target", "answer", "same"),
    [
        ("B", "B", True),
        ("B", "(b)", True),
        ("(E)", "E", True),
        ("E", "E: A polygenic risk score", True),
        ("C", "C. the moon", True),
        ("C", "D", False),
        ("x", "y", None),
        ("V", "2x", None),
        ("B", "BC", None),
        ("B", "B+1", None),
        ("5", "B", None),
        ("C", "(C)42", True),
        ("C", r"(C)\frac{1}{2}", True),
        ("B", "(C)42", False),
        ("A", "(A)x+1", None),
        ("A", "(A)or(B)", None),
        ("A", "A or B", None),
        ("A", "A, B", None),
        ("B", "(B)all of(A)and(C)", True),
    ],
)
def test_only_a_letter_stands_for_a_letter(target: str, answer: str, same: bool | None):
    assert compare_letters(target, answer) is same


@pytest.mark.parametrize(
    ("target", "answer", "value"),
    [
        ("42", "(C)42", "42"),
        (r"\frac{1}{2}", r"(C)\frac{1}{2}", r"\frac{1}{2}"),
        ("-3", "(C)-3", "-3"),
        ("3C", "(C)3", "(C)3"),
        ("42", "(C)", "(C)"),
        ("x", "(C)x", "(C)x"),
        ("42", "(3)42", "(3)42"),
    ],
)
def test_a_choice_letter_before_a_value_is_no_factor_of_it(target: str, answer: str, value: str):
    assert without_letter(target, answer) == value


@pytest.mark.parametrize(
    ("target", "answer"),
    [("A,C", "AC"), ("AC", "A and C"), (r"\text{(A) and (C)}", "A, C"), ("ABC", "A, B, C"), ("A,C", "C, A")],
)
def test_several_choices_are_the_same_in_every_way_of_writing_them(target: str, answer: str) -> None:
    assert compare_letters(target, answer) is True


@pytest.mark.parametrize(
    ("target", "answer"), [("A,C", "AB"), ("AC", "A,B,C"), ("AC", "CA"), ("B", "A,B"), ("AB", "A")]
)
def test_other_choices_are_not_the_same(target: str, answer: str) -> None:
    assert compare_letters(target, answer) is not True


def test_a_letter_with_a_full_stop_leads_its_value() -> None:
    assert compare_letters("D", "D. 14") is True
    assert compare_letters("C", "D. 14") is False
    assert without_letter("14", "D. 14") == "14"


@pytest.mark.parametrize(("answer", "right"), [("C", True), ("(C)", True), ("D", False), ("12", None)])
def test_a_choice_with_its_value_is_named_by_its_letter(answer: str, right: bool | None) -> None:
    assert compare_letters("(C) 12", answer) is right


def test_a_long_gap_behind_a_letter_is_not_searched_through() -> None:
    # Quadratic in the gap once: eight seconds for nine thousand spaces.
    assert compare_letters("B", "a" + " " * 100_000 + "1") is None
    assert compare_letters("B", "B:" + " " * 100_000 + "the moon") is True
    assert compare_letters("B", "A:" + " " * 100_000 + "the sun") is False
