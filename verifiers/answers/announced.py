"""The answer that an announcement commits to: what of the announced sentence is the answer.

`statements` finds announcements; here they are read, denied ones told, and stacked ones that differ hedged.
"""

import re

from ..base import Extracted, Outcome
from ..patterns import lazy_pattern
from .anchors import Found, decided, denies, same_answer, stacked_answers
from .closing import result_start
from .commitment import is_attributed
from .corrections import correction
from .denials import is_denied
from .prose_numbers import COUNTED, NUMBER, widened_start
from .regions import last_match
from .statements import Announcement, announcement_start, announcements
from .wrappers import unwrapped, without_math_marks

_COPULA = lazy_pattern(
    r"(?:\s(?:is|are|equals|would\s+be|will\s+be|must\s+be)\s+(?:therefore\s+|thus\s+|exactly\s+)?|(?<=[a-z\s]{4})=\s*)"
)
_ANSWER_LIKE = lazy_pattern(r"[-+−±$€£¥₹￥(\[{\\]|\d|[０-９½⅓-⅞√∞π]|[A-Za-z](?![A-Za-z])")
_APPROXIMATELY = lazy_pattern(r"(?:approximately|approx\.?|≈|\\approx)\s*", re.IGNORECASE)
_BUT = lazy_pattern(
    r"(?:\b(?:but|rather|instead|sino|sondern)\b[,:]?\s*(?:rather\s+|is\s+|it\s+is\s+|it['’]s\s+)?|[,;:]\s*it(?:['’]s|\s+is)\s+)",
    re.IGNORECASE,
)
_BUT_IT_IS = lazy_pattern(
    r",?\s+but\s+(?:it\s+is|it['’]s|in\s+fact|actually)\s+(?:it\s+is\s+|it['’]s\s+)?(?!not\b)(?=[-$\\\d])",
    re.IGNORECASE,
)
_YES_OR_NO = lazy_pattern(r"[*_\"]{0,3}(?:yes|no)\b[*_\"]{0,3}(?=\s?[,;:—–])", re.IGNORECASE)
_NOT = lazy_pattern(
    r"(?:not|neither|different\s+from|other\s+than|anything\s+(?:but|other\s+than)|far\s+from)\s+", re.IGNORECASE
)
_OR = lazy_pattern(r"\s+or\s+", re.IGNORECASE)
_HOW_SURE = lazy_pattern(r"(?:(?:most\s+)?likely|probably|presumably|certainly|definitely|surely)\s+", re.IGNORECASE)
_ARTICLE_BEFORE_NUMBER = lazy_pattern(
    r"(?:that\s+)?(?:there\s+(?:is|are)\s+|it\s+is\s+|only\s+|just\s+|either\s+|both\s+)", re.IGNORECASE
)
_FIRM = lazy_pattern(r"[\d０-９\\]|^[A-J]$")
_SENTENCE_START = lazy_pattern(
    r"(?:^|[\n.!?:;。！？>*)\]}$])\s*(?:(?:but|however|actually|wait|no|nope|oops|sorry|correction)\W{0,3})?\Z",
    re.IGNORECASE,
)


def announced_answer(text: str, start: int = 0, *, methods: frozenset[str], firm: bool = False) -> Found | None:
    """The last announced answer after `start`; `firm` leaves out what may be no final statement."""
    rejected = later = first = None
    for announced in announcements(text, start, methods=methods):
        if firm and not _is_firm(text, announced, start):
            continue
        found = _read(text, announced)
        if found is None:
            continue
        if found.is_rejected:
            rejected = rejected or found
            continue
        if later is None:
            if rejected is not None and denies(text, rejected, found):
                return rejected
            later = first = found
            continue
        assert first is not None
        if not _is_stacked(text, found, first):
            break
        if (hedged := _hedged(found, later)) is not None:
            return hedged
        first = found  # the same once more: what stands before it may be another
    return later or rejected


def corrected_answer(text: str, end: int) -> Found | None:
    """The answer that replaces one that ends at `end` ("Wait, no, it should be 42")."""
    announced = correction(text, end)
    return None if announced is None else _read(text, announced)


def _read(text: str, announced: Announcement) -> Found | None:
    start, end = announced.value_start, announced.value_end
    denial = _NOT.match(text, start, end)
    if announced.doubt or denial is not None:
        but = _BUT.search(text, start if denial is None else denial.end(), end)
        if but is None:
            start, end = unwrapped(text, start if denial is None else denial.end(), end)
            outcome = Outcome.NO_ANSWER if announced.doubt == "supposed" else Outcome.INCORRECT
            answer = Extracted(text[start:end], (start, end), announced.method, outcome, announced.doubt or "negated")
            return Found(answer, announced.start, announced.value_end)
        start = but.end()
    elif (but := _BUT_IT_IS.search(text, start, end)) is not None:
        start = but.end()  # "at first 42, but it is 41"
    elif (word := _YES_OR_NO.match(text, start, end)) is not None:
        end = word.end()
    if announced.method == "phrase":
        start, end = _core(text, start, end)
    start, end = unwrapped(text, start, end)
    if start >= end:
        return None
    answer = text[start:end]
    if "$" in answer or "\\" in answer or "*" in answer:
        answer = without_math_marks(answer)
    if is_denied(text, announced.value_end):
        denied = Extracted(answer, (start, end), announced.method, Outcome.INCORRECT, "negated")
        return Found(denied, announced.start, announced.value_end)
    if is_attributed(text, announced.value_start):
        quoted = Extracted(answer, (start, end), announced.method, Outcome.NO_ANSWER, "quoted")
        return Found(quoted, announced.start, announced.value_end)
    counted = None if answer.isascii() else COUNTED.fullmatch(answer)
    if counted is not None:
        answer, end = counted.group("number"), start + counted.end("number")
    alternatives = tuple(_OR.split(answer)) if " or " in answer and len(answer) < 200 else ()
    if alternatives and all(same_answer(alternatives[0], other) for other in alternatives):
        answer, alternatives = alternatives[0], ()
    read = Extracted(answer, (start, end), announced.method, alternatives=alternatives)
    return decided(Found(read, announced.start, announced.value_end))


def _core(text: str, start: int, end: int) -> tuple[int, int]:
    """The answer within an announced sentence: `The largest $n$ is 34` holds 34."""
    for lead in (_HOW_SURE, _ARTICLE_BEFORE_NUMBER, _APPROXIMATELY):
        if (led := lead.match(text, start, end)) is not None:
            start = led.end()
    result = result_start(text, start, end)
    if result != start:
        return result, end
    if _ANSWER_LIKE.match(text, start, end) is not None and text[start : start + 2] not in ("A ", "I "):
        return start, end
    after = last_match(_COPULA, text, start, end)
    if after is not None and after.end() < end:
        near = _APPROXIMATELY.match(text, after.end(), end)
        return (near or after).end(), end
    numbers = list(NUMBER.finditer(text, start, end))
    if numbers and len(text[start : numbers[-1].start()].split()) > 1:
        return widened_start(text, numbers[-1].start(), start), end
    return start, end


def _is_firm(text: str, announced: Announcement, floor: int) -> bool:
    value = text[announced.value_start : announced.value_end].strip(" $*().")
    if _FIRM.search(value) is None:
        return False
    lead = announcement_start(text, announced.start, floor)
    return _SENTENCE_START.search(text, max(0, lead - 24), lead) is not None


def _is_stacked(text: str, earlier: Found, later: Found) -> bool:
    """Whether nothing is said between two announcements of one kind."""
    if earlier.answer.method != later.answer.method:
        return False
    between = text[earlier.end : announcement_start(text, later.start, earlier.end)]
    return not between.strip(" \t\n*_.,;:#$\\)]。，；-")


def _hedged(earlier: Found, later: Found) -> Found | None:
    """HEDGED, where two stacked announcements differ."""
    one, other = earlier.answer.text, later.answer.text
    if any(map(str.isdigit, one)) != any(map(str.isdigit, other)) or same_answer(one, other):
        return None
    return Found(stacked_answers(later.answer.method, one, other), earlier.start, later.end)
