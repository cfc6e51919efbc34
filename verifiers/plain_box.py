r"""The commonest completion by far, read without the full reading: one box with an integer, which ends the text.

Everything that could make the full reading (`regions`, `anchors`, `commitment`) say something else is looked
for with plain substring searches, and its mere presence hands the text over to that reading. So this is never
right where the full reading is not: a property test compares the two.
"""

import re

from ..rollouts.messages import Completion, Prompt
from .base import Extracted
from .regions import TAIL_CHARS

_BOX = re.compile(r"\\boxed\{(-?\d{1,18})\}[\s$.)\]*\\]{0,8}\Z")
_LEAD_CHARS = 16
_OPENING_MARKS = " \n\t$*\\([:"
_PLAIN_LEADS = (
    " is", " are", "nswer", "esult", "=", ",", ".", " get", " gives", " equals", " have", "herefore", "hus", "ence",
)  # fmt: skip
"""Endings of the words before the box; none of them negates it."""

_ATTRIBUTION_CHARS = 80
_SOMEBODY = (
    "reference", "truth", "gold", "answer key", "manual", "prompt", "statement", "question", "user", "teacher",
    "grader", "rubric", "expected", "label", "target",
)  # fmt: skip
"""One piece of everything that can put the box into somebody else's mouth (`commitment.is_attributed`)."""

_FOLLOW_UPS = ("\nUser", "\nHuman", "\n###", "\nQ", "\nProblem")
_HIDING = ("hantom", "ancel", "{white}", "\\sout", "fbox")
_TURN_MARKS = ("INST]", "THINK]")


def plain_box(completion: Completion, prompt: Prompt | None) -> Extracted | None:
    r"""What `auto` and `boxed` extract from a plain text that ends with one boxed integer; None from any other.

    Example:
        >>> plain_box(r"Six times seven, so the answer is $\boxed{42}$.", None).text
        '42'
        >>> plain_box(r"It is not $\boxed{42}$.", None) is None
        True
    """
    if not isinstance(completion, str) or prompt is not None:
        return None
    text = completion
    at = text.rfind("\\boxed{")
    if at < 0 or not text.isascii() or len(text) > TAIL_CHARS:
        return None
    match = _BOX.match(text, at)
    if match is None or text.find("oxed") != at + 2 or "<" in text or "~" in text:
        return None
    # A search for one character is several times as fast as one for a word.
    if "]" in text and any(mark in text for mark in _TURN_MARKS):
        return None
    if text.find("\\") != at:
        for command in _HIDING:
            if command in text:
                return None
    if "\n" in text:
        for follow_up in _FOLLOW_UPS:
            if follow_up in text:
                return None
    lead = text[max(0, at - _LEAD_CHARS) : at].rstrip(_OPENING_MARKS)
    if not lead.endswith(_PLAIN_LEADS) and (lead or at > _LEAD_CHARS):
        return None
    before = text[max(0, at - _ATTRIBUTION_CHARS) : at].lower()
    for word in _SOMEBODY:
        if word in before:
            return None
    return Extracted(match.group(1), match.span(1), "boxed")
