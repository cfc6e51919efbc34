"""Whether what a program printed is what was expected: by lines, by tokens, or to the letter."""

import re
from itertools import zip_longest
from typing import Literal

__all__ = ["Comparison", "output_difference"]

Comparison = Literal["lines", "tokens", "exact"]

_DECIMAL = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MAX_NUMBER_CHARS = 64
_SHOWN_CHARS = 80


def output_difference(
    expected: str, got: str, *, comparison: Comparison = "lines", float_tolerance: float | None = None
) -> str | None:
    """None where `got` is right, else the first difference for a person.

    Args:
        comparison: `lines` forgives how much white space stands between and around the words of a line, and blank
            lines at the end; `tokens` also line ends; `exact` nothing.
        float_tolerance: relative or absolute, for numbers that the expected output writes with a point or an
            exponent; an integer takes its digits alone, and infinity or NaN are never near anything.

    Example:
        >>> output_difference("1 2\\n", "1 2") is None, output_difference("3", "3\\nand more")
        (True, "line 2: expected nothing more, got 'and more'")
        >>> output_difference("0.3333", "0.33333", float_tolerance=1e-3) is None
        True
    """
    if comparison == "exact":
        return None if expected == got else f"expected {_clipped(expected)}, got {_clipped(got)}"
    if comparison == "tokens":
        pairs = zip_longest(expected.split(), got.split())
        return _first_difference("token", pairs, float_tolerance)
    return _first_difference("line", zip_longest(_lines(expected), _lines(got)), float_tolerance)


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _first_difference(
    unit: str, pairs: "zip_longest[tuple[str | None, str | None]]", tolerance: float | None
) -> str | None:
    for number, (expected, got) in enumerate(pairs, 1):
        if expected == got:
            continue
        if expected is None:
            return f"{unit} {number}: expected nothing more, got {_clipped(got or '')}"
        if got is None:
            return f"{unit} {number}: expected {_clipped(expected)}, got nothing more"
        if not _same_tokens(expected, got, tolerance):
            return f"{unit} {number}: expected {_clipped(expected)}, got {_clipped(got)}"
    return None


def _same_tokens(expected: str, got: str, tolerance: float | None) -> bool:
    """Whether two lines have the same words, numbers within the tolerance where one is given."""
    wanted, found = expected.split(), got.split()
    if len(wanted) != len(found) or tolerance is None:
        return wanted == found
    return all(a == b or _is_near(a, b, tolerance) for a, b in zip(wanted, found, strict=True))


def _is_near(expected: str, got: str, tolerance: float) -> bool:
    if max(len(expected), len(got)) > _MAX_NUMBER_CHARS:
        return False
    if _DECIMAL.fullmatch(expected) is None or _NUMBER.fullmatch(got) is None:
        return False
    a, b = float(expected), float(got)
    return abs(a - b) <= tolerance * max(1.0, abs(a))


def _clipped(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…")
