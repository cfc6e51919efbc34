"""Trees: what each text means, what is refused because readers differ, and that no text does worse than be refused."""

import math
from contextlib import suppress
from fractions import Fraction
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.enclosures import FLOATS, UndefinedError
from rewardgate.verifiers.expression.evaluation import Budget, evaluate
from rewardgate.verifiers.expression.normalise import normalise
from rewardgate.verifiers.expression.parser import UnreadableError, parse
from rewardgate.verifiers.expression.tree import Function, Number, Power, Product, Sum, Symbol, free_symbols

X, Y = Symbol("x"), Symbol("y")
POINT = {"x": Fraction(3), "y": Fraction(5), "n": Fraction(4)}


def value(text: str) -> object:
    """At x = 3, y = 5, n = 4."""
    found = evaluate(parse(normalise(text)), POINT, FLOATS, Budget(1_000))
    return found if isinstance(found, Fraction) else found.middle


def test_a_tree_says_what_was_written():
    assert parse("x+y") == Sum((X, Y))
    assert parse("x^2y") == Product((Power(X, Number(Fraction(2))), Y))
    assert parse("x_{n+1}") == Symbol("x_{n,+,1}")
    assert parse(r"\sqrt{x}") == Function("root", (X, Number(Fraction(2))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-x^2", -9),
        ("(-x)^2", 9),
        ("2x-y", 1),
        ("xy/2", Fraction(15, 2)),
        ("6/2*x", 9),
        ("60/y/x", 4),
        ("2^3^2", 512),  # 2^(3^2)
        ("2^{-1}", Fraction(1, 2)),
        ("x(x+1)", 12),
        ("(x+1)(y-1)", 16),
        (r"2\frac{1}{3}", Fraction(7, 3)),
        (r"2\frac{1}{3}x", 7),
        (r"-2\frac{1}{3}", Fraction(-7, 3)),
        (r"2\frac{x}{3}", 2),
        (r"x^2\frac{1}{3}", 3),
        (r"\frac12x", Fraction(3, 2)),
        (r"\frac{x}y", Fraction(3, 5)),
        (r"\sqrt{4}y", 10),
        (r"\sqrt[3]{27}", 3),
        (r"\sqrt[3]{-27}", -3),
        ("|x-y|", 2),
        ("||x-y|-5|", 3),
        ("2|x||y|", 30),
        ("|-x|y", 15),
        (r"\lfloor 7/2\rfloor", 3),
        (r"\left\lceil\frac{7}{2}\right\rceil", 4),
        ("n!", 24),
        ("-3!", -6),
        ("2n!", 48),
        (r"\binom{n}{2}", 6),
        ("x--y", 8),
        ("---x", -3),
        (r"x\cdot-y", -15),
        (r"\sin0", 0),
        (r"\cos(0)y", 5),
        (r"\sin^2 0", 0),
        ("[2(x+1)]^2", 64),
        ("1,234x", 3702),
        ("abs(-x)", 3),
        ("{x}", 3),
        (r"\arctan 0", 0),
    ],
)
def test_a_text_has_the_value_that_its_readers_give_it(text: str, expected: object):
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\log_2 8", 3.0),
        (r"\log_{2}8", 3.0),
        (r"\log_{10}1000", 3.0),
        (r"\lg 100", 2.0),
        (r"\sin 30^\circ", 0.5),
        (r"\sin^{2} 30^{\circ}", 0.25),
        (r"\cos\frac{\pi}{3}", 0.5),
        (r"\sin^{-1}(1/2)", math.pi / 6),
        (r"\arcsin\frac12", math.pi / 6),
        (r"\sec(\pi/3)", 2.0),
        (r"\ln e^2", 2.0),
        (r"\exp(0)+\ln(e)", 2.0),
        (r"\ln 2x", math.log(6)),
        (r"\sin x\cos y", math.sin(3) * math.cos(5)),
        (r"\tan(\pi/4)x", 3.0),
        (r"e^{x}y", 5 * math.exp(3)),
        (r"2\pi", 2 * math.pi),
        (r"3\sqrt2", 3 * math.sqrt(2)),
        (r"8^{1/3}", 2.0),
    ],
)
def test_functions_take_the_argument_that_is_theirs(text: str, expected: float):
    assert value(text) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    "text",
    [
        "1/2x", "1/2(x+1)", r"3/4\sqrt{2}",  # (1/2)x or 1/(2x)
        r"\ln x(x+1)", r"\sin x/2", r"\ln 2\cdot3", r"\ln x\sqrt2", r"\sin{x}^2", r"\ln|x|^2", r"\ln(x)(x+1)",
        r"\sin\frac12x",
        "f(x)", "g(2)+1", "P(A)",
        "x2", "2 3", "(x+1)2",
        r"45^\circ+30",
        "n!!", "C_1^2", "C_1^n", "x_1_2x",
        "", "+", "x+", "(x", "x)", "|x", "x^", r"\frac{1}", r"\sqrt", r"\frac{1}{", "((x)", "{x", "x]", "(x]",
        r"\sin", r"\sin\cos x", r"\ln -1",
        r"\infty", r"x\pm1", r"\sum x", r"\int x", r"f'(x)+",
    ],
)  # fmt: skip
def test_what_readers_read_in_two_ways_or_not_at_all_is_refused(text: str):
    with pytest.raises(UnreadableError):
        parse(normalise(text))


HOSTILE = {
    "braces": "{" * 100_000,
    "balanced": "(" * 900 + "x" + ")" * 900,
    "roots": r"\sqrt{" * 300 + "2" + "}" * 300,
    "fractions": r"\frac{1}{1+" * 150 + "1" + "}" * 150,
    "tower": "2^" * 900 + "2",
    "signs": "-" * 1_900 + "x",
    "bars": "|" * 1_999,
    "factorials": "3" + "!" * 1_900,
    "functions": r"\sin" * 400,
    "digits": "9" * 100_000,
    "subscripts": "x_{" * 600,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_at_once(name: str):
    started = process_time()
    with pytest.raises(UnreadableError):
        parse(HOSTILE[name])
    assert process_time() - started < 0.2


PIECES = st.sampled_from(
    ["x", "y", "2", "13", "0.5", "+", "-", "*", "/", "^", "(", ")", "{", "}", "[", "]", "|", "!", "'", "_", " ", ",",
     "=", r"\frac", r"\sqrt", r"\sin", r"\ln", r"\log", r"\binom", r"\pi", r"\theta", r"\cdot ", r"^\circ ",
     r"\lfloor ", r"\rfloor ", "e", "i", r"\left(", r"\right)", "1,234", r"\text{a}"]
)  # fmt: skip


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=30).map("".join)))
def test_any_text_is_read_or_refused_and_a_tree_has_a_value_or_none(text: str):
    for spelled in (text, normalise(text)):
        try:
            tree = parse(spelled)
        except UnreadableError:
            continue
        point = {name: Fraction(7, 3) for name in free_symbols(tree)}
        with suppress(UndefinedError, OverflowError, ZeroDivisionError):
            evaluate(tree, point, FLOATS, Budget(10_000))
