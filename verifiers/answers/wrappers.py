"""Wrappers around an answer that are not part of it: dollars, display brackets, bold, `\\text{…}`, spacing.

Everything here narrows a span; nothing rewrites, so that an extracted answer stays a slice of the
completion. Units, percent and degree signs, currency and brackets are part of an answer and stay.
"""

import re

from ..patterns import lazy_pattern
from ..unicode_text import ZERO_WIDTH
from .boxes import closing_brace

_BLANK = " \t\r\n\v\f\xa0\u3000~" + ZERO_WIDTH
_MAX_LAYERS = 24
"""Deeper wrapping than this is nobody's answer."""
_LONG_CHARS = 1_000
"""An answer of so many characters keeps its wrappers: finding them costs a walk over all of it."""

_SPACING = lazy_pattern(
    r"\\(?:[;,!: ]|q?quad(?![A-Za-z])|displaystyle(?![A-Za-z])|(?:bf|rm|it|large|Large|huge|Huge)(?![A-Za-z]))"
)
_TRAILING_SPACING = lazy_pattern(r"\\(?:[;,!:]|q?quad|\\)\Z")
_COMMAND = lazy_pattern(
    r"\\(?:text|mathbf|textbf|mathrm|textrm|mathit|textit|mathsf|textsf|mathtt|texttt|boldsymbol|bm|mbox|hbox|emph"
    r"|underline|operatorname|ensuremath|boxed|fbox|textnormal|color\{[^{}]{1,20}\}|textcolor\{[^{}]{1,20}\}"
    r"|colorbox\{[^{}]{1,20}\})\s{0,2}\{"
)
_COLOR = lazy_pattern(r"\\color\{[^{}]{1,20}\}\s{0,2}(?!\{)")
_PAIRS = (
    ("$$", "$$"),
    ("$", "$"),
    ("\\(", "\\)"),
    ("\\[", "\\]"),
    ("***", "***"),
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("```", "```"),
    ("`", "`"),
    ('"', '"'),
    ("“", "”"),
    ("「", "」"),
    ("'", "'"),
)
_OPENERS = frozenset(opening[0] for opening, _ in _PAIRS)
_FIRST_WORDS = lazy_pattern(
    r"(?:\\text(?:bf|rm)?\{\s{0,4})?(?:(?:so|thus|hence|therefore),?\s)?\s{0,4}(?:the\s+|my\s+|our\s+)?(?:final\s+"
    r"|correct\s+)?"
    r"answer\s{0,4}(?:is\b|:|=)\s{0,4}:?\s{0,4}(?P<close>\})?",
    re.IGNORECASE,
)
_HALF_PAIRS = (("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("**", "**"))


def unwrapped(text: str, start: int, end: int) -> tuple[int, int]:
    """The narrower span of `text[start:end]` without its wrappers.

    Example:
        >>> text = r"$\\mathbf{\\text{The answer is } 7}.$"
        >>> start, end = unwrapped(text, 0, len(text))
        >>> text[start:end]
        '7'
    """
    if end - start >= _LONG_CHARS:
        return _without_blanks(text, start, end)
    for _ in range(_MAX_LAYERS):
        start, end = _without_blanks(text, start, end)
        if end - start < 2:
            break
        first, last = text[start], text[end - 1]
        if first.isalnum() and (last.isalnum() or last in "%}") and first not in "aAtTfFcCsShHmMoO":
            break
        narrower = _without_layer(text, start, end, first, last)
        if narrower == (start, end):
            break
        start, end = narrower
    return start, end


def without_math_marks(text: str) -> str:
    """`text` without the `$`, `\\(`, `\\)` and `**` that stand inside it; a currency `$` and a power `2**3` stay.

    Example:
        >>> without_math_marks("$5$ apples"), without_math_marks("$5 and $6")
        ('5 apples', '$5 and $6')
    """
    if "$" in text:
        text = _INLINE_MATH.sub(lambda match: match.group("inside"), text)
    for mark in ("\\(", "\\)", "\\[", "\\]"):
        if mark in text:
            text = text.replace(mark, "")
    if "**" in text:
        text = _STARS.sub(lambda stars: stars.group("power") or "", text)
    return text.strip(_BLANK)


# Two stars between operands are a power (2**3, x**2, 10 ** 6); beside a word ("is**42**") they are bold.
_STARS = lazy_pattern(
    r"(?P<power>(?:(?<=[\d)}\]])|(?<=(?<![A-Za-z])[A-Za-z]))\*\*(?=[-\d({\\]|[A-Za-z](?![A-Za-z]))|(?<=\d )\*\*(?= \d))"
    r"|\*\*"
)
# The opening dollar touches its formula, the closing one too and is not followed by a digit: not "$5 and $6".
_INLINE_MATH = lazy_pattern(r"(?<!\\)\$(?P<inside>[^\s$](?:[^$\n]{0,400}[^\s$\\])?)\$(?!\d)")


def _without_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    if end > start and text[start] not in _BLANK and text[end - 1] not in _BLANK:
        return start, end
    inside = text[start:end].rstrip(_BLANK)
    end = start + len(inside)
    return end - len(inside.lstrip(_BLANK)), end


def _are_a_pair(inside: str, opening: str, closing: str) -> bool:
    """Whether the marks around `inside` belong together, as those of `\\(a\\) and \\(b\\)` do not."""
    closes = inside.find(closing)
    return closes < 0 or (opening != closing and 0 <= inside.find(opening) < closes)


def _without_layer(text: str, start: int, end: int, first: str, last: str) -> tuple[int, int]:
    """One wrapper less, or the same span."""
    if last in ".,;:。，；：!！":
        # "\ldots" written out, "5!" and "\," are not a full stop.
        if (last == "." and text.endswith("..", start, end)) or last in "!！" or text.endswith("\\" + last, start, end):
            if text[end - 2] == "\\":
                return start, end - 2
        else:
            return start, end - 1
    if first in _OPENERS or first == "\\":
        for opening, closing in _PAIRS:
            if text.startswith(opening, start, end) and text.endswith(closing, start + len(opening), end):
                inside = start + len(opening), end - len(closing)
                if _are_a_pair(text[inside[0] : inside[1]], opening, closing):
                    return inside
    if first == "{" and closing_brace(text, start + 1) == end - 1:
        return start + 1, end - 1
    if first == "\\":
        spacing = _SPACING.match(text, start, end) or _COLOR.match(text, start, end)
        if spacing is not None:
            return spacing.end(), end
        command = _COMMAND.match(text, start, end)
        if command is not None and closing_brace(text, command.end()) == end - 1:
            return command.end(), end - 1
    if last in "\\;,!:d" and "\\" in text[start:end]:
        trailing = _TRAILING_SPACING.search(text, max(start, end - 6), end)
        if trailing is not None:
            return start, trailing.start()
    if first in "\\aAtTfFcCsShHmMoO" and (words := _FIRST_WORDS.match(text, start, end)) is not None:
        closes = words.group("close") is not None
        opens = text.startswith("\\", start)
        if words.end() < end and (not opens or closes):
            return words.end(), end
        if words.end() < end and opens and last == "}" and closing_brace(text, text.find("{", start) + 1) == end - 1:
            return words.end(), end - 1
    for opening, closing in _HALF_PAIRS:
        if text.endswith(closing, start, end) and opening not in text[start : end - len(closing)]:
            return start, end - len(closing)
        if text.startswith(opening, start, end) and closing not in text[start + len(opening) : end]:
            return start + len(opening), end
    return start, end
