"""Functions and their arguments: what they are made of, and where a bare argument ends."""

import pytest

from rewardgate.verifiers.expression.parser import UnreadableError, parse


@pytest.mark.parametrize(
    ("text", "spelled_out"),
    [
        (r"\sin2x", r"\sin(2x)"),
        (r"\sin x\cos y", r"(\sin(x))(\cos(y))"),
        (r"\sin^2x", r"(\sin(x))^2"),
        (r"\sin(x)^2", r"(\sin(x))^2"),
        (r"\sin x^2", r"\sin(x^2)"),
        (r"\sin^{-1}x", r"\arcsin(x)"),
        (r"\log_28", r"\log_{2}(8)"),  # a script without braces is one digit
        (r"\sin^23x", r"(\sin(3x))^2"),
        (r"\ln2\cdot\ln3", r"(\ln(2))\cdot(\ln(3))"),
        (r"\ln2/\ln3", r"(\ln(2))/(\ln(3))"),
        (r"\exp(x)", "e^x"),
        (r"\ln|x|+1", r"(\ln(|x|))+1"),
        (r"\sec x", r"(\cos(x))^{-1}"),
        (r"2\sin\frac{x}{2}", r"2(\sin(\frac{x}{2}))"),
    ],
)
def test_an_argument_is_read_to_where_it_certainly_ends(text: str, spelled_out: str):
    assert parse(text) == parse(spelled_out)


@pytest.mark.parametrize("text", [r"\sin", r"\sin+1", r"\sin_2x", r"\ln^{-1}x", r"\sin^2^3x", r"\log_", r"\sin2 x"])
def test_what_is_no_function_with_a_certain_argument_is_refused(text: str):
    with pytest.raises(UnreadableError):
        parse(text)
