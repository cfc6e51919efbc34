"""Where the LaTeX boxes of a text are: brace-counted, nested ones as one, unclosed ones told.

`\\boxed{…}`, `\\fbox{…}`, `\\boxed 7`, and what a lost backslash leaves of it (`boxed{7}`, and the backspace
character that `"\\b"` becomes in a careless string). One pass, linear in the text.
"""

import re
from typing import NamedTuple

_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BARE_ARGUMENT = re.compile(
    r"[ ~]{0,4}(?P<argument>-?\d[\d.,/]*|\\(?:d|t)?frac\{[^{}]*\}\{[^{}]*\}|-?\d*[A-Za-z](?![A-Za-z]))"
)
_SHORT_OF_A_BRACE = re.compile(r"(?P<argument>[^$\n]{1,200}?)\s*(?:\$\$?|\\\]|\\\))[\s.*]*\Z")
"""What stands in a box without its last brace, in a formula that is closed and ends the text."""
_COMMANDS = ("oxed", "\\fbox")
_NEAR = 4
_MAX_BOXES = 512
"""A flood of boxes is read from its end, this many of each command at most."""


class Box(NamedTuple):
    """One box: `text[start:end]` is all of it, `text[inner_start:inner_end]` what it holds."""

    start: int
    end: int
    inner_start: int
    inner_end: int


class Boxes(NamedTuple):
    """The outermost closed boxes in order, and where a box begins that never ends (-1 for none)."""

    closed: list[Box]
    unclosed_start: int


def closing_brace(text: str, start: int) -> int:
    """The index of the `}` that closes a group whose inside begins at `start`; -1 if none does.

    Escaped braces (`\\{`) are text and are not counted.

    Example:
        >>> closing_brace("{a{b}c}d", 1)
        6
    """
    close = text.find("}", start)
    if close < 0:
        return -1
    if text.find("{", start, close) < 0 and text.find("\\", start, close) < 0:
        return close
    depth = 1
    for match in _BRACE.finditer(text, start):
        token = match.group()
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                return match.start()
    return -1


def find_boxes(text: str) -> Boxes:
    """The outermost boxes of `text`.

    A box that is never closed does not swallow the complete ones after it.

    Example:
        >>> text = r"\\boxed{1} and \\boxed{\\boxed{2}}"
        >>> [text[box.inner_start : box.inner_end] for box in find_boxes(text).closed]
        ['1', '\\\\boxed{2}']
    """
    closed: list[Box] = []
    openings = _openings(text)
    for number, (start, inside) in enumerate(openings):
        if closed and start < closed[-1].end:
            continue
        if text[inside - 1] != "{":
            bare = _BARE_ARGUMENT.match(text, inside)
            if bare is not None:
                closed.append(Box(start, bare.end(), *bare.span("argument")))
            continue
        close = closing_brace(text, inside)
        if close < 0 and (short := _SHORT_OF_A_BRACE.match(text, inside)) is not None:
            closed.append(Box(start, short.end("argument"), *short.span("argument")))
            continue
        if close < 0:
            return _with_unclosed(text, closed, openings[number:])
        closed.append(Box(start, close + 1, inside, close))
    return Boxes(closed, -1)


def _openings(text: str) -> list[tuple[int, int]]:
    """(start of the command, start of its argument) of the last box commands, in order."""
    found: list[tuple[int, int]] = []
    for command in _COMMANDS:
        at = text.rfind(command)
        while at >= 0 and len(found) < _MAX_BOXES:
            start = at if command == "\\fbox" else _command_start(text, at)
            if start >= 0:
                after = at + len(command)
                brace = after
                while brace < after + _NEAR and text[brace : brace + 1].isspace():
                    brace += 1
                if text[brace : brace + 1] == "{":
                    found.append((start, brace + 1))
                elif text[start] == "\\":
                    found.append((start, after))
            at = text.rfind(command, 0, at)
    found.sort()
    return found


def _command_start(text: str, oxed: int) -> int:
    before = text[oxed - 1] if oxed > 0 else ""
    if before == "\x08":
        return oxed - 1
    if before != "b":
        return -1
    return oxed - 2 if oxed > 1 and text[oxed - 2] == "\\" else oxed - 1


def _with_unclosed(text: str, closed: list[Box], openings: list[tuple[int, int]]) -> Boxes:
    """The boxes when one of them never ends: one pass with a stack, so that a flood of them stays linear."""
    starts = {inside - 1: start for start, inside in openings if text[inside - 1] == "{"}
    stack: list[tuple[int, int]] = []  # (start of the box or -1, start of its inside)
    for match in _BRACE.finditer(text, openings[0][1] - 1):
        token = match.group()
        if token == "{":
            stack.append((starts.get(match.start(), -1), match.end()))
        elif token == "}" and stack:
            start, inside = stack.pop()
            if start >= 0:
                while closed and closed[-1].start > start:
                    closed.pop()
                closed.append(Box(start, match.end(), inside, match.start()))
    return Boxes(closed, max((start for start, _ in stack), default=-1))
