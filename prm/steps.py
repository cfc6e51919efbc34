r"""Text -> steps: where a response is cut into the pieces that are judged one by one.

The spans tile the response: no character is lost and none is counted twice, so that a score of a step can
be carried to tokens (`spans.py`). White space between two steps belongs to the step that it closes; at the
very beginning it belongs to the first.

What belongs together stays together, under every rule:

- display maths, code fences and tables are never cut (`blocks.py`), and a paragraph that is nothing else
  goes with the text before it. In real responses one "\n\n" piece in seven is only an equation;
- so does what holds no word at all: a rule `---`, a tombstone, a closing tag;
- a heading goes with the text that it heads: `### …`, a line in bold, a bare "Step 2:", an opening tag;
- a text that ends with a colon goes with what it announces, unless that is a list, a heading or a step of
  its own.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, get_args

from ..errors import ArgumentError
from .blocks import Span, block_spans

__all__ = ["Rule", "step_spans"]

Rule = Literal["auto", "blank_lines", "lines", "headings"]

_COUNT = r"(?:\d{1,3}(?:\.\d{1,3})*[a-z]?|one|two|three|four|five|six|seven|eight|nine|ten)"
_STEP_HEADING = re.compile(
    rf"""(?:\#{{1,6}}[ \t]*)? (?:[-*+][ \t]+)? [*_]{{0,3}}
    (?:(?:step|schritt|étape|paso|passo|шаг)[ \t]*+(?:\#[ \t]*+)?{_COUNT}
      |步[骤驟][ \t]*[\d一二三四五六七八九十]{{1,3}}|第[ \t]*[\d一二三四五六七八九十]{{1,3}}[ \t]*步)
    [*_]{{0,3}} (?=[ \t]*(?:[:.)(—–：]|-[ \t]|\Z)) (?P<rest>.*)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_HASH_HEADING = re.compile(r"#{1,6}[ \t]+\S|#{2,6}[^#\s]")
_OPENING_TAG = re.compile(r"<[A-Za-z][\w:-]{0,40}>")
_BOLD_LINE = re.compile(
    r"(?:(?:\d{1,3}[.)]|[-*+])[ \t]+)?(?P<mark>\*\*|__)(?P<title>[^*\s](?:(?!\\boxed|__)[^*])*)(?P=mark)[:：]?"
)
_LIST_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)]|\(?[a-zA-Z0-9]{1,2}\))\s")
_NO_WORDS = re.compile(r"(?:</?[A-Za-z][\w:-]{0,40}>|[\W_])*+")
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")


def step_spans(text: str, *, rule: Rule = "auto") -> tuple[Span, ...]:
    r"""The character spans of the steps of `text`, in order: each begins where the one before ends.

    Args:
        text: a response, any text.
        rule: where a step may begin.
            `"blank_lines"`: behind a blank line, also one of spaces or of several line ends.
            `"lines"`: at every line.
            `"headings"`: at a heading of the kind "Step 2", "**Step 2:** …", "### Step 2" (also Schritt, étape,
            paso, passo, шаг, 步骤 2, 第二步) at the beginning of a line; what stands before the first is a step.
            `"auto"`: behind a blank line and at such a heading; where these leave one step, at every line.

    Returns:
        ((0, a), (a, b), …, (z, len(text))), none empty; () for "" only. A text that no rule splits is one step.

    Raises:
        ArgumentError: the rule has another name.

    Source:
        ours. The rule most used is `text.split("\n\n")` (Qwen2.5-Math-PRM, PURE, search-and-learn); "lines" is
        that of GSM8K and of TRL's default separator, "headings" that of Math-Shepherd.

    Example:
        >>> text = "We solve for x:\n\n\\[ x = 2 \\]\n\nSo it is 2."
        >>> [text[start:end] for start, end in step_spans(text)]
        ['We solve for x:\n\n\\[ x = 2 \\]\n\n', 'So it is 2.']
    """
    if rule not in get_args(Rule):
        raise ArgumentError(f"rule: expected one of {', '.join(get_args(Rule))}, got {rule!r}")
    if not text:
        return ()
    lines = text.splitlines(keepends=True)
    blocks = block_spans(text, lines)
    starts = _step_starts(text, lines, blocks, rule)
    if rule == "auto" and len(starts) == 1:
        starts = _step_starts(text, lines, blocks, "lines")
    return tuple(zip(starts, [*starts[1:], len(text)], strict=True))


def _step_starts(text: str, lines: Sequence[str], blocks: Sequence[Span], rule: Rule) -> list[int]:
    pieces = _pieces(text, lines, blocks, at_lines=rule == "lines", at_headings=rule in ("auto", "headings"))
    return list(_joined_starts(pieces, at_headings_only=rule == "headings"))


class _Piece(NamedTuple):
    """A run of lines between two places where the rule may cut, and what ties it to its neighbours."""

    start: int
    first: str
    last: str
    is_step_heading: bool
    heads: bool
    announces: bool
    is_wordless: bool


def _pieces(
    text: str, lines: Sequence[str], blocks: Sequence[Span], *, at_lines: bool, at_headings: bool
) -> Iterator[_Piece]:
    start = end = 0
    kept: list[str] = []
    inside: list[Span] = []  # the blocks of the piece
    next_block = 0
    is_after_blank = False
    for line in lines:
        line_start, end = end, end + len(line)
        while next_block < len(blocks) and blocks[next_block][1] <= line_start:
            inside.append(blocks[next_block])
            next_block += 1
        if line.isspace():
            is_after_blank = True
            continue
        is_whole = next_block == len(blocks) or line_start <= blocks[next_block][0]
        if kept and is_whole and (at_lines or is_after_blank or (at_headings and _step_heading(line) is not None)):
            yield _piece(text, start, line_start, kept, inside)
            start, kept, inside = line_start, [], []
        kept.append(line)
        is_after_blank = False
    yield _piece(text, start, end, kept, [*inside, *blocks[next_block:]])


def _piece(text: str, start: int, end: int, lines: Sequence[str], blocks: Iterable[Span]) -> _Piece:
    first, last = (lines[0], lines[-1]) if lines else ("", "")
    return _Piece(
        start=start,
        first=first,
        last=last,
        is_step_heading=_step_heading(first) is not None,
        heads=bool(lines) and all(map(_is_heading, lines)),
        announces=last.rstrip().rstrip("*_").endswith((":", "：")),
        is_wordless=all(_NO_WORDS.fullmatch(text, *gap) for gap in _gaps(start, end, blocks)),
    )


def _joined_starts(pieces: Iterable[_Piece], *, at_headings_only: bool) -> Iterator[int]:
    """Where the steps begin: pieces joined to those that they belong with."""
    step_start, begins_at_heading, has_words = 0, False, False
    before: _Piece | None = None
    for piece in pieces:
        # What holds no word, at the very beginning, goes with the first text.
        if before is not None and has_words and not _belongs_to(before, piece):
            if not at_headings_only or begins_at_heading or step_start == 0:
                yield step_start
            step_start, begins_at_heading = piece.start, False
        begins_at_heading = begins_at_heading or piece.is_step_heading
        has_words = has_words or not piece.is_wordless
        before = piece
    if not at_headings_only or begins_at_heading or step_start == 0:
        yield step_start


def _belongs_to(before: _Piece, piece: _Piece) -> bool:
    if piece.is_wordless and not piece.heads:
        return True
    if before.heads:
        return not (before.is_step_heading and piece.is_step_heading)
    if before.announces:
        is_list_apart = _LIST_ITEM.match(piece.first.lstrip()) and _indent(piece.first) <= _indent(before.last)
        return not (piece.is_step_heading or piece.heads or is_list_apart)
    return False


def _step_heading(line: str) -> re.Match[str] | None:
    return _STEP_HEADING.match(line.strip())


def _is_heading(line: str) -> bool:
    line = line.strip()
    if _HASH_HEADING.match(line) or _OPENING_TAG.fullmatch(line):
        return True
    step = _STEP_HEADING.match(line)
    if step is not None and not step["rest"].strip(" \t:.)*_—–-："):
        return True
    # A whole sentence in bold is a statement, not a heading, unless it is numbered as a step.
    bold = _BOLD_LINE.fullmatch(line)
    return bold is not None and (step is not None or not bold["title"].endswith(_SENTENCE_ENDS))


def _gaps(start: int, end: int, blocks: Iterable[Span]) -> Iterator[Span]:
    """What of [start, end) lies in no block."""
    for block_start, block_end in blocks:
        yield start, block_start
        start = block_end
    yield start, end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
