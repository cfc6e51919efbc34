"""Answers announced in words or by `####`: where the last announcement is, and what it announces."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from ..patterns import lazy_pattern
from .answer_words import ABBREVIATED, ASCII_POOL, OTHER_WORDS, AnswerWord
from .denials import doubt_before
from .tasks import is_asked_for, is_task

RANKED_METHODS = frozenset({"hash", "phrase"})
_MAX_ANNOUNCEMENTS = 32
"""A flood of announcements is read from its end, this many at most."""
_MAX_VALUE_CHARS = 2_000
_NEAR_END_CHARS = 256

_LEADING_MARKS = ' \t\r\n*_#>,:：-"“(（【[—–{'
_LEADING_WORDS = frozenset(
    {
        "a", "and", "answer", "best", "conclusion", "correct", "final", "hence", "her", "his", "in", "likely", "most",
        "my", "our", "overall", "right", "so", "the", "then", "therefore", "thus", "correcta", "correcte", "das", "die",
        "el", "finale", "il", "la", "le", "o", "r", "v",
    }
)  # fmt: skip
"""Words, and first letters that a stem leaves out, that only lead up to an announcement."""
_LEADING_CJK = ("最终", "正确", "因此", "所以", "最後", "최종", "最", "的")
_LAST_WORD = lazy_pattern(r"(?<!\w)\w{1,12}\Z")
_SENTENCE_END = lazy_pattern(r"[.!?](?=[*_\"')\]}]{0,4}(?:\s|$))|[。！？।]|\\\\(?=\s)|<br")
_MATH = lazy_pattern(r"\$\$?[^$\n]{1,600}\$\$?|\\\([^\n]{1,600}?\\\)|\\\[.{1,600}?\\\]", re.DOTALL)
_REASON = lazy_pattern(
    r",?\s{1,3}(?:not|rather\s+than|instead\s+of|because|since|as\s+(?:it|the|we)|which|so\s|where\s|given\s+that"
    r"|due\s+to|I\s+(?:think|believe|guess|suppose)"
    r"|after\s+rounding|when\s+rounded|rounded)\b|\s[(（](?=[A-Za-z][A-Za-z.])(?!or\s|maybe|perhaps|possibly)|;\s"
)
_NOT_AN_ANSWER = lazy_pattern(
    r"(?:as\s+follows|expressed|written|rounded|simplified|entered|reported|formatted|correct|incorrect|wrong|right"
    r"|given|shown|obtained|found|below|above|verified|confirmed|consistent|reasonable|valid"
    r"|in\s+the\s+form|of\s+the\s+form|the\s+same\b|already|going\s+to|what|how|why|when|required|expected|supposed"
    r"|to\s+be|unique|an?\s+integer|an?\s+whole)\b",
    re.IGNORECASE,
)
_SAID_BEFORE = lazy_pattern(
    r"(?P<value>\$[^$\n]{1,60}\$|\\\([^\n]{1,60}?\\\)|\*\*[^*\n]{1,60}\*\*|(?<!\S)[^\s,;:]+)\s+(?:is|was)(?P<negation>\s+not"
    r"|n['’]t)?"
    r"\s+(?:therefore\s+|thus\s+|clearly\s+)?(?:the|our|my|your)\s+(?:final\s+|correct\s+|right\s+|required\s+"
    r"|desired\s+|only\s+|best\s+)*a?\Z"
)
_OPENS_REASONING = lazy_pattern(
    r"(?:let(?:['’]s|\s+us|\s+me)|first|firstly|to\s|we\s|since\s|okay|ok,|sure|given\s|if\s|suppose|step\s|we['’]re"
    r"|because)",
    re.IGNORECASE,
)
_PREDICATE_BEHIND = lazy_pattern(r"\s?(?:です|である|だ|입니다|이다|이에요|예요|है)\Z")
_JSON_VALUE = lazy_pattern(r'"(?P<text>(?:[^"\\\n]|\\.){0,400})"|[^,}\]\n]{1,400}')
_FINAL = lazy_pattern(r"final\s+a?\Z", re.IGNORECASE)
_BLANK = lazy_pattern(r"[\s*_:：>]*")
_HOLDS_VALUE = lazy_pattern(r"[\d$\\]")
_WORDY = 5
"""From so many words on, what a colon announces may be the beginning of the reasoning."""
_Stemmed = tuple[str, AnswerWord | None]
"""What is searched for, and the word behind it; None of `####`."""
_STEMMED_ASCII: tuple[_Stemmed, ...] = tuple((word.stem, word) for word in ASCII_POOL)
_STEMMED: tuple[_Stemmed, ...] = tuple((word.stem, word) for word in (*ASCII_POOL, *OTHER_WORDS))
_ENGLISH_STEMS = frozenset({"nswer", "NSWER"})
_NEGATED_ABROAD = lazy_pattern(r"\b(?:no|non|não|nicht|niet|не|không|nie|ikke|inte)\b", re.IGNORECASE)
_LOOK_AHEAD_CHARS = 2_000
_OPTION_LINE = lazy_pattern(r"\s*\n\s*B\s?[:.)]")
_HEADING_WORDS = lazy_pattern(
    r"(?:step|part|case|method|approach|solution|explanation|analysis|conclusion|summary|verification|check|note"
    r"|example|problem|question|section"
    r"|given|calculation|calculate|find|determine|understand\w*|set\w*|final)\b",
    re.IGNORECASE,
)


class Announcement(NamedTuple):
    """One announced answer: `text[start:value_start]` announces, `text[value_start:value_end]` is announced."""

    start: int
    value_start: int
    value_end: int
    method: str
    doubt: str = ""
    """What the announcing words make of the value: `"negated"`, `"supposed"`, or nothing."""


def announcements(text: str, start: int = 0, *, methods: frozenset[str] = RANKED_METHODS) -> Iterator[Announcement]:
    """The announcements in `text` after `start` that announce something, from the last to the first.

    Args:
        text: the region to read.
        start: where to begin.
        methods: `"hash"`, `"phrase"` or both.

    Example:
        >>> text = "The answer is 5. Let me check. Final Answer: The largest $n$ is 34."
        >>> [text[found.value_start : found.value_end] for found in announcements(text)]
        ['The largest $n$ is 34', '5']
    """
    for at, word in islice(_occurrences(text, start, methods), _MAX_ANNOUNCEMENTS):
        if word is None:
            announced = _after_hash(text, at, len(text))
        else:
            announced = _after_word(text, at, word) or _before_word(text, at, start)
        if announced is not None:
            yield announced
    if start == 0 and "phrase" in methods and text[:1] in ("A", "a", "*"):
        first = _abbreviated(text, 0, ABBREVIATED.match(text))
        if first is not None:
            yield first


def announcement_start(text: str, at: int, floor: int) -> int:
    """Where the words that only lead up to the announcement at `at` begin (`**So the final `answer)."""
    floor = max(floor, at - 64)
    start = at
    while start > floor:
        if text[start - 1] in _LEADING_MARKS:
            start -= 1
            continue
        word = _LAST_WORD.search(text, max(floor, start - 13), start)
        if word is not None and (word.group().casefold() in _LEADING_WORDS or word.start() == start - 1 == at - 1):
            start = word.start()
            continue
        led = next((lead for lead in _LEADING_CJK if text.endswith(lead, floor, start)), None)
        if led is None:
            break
        start -= len(led)
    return start


def _occurrences(text: str, start: int, methods: frozenset[str]) -> Iterator[tuple[int, AnswerWord | None]]:
    """Where the announcing words (None for `####`) stand in `text` after `start`, from the last to the first."""
    words: Sequence[_Stemmed] = ()
    if "phrase" in methods:
        words = _STEMMED_ASCII if text.isascii() else _STEMMED
    if "hash" in methods:
        words = (*words, ("####", None))
    end = len(text)
    # The last announcement is nearly always near the end, and few callers ask for another one.
    near_end = max(start, end - _NEAR_END_CHARS)
    for floor in (near_end, start) if near_end > start else (start,):
        present = [stemmed for stemmed in words if text.find(stemmed[0], floor, end) >= 0]
        while present:
            at, word = max(((text.rfind(stem, floor, end), word) for stem, word in present), key=itemgetter(0))
            if at < 0:
                break
            yield at, word
            end = at


def _after_word(text: str, at: int, word: AnswerWord) -> Announcement | None:
    match = word.pattern.match(text, at)
    if match is None:
        return None
    if word.stem[0] == "\n":
        return _abbreviated(text, at + 1, match)
    if is_asked_for(text, at):
        return None
    groups = match.groupdict()
    if groups.get("heading") is not None and not _alone_before(text, at):
        return None
    if '"' in match.group() and match.group().endswith(":"):
        return _json_value(text, at, match.end())
    is_negated = (
        groups.get("negated")
        or groups.get("negation")
        or (word.stem not in _ENGLISH_STEMS and _NEGATED_ABROAD.search(match.group()) is not None)
    )
    doubted = "negated" if is_negated else doubt_before(text, at)
    return _announced(text, at, match.end(), "phrase", doubt=doubted, by_copula=groups.get("copula") is not None)


def _json_value(text: str, at: int, after: int) -> Announcement | None:
    """The value behind a JSON key that holds the word: `{"answer": "5"}`."""
    blank = _BLANK.match(text, after)
    value = _JSON_VALUE.match(text, after if blank is None else blank.end())
    if value is None or not value.group().strip(' "'):
        return None
    return Announcement(at, *value.span("text" if value.group("text") is not None else 0), "phrase")


def _alone_before(text: str, at: int) -> bool:
    """Whether the line holds nothing but words that lead up to `at`: the line is a heading."""
    line_start = text.rfind("\n", 0, at) + 1
    return announcement_start(text, at, line_start) <= line_start


def _before_word(text: str, at: int, floor: int) -> Announcement | None:
    """`5 is the final answer`, said the other way round."""
    said = _SAID_BEFORE.search(text, max(floor, at - 120), at)
    if said is None:
        return None
    start, end = said.span("value")
    if _HOLDS_VALUE.search(text, start, end) is None and end - start > 3:
        return None
    return Announcement(start, start, end, "phrase", "" if said.group("negation") is None else "negated")


def _abbreviated(text: str, at: int, match: re.Match[str] | None) -> Announcement | None:
    """`A: 18` or `Ans: 18` at the beginning of a line, unless it is the first of the options A, B, C."""
    found = None if match is None else _announced(text, at, match.end(), "phrase")
    if found is None or _OPTION_LINE.match(text, found.value_end, found.value_end + 40) is not None:
        return None
    return found


def _announced(
    text: str, at: int, after: int, method: str, *, doubt: str = "", by_copula: bool = False
) -> Announcement | None:
    blank = _BLANK.match(text, after)
    start = after if blank is None else blank.end()
    if start >= len(text):
        return None
    end = value_end(text, start)
    value = text[start:end]
    if not value.strip(" *_$.\t"):
        return None
    if by_copula and _NOT_AN_ANSWER.match(value) is not None:
        return None
    if is_task(value, text[end : end + 1]):
        return None
    predicate = None if value.isascii() else _PREDICATE_BEHIND.search(text, start, end)
    if predicate is not None and predicate.start() > start:
        end = predicate.start()
    is_wordy = len(value.split(None, _WORDY)) >= _WORDY or (not by_copula and _OPENS_REASONING.match(value) is not None)
    if is_wordy and _begins_reasoning(text, at, start, end, by_copula):
        return None
    return Announcement(at, start, end, method, doubt)


def _begins_reasoning(text: str, at: int, start: int, end: int, by_copula: bool) -> bool:
    """Whether the sentence that is announced is the first of a working-out that goes on behind it."""
    if _HOLDS_VALUE.search(text, end, end + _LOOK_AHEAD_CHARS) is None:
        return False
    if by_copula:
        return _HOLDS_VALUE.search(text, start, end) is None
    return _FINAL.search(text, max(0, at - 9), at) is None


def value_end(text: str, start: int) -> int:
    """Where the value that begins at `start` ends: its sentence, its line, or a reason given for it."""
    limit = min(len(text), start + _MAX_VALUE_CHARS)
    if text.startswith(("$$", "\\["), start):
        math = _MATH.match(text, start, limit)
        if math is not None:
            line_end = text.find("\n", math.end(), limit)
            return _sentence_end(text, math.end(), limit if line_end < 0 else line_end)
    line_end = text.find("\n", start, limit)
    if line_end >= 0:
        limit = line_end
    return _sentence_end(text, start, limit)


def _sentence_end(text: str, start: int, limit: int) -> int:
    """The first end of a sentence, or beginning of a reason, that is not inside a formula."""
    formulas = [match.span() for match in _MATH.finditer(text, start, limit)] if "$" in text or "\\" in text else []
    for pattern in (_SENTENCE_END, _REASON):
        for match in pattern.finditer(text, start, limit):
            at = match.start()
            if at > start and not any(inside[0] <= at < inside[1] for inside in formulas):
                limit = at
                break
    return limit


def _after_hash(text: str, at: int, end: int) -> Announcement | None:
    start = at
    while start < end and text[start] in "#: \t：*":
        start += 1
    line_end = text.find("\n", start)
    stop = min(end if line_end < 0 else line_end, start + _MAX_VALUE_CHARS)
    value = text[start:stop].strip()
    if not value or _HEADING_WORDS.match(value) is not None:
        return None
    if is_task(value):
        return None
    words = value.split()
    if len(words) > 6 and not (value.removeprefix("\\")[0] in "([{" and value[-1] in ")]}"):  # (0, 0, 0), with spaces
        if not any(mark.isdigit() for mark in words[0]):
            return None
        stop = start + len(words[0])
    return Announcement(at, start, stop, "hash")
