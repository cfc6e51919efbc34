from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.prm.arithmetic.tokens import measure_of, tokens_of


def spelled(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.plain) for token in tokens_of(text)]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1,234,567.5", "1234567.5"),
        ("1{,}234", "1234"),
        (r"12\,000", "12000"),
        ("12\u202f000", "12000"),
        (".55", ".55"),
        ("1.5e-3", "(1.5*10^-3)"),
        ("007", "007"),
    ],
)
def test_a_number_in_any_grouping_is_one_token(text: str, plain: str) -> None:
    assert spelled(text) == [("number", plain)]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("3,4", ["number", "other", "number"]),  # a decimal comma, or a pair: unread
        ("3, 4", ["number", "stop", "number"]),
        ("is 5. Then", ["word", "number", "stop", "word"]),
        (r"0.\overline{3}", ["number", "other", "other", "word", "open", "number", "close"]),
        ("0.333...", ["number", "ellipsis"]),
        ("3:4", ["ratio"]),
        ("Day 1: 5", ["word", "number", "stop", "number"]),
        ("$400 000", ["currency", "number"]),
        ("400 000", ["number", "number"]),
        ("**3 + 4**", ["number", "operator", "number"]),
        ("2**3", ["number", "power", "number"]),
        ("2 ** 3", ["number", "power", "number"]),
        ("3-hour", ["number", "word"]),
        ("30-tax", ["number", "operator", "word"]),
        ("5 - 3", ["number", "operator", "number"]),
        ("90^\\circ", ["number", "word"]),
        ("6₈", ["number", "other"]),
        ("5²", ["number", "superscript"]),
        (r"5\text{ apples}\text{}", ["number", "word"]),
        ("twelve", ["numeral"]),
        ("7 ✓", ["number", "stop"]),
        ("7 ∞", ["number", "other"]),
        (r"7 \end{align}", ["number", "stop", "open", "word", "close"]),
        (r"\left( 3 \right)", ["open", "number", "close"]),
        (r"3 \ne 4", ["number", "stop", "number"]),
    ],
)
def test_each_piece_gets_its_kind(text: str, kinds: list[str]) -> None:
    assert [token.kind for token in tokens_of(text)] == kinds


def test_a_list_mark_is_no_operator_and_an_inner_hyphen_is() -> None:
    assert spelled("- 3 - 2")[0] == ("stop", "-")
    assert spelled("x\n* 3")[1] == ("stop", "*")
    assert spelled("2) 3")[0] == ("stop", "2)")
    assert spelled("-3 - 2")[0] == ("operator", "-")


@pytest.mark.parametrize("sign", ["*", "×", "·", "⋅", r"\times", r"\cdot"])
def test_every_multiplication_sign_is_one_operator(sign: str) -> None:
    assert spelled(f"3 {sign} 4")[1] == ("operator", "*")


def test_fractions_and_roots_come_out_in_braces() -> None:
    assert [token.plain for token in tokens_of(r"\frac12 \dfrac 3 4 ½ √16 \sqrt 9")] == [
        r"\frac{1}{2}",
        r"\frac{3}{4}",
        r"\frac{1}{2}",
        r"\sqrt{16}",
        r"\sqrt{9}",
    ]


def test_words_that_are_no_measure_have_none() -> None:
    assert measure_of("minutes") == measure_of("min")
    assert measure_of("apples") is None


@given(st.text(alphabet="0123456789.,:+-*/^=%$ \nabx½²\\{}()[]!", max_size=80), st.integers(0, 20))
def test_tokens_stand_in_order_and_inside_what_was_asked_for(text: str, start: int) -> None:
    tokens = tokens_of(text, start, len(text))
    assert all(start <= token.start < token.end <= len(text) for token in tokens)
    assert all(one.end <= other.start for one, other in pairwise(tokens))
