r"""The commonest endings by far, read without the full reading: one box with an integer, or one `#### 42`.

Everything that could make the full reading (`regions`, `committed`, `commitment`) say something else is looked
for with plain substring searches, and its mere presence hands the text over to that reading. So this is never
right where the full reading is not: a property test compares the two.
"""

import re

from ..rollouts.messages import Completion, Prompt
from .base import Extracted
from .beside_boxes import has_lead
from .commitment import is_attributed
from .denials import is_negated
from .regions import TAIL_CHARS, may_follow_up

_INTEGER = r"-?\d{1,3}(?:,\d{3}){1,5}|-?\d{1,18}"
_BOX = re.compile(rf"\\boxed\{{({_INTEGER})\}}[\s$.)\]*\\]{{0,8}}\Z")
_HASH = re.compile(rf"#### ({_INTEGER})\n?\Z")
_ENDING_CHARS = 48
_HIDING = ("hantom", "ancel", "{white}", "\\sout", "fbox")
_TURN_MARKS = ("INST]", "THINK]")


def plain_ending(completion: Completion, prompt: Prompt | None) -> Extracted | None:
    r"""What `auto` extracts from a plain text that ends with one boxed integer or one `#### 42`; None from any other.

    Example:
        >>> plain_ending(r"Six times seven, so the answer is $\boxed{42}$.", None).text
        '42'
        >>> plain_ending("6 * 7 = 42\n#### 42", None).method
        'hash'
        >>> plain_ending(r"It is not $\boxed{42}$.", None) is None
        True
    """
    if not isinstance(completion, str) or prompt is not None or not completion.isascii():
        return None
    text = completion
    if len(text) > TAIL_CHARS or "<" in text or "~" in text:
        return None
    at = text.rfind("\\boxed{", -_ENDING_CHARS) if len(text) > _ENDING_CHARS else text.rfind("\\boxed{")
    if at >= 0:
        match = _BOX.match(text, at)
        if match is None or text.find("oxed") != at + 2:
            return None
        if has_lead(text, at):
            return None
        method = "boxed"
    else:
        at = text.rfind("#### ")
        match = _HASH.match(text, at) if at >= 0 else None
        if match is None or text.find("####") != at or (at > 0 and text[at - 1] != "\n") or "oxed" in text:
            return None
        method = "hash"
    if not _is_plain(text, at):
        return None
    return Extracted(match.group(1), match.span(1), method)


def _is_plain(text: str, at: int) -> bool:
    """Whether nothing in `text` hides, cuts off, denies or attributes the answer that its ending at `at` holds."""
    # A search for one character is several times as fast as one for a word.
    if "]" in text and any(mark in text for mark in _TURN_MARKS):
        return False
    if text.find("\\", 0, at) >= 0:
        for command in _HIDING:
            if command in text:
                return False
    if may_follow_up(text, 0, at):
        return False
    return not is_negated(text, at) and not is_attributed(text, at)
