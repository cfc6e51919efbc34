import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.causes.notation import difference, is_plain, same_text


@pytest.mark.parametrize(
    ("target", "answer", "expected"),
    [
        ("42", "42", "none"),
        ("x+1", "$x + 1$", "none"),
        ("3400", "3,400", "format"),
        ("3400", r"3.4 \times 10^3", "format"),
        ("0.5", r"\frac{1}{2}", "format"),
        (r"\text{4:30 p.m.}", r"4:30 \text{ p.m.}", "format"),
        (r"(2,\infty)", "x > 2", "format"),
        (r"(1/2, 1)", "(0.5, 1)", "format"),
        ("5", "x = 5", "format"),
        ("0.67", r"\frac{2}{3}", "tolerance"),
        ("3.14", "3.1416", "tolerance"),
        ("25", r"25 \text{ cm}", "units"),
        ("18", r"\$18", "units"),
        ("20", r"20\%", "units"),
        ("90", r"90^\circ", "units"),
        ("-2, 3", "3, -2", "structure"),
        ("(1, 2)", "[1, 2]", "structure"),
        (r"\{1, 2\}", "1, 2", "structure"),
        ("(1, 2)", "x = 1, y = 2", "structure"),
        (r"(-\infty,0) \cup (1,2)", r"(1,2) \cup (-\infty,0)", "structure"),
    ],
)
def test_in_what_two_right_answers_differ(target: str, answer: str, expected: str) -> None:
    assert str(difference(target, answer)) == expected


def test_the_referees_rule_says_more_than_the_texts() -> None:
    assert str(difference(r"\sqrt{2}", "1.414214", rule="six_digits")) == "tolerance"
    assert str(difference("1 hour", "60 minutes", rule="unit_conversion")) == "units"


def test_what_every_parser_reads_is_plain() -> None:
    assert all(map(is_plain, ["7", "-1.5", "Paris", "blue whale", "A"]))
    assert not any(map(is_plain, [r"\frac{1}{2}", "1,000", "(1,2)", "x+1", "$5", "4:30", ""]))


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_have_a_difference(target: str, answer: str) -> None:
    assert (str(difference(target, answer)) == "none") == same_text(target, answer)
