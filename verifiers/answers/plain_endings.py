r"""The commonest endings by far, read without the full reading: an integer boxed, behind `####` or `The answer is`.

Everything that could make the full reading (`regions`, `committed`, `commitment`) say something else is looked
for with plain substring searches, and its mere presence hands the text over to that reading. So this is never
right where the full reading is not: a property test compares the two.
"""

import re

from ...rollouts.messages import Completion, Prompt
from ..base import Extracted
from .answer_words import ABBREVIATED, ASCII_STEMS
from .beside_boxes import has_lead
from .commitment import SOMEBODY, is_attributed
from .denials import DOUBTING, LEADING, doubt_before, is_negated
from .regions import TAIL_CHARS, may_follow_up
from .tasks import ASKING, is_asked_for

_INTEGER = r"-?\d{1,3}(?:,\d{3}){1,5}|-?\d{1,18}"
_BOX = re.compile(rf"\\boxed\{{({_INTEGER})\}}[\s$.)\]*\\]{{0,8}}\Z")
_HASH = re.compile(rf"#### ({_INTEGER})\n?\Z")
_ANNOUNCED = re.compile(
    rf"(?P<lead>(?:\*\*)?(?:[Tt]he |So the |Final |The final |\*\*Final )?[Aa])nswer(?: is:?|:|:\*\*) "
    rf"(?P<dollar>\$?)(?P<answer>{_INTEGER})(?P=dollar)\.?\n?\Z"
)
_ENDING_CHARS = 48
_EARLIER_CHARS = 400
"""Where the sentence before the last one is longer than this, the full reading is asked."""
_HIDING = ("hantom", "ancel", "{white}", "\\sout", "fbox")
_TURN_MARKS = ("INST]", "THINK]")
_LEAD_CHARS = 64
"""How far the words that lead up to an announcement can reach back (`announcement_start`)."""
_INNER_STEMS = (
    "nswer", "NSWER", "ntwo", "spuesta", "sposta", "Jawaban", "Jibu", "evap", "aspuns", "Vastaus", "Svar",
)  # fmt: skip
"""Pieces of all stems that need no line of their own: where none of these stands, no such stem does."""
_WORDS_CHARS = 64
_REACHING = (
    *ASKING, *SOMEBODY, "say", "said", "gave", "read", "show", "list", "contain", "expect", "claim", "answer",
    "solution", "value", "clearly", "also", "itself",
)  # fmt: skip
_REACHING_WORDS = frozenset({*DOUBTING, "up", "down", "is", "was", "has", "us"})
"""With those above, the last word (`LEADING` ones apart) of all that asks for, doubts or attributes what follows."""


def plain_ending(completion: Completion, prompt: Prompt | None) -> Extracted | None:
    r"""What `auto` extracts from a plain text that ends with one boxed integer or one `#### 42`; None from any other.

    Example:
        >>> plain_ending(r"Six times seven, so the answer is $\boxed{42}$.", None).text
        '42'
        >>> plain_ending("6 * 7 = 42\n#### 42", None).method
        'hash'
        >>> plain_ending("**Answer:** 42", None).method
        'phrase'
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
        if not _is_plain(text, at):
            return None
        return Extracted(match.group(1), match.span(1), "boxed")
    if ("\\" in text or "{" in text) and "oxed" in text:
        return None
    if "#" not in text:
        return _plainly_announced(text)
    at = text.rfind("#### ")
    match = _HASH.match(text, at) if at >= 0 else None
    if match is None or text.find("####") != at or (at > 0 and text[at - 1] != "\n") or not _is_plain(text, at):
        return None
    return Extracted(match.group(1), match.span(1), "hash")


def _plainly_announced(text: str) -> Extracted | None:
    line_start, last_stop = text.rfind("\n", 0, -1) + 1, text.rfind(". ")
    start = line_start if last_stop < line_start else last_stop + 2
    match = _ANNOUNCED.match(text, start)
    if match is None or not _is_open(text, match.start("dollar"), start) or not _stands_alone(text, start):
        return None
    if match.group("dollar") and text.find("$") != match.start("dollar"):
        return None  # One that is open would close at ours.
    if _may_reach(text, start):
        at = match.end("lead")
        if is_asked_for(text, at) or doubt_before(text, at) or is_attributed(text, match.start("dollar")):
            return None
    return Extracted(match.group("answer"), match.span("answer"), "phrase")


def _may_reach(text: str, start: int) -> bool:
    """Whether what stands before the sentence at `start` may ask for, doubt or attribute what is announced there."""
    if start == 0:
        return False
    words = text[max(0, start - _WORDS_CHARS) : start].split()
    while words and words[-1].lower() in LEADING:
        words.pop()
    if not words:
        return True
    word = words[-1].lower()
    if word.isalpha():
        return word in _REACHING_WORDS or word.startswith(_REACHING) or len(words) == 1
    return word[-1].isalnum() or word[-1] in ":="


def _stands_alone(text: str, start: int) -> bool:
    """Whether no other announcement can end right where the one at `start` begins."""
    if start == 0:
        return True
    # What is announced ends with its sentence, unless the stop stands in a formula or in "Ans. 5".
    stop = text.rfind(". ", max(0, start - _EARLIER_CHARS), start - _LEAD_CHARS - 8)
    between = text[stop + 2 : start]
    if stop >= 0 and "$" not in between and "\\" not in between and any(map(str.isalpha, between[:-_LEAD_CHARS])):
        earliest = max(0, stop - len("**Ans**"))
    elif start <= _EARLIER_CHARS:
        earliest = 0
    else:
        return False
    if earliest == 0 and ABBREVIATED.match(text) is not None:
        return False
    before = text[earliest : start - 1]
    stems = ASCII_STEMS if "\n" in before else _INNER_STEMS
    return not any(map(before.__contains__, stems))


def _is_plain(text: str, at: int) -> bool:
    """Whether nothing in `text` hides, cuts off, denies or attributes the answer at `at`."""
    return _is_open(text, at, at) and not is_negated(text, at) and not is_attributed(text, at)


def _is_open(text: str, at: int, start: int) -> bool:
    """Whether nothing in `text` hides or cuts off the answer at `at`, whose sentence is at `start`."""
    # A search for one character is several times as fast as one for a word.
    if "]" in text and any(mark in text for mark in _TURN_MARKS):
        return False
    if text.find("\\", 0, at) >= 0:
        for command in _HIDING:
            if command in text:
                return False
    return not may_follow_up(text, 0, start)
