"""Tokens: what becomes one, and what is refused with its reason."""

from fractions import Fraction

import pytest

from rewardgate.verifiers.expression.tokens import MAX_CHARACTERS, MAX_DIGITS, MAX_TOKENS, UnreadableError, tokenise


def texts(text: str) -> list[str]:
    return [token.text for token in tokenise(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2ab", ["2", "a", "b"]),
        (r"\frac{\pi}{3}", ["frac", "{", "pi", "}", "{", "3", "}"]),
        (r"x_1\theta'", ["x", "_", "1", r"\theta", "'"]),
        ("1,234x", ["1,234", "x"]),
        (r"\sin30^\circ", ["sin", "30", r"^\circ"]),
        ("abs(x)", ["abs", "(", "x", ")"]),
        (r"\dbinom{6}{2}", ["binom", "{", "6", "}", "{", "2", "}"]),
    ],
)
def test_a_text_is_cut_into_tokens(text: str, expected: list[str]):
    assert texts(text) == expected


def test_numbers_keep_their_exact_value():
    assert [token.value for token in tokenise("0.1+1,234.5")] == [Fraction(1, 10), None, Fraction(2469, 2)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2e3", "scientific"),
        ("3E-5+x", "scientific"),
        (r"\frac{dy}{dx}", "differential"),
        (r"\frac{d}{dx}", "differential"),
        (r"\partial x", "differential"),
        (r"\int x", r"the command \\int"),
        (r"\text{cm}", r"the command \\text"),
        ("x+answer", "the word 'answer'"),
        ("ABC", "the word 'ABC'"),
        ("1,2", "the character ','"),
        ("х+1", "the character"),  # Cyrillic
        ("x=1", "the character '='"),
        (r"\{1\}", "the character"),
        ("7" * (MAX_DIGITS + 1), "digits"),
        ("+" * (MAX_TOKENS + 1), "tokens"),
        ("x" * (MAX_CHARACTERS + 1), "characters"),
    ],
)
def test_what_is_not_certain_is_refused_with_its_reason(text: str, reason: str):
    with pytest.raises(UnreadableError, match=reason):
        tokenise(text)
