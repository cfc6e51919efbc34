"""Numbers in prose: how they are written, which is the last, and what the words before one make of it."""

import re
from typing import NamedTuple

from ..patterns import lazy_pattern

_WINDOWS_CHARS = (256, 4_096)
"""How far back from its end a text is searched for its last number, in two tries."""

_DIGITS = r"(?:\d{1,3}(?:(?:,|\{,\}|，)\d{3})+(?!\d)|\d+)"
NUMBER = lazy_pattern(
    rf"(?:(?<![\w)}}\]])[-−+]|(?<=[=\s])[-−+])?(?:\\?[$€£¥₹￥]\s?|√)?"
    rf"(?:\\[dt]?frac\s?\{{-?\d+\}}\s?\{{\d+\}}"
    rf"|(?:{_DIGITS}(?:[.．]\d+)?|[.．]\d+)(?:\s?[eE][-+−]?\d+)?(?:\s\d+\s?/\s?\d+|\s?/\s?\d+)?)"
    rf"(?:\s?\\?[%％]|(?:√\d+)?π?|\s?\\pi(?![a-z]))"
)
"""A number as prose writes it: sign, currency, separators, fraction, exponent, percent, π."""

_CJK = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]"
SCALES_CJK = "百千万亿億萬十"
"""These behind a number are a part of it: 5万 is 50,000."""
COUNTED = lazy_pattern(rf"(?P<number>{NUMBER.pattern})\s?(?![{SCALES_CJK}]){_CJK}{{1,2}}")
"""A number with its counter (5个, 3页), which is no unit."""
NUMBER_IN_CJK = lazy_pattern(rf"{_CJK}[^\d]*\d|\d\D*{_CJK}{{3}}")
"""What tells a sentence from a number with its counter."""

_ORDINAL = lazy_pattern(
    r"(?:^|\n)\s*(?:\*\*)?\Z|\b(?:[Ss]tep|[Cc]ase|[Pp]art|[Ee]quation|[Ll]ine|[Oo]ption|[Qq]uestion|[Pp]roblem)\s\Z"
)
_LAST_JOIN = lazy_pattern(r"\s?,?\s(?:or|and|oder|ou|o|y|et|und)\s", re.IGNORECASE)
_EARLIER_JOIN = lazy_pattern(r"\s?,\s?")
_BEFORE_LIST = lazy_pattern(r"(?:either|both)\s\Z", re.IGNORECASE)
_BOUND_BEFORE = lazy_pattern(
    r"\b(?:at\s+(?:most|least)|(?:less|greater|more|fewer|smaller|larger|higher|lower|bigger)\s+than|between|up\s+to"
    r"|over|under"
    r"|below|above|almost|nearly|about|around|roughly|close\s+to)\s+(?:or\s+equal\s+to\s+)?[$\\(]{0,2}\Z",
    re.IGNORECASE,
)
_LARGER_UNITS = r"(?:years?|months?|weeks?|days?|hours?|hrs?|h|minutes?|mins?|feet|foot|ft|pounds?|lbs?|dollars?)"
_UNITS_BEFORE = lazy_pattern(rf"(?:\d+\s?{_LARGER_UNITS}(?:\s?,?\s(?:and\s)?|\s?)){{1,3}}\Z")
_UNIT_BEHIND = lazy_pattern(
    r"\s?(?:months?|weeks?|days?|hours?|hrs?|h|minutes?|mins?|seconds?|secs?|s|inch(?:es)?|ounces?|oz|cents?|in(?=\s*(?:[.,;]|\Z)))\b"
)
_BEFORE_CHARS = 120


class Closing(NamedTuple):
    """`text[start:end]`, and `"bare"`, `"last_line"`, `"formula"` or `"last_number"`."""

    start: int
    end: int
    method: str


def last_number(text: str) -> Closing | None:
    """The last number of the text, wherever it stands, with its sign, separators, fraction, percent and currency.

    Example:
        >>> text = "She pays $1,234.50 in all"
        >>> found = last_number(text)
        >>> text[found.start : found.end]
        '$1,234.50'
    """
    for chars in _WINDOWS_CHARS:
        last = None
        for match in NUMBER.finditer(text, _window_start(text, chars)):
            if not _is_list_marker(text, match):
                last = match
        if last is not None:
            return Closing(*last.span(), "last_number")
    return None


def widened_start(text: str, start: int, floor: int = 0) -> int:
    """Where the answer begins whose last number begins at `start`: with the numbers joined to it, with its bound.

    Example:
        >>> widened_start("It is 5, 6, or 7.", 15), widened_start("It is at most 5.", 14), widened_start("It is 7", 6)
        (6, 6, 6)
    """
    floor = max(floor, start - _BEFORE_CHARS)
    start = joined_start(text, [match.span() for match in NUMBER.finditer(text, floor, start)], start)
    for pattern in (_BEFORE_LIST, _BOUND_BEFORE):
        before = pattern.search(text, floor, start)
        if before is not None:
            start = before.start()
    return start


def compound_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The span of all of "3 hours and 20 minutes", whose last number is `text[start:end]`; else that number's own.

    Example:
        >>> compound_span("It is 3 hours and 20 minutes.", 18, 20), compound_span("It is 3 hours or 20.", 17, 19)
        ((6, 28), (17, 19))
    """
    behind = _UNIT_BEHIND.match(text, end)
    before = None if behind is None else _UNITS_BEFORE.search(text, max(0, start - _BEFORE_CHARS), start)
    return (start, end) if behind is None or before is None else (before.start(), behind.end())


def joined_start(
    text: str, spans: list[tuple[int, int]], start: int, *, last_join: re.Pattern[str] = _LAST_JOIN
) -> int:
    """Where a list begins whose last item begins at `start` and whose other items may be `spans`, in order.

    The last two items are joined by `last_join`, the others by a comma: `5, 6, or 7`.
    """
    join = last_join
    for item_start, item_end in reversed(spans):
        if join.fullmatch(text, item_end, start) is None:
            break
        start, join = item_start, _EARLIER_JOIN
    return start


def _window_start(text: str, chars: int) -> int:
    start = max(0, len(text) - chars)
    if start > 0 and text[start - 1].isdigit() and text[start].isdigit():
        # Not in the middle of a number: its beginning belongs to it, however long it is.
        start = len(text[:start].rstrip("0123456789.,"))
    return start


def _is_list_marker(text: str, match: re.Match[str]) -> bool:
    after = text[match.end() : match.end() + 2]
    if after[:1] in ".):" and after[1:2] in (" ", "") and match.group().isdigit():
        return _ORDINAL.search(text, max(0, match.start() - 12), match.start()) is not None and after[1:2] == " "
    return False
