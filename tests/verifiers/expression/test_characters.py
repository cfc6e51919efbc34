"""Unicode characters of answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.characters import without_unicode


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("１，２３４．５", "1,234.5"),
        ("10³", "10^{3}"),  # NFKC would make it 103
        ("x₁₂", "x_{12}"),
        ("1½", r"1\frac{1}{2}"),
        ("10\u202f000", "10000"),
        ("5\u200b", "5"),
        ("−5", "-5"),
        ("𝑥", "x"),
        ("٣", "3"),
    ],
)
def test_each_form_has_one_plain_spelling(text: str, plain: str):
    assert without_unicode(text) == plain


def test_a_letter_of_another_alphabet_stays_itself():
    assert without_unicode("х+1") == "х+1"


@given(st.text())
def test_no_text_raises_and_ascii_is_left_alone(text: str):
    without_unicode(text)
    ascii_text = text.encode("ascii", "ignore").decode()
    assert without_unicode(ascii_text) == ascii_text


def test_a_root_sign_takes_the_whole_number_after_it():
    assert without_unicode("2√10x") == r"2\sqrt{10}x"
