r"""The texts of `fuzz.py`: each is made from a seed and its number alone, so that a number names it for ever.

Two makes: *spliced* texts, of tokens of answers and their ruins, rewritten targets, wrapped answers and single
characters, some of their parts repeated very often; and *expressions*, random trees written as LaTeX, some ruined.
"""

import random

from rewardgate.verifiers.testing import ANCHORS, SURROUNDINGS, mutants, rewrites, wrapped
from rewardgate.verifiers.testing.floods import TOKENS

__all__ = ["expression", "spliced"]

MOST_CHARACTERS = 40_000
ANSWERS = (
    "42", "-7", "1,234", "0.50", r"\frac{1}{2}", r"-\frac{22}{7}", r"2\sqrt{3}", "x^2-3x+1", r"\frac{1}{2}\pi", "(1,2)",
    r"\{1,2,3\}", "[0,1)", r"(-\infty,3]", "B", "even", "y = 2x + 3", "3:4", r"25\%", r"5\text{ cm}", r"101_2", "1e-8",
    r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"x<-1\text{ or }x>1", r"2\pm\sqrt{3}", r"3+4i", "3:15 p.m.", r"30^\circ",
    r"10^{100}", "100!", r"\log_3 9", r"\sin\frac{\pi}{6}", r"0.1\overline{6}", r"x \equiv 2 \pmod{5}", r"\emptyset",
)  # fmt: skip
MATHS = (
    r"\frac", r"\dfrac", r"\sqrt", r"\sqrt[3]", r"\pi", r"\infty", r"\cdot", r"\times", r"\pm", r"\le", r"\ge", r"\cup",
    r"\in", r"\mathbb{R}", r"\binom", r"\overline", r"\circ", r"\text{ or }", r"\left", r"\right", r"\ln", r"\sum",
    r"\begin{pmatrix}", r"\end{pmatrix}", "&", r"\\", "!", "|", "<", ">", "=", ":", ";", "/", "*", "**", "%", r"\%",
    "e", "i", "x", "y", "10", "999999999999", "0", ".", "π", "√", "²", "∞", "≤", "×", "°", " km", " dollars", "five",
    " p.m.",
)  # fmt: skip
LEAVES = (
    *("0", "1", "2", "3", "7", "10", "12", "0.5", "1.25", "99", "1000", "123456789", "0.000001", "2", "3", "5"),
    *("x", "y", "a", "n", "x", "x", "t", r"\theta", "x_1", r"\pi", "e", "i", r"10^{30}", r"10^{-40}"),
)
FUNCTIONS = ("sin", "cos", "tan", "cot", "sec", "arcsin", "arctan", "sinh", "tanh", "ln", "log", "exp", r"log_2", "lg")
SAME = (
    "%s", "(%s)", "%s+0", "%s+x-x", r"\frac{2(%s)}{2}", "-(-(%s))", r"\ln(e^{%s})", r"\sqrt{(%s)^2}", "(%s)^1",
    r"\frac{(%s)^2}{%s}", "%s+10^{-40}", r"e^{\ln(%s)}", r"(%s)\cdot\left(\sin^2 x+\cos^2 x\right)", r"(\sqrt{%s})^2",
)  # fmt: skip
"""Ways to write an expression once more, nearly all of them worth what it is worth."""


def spliced(seed: int, number: int) -> tuple[str, str]:
    """A spliced text and a target: an answer as people write it, or at times a ruined one."""
    draw = random.Random(f"{seed}:{number}")
    text = "".join(_piece(draw) for _ in range(draw.choice((1, 1, 2, 3, 5, 8, 20))))
    for _ in range(draw.choice((0, 0, 1, 2))):
        text = _changed(draw, text)
    draw = random.Random(f"{seed}:{number}:target")
    answer = draw.choice(ANSWERS)
    return text[:MOST_CHARACTERS], answer if draw.random() < 0.9 else _changed(draw, answer)[:400]


def expression(seed: int, number: int) -> tuple[str, str]:
    """A random expression and a target: the same written once more, changed in one place, or another one."""
    draw = random.Random(f"{seed}:{number}:expression")
    made = _tree(draw, draw.choice((1, 2, 2, 3, 3, 4, 5)))
    kind = draw.random()
    if kind < 0.5:
        target = draw.choice(SAME).replace("%s", made)
    else:
        target = _changed(draw, made) if kind < 0.7 else _tree(draw, draw.choice((1, 2, 3)))
    if draw.random() < 0.2:
        made = _changed(draw, made)
    return made[:MOST_CHARACTERS], target[:MOST_CHARACTERS]


def _tree(draw: random.Random, depth: int) -> str:
    if not depth or draw.random() < 0.1:
        return draw.choice(LEAVES)
    one, other = _tree(draw, depth - 1), _tree(draw, draw.randrange(depth))
    small = draw.choice(("2", "3", "-1", "-2", r"\frac{1}{2}", "10", "100", "n", "x", "0.5", "1000"))
    function = draw.choice(FUNCTIONS)
    forms = (
        f"{one}+{other}", f"{one}-{other}", f"({one})({other})", rf"{one} \cdot {other}", f"({one})*({other})",
        f"-({one})", rf"\frac{{{one}}}{{{other}}}", f"({one})/({other})", f"({one})^{{{small}}}", f"{other}^{{{one}}}",
        rf"\sqrt{{{one}}}", rf"\sqrt[{small}]{{{one}}}", rf"\{function}({one})", rf"\{function} {other}", f"|{one}|",
        rf"\lfloor {one} \rfloor", f"({one})!", rf"\binom{{{one}}}{{{other}}}", rf"\left({one}\right)",
        f"{other}({one})", rf"\{function}^2({one})", f"{one}^{{{small}}}",
    )  # fmt: skip
    return draw.choice(forms)


def _piece(draw: random.Random) -> str:
    kind = draw.random()
    if kind < 0.3:
        return draw.choice(TOKENS)
    if kind < 0.55:
        return draw.choice(MATHS)
    answer = draw.choice(ANSWERS)
    if kind < 0.6:
        return answer
    if kind < 0.75:
        return draw.choice(rewrites(answer, conventions=True)).text
    if kind < 0.8:
        return draw.choice(mutants(answer, conventions=True)).text
    if kind < 0.95:
        text = draw.choice(rewrites(answer, conventions=True)).text
        return wrapped(text, anchor=draw.choice(list(ANCHORS)), surrounding=draw.choice(list(SURROUNDINGS))).text
    return chr(draw.choice((draw.randrange(32, 127), draw.randrange(0x250), draw.randrange(0x2000, 0x2BFF))))


def _changed(draw: random.Random, text: str) -> str:
    """`text` with a slice left out, moved, repeated a little or very often, or a character changed."""
    start = draw.randrange(len(text) + 1)
    end = min(len(text), start + draw.choice((1, 2, 4, 8, 30)))
    kind = draw.randrange(5)
    if kind == 0:
        return text[:start] + text[end:]
    if kind == 1:
        return text[:start] + text[end:] + text[start:end]
    if kind == 2:
        return text[:start] + text[start:end] * draw.choice((2, 3, 10)) + text[end:]
    if kind == 3:
        return text[:start] + text[start:end] * draw.choice((100, 1_000, 4_000)) + text[end:]
    return text[:start] + draw.choice((*TOKENS, *MATHS)) + text[end:]
