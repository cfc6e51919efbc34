r"""What an answer in LaTeX, plain or Unicode notation is worth, by rewriting it into Python: slow, narrow, independent.

For the notations that `rewardgate.verifiers.testing` writes, and no others.
"""

import math
import re
from fractions import Fraction
from typing import Any

X = Fraction(7, 3)
"""What stands for x."""

_UNICODE = str.maketrans("−０１２３４５６７８９", "-0123456789")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_REWRITES = (
    (r"\\left|\\right|\$|\\\(|\\\)|\s|\\,|\{,\}|\\(?:text|mathbf|textbf)(?=\{)", ""),
    (r"\\dfrac", r"\\frac"),
    (r"\\frac(\d)(\d)", r"\\frac{\1}{\2}"),
    (r"(-?)(\d+)\\frac\{(\d+)\}\{(\d+)\}", r"\1(\2+\3/\4)"),
    (r"\\frac\{(-?\d+)\}\{(-?\d+)\}", r"((\1)/(\2))"),
    (r"\\times10\^\{(-?\d+)\}", r"*10**(\1)"),
    (r"\\cdot", "*"),
    (r"([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda found: "**" + found.group(1).translate(_RAISED)),
    (r"√(\d+)|\\sqrt\{(\d+)\}", lambda found: f"sqrt({found.group(1) or found.group(2)})"),
    (r"\\pi|π", "pi"),
    (r"\^\{?(\d+)\}?", r"**\1"),
    (r"(?<=[\d)])(?=[a-z(])(?<!sqrt)", "*"),
    (r"[{}]", ""),
    (r"(?<![\w.])(\d*\.?\d+)", r'F("\1")'),
)
_ENDS = {r"\infty": math.inf, r"-\infty": -math.inf}


def value_of(text: str) -> Any:
    """A number, or (brackets, values) where there are several; a set's values as a frozenset."""
    text = text.translate(_UNICODE).strip()
    text = re.sub(r"^\$(.*)\$$|^\\\((.*)\\\)$|^\{(.*)\}$", lambda found: "".join(filter(None, found.groups())), text)
    squeezed = re.sub(r"\\left|\\right|\s", "", text)
    if found := re.fullmatch(r"(?:(.+?)(<|\\le))?x(?:(<|\\le)(.+))?", squeezed):
        low, below, above, high = found.groups()
        if below or above:
            brackets = ("[" if below == r"\le" else "(") + ("]" if above == r"\le" else ")")
            return brackets, (_end(low or r"-\infty"), _end(high or r"\infty"))
    for opening, closing in (("(", ")"), ("(", "]"), ("[", ")"), ("[", "]"), (r"\{", r"\}")):
        if squeezed.startswith(opening) and squeezed.endswith(closing) and "," in squeezed:
            values = tuple(map(_end, squeezed[len(opening) : -len(closing)].split(",")))
            return (opening + closing, frozenset(values) if opening == r"\{" else values)
    return _number(squeezed.removeprefix("x="))


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same; numbers exactly where both are rational, else to 12 digits."""
    if isinstance(one, tuple) or isinstance(other, tuple):
        if not (isinstance(one, tuple) and isinstance(other, tuple)) or one[0] != other[0]:
            return False
        first, second = (sorted(two[1]) if isinstance(two[1], frozenset) else two[1] for two in (one, other))
        return len(first) == len(second) and all(map(is_same, first, second))
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one == other
    return one == other or math.isclose(one, other, rel_tol=1e-12)


def _end(text: str) -> Any:
    return _ENDS[text] if text in _ENDS else _number(text)


def _number(text: str) -> Any:
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    for pattern, replacement in _REWRITES:
        text = re.sub(pattern, replacement, text)
    return eval(text, {"__builtins__": {}}, {"F": Fraction, "sqrt": math.sqrt, "pi": math.pi, "x": X})
