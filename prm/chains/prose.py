"""Runs of mathematical symbols in prose: `2x + 3 = 7` in "we get 2x + 3 = 7, so".

A run is read only where the words beside it let it begin and end there: "the bill of x = 5 times y", "6 feet x 4 = 24"
and `2 x 3 = 6` may mean something else than their signs and letters say.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Run", "has_gap", "may_end", "runs"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SIGN = r"(?:=|[<>≤≥≈]|\\(?:approx|le|ge|leq|geq|lt|gt)(?![a-zA-Z]))"
_PIECE = re.compile(
    r"(?P<stop>\\(?:text|mbox|textrm|boxed|begin|end|implies|iff|therefore|item|n)(?![a-zA-Z])|[=-]+>|\.\.+)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<command>\\[a-zA-Z]+|\\[,;!{}])"
    r"|(?P<word>[^\W\d_]+)"
    r"|(?P<money>[$€£](?=[-\d.]))"
    rf"|(?P<line>[ \t]{{0,20}}\n[ \t]{{0,20}}(?={_SIGN}))"
    r"|(?P<mark>[-–+*/^_=<>(){}\[\]|!·×÷−√≤≥≈²³°'&])"
    r"|(?P<space>[ \t]+)"
)
_FUNCTIONS = frozenset({"sqrt", "sin", "cos", "tan", "cot", "sec", "csc", "ln", "log", "pi"})
_GLUED = re.compile(r"[xyz]{2,3}|[abc]{2,3}")
# Two operands with nothing but a space between them: the letter x may be a sign, and a word may be missing.
_SPACED = re.compile(r"[\w)}] +[$\w({]")
_COMMAND = re.compile(r"\\[a-zA-Z]+ *")
_WORD_BEFORE = re.compile(r"([^\W\d_]*|[^\w\s.,:;!?(])[ \t]*\Z")
_WORD_AFTER = re.compile(r"[ \t]*([^\W\d_]+|[^\w\s.,:;!?)*]|\.\.+|\.(?=\\[a-z]))?")
_INTRODUCING = _words(
    """get gets have has gives give giving gave obtain obtains obtained equation is are becomes become so then thus
    hence therefore that write means know find to and or as yields yield into be implies where if when since
    because let for from simplify solve solving now expression equality inequality but with by following
    conclude note see written which says states leaves leaving left using us equals results in"""
)
_CONTINUING = _words(
    """times more less fewer percent of per plus minus divided multiplied over dozen hundred thousand million billion
    squared cubed mod modulo remainder r th st nd rd to choose x"""
)
_NEARBY = 40


class Run(NamedTuple):
    """`text[start:end]`, and whether it certainly begins, and ends, where it does."""

    start: int
    end: int
    is_begun: bool
    is_ended: bool


def runs(text: str, start: int, end: int) -> Iterator[Run]:
    """The runs of symbols in `text[start:end]`, which is prose up to a formula or an end of the text.

    Example:
        >>> text = "we get 2x + 3 = 7, feet x 4 = 24"
        >>> [(text[run.start : run.end], run.is_begun) for run in runs(text, 0, len(text))]
        [('2x + 3 = 7', True), ('x 4 = 24', False)]
    """
    first: int | None = None
    last = position = start
    while position < end:
        piece = _PIECE.match(text, position, end)
        if piece is not None and _goes_on(piece, is_glued=first is not None and last == position):
            if not piece["space"]:
                first, last = (position if first is None else first), piece.end()
        elif first is not None:
            yield _run(text, first, last, start, end)
            first = None
        position = position + 1 if piece is None else piece.end()
    if first is not None:
        yield _run(text, first, last, start, end)


def may_end(text: str, end: int) -> bool:
    """Whether what stands before `end` may end there, as the next word or sign is no part of it (`5 times`, `5%`)."""
    after = _WORD_AFTER.match(text, end, end + _NEARBY)
    word = after[1] if after is not None else None
    return not word or (word.isalpha() and word.lower() not in _CONTINUING)


def _goes_on(piece: re.Match[str], *, is_glued: bool) -> bool:
    word = piece["word"]
    if not word:
        return not piece["stop"]
    if len(word) == 1 or word in _FUNCTIONS:
        return word.isascii()
    return is_glued and _GLUED.fullmatch(word) is not None


def _run(text: str, first: int, last: int, start: int, end: int) -> Run:
    # Beside a formula with delimiters of its own it is the rest of one.
    is_cut_off = start > 0 and not text[start:first].strip()
    before = _WORD_BEFORE.search(text, max(start, first - _NEARBY), first)
    word = before[1].lower() if before else ""
    line = text[text.rfind("\n", start, first) + 1 : first]
    is_bullet = not line.strip() and text[first] in "-+*" and text[first + 1 : first + 2] == " "
    is_begun = not is_cut_off and not is_bullet and (not word or word in _INTRODUCING)
    return Run(first, last, is_begun, not (last == end and end < len(text)) and may_end(text, last))


def has_gap(text: str) -> bool:
    """Whether two operands in `text` have nothing but a space between them, as in `2 x 3` and `3x 2`."""
    return _SPACED.search(_COMMAND.sub(r"\\", text)) is not None
