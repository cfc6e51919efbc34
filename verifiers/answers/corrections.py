"""Where a text replaces an answer by another in so many words: "Wait, no, it should be 42.", "Correction: 42."

Narrow on purpose: the word that opens a correction, then the value at once, then the end of the sentence.
"Actually, it took 3 tries" and "No, 3 is too small" correct nothing.
"""

import re

from ..expression.units import read_unit
from ..patterns import lazy_pattern
from .prose_numbers import NUMBER
from .statements import Announcement
from .wrappers import unwrapped

_WITHIN_CHARS = 240
"""A correction follows its answer closely; what comes later is a statement of its own."""
_SHORTEST_CHARS = 4

_SIGNS = (
    "wait", "hmm", "hold on", "hang on", "oh", "ah", "not quite", "no", "oops", "sorry", "apologies",
    "actually", "correct", "mistake", "bad", "wrong", "error", "second thought", "scratch", "rather", "meant",
)  # fmt: skip
"""One of them is in every correction; cheap to look for."""
_OPENS_VALUE = (
    r"nope|no|oops|sorry|apologies|actually|correction|corrected(?:\s+answer)?|my\s+(?:mistake|bad)"
    r"|I\s+(?:was|am)\s+(?:wrong|mistaken)|I\s+(?:have\s+)?made\s+(?:a|an)\s+(?:\w+\s+)?(?:mistake|error)"
    r"|on\s+second\s+thoughts?|I\s+stand\s+corrected|let\s+me\s+correct\s+(?:that|it|myself)|scratch\s+that|rather"
)
_OPENS_CLAUSE = r"wait|hmm+|hold\s+on|hang\s+on|oh|ah|not\s+quite"
_LINK = (
    r"(?:(?:it|that|this|(?:the|my)\s+(?:(?:correct|right|final|real|true|actual)\s+)?(?:answer|value|result))"
    r"(?:['’]s|\s+(?:is|was|should(?:\s+actually)?\s+(?:be|have\s+been)|must\s+be|would\s+be|ought\s+to\s+be|has\s+to\s+be))"
    r"(?:\s+(?:actually|really|in\s+fact))?"
    r"|I\s+meant(?:\s+to\s+(?:say|write|put|box))?|should\s+be|make\s+(?:it|that))"
)
_VALUE = (
    rf"(?P<value>\$[^$\n]{{1,60}}\$|\\\([^\n]{{1,60}}?\\\)|\*\*[^*\n]{{1,60}}\*\*|{NUMBER.pattern}"
    r"|(?-i:\(?[A-J]\)?)(?=\s*(?:\Z|[.!,;\n])))"
)
_CORRECTION = lazy_pattern(
    r"(?:\A|[.!?…\n,;:)\]}$*>。—–-])\s*\b"
    rf"(?:(?:(?:{_OPENS_VALUE}|{_OPENS_CLAUSE})\b[\s,.:;!…—–-]+){{1,4}}{_LINK}[\s:]+"
    rf"|(?:(?:{_OPENS_VALUE}|{_OPENS_CLAUSE})\b[\s,.:;!…—–-]+){{0,3}}(?:{_OPENS_VALUE})\s?[,:;.!…—–-]+\s*"
    rf"|I\s+meant(?:\s+to\s+(?:say|write|put|box))?\s+){_VALUE}"
    r"(?P<behind>\s+(?:instead|not|rather\s+than|because|since)\b|\s?(?P<word>[A-Za-z]{1,14})?(?=\s*(?:\Z|[.!,;)\n])))",
    re.IGNORECASE,
)
_CORRECTION_CJK = lazy_pattern(
    r"(?:不对|不對|错了|錯了|更正|抱歉|等等|等一下|修正|不)[，,：:！!。…\s]+(?:正确)?(?:的)?(?:答案)?"
    rf"(?:应该是|應該是|应为|應為|应当是|其实是|是|为)?[：:\s]*{_VALUE}(?=\s*(?:\Z|[。！!，,.\n]))"
)


def correction(text: str, end: int) -> Announcement | None:
    """The last value that `text` puts in the place of the answer that ends at `end`, soon after it.

    Example:
        >>> text = "The answer is 41. Wait, no, it should be 42."
        >>> found = correction(text, 16)
        >>> text[found.value_start : found.value_end]
        '42'
        >>> correction("The answer is 41. Actually, it took 3 tries.", 16) is None
        True
    """
    behind = text[end : end + _WITHIN_CHARS]
    if len(behind) < _SHORTEST_CHARS:
        return None
    last = None
    for pattern in _may_hold(behind):
        for match in pattern.finditer(behind):
            if last is None or match.start("value") > last.start("value"):
                last = match
    if last is None:
        return None
    value_start, value_end = unwrapped(behind, *last.span("value"))
    word = last.groupdict().get("word")
    if word and (unit := read_unit(word)) is not None and unit.dimension != "label":
        value_end = last.end("word")
    return Announcement(end + last.start(), end + value_start, end + value_end, "phrase")


def _may_hold(behind: str) -> list[re.Pattern[str]]:
    patterns: list[re.Pattern[str]] = []
    lowered = behind.lower()
    for sign in _SIGNS:
        if sign in lowered:
            patterns.append(_CORRECTION)
            break
    if not behind.isascii():
        patterns.append(_CORRECTION_CJK)
    return patterns
