"""Where a line of text may be cut: at the edges of a thought, and behind a sentence of Chinese or Japanese.

Cutting a line loses nothing: the fragments of the lines, joined, are the text.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["THOUGHT_END", "Fragment", "fragments"]

_NAME = r"(?:think|thinking|thoughts?|reasoning|reason|scratchpad|seed:think)"
THOUGHT_END = re.compile(
    rf"</\s{{0,2}}{_NAME}\s{{0,2}}>|<\|end_of_thought\|>|\[/THINK\]|◁/think▷"
    r"|<\|channel\|>final\s{0,2}<\|message\|>",
    re.IGNORECASE,
)
"""What closes a thought, in the ways that models write it."""

_TAG_SIGNS = ("<", "◁", "THINK]")
_THOUGHT_EDGE = re.compile(
    rf"(?P<end>(?:(?:{THOUGHT_END.pattern})[ \t]*+)++)"
    rf"|(?:<\s{{0,2}}{_NAME}\s{{0,2}}>|<\|begin_of_thought\|>|\[THINK\]|◁think▷"
    r"|<\|channel\|>analysis\s{0,2}<\|message\|>)++",
    re.IGNORECASE,
)

# The full-width point stands in numbers too: ３．１４, and behind those of a list: １．
_SENTENCE_PART = re.compile(
    r"(?P<end>(?:[。！？｡]|(?<![0-9０-９])．(?![0-9０-９]))[。！？｡．!?…]*+[*_]*+\s*+)"
    r"|(?P<open>[「『（(【《〈“])|(?P<close>[」』）)】》〉”])"
)
_SENTENCE_SIGNS = ("。", "！", "？", "｡", "．")


class Fragment(NamedTuple):
    """A line or a part of one; `is_edge` where a thought begins with it, or has ended before it."""

    text: str
    is_edge: bool


def fragments(text: str, lines: Iterable[str], *, at_sentences: bool = False) -> Iterator[Fragment]:
    r"""The lines, cut before every tag that opens a thought and behind every one that closes it.

    A tag in backticks is spoken of, not used. Blanks behind a closing tag go with it.

    Args:
        text: any text.
        lines: `text.splitlines(keepends=True)`.
        at_sentences: cut behind every sentence that ends with a mark of Chinese or Japanese, too, unless a bracket
            or a quotation is open.

    Example:
        >>> [one.text for one in fragments("5.</think> It is 5.", ["5.</think> It is 5."])]
        ['5.</think> ', 'It is 5.']
        >>> text = "三加四（约数。）得七。答案是７。"
        >>> [one.text for one in fragments(text, [text], at_sentences=True)]
        ['三加四（约数。）得七。', '答案是７。']
    """
    may_think = any(sign in text for sign in _TAG_SIGNS) and _THOUGHT_EDGE.search(text) is not None
    parts = _thought_parts(lines) if may_think else (Fragment(line, False) for line in lines)
    if not (at_sentences and any(sign in text for sign in _SENTENCE_SIGNS)):
        return parts
    return (
        Fragment(sentence, is_edge and number == 0)
        for part, is_edge in parts
        for number, sentence in enumerate(_sentences(part))
    )


def _thought_parts(lines: Iterable[str]) -> Iterator[Fragment]:
    is_after_thought = False
    for line in lines:
        start = 0
        for edge in _THOUGHT_EDGE.finditer(line):
            if line.endswith("`", 0, edge.start()):
                continue
            opens = edge["end"] is None
            cut = edge.start() if opens else edge.end()
            if line[start:cut].strip():
                yield Fragment(line[start:cut], is_after_thought)
                start, is_after_thought = cut, False
            is_after_thought = True
        if start < len(line):
            is_blank = line[start:].isspace()
            yield Fragment(line[start:], is_after_thought and not is_blank)
            is_after_thought = is_after_thought and is_blank


def _sentences(part: str) -> list[str]:
    cuts, depth = [0], 0
    for found in _SENTENCE_PART.finditer(part):
        if found["open"]:
            depth += 1
        elif found["close"]:
            depth = max(0, depth - 1)
        elif not depth and found.end() < len(part):
            cuts.append(found.end())
    return [part[start:end] for start, end in zip(cuts, [*cuts[1:], len(part)], strict=True)]
