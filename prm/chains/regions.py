r"""Which parts of a text are set as mathematics: `$…$`, `\(…\)`, `$$…$$`, `\[…\]` and environments; the rest is prose.

A dollar sign may be money: it opens mathematics only before a character that is no space, and closes it only behind one
and before no digit. One pass, linear in the text's length.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Region", "regions"]

_MAX_INLINE = 300

_MARK = re.compile(
    r"\\\\|\\\$|\\(?P<bracket>[\[(\])])|\\(?P<edge>begin|end)\{(?P<name>[a-z]{1,12})\*?\}|(?P<dollars>\$\$?)"
)
_ENVIRONMENTS = frozenset(
    ("align", "aligned", "alignat", "equation", "gather", "gathered", "split", "multline", "eqnarray", "displaymath",
     "math", "cases")
)  # fmt: skip
_CLOSERS = {"[": "]", "(": ")"}
_JOINT = re.compile(r"[-+*/=<>\s]{1,5}")


class Region(NamedTuple):
    """`text[start:end]`, delimiters left out; behind the closing one the text goes on at `after`."""

    start: int
    end: int
    after: int
    is_maths: bool


def regions(text: str) -> list[Region]:
    r"""The parts of `text` in order; what stands between two formulas and is an operator joins them into one.

    Example:
        >>> text = r"so $x$ = $3$ and \[y=2\] costs $5"
        >>> [(text[one.start : one.end], one.is_maths) for one in regions(text)]
        [('so ', False), ('x$ = $3', True), (' and ', False), ('y=2', True), (' costs $5', False)]
    """
    found: list[Region] = []
    position = 0
    for start, inside_start, inside_end, end in _maths(text):
        is_joined = found and found[-1].is_maths and _JOINT.fullmatch(text, position, start)
        if is_joined and "\n" not in text[position:start]:
            found[-1] = Region(found[-1].start, inside_end, end, True)
        else:
            if position < start:
                found.append(Region(position, start, start, False))
            found.append(Region(inside_start, inside_end, end, True))
        position = end
    if position < len(text):
        found.append(Region(position, len(text), len(text), False))
    return found


def _maths(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Start, start and end of the inside, and end of each formula."""
    marks = [mark for mark in _MARK.finditer(text) if mark.group() not in ("\\\\", "\\$")]
    missing: set[str] = set()  # closers of which none is left, so that no opener searches for them again
    index = 0
    while index < len(marks):
        closer = _closer(marks[index])
        closing = None
        if closer == "$":
            closing = _closing_dollar(text, marks, index)
        elif closer and closer not in missing:
            closing = next((at for at in range(index + 1, len(marks)) if _is_closer(marks[at], closer)), None)
            if closing is None:
                missing.add(closer)
        if closing is None:
            index += 1
        else:
            yield marks[index].start(), marks[index].end(), marks[closing].start(), marks[closing].end()
            index = closing + 1


def _closer(mark: re.Match[str]) -> str | None:
    """What closes the formula that `mark` opens; None where it opens none."""
    if mark["dollars"]:
        return mark["dollars"]
    if mark["edge"] == "begin" and mark["name"] in _ENVIRONMENTS:
        return mark["name"]
    return _CLOSERS.get(mark["bracket"] or "")


def _is_closer(mark: re.Match[str], closer: str) -> bool:
    return closer in (mark["dollars"], mark["bracket"]) or (mark["edge"] == "end" and mark["name"] == closer)


def _closing_dollar(text: str, marks: list[re.Match[str]], opening: int) -> int | None:
    first = marks[opening].end()
    if text[first : first + 1].isspace():
        return None
    for at in range(opening + 1, len(marks)):
        mark = marks[at]
        if mark.start() - first > _MAX_INLINE:
            return None
        is_closing = mark["dollars"] == "$" and not text[mark.start() - 1].isspace()
        if is_closing and not text[mark.end() : mark.end() + 1].isdigit():
            return at
    return None
