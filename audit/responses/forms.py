r"""How a response commits to its answer: the place, what stands around it, and how it is written inside its box.

A grader that reads a box may fail where a sentence or a special token follows it, or where the number stands in
`\text{}` within it. Two right answers of the same form that fared differently were not judged by their form.
"""

import re
from typing import NamedTuple

from ...verifiers.base import Extracted

__all__ = ["ANCHORED", "Form", "commitment_form"]

ANCHORED = frozenset({"boxed", "answer_tag", "hash", "phrase", "choice", "code_block"})
"""Places that a response marks as its answer; what is found elsewhere may be any number."""

_AROUND_CHARS = 400
_WRITTEN_CHARS = 80
_CLOSERS = re.compile(r"(?:[\s}\])$.,;:!*_`\"'’”\\]|</answer>)*")
_SPECIAL_TOKEN = re.compile(r"<\|[^|\n]{1,32}\|>|<｜[^｜\n]{1,40}｜>|</?s>|<(?:eos|pad|end_of_turn)>|\[/?INST\]")
_BOX = re.compile(r"\\?(?:boxed|fbox)\s*\{")
_USUAL_BOX = "\\boxed{"
_MATHS = {"$$": "in a display", "\\[": "in a display", "**": "in bold"}


class Form(NamedTuple):
    r"""Where and how an answer is committed to.

    Args:
        place: `boxed`, `answer_tag`, `hash`, `phrase`, `last_number`, …; empty where there is no answer.
        around: what else the text holds that a grader may trip over, for a person; empty where nothing.
        written: the inside of the box where it is more than the answer (`\text{18}`); else empty.
    """

    place: str = ""
    around: str = ""
    written: str = ""

    @property
    def name(self) -> str:
        """The place and what is around it: what forms are counted by."""
        return f"{self.place}, {self.around}" if self.around else self.place


def commitment_form(text: str, found: Extracted | None) -> Form:
    r"""The form in which `text` commits to the answer that was `found`.

    Example:
        >>> from rewardgate.verifiers.base import extractors
        >>> text = r"So it is \boxed{\text{18}}. I hope this helps!"
        >>> commitment_form(text, extractors.create("auto").extract(text))
        Form(place='boxed', around='more text behind it', written='\\text{18}')
    """
    if found is None or (found.outcome is not None and not found.text):
        return Form()
    if found.span is None:
        return Form(found.method, _before(text))
    box = _box(text, found) if found.method == "boxed" else None
    parts = (_behind(text, found.span[1]), "" if box is None else _about_box(text, box), _before(text))
    around = ", ".join(part for part in parts if part)
    return Form(found.method, around, "" if box is None else _written(text, found, box.end()))


def _behind(text: str, end: int) -> str:
    tail = text[end : end + _AROUND_CHARS]
    closers = _CLOSERS.match(tail)
    rest = tail[closers.end() :] if closers else tail
    if not rest:
        return ""
    return "a special token behind it" if _SPECIAL_TOKEN.match(rest) else "more text behind it"


def _before(text: str) -> str:
    parts = []
    if "</think" in text:
        parts.append("a thought before it")
    if "```" in text:
        parts.append("a code block in the text")
    if "\r\n" in text:
        parts.append("CRLF lines")
    return ", ".join(parts)


def _box(text: str, found: Extracted) -> re.Match[str] | None:
    """The opening of the box that holds the answer."""
    assert found.span is not None
    boxes = list(_BOX.finditer(text, max(0, found.span[0] - _WRITTEN_CHARS), found.span[0]))
    return boxes[-1] if boxes else None


def _about_box(text: str, box: re.Match[str]) -> str:
    parts = [] if box.group() == _USUAL_BOX else [f"its box opened by {box.group()}"]
    if text.count(_USUAL_BOX) > 1:
        parts.append("other boxes beside it")
    before = text[: box.start()].rstrip()[-2:]
    return ", ".join([*parts, *([_MATHS[before]] if before in _MATHS else [])])


def _written(text: str, found: Extracted, inner: int) -> str:
    """What stands in the box from `inner` on, where it is more than the answer."""
    assert found.span is not None
    start, end = found.span
    before = text[inner:start]
    # Braces that were opened inside the box and before the answer close behind it.
    depth, stop = 1 + before.count("{") - before.count("}"), end
    while depth > 0 and stop < len(text) and stop - end < _WRITTEN_CHARS:
        depth += {"{": 1, "}": -1}.get(text[stop], 0)
        stop += 1
    inside = text[inner : stop - 1].strip() if depth == 0 else ""
    return inside[:_WRITTEN_CHARS] if inside != found.text.strip() else ""
