r"""The commonest endings by far, read without the full reading: one box with an integer, or one `#### 42`.

Everything that could make the full reading (`regions`, `committed`, `commitment`) say something else is looked
for with plain substring searches, and its mere presence hands the text over to that reading. So this is never
right where the full reading is not: a property test compares the two.
"""

import re

from ..rollouts.messages import Completion, Prompt
from .base import Extracted
from .regions import TAIL_CHARS

_INTEGER = r"-?\d{1,3}(?:,\d{3}){1,5}|-?\d{1,18}"
_BOX = re.compile(rf"\\boxed\{{({_INTEGER})\}}[\s$.)\]*\\]{{0,8}}\Z")
_HASH = re.compile(rf"#### ({_INTEGER})\n?\Z")
_ENDING_CHARS = 48
_LEAD_CHARS = 24
_OPENING_MARKS = " \n\t$*\\([:"
_MAY_NEGATE = frozenset(
    {"not", "never", "be", "than", "of", "neither", "nor", "equal", "to", "ne", "neq", "nicht", "pas", "es", "t", "no"}
)
"""Last words of everything that negates what follows it (`commitment.is_negated`)."""

_ATTRIBUTION_CHARS = 80
_SOMEBODY = (
    "reference", "truth", "gold", "answer key", "manual", "prompt", "statement", "question", "user", "teacher",
    "grader", "rubric", "expected", "label", "target",
)  # fmt: skip
"""One piece of everything that can put the answer into somebody else's mouth (`commitment.is_attributed`)."""

_FOLLOW_UPS = ("\nUser", "\nHuman", "\n###", "\nQ", "\nProblem")
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
        if match is None or text.find("oxed") != at + 2 or not _is_plain_lead(text, at):
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


def _is_plain_lead(text: str, at: int) -> bool:
    lead = text[max(0, at - _LEAD_CHARS) : at].rstrip(_OPENING_MARKS)
    if not lead:
        return at <= _LEAD_CHARS
    if lead[-1] in ",.":
        return True
    if lead[-1] == "=":
        return "not" not in lead  # a negated equals sign is a denial
    word = lead.split()[-1].lstrip("*")
    return word.isalpha() and word.lower() not in _MAY_NEGATE


def _is_plain(text: str, at: int) -> bool:
    """Whether nothing in `text` hides, cuts off or attributes the answer that its ending at `at` holds."""
    # A search for one character is several times as fast as one for a word.
    if "]" in text and any(mark in text for mark in _TURN_MARKS):
        return False
    if text.find("\\", 0, at) >= 0:
        for command in _HIDING:
            if command in text:
                return False
    if ":" in text and "\n" in text:
        for follow_up in _FOLLOW_UPS:
            if follow_up in text and (follow_up != "\n###" or text.find(follow_up) != at - 1):
                return False
    before = text[max(0, at - _ATTRIBUTION_CHARS) : at].lower()
    for word in _SOMEBODY:  # noqa: SIM110
        if word in before:
            return False
    return True
