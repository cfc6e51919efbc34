"""Where the blocks of a text are that no step boundary may cut: display maths, code fences, tables.

Found in one pass over the lines and in linear time, whatever the text: brackets are matched with a stack
that each enters and leaves once, and an opener that is never closed protects nothing.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence

from .breaks import THOUGHT_END

Span = tuple[int, int]
"""(start, end) in characters, end exclusive."""

_MATHS = re.compile(
    r"\\[\\$]"  # a row break and an escaped dollar, so that neither `\\[2pt]` nor `\$$` opens anything
    r"|\\(?P<bracket>[\[\]])|\\(?P<edge>begin|end)\{(?P<name>[A-Za-z]{1,20})\*?\}|(?P<dollars>\$\$)"
)
_FENCE = re.compile(r"[ \t]*(?P<marks>`{3,}|~{3,})(?P<info>[^\r\n]*)")
_TABLE_RULE = re.compile(r"[ \t]*\|?(?:[ \t]*:?-++:?[ \t]*\|)++(?:[ \t]*:?-++:?)?\s*")

_WHOLE_ENVIRONMENTS = frozenset({
    "Bmatrix", "IEEEeqnarray", "Vmatrix", "align", "alignat", "aligned", "alignedat", "array", "bmatrix", "cases",
    "dcases", "displaymath", "eqnarray", "equation", "flalign", "gather", "gathered", "longtable", "lstlisting",
    "math", "matrix", "multline", "pmatrix", "smallmatrix", "split", "table", "tabu", "tabular", "tabularx",
    "tikzpicture", "verbatim", "vmatrix",
})  # fmt: skip
"""Environments that hold one thing. Those that hold an argument (proof, enumerate, document) may be cut."""


def block_spans(text: str, lines: Sequence[str]) -> list[Span]:
    r"""The blocks of `text`, outermost ones only, in order and disjoint.

    - display maths: `\[…\]` and `\begin{align}…\end{align}` (cases, array, equation, …), blank lines within
      allowed; `$$…$$` only within a paragraph, because a stray `$$` would swallow everything up to the next;
    - code fences as CommonMark has them: three or more backticks or tildes, at any indentation; one that is
      never closed reaches to the end of the text, or of the thought that it stands in;
    - tables: a line with `|`, a rule such as `|---|:-:|` below it, and the lines with `|` that follow.

    Args:
        text: any text.
        lines: `text.splitlines(keepends=True)`.

    Example:
        >>> text = "So\n\\[ x\n\n= 1 \\]\nand $$5."
        >>> [text[start:end] for start, end in block_spans(text, text.splitlines(keepends=True))]
        ['\\[ x\n\n= 1 \\]']
    """
    blocks: list[Span] = []
    for start, end in sorted([*_fences_and_maths(text, lines), *_tables(lines)]):
        if not blocks or start >= blocks[-1][1]:
            blocks.append((start, end))
        elif end > blocks[-1][1]:
            blocks[-1] = (blocks[-1][0], end)
    return blocks


def _fences_and_maths(text: str, lines: Sequence[str], end: int = 0) -> Iterator[Span]:
    """Those of `lines`, which begin at `end` in `text`."""
    maths = _OpenMaths()
    fence, fence_start, fence_line = "", 0, 0
    for number, line in enumerate(lines):
        start, end = end, end + len(line)
        marks = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            if marks is not None and marks["marks"].startswith(fence) and not marks["info"].strip():
                yield fence_start, start + marks.end("marks")
                fence = ""
        elif marks is not None and not (marks["marks"][0] == "`" and "`" in marks["info"]):
            fence, fence_start, fence_line = marks["marks"], start, number
            maths.clear()  # no formula goes on behind a code block
        elif line.isspace():
            maths.end_paragraph()
        elif "\\" in line or "$$" in line:
            for token in _MATHS.finditer(text, start, end):
                opened_at = maths.read(token)
                if opened_at is not None:
                    yield opened_at, token.end()
    if not fence:
        return
    last = deque(THOUGHT_END.finditer(text, fence_start, end), maxlen=1)
    yield fence_start, last[0].start() if last else end
    if last:
        behind, start = fence_line, fence_start
        while start < last[0].end():
            start += len(lines[behind])
            behind += 1
        yield from _fences_and_maths(text, lines[behind:], start)


class _OpenMaths:
    """The openers that still wait for their closer, innermost last."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, int]] = []  # (closer, where its opener stands)
        self._count = Counter[str]()

    def read(self, token: re.Match[str]) -> int | None:
        """Where the formula begins that `token` closes; None where it closes none."""
        bracket, name = token["bracket"], token["name"]
        if bracket == "[":
            self._take("]")  # display maths holds no display maths: an earlier opener was left open
            self._open("]", token.start())
            return None
        if bracket == "]":
            return self._take("]")
        if token["dollars"]:
            opened_at = self._take("$$")
            if opened_at is None:
                self._open("$$", token.start())
            return opened_at
        if name not in _WHOLE_ENVIRONMENTS:
            return None
        if token["edge"] == "end":
            return self._take(name)
        self._open(name, token.start())
        return None

    def end_paragraph(self) -> None:
        """A blank line, which `$$` does not go across unless an environment inside it does."""
        if self._waiting and self._waiting[-1][0] == "$$":
            self._take("$$")

    def clear(self) -> None:
        """Forget every opener."""
        self._waiting.clear()
        self._count.clear()

    def _open(self, closer: str, start: int) -> None:
        self._waiting.append((closer, start))
        self._count[closer] += 1

    def _take(self, closer: str) -> int | None:
        # The count keeps a closer without an opener from searching the whole stack, again and again.
        if not self._count[closer]:
            return None
        while True:
            waiting, start = self._waiting.pop()
            self._count[waiting] -= 1
            if waiting == closer:
                return start


def _tables(lines: Sequence[str]) -> Iterator[Span]:
    table_start: int | None = None
    previous, end = "", 0
    for line in lines:
        start, end = end, end + len(line)
        if "|" not in line:
            if table_start is not None:
                yield table_start, start
            table_start = None
        elif table_start is None and "|" in previous and _TABLE_RULE.fullmatch(line):
            table_start = start - len(previous)
        previous = line
    if table_start is not None:
        yield table_start, end
