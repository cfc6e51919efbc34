"""The equalities of a text: where each sign stands, and what can be read on its two sides.

A chain `a = b = c` is two equalities. `<<a=b>>` annotations are read like prose, apart from the sentence that
they interrupt. A window of bounded width is read around each sign, and only so much of one text.
"""

import re
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from ...verifiers.expression.arithmetic import CostlyError
from ...verifiers.unicode_text import half_width
from .operands import Operand, read_left, read_right

__all__ = ["MAX_CHARACTERS", "MAX_SIGNS", "Budget", "Equality", "equalities", "without_annotations"]

MAX_SIGNS = 500
"""Signs of equality that are looked at in one text."""

MAX_CHARACTERS = 10_000
"""Characters beside signs that are read in one text."""

_MAX_SIDE = 300

# No lookaround in front: with a plain first character the scan of a long text is one sweep.
_SIGN = re.compile(r"=+|~=(?!=)|[≈≃≅]|\\(?:approx|simeq)(?![a-zA-Z])|equals\b")
_EXACT = frozenset({"=", "==", "equals"})
_NOT_BEFORE = ("!", "<", ">", ":", "~", r"\not")
_ANNOTATION = re.compile(r"<<([^<>\n]{0,400})>>")
_LINE_START = re.compile(r"[\s&]*+")
_BLANK = " \t\r\n&"


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
        written = text[self.left.start : self.right.end]
        return " ".join(without_annotations(written).split())


class Budget:
    """How many signs, and how many characters beside them, may still be read; shared by the texts it is given to.

    Args:
        n_signs, n_characters: the bounds.
    """

    def __init__(self, n_signs: int = MAX_SIGNS, n_characters: int = MAX_CHARACTERS) -> None:
        self.n_signs = n_signs
        self.n_characters = n_characters

    def take(self, *, n_signs: int = 0, n_characters: int = 0) -> None:
        """Spend some of it.

        Raises:
            CostlyError: a sign is to be read, and nothing is left.
        """
        if n_signs and (self.n_signs < n_signs or self.n_characters <= 0):
            raise CostlyError("more equalities than are read")
        self.n_signs -= n_signs
        self.n_characters -= n_characters


def equalities(text: str, budget: Budget | None = None) -> Iterator[Equality]:
    """Every equality of `text` whose two sides can be read, prose first, then the annotations.

    Args:
        text: what to read.
        budget: what may be read of this text and of others, beside the bounds of a single text.

    Raises:
        CostlyError: `text` holds more than `MAX_SIGNS` signs, or more than `MAX_CHARACTERS` beside them, or more
            than is left of `budget`; raised after the equalities within those bounds.

    Example:
        >>> [(one.left.plain, one.right.plain) for one in equalities("so 2 x $5 = $10 = 20/2, and y = 3")]
        [('2*5', '10'), ('10', '20/2')]
    """
    text = half_width(text)
    budgets = [Budget()] if budget is None else [Budget(), budget]
    for body, start, end in _bodies(text):
        previous = None
        for begins, sign, ends in _places(body, start, end):
            for one in budgets:
                one.take(n_signs=1)
            left_end = _line_end(body, begins, sign.start())
            left_start = max(begins, left_end - _MAX_SIDE)
            for one in budgets:
                one.take(n_characters=left_end - left_start)
            left = read_left(body, left_start, left_end, is_cut=left_start > begins)
            if left is None:
                continue
            right_start = _blank_end(body, sign.end(), ends)
            right_end = min(ends, right_start + _MAX_SIDE)
            for one in budgets:
                one.take(n_characters=right_end - right_start)
            right = read_right(body, right_start, right_end)
            if right is None or (right_end < ends and right.end >= right_end - 1):
                continue
            is_linked = (left.start, left.end) == previous
            previous = (right.start, right.end)
            is_continued = ends < end and right.reaches_end
            is_approximate = sign.group() not in _EXACT or body.startswith("~", right_start)
            yield Equality(left, right, is_approximate, is_linked, is_continued)


def without_annotations(text: str) -> str:
    """`text` with blanks for its `<<a=b>>` annotations, so that offsets stay true."""
    if "<<" not in text:
        return text
    return _ANNOTATION.sub(lambda found: " " * len(found.group()), text, count=MAX_SIGNS)


def _bodies(text: str) -> Iterator[tuple[str, int, int]]:
    """The sentence without its annotations, then the annotations, each as (text, start, end)."""
    prose = without_annotations(text)
    yield prose, 0, len(prose)
    if prose is not text:
        for found in _ANNOTATION.finditer(text):
            yield text, found.start(1), found.end(1)


def _places(text: str, start: int, end: int) -> Iterator[tuple[int, re.Match[str], int]]:
    """Each sign of equality, with where the one before it ends and where the one after it begins."""
    begins = start
    for sign, following in pairwise(chain(_signs(text, start, end), [None])):
        if sign is not None:
            yield begins, sign, end if following is None else following.start()
            begins = sign.end()


def _signs(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    for found in _SIGN.finditer(text, start, end):
        sign, first, after = found.group(), found.start(), found.end()
        if sign[0] == "=":
            is_relation = text.endswith(_NOT_BEFORE, 0, first) or text[after : after + 1] in ("<", ">")
            if len(sign) <= 2 and not is_relation:
                yield found
        elif sign != "equals" or not text[first - 1 : first].isalpha():
            yield found


def _line_end(text: str, start: int, end: int) -> int:
    """`end` without the blanks and line breaks before it: `a \\\\ &= b` goes on with a."""
    start = max(start, end - _MAX_SIDE)
    while end > start and (text[end - 1] in _BLANK or text.endswith("\\\\", start, end)):
        end -= 1 if text[end - 1] in _BLANK else 2
    return end


def _blank_end(text: str, start: int, end: int) -> int:
    found = _LINE_START.match(text, start, end)
    return start if found is None else found.end()
