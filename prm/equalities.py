"""The equalities of a text: where each sign stands and what can be read on its two sides.

A chain `a = b = c` is two equalities. `<<a=b>>` annotations are read like prose, apart from the sentence
that they interrupt. Every text is read within a window of bounded width around each sign, and only so many
signs are read, so that no text costs more than its length in scanning.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .operands import Operand, read_left, read_right

__all__ = ["MAX_SIGNS", "Equality", "equalities"]

MAX_SIGNS = 1_000
"""Signs of equality that are read in one text; `equalities` ends after them."""

_MAX_SIDE = 400

_SIGN = re.compile(
    r"(?<![!<>=:])={1,2}(?![>=])|≈|≃|≅|\\approx(?![a-zA-Z])|\\simeq(?![a-zA-Z])|(?<![\w-])equals(?![\w-])"
)
_ANNOTATION = re.compile(r"<<([^<>\n]{0,400})>>")
_EXACT_SIGNS = ("=", "==", "equals")
_IDLE = " \t\r\n$&"
_LINE_END = re.compile(r"(?:\s|\\\\|&)*\Z")
_LINE_START = re.compile(r"(?:\s|&)*")


class Equality(NamedTuple):
    """A sign of equality between two operands that were read; offsets are into the text.

    Args:
        left, right: its two sides.
        is_approximate: the sign says "about".
        is_linked: the left side is the right side of the equality before it.
        is_continued: another sign follows the right side.
    """

    left: Operand
    right: Operand
    is_approximate: bool
    is_linked: bool
    is_continued: bool

    def written(self, text: str) -> str:
        """The equality as it stands in `text`, on one line."""
        return " ".join(_without_annotations(text)[self.left.start : self.right.end].split())


def equalities(text: str) -> Iterator[Equality]:
    """Every equality of `text` whose two sides can be read, prose first, then the annotations.

    Example:
        >>> [(one.left.plain, one.right.plain) for one in equalities("so 2 x $5 = $10 = 20/2, and y = 3")]
        [('2*5', '10'), ('10', '20/2')]
    """
    prose = _without_annotations(text)
    yield from _in_prose(prose, 0, len(prose))
    if prose is not text:
        for found in _ANNOTATION.finditer(text):
            yield from _in_prose(text, found.start(1), found.end(1))


def _without_annotations(text: str) -> str:
    # Spaces in their place: offsets into the one are offsets into the other.
    if "<<" not in text:
        return text
    return _ANNOTATION.sub(lambda found: " " * len(found.group()), text)


def _in_prose(text: str, start: int, end: int) -> Iterator[Equality]:
    signs = []
    for found in _SIGN.finditer(text, start, end):
        signs.append(found)
        if len(signs) > MAX_SIGNS:
            break
    previous = None
    for index, sign in enumerate(signs):
        begins = signs[index - 1].end() if index else start
        ends = signs[index + 1].start() if index + 1 < len(signs) else end
        left_end = sign.start()
        left_end -= len(_ending(text, max(begins, left_end - _MAX_SIDE), left_end))
        left_start = max(begins, left_end - _MAX_SIDE)
        left = read_left(text, left_start, left_end, is_cut=left_start > begins)
        if left is None:
            continue
        right_start = _LINE_START.match(text, sign.end(), ends).end()
        right_end = min(ends, right_start + _MAX_SIDE)
        right = read_right(text, right_start, right_end)
        if right is None or (right_end < ends and right.end >= right_end - 1):
            continue
        is_linked = (left.start, left.end) == previous
        previous = (right.start, right.end)
        is_continued = index + 1 < len(signs) and not text[right.end : ends].strip(_IDLE)
        yield Equality(left, right, sign.group() not in _EXACT_SIGNS, is_linked, is_continued)


def _ending(text: str, start: int, end: int) -> str:
    found = _LINE_END.search(text[start:end])
    return found.group() if found else ""
