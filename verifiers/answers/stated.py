r"""What a closing sentence states: `x = 2 and x = 3`, `(1, 2) and (3, 4)`, `1 ≤ x ≤ 5`, "it is an **ellipse**".

These say more than the last number does, which `closing` takes where none of them is found. What follows the
statement and adds nothing to it, a sign that the proof is done, a check, an aside, is left out first.
"""

import re

from ..patterns import lazy_pattern
from .prose_numbers import Closing

__all__ = ["stated_answer", "statement_end"]

_TAIL_CHARS = 600
_DONE = ("\\blacksquare", "\\square", "\\qed", "\\Box", "\\checkmark", "Q.E.D", "QED", *"∎■□✓✔✅")
_MOST_DONE = 3
_CHECK = lazy_pattern(
    r"(?:\n|(?<=[.!$]) )[*#_ ]{0,5}(?:[Cc]heck|[Vv]erification|[Vv]erify|[Cc]hecking)[*_]{0,3}:"
    r"[^\n]*(?:\n(?!\n)[^\n]*){0,8}\Z"
)
_CONCLUDES = lazy_pattern(r"\b(?:so|thus|hence|therefore|answer|finally|but|however|wrong|not|error)\b", re.IGNORECASE)
_ASIDE = lazy_pattern(r"(?<=[\w$)}*%]) ?\((?P<inside>[^()\n]{8,200})\)[.\s]*\Z")
_NEARLY = lazy_pattern(
    r"(?<=[$)])\s?,?\s(?:(?:which|that)\sis|i\.e\.,?|or)\s(?:approximately|about|roughly|around)\s\$?[\d.,]{1,20}\$?(?:\s[a-z]{1,12})?"
    r"[.\s]{0,3}\Z"
)
_ASIDE_WORD = lazy_pattern(
    r"\b(?:reject(?:ed|ing)?|discard(?:ed|ing)?|extraneous|since|because|ignor(?:e|ed|ing)|invalid|impossible)\b",
    re.IGNORECASE,
)

_BOLD = r"\*\*(?!\s|(?:not|no)\b)[^*\n]{1,60}(?<![\s:])\*\*"
_IN_BOLD = lazy_pattern(
    rf"\b(?:is|are|be|equals|was|at)\s+(?:(?:a|an|the)\s+)?(?P<answer>{_BOLD}(?:(?:\s?,\s(?:and\s)?|\s(?:and|or)\s){_BOLD})*)[.!\s]*\Z"
)
_MATHS = lazy_pattern(
    r"(?:(?<![A-Za-z])(?:sqrt|pi|ln|log|sin|cos|tan|and|or|[A-Za-z])(?![A-Za-z])|[\d.,()\[\]+−–*/^=<>≤≥≠√π∞|_{}±²³≈-])+"
)
_LEADS = frozenset({"a", "and", "or", "I", ".", ",", "-", "–"})
_CLOSING_MARKS = " \t\n.!"
_VALUE = r"[^=<>≤≥,]{1,40}?"
_NAME = r"[A-Za-z](?:_?\d)?"
_JOIN = r"(?:\s?,\s?(?:and\s|or\s)?|\s(?:and|or)\s)"
_NAMED_VALUES = lazy_pattern(rf"{_NAME}\s?=\s?{_VALUE}(?:{_JOIN}{_NAME}\s?=\s?{_VALUE}){{1,7}}")
_TUPLE = r"\([^()=]{1,40},[^()=]{1,40}\)"
_TUPLES = lazy_pattern(rf"{_TUPLE}(?:{_JOIN}{_TUPLE}){{0,7}}")
_BOUNDS = lazy_pattern(rf"(?:[^=<>≤≥,]{{1,30}}(?:<=?|≤))?\s?{_NAME}\s?(?:[<>]=?|≤|≥)\s?[^=<>≤≥,]{{1,30}}")
_EQUATION = lazy_pattern(rf"{_NAME}(?:\([a-z]\))?\s?=(?=[^=]*(?:±|(?<![A-Za-z])[a-z](?![A-Za-z])))[^=<>≤≥,]{{1,60}}")
_APPROXIMATED = lazy_pattern(rf"(?:{_NAME}\s?=\s?)?(?P<exact>[^=<>≤≥,≈]*[√π^/][^=<>≤≥,≈]*?)\s?≈\s?[-−\d.,]+")
_EXPRESSION = lazy_pattern(r"(?=[^=<>≤≥,]*(?:\^|[²³]|[a-z]\s?[+−/*-]|[+−/*-]\s?[a-z]|\d[a-z]|[a-z]\())[^=<>≤≥,≈]{2,60}")
_COPULA = lazy_pattern(r"\b(?:is|are|equals|get|obtain)\s\Z")
_CONDITION = lazy_pattern(
    r"\b(?:if|when|for|where|since|because|let|given|with|from|into|using|as|not|assume|suppose|unless|at|of|in|by|to|and"
    r"|or|set|setting|know|have|both|than)\s\Z",
    re.IGNORECASE,
)
_PREMISE = lazy_pattern(
    r"\b(?:if|when|since|because|let|given|using|as|not|assume|suppose|unless|than|and|or)\s\Z", re.IGNORECASE
)
_TIME = lazy_pattern(r"(?<![\d:.])\d{1,3}(?::\d{1,3}){1,3}(?:\s?[ap]\.?m\b\.?)?(?=[.!\s]*\Z)", re.IGNORECASE)
_BULLETS = lazy_pattern(
    r"\b(?:solutions?|roots?|values|answers|pairs|points|zeros|zeroes)\b[^\n:]{0,40}:[*\s]*\n\s*"
    r"(?P<answer>[-*•]\s+[^\n]{1,60}(?:\n+[ \t]*[-*•]\s+[^\n]{1,60}){1,9})\s*\Z",
    re.IGNORECASE,
)
_BULLET = lazy_pattern(r"\n*[ \t]*[-*•]\s+")
_ITEM = lazy_pattern(r"\$[^$\n]+\$\.?|[A-Za-z](?:_\d)?\s?=\s?\S+\.?|[-−]?\d[\d./]*|\([^()]+\)\.?")


def statement_end(text: str) -> int:
    """Where the last statement of `text` ends, without what only confirms it.

    Example:
        >>> text = "So $x=4$ (we reject $x=-1$ since it is negative)."
        >>> text[: statement_end(text)]
        'So $x=4$'
    """
    start = max(0, len(text) - _TAIL_CHARS)
    end = len(text)
    check = _CHECK.search(text, start)
    if (
        check is not None
        and _CONCLUDES.search(text, check.start()) is None
        and _holds_value(text, start, check.start())
    ):
        end = check.start()
    end = _before_done(text, start, end)
    near = _NEARLY.search(text, start, end)
    if near is not None and _holds_value(text, start, near.start()):
        end = near.start()
    aside = _ASIDE.search(text, start, end)
    if (
        aside is not None
        and _ASIDE_WORD.search(aside["inside"]) is not None
        and _holds_value(text, start, aside.start())
    ):
        end = aside.start()
    return end


def stated_answer(text: str) -> tuple[Closing, str] | None:
    """What the end of `text` states, and how it is written; None where no such statement stands there.

    Example:
        >>> [stated_answer(text)[1] for text in ("The solutions are x = 2 and x = 3.", "The graph is an **ellipse**.")]
        ['x = 2 and x = 3', 'ellipse']
        >>> stated_answer("It takes 5 + 3 = 8 hours.") is None
        True
    """
    start = max(0, len(text) - _TAIL_CHARS)
    text = text.rstrip()
    if (bold := _IN_BOLD.search(text, start)) is not None:
        written = bold["answer"].replace("**", "")
        return Closing(bold.start("answer"), bold.end("answer"), "bold"), written
    if (bullets := _BULLETS.search(text, start)) is not None:
        items = [item.strip() for item in _BULLET.split(bullets["answer"]) if item.strip()]
        if all(_ITEM.fullmatch(item) for item in items):
            written = ", ".join(item.strip("$.").strip() for item in items)
            return Closing(bullets.start("answer"), bullets.end("answer"), "bullets"), written
    end = len(text.rstrip(_CLOSING_MARKS))
    line = max(text.rfind("\n", start, end) + 1, start)
    if (time := _TIME.search(text, line)) is not None and text[:line].strip() + text[line : time.start()].strip():
        return Closing(time.start(), time.end(), "closing"), time.group()
    if "$" in text[line:] or "\\" in text[line:]:
        return None
    return _in_plain_maths(text, line, end)


def _in_plain_maths(text: str, line: int, end: int) -> tuple[Closing, str] | None:
    start = end
    while start > line:
        before = text[line:start].rstrip()
        word_start = line + max(before.rfind(" "), before.rfind("\t")) + 1
        if _MATHS.fullmatch(text, word_start, line + len(before)) is None:
            break
        start = word_start
    words = text[start:end].split(" ")
    while words and (words[0] in _LEADS or not words[0]) and words[1:2] != ["="]:
        start += len(words.pop(0)) + 1
    if start >= end or (start > line and not text[start - 1].isspace()):
        return None
    written = text[start:end]
    closing = Closing(start, end, "closing")
    if _TUPLES.fullmatch(written) is not None:
        return closing, written
    if _BOUNDS.fullmatch(written) is not None:
        return (closing, written) if _PREMISE.search(text, line, start) is None else None
    if (near := _APPROXIMATED.fullmatch(written)) is not None:
        return Closing(start, start + near.end("exact"), "closing"), near["exact"]
    if _EXPRESSION.fullmatch(written) is not None and _COPULA.search(text, line, start) is not None:
        return closing, written
    is_stated = _NAMED_VALUES.fullmatch(written) or _EQUATION.fullmatch(written)
    return (closing, written) if is_stated and _CONDITION.search(text, line, start) is None else None


def _before_done(text: str, start: int, end: int) -> int:
    """Where what stands before the signs that a proof is done ends."""
    for _ in range(_MOST_DONE):
        tail = text[start:end].rstrip(" \t\n.$")
        mark = next((mark for mark in _DONE if tail.endswith(mark)), None)
        before = "" if mark is None else tail.removesuffix(mark).rstrip(" \t\n").removesuffix(" $").removesuffix("\n$")
        if not any(map(str.isdigit, before)):
            return end
        end = start + len(before)
    return end


def _holds_value(text: str, start: int, end: int) -> bool:
    return any(map(str.isdigit, text[start:end]))
