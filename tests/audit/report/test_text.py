import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.report.text import number, percent, shown


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb\t c", "a b c"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x07\x9b", "\\x07\\x9b"),
        ("abc\u202edcba\u2066", "abc\\u202edcba\\u2066"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\ud800", "\\ud800"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
        ("ä 中 \\frac{1}{2}", "ä 中 \\frac{1}{2}"),
    ],
)
def test_a_strangers_words_are_one_plain_line(text: str, line: str) -> None:
    assert shown(text) == line


@given(st.text())
def test_nothing_that_a_terminal_obeys_gets_through(text: str) -> None:
    line = shown(text)
    assert all(character.isprintable() for character in line)
    assert shown(text, 3).removesuffix("…") == line[:3]


def test_numbers_and_shares() -> None:
    assert [number(value) for value in (0.0, 0.91, 12.34, 123.4, 1e-9, None)] == [
        "0.000", "0.910", "12.3", "123", "1e-09", "–",
    ]  # fmt: skip
    assert [percent(value) for value in (0.0, 0.0014, 0.05, 0.255, 1.0, None)] == [
        "0 %", "0.14 %", "5 %", "26 %", "100 %", "–",
    ]  # fmt: skip
