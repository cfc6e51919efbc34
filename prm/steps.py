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

A thought (`<think>…</think>`) begins a step and ends one, under every rule: its tags belong to the steps that
they open and close, and no step holds both a part of a thought and of what is said after it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, get_args

from ..errors import ArgumentError
from .blocks import Span, block_spans
from .breaks import fragments
from .items import Item, item_of, lies_within

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
            `"auto"`: behind a blank line and at such a heading; where these leave one step, at every line; where
            that leaves one, behind every sentence that ends with a mark of Chinese or Japanese (。！？). The
            sub-steps of a list's item (a), (i), deeper bullets) stay with it, unless the whole text is one item.

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
    starts = [0]
    for cutting in _CUTTINGS[rule]:
        pieces = list(_pieces(text, lines, blocks, cutting))
        starts = list(_joined_starts(pieces, cutting))
        if len(starts) == 1 < len(pieces) and cutting.nests:
            starts = list(_joined_starts(pieces, cutting._replace(nests=False)))
        if len(starts) > 1:
            break
    return tuple(zip(starts, [*starts[1:], len(text)], strict=True))


class _Cutting(NamedTuple):
    """Where a piece may begin, beside the edges of thoughts, and whether items then hold their sub-steps."""

    at_blank_lines: bool = True
    at_lines: bool = False
    at_sentences: bool = False
    at_headings: bool = False
    nests: bool = False


_CUTTINGS: dict[Rule, tuple[_Cutting, ...]] = {
    "blank_lines": (_Cutting(),),
    "lines": (_Cutting(at_lines=True),),
    "headings": (_Cutting(at_blank_lines=False, at_headings=True),),
    "auto": (
        _Cutting(at_headings=True, nests=True),
        _Cutting(at_lines=True, nests=True),
        _Cutting(at_lines=True, at_sentences=True),
    ),
}
"""The ways of each rule, each tried where those before it leave one step."""


class _Piece(NamedTuple):
    """A run of lines between two places where the rule may cut, and what ties it to its neighbours."""

    start: int
    first: str
    last: str
    begins_at_edge: bool
    is_step_heading: bool
    heads: bool
    announces: bool
    is_wordless: bool
    has_block: bool


def _pieces(text: str, lines: Sequence[str], blocks: Sequence[Span], cutting: _Cutting) -> Iterator[_Piece]:
    start = end = 0
    kept: list[str] = []
    inside: list[Span] = []  # the blocks of the piece
    next_block = 0
    is_after_blank = begins_at_edge = False
    for line, is_edge in fragments(text, lines, at_sentences=cutting.at_sentences):
        line_start, end = end, end + len(line)
        while next_block < len(blocks) and blocks[next_block][1] <= line_start:
            inside.append(blocks[next_block])
            next_block += 1
        if line.isspace():
            is_after_blank = True
            continue
        is_whole = next_block == len(blocks) or line_start <= blocks[next_block][0]
        may_begin = cutting.at_lines or is_after_blank or is_edge
        if kept and is_whole and (may_begin or (cutting.at_headings and _step_heading(line) is not None)):
            yield _piece(text, (start, line_start), kept, inside, begins_at_edge)
            start, kept, inside, begins_at_edge = line_start, [], [], is_edge
        kept.append(line)
        is_after_blank = False
    yield _piece(text, (start, end), kept, [*inside, *blocks[next_block:]], begins_at_edge)


def _piece(text: str, span: Span, lines: Sequence[str], blocks: Sequence[Span], begins_at_edge: bool) -> _Piece:
    first, last = (lines[0], lines[-1]) if lines else ("", "")
    return _Piece(
        start=span[0],
        first=first,
        last=last,
        begins_at_edge=begins_at_edge,
        is_step_heading=_step_heading(first) is not None,
        heads=bool(lines) and all(map(_is_heading, lines)),
        announces=last.rstrip().rstrip("*_").endswith((":", "：")),
        is_wordless=all(_NO_WORDS.fullmatch(text, *gap) for gap in _gaps(*span, blocks)),
        has_block=bool(blocks),
    )


def _joined_starts(pieces: Iterable[_Piece], cutting: _Cutting) -> Iterator[int]:
    """Where the steps begin: pieces joined to those that they belong with."""
    step_start, is_kept = 0, True
    has_words = has_block = False
    before: _Piece | None = None
    item: Item | None = None  # the list's item that the step begins with
    for piece in pieces:
        # What holds no word, at the very beginning, goes with the first text; a thought of two tags, too.
        is_apart = before is not None and has_words and not _belongs_to(before, piece, item, cutting)
        if is_apart or (piece.begins_at_edge and (has_words or has_block)):
            if is_kept:
                yield step_start
            step_start, is_kept = piece.start, cutting.at_blank_lines or piece.begins_at_edge
            has_words = has_block = False
        if not has_words:
            item = item_of(piece.first) if cutting.nests and not piece.is_step_heading else None
        is_kept = is_kept or piece.is_step_heading
        has_words = has_words or not piece.is_wordless
        has_block = has_block or piece.has_block
        before = piece
    if is_kept:
        yield step_start


def _belongs_to(before: _Piece, piece: _Piece, item: Item | None, cutting: _Cutting) -> bool:
    if piece.is_wordless and not piece.heads:
        return True
    if before.heads:
        return not (before.is_step_heading and piece.is_step_heading)
    within = item_of(piece.first)
    if before.announces:
        is_list_apart = within is not None and _indent(piece.first) <= _indent(before.last)
        if not (piece.is_step_heading or piece.heads or is_list_apart):
            return True
    if item is None or piece.is_step_heading:
        return False
    if within is not None:
        return lies_within(within, item)
    return cutting.at_lines and _indent(piece.first) > item.indent


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
