"""The words around a number: which are its unit, which change its value, which tie it to what is not read."""

from collections.abc import Sequence
from enum import Enum
from fractions import Fraction

from ...verifiers.expression.words import SCALES as _LARGE
from .tokens import Token, measure_of

__all__ = ["Ending", "ending", "factor_of", "is_tied", "is_unit_word", "label_of"]

_SCALES = {"hundred": 100, "dozen": 12, "dozens": 12, **_LARGE}
_MAX_WORDS = 5
_UNIT_LETTERS = frozenset("msghlLkKM")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The number beside such a word is another number, or none.
_CHANGING = _words(
    """squared cubed factorial half halves third thirds quarter quarters fourth fourths fifth fifths twice double
    triple thrice mod modulo choose am pm o'clock th st nd rd remainder log ln sin cos tan exp sqrt gcd lcm root
    base off"""
)
# These change it from anywhere behind it: `9 with a remainder of 2`, `3 (mod 7)`.
_REMAINING = _words("remainder mod modulo am pm base")
# What follows such a word is another part of the sentence.
_LINKING = _words(
    """is are was were be been has have had so then and or but if when which that who gets get makes make we i he she
    they it you because since where thus hence therefore means not gives"""
)
# What is counted is not among these.
_SMALL = _words(
    """a an the of for as than more less fewer left much many per each every in on at to from with total all other extra
    additional remaining"""
)
# After such a word a number is part of something larger: `3 less than 5 * 2`, `not 2 + 2 = 5`.
_TYING = _CHANGING | _words(
    """max min than per over times plus minus negative not average mean median if whether about around
    approximately roughly nearly almost"""
)
# After these it is where they follow a number or a share: `5 boxes of 12 + 3`, `half of 8 + 2`, `multiply by 3 + 2`.
_JOINING = _words("of with to by from in for at on")
_SHARES = _words(
    """half third thirds quarter quarters fourth fourths fifth fifths average mean median square cube root rest
    remainder percent percentage fraction part portion twice double triple all each most one some ratio
    add added adding multiply multiplied multiplying divide divided dividing raised"""
)
_ARTICLES = _words("the a an his her its their these those")
_JOINED_WITHIN = 3


class Ending(Enum):
    """What the text behind an operand says of it."""

    COMPLETE = "nothing there belongs to its value"
    DOUBTFUL = "something there may"
    OPEN = "its value goes on unread"


def is_unit_word(word: str, *, is_first: bool, is_glued: bool) -> bool:
    """Whether `word` can be (part of) the unit of the number before it.

    Args:
        word: as written.
        is_first: it stands right behind the number.
        is_glued: without a space between.
    """
    if len(word) == 1 and not _is_cjk(word) and word != "¢":
        return (word == "a" and not is_glued) or (is_first and word in _UNIT_LETTERS)
    lower = word.casefold()
    return lower not in _CHANGING and lower not in _LINKING and not (is_first and lower == "of")


def factor_of(word: str) -> Fraction:
    """What a unit may multiply its number by: 12 for a dozen, 3600 for an hour, 1 for an apple or a letter.

    Example:
        >>> factor_of("million"), factor_of("minutes"), factor_of("apples")
        (Fraction(1000000, 1), Fraction(60, 1), Fraction(1, 1))
    """
    scale = _SCALES.get(word.casefold())
    measure = None if len(word) == 1 and word.isascii() else measure_of(word)
    return Fraction(scale) if scale else measure.factor if measure else Fraction(1)


def label_of(word: str) -> str | None:
    """What a word of a unit counts: the dimension of a measure, the stem of another word; None of a small word.

    Example:
        >>> label_of("hours"), label_of("batches"), label_of("batch"), label_of("than")
        ('time', 'batch', 'batch', None)
    """
    unit = measure_of(word)
    if unit is not None:
        return unit.dimension
    lower = word.casefold()
    return None if lower in _SMALL else lower.rstrip("s").rstrip("e").rstrip("iy") or None


def ending(tokens: Sequence[Token], position: int, stopped_by: str) -> Ending:
    """What stands behind an operand on the right of a sign.

    Args:
        tokens, position: the first token that was not read.
        stopped_by: its kind, `"aside"` for a bracket after a space, "" where the tokens ended.
    """
    if stopped_by in ("", "stop", "close", "ellipsis"):
        return Ending.COMPLETE
    if stopped_by == "aside":
        # It explains, `= 5 (since ...)`, or, with a number in it, it may multiply.
        inner = tokens[position + 1] if position + 1 < len(tokens) else None
        if inner is not None and inner.kind == "word":
            return Ending.OPEN if inner.plain.casefold() in _REMAINING else Ending.COMPLETE
        return Ending.DOUBTFUL
    if stopped_by != "word":
        return Ending.OPEN
    if tokens[position - 1].kind != "word":
        first = tokens[position].plain.casefold()
        if first in _CHANGING - {"off"} or not _is_plain_word(tokens, position):
            return Ending.OPEN
    start = position - (tokens[position].plain == "and")
    for index in range(position, min(position + _MAX_WORDS, len(tokens))):
        token, before = tokens[index], tokens[index - 1].plain
        word = token.plain.casefold()
        if token.kind in ("number", "numeral", "constant"):
            # 2 hours 30 minutes, 5 feet and 3 inches, 4 more than 7
            is_compound = index - start - (before == "and") == 1 and measure_of(tokens[start].plain) is not None
            return Ending.OPEN if is_compound or before == "than" else Ending.COMPLETE
        if token.kind != "word":
            is_rate = token.plain == "/" and index + 1 < len(tokens) and tokens[index + 1].kind == "word"
            if not is_rate:
                is_open = token.kind in ("operator", "power", "superscript", "ratio", "other")
                return Ending.OPEN if is_open else Ending.COMPLETE
        elif word in _REMAINING:
            return Ending.OPEN
        elif word in _LINKING and word != "and":
            return Ending.COMPLETE
    return Ending.COMPLETE


def is_tied(tokens: Sequence[Token], first: int, *, is_number: bool) -> bool:
    """Whether what stands before an operand on the left of a sign may belong to its value.

    Args:
        tokens, first: the operand's first token.
        is_number: the operand is a single number, which any word before it may name ("week 2 = ...").
    """
    if first == 0:
        return False
    before = tokens[first - 1]
    if before.kind == "open" and first > 1:
        return tokens[first - 2].end == before.start and tokens[first - 2].kind in ("word", "other")
    if before.kind == "stop":
        return _goes_on_from_above(tokens, first)
    if before.kind == "open":
        return False
    if before.kind == "currency":
        return first > 1 and tokens[first - 2].kind not in ("stop", "open", "word")
    is_glued = before.end == tokens[first].start and not _is_cjk(before.plain)
    if before.kind != "word" or is_number or is_glued or tokens[first].kind == "operator":
        return True
    if before.plain.casefold() in _TYING or not _is_plain_word(tokens, first - 1):
        return True
    index = first - 2 if before.plain.casefold() in _ARTICLES else first - 1
    joins = index >= 0 and tokens[index].plain.casefold() in _JOINING and _joins(tokens, index)
    return joins or _after_operator(tokens, first) or _is_compound(tokens, first)


def _goes_on_from_above(tokens: Sequence[Token], first: int) -> bool:
    """Whether the operand is the rest of an expression that a pause or a line break interrupts."""
    mark = tokens[first].plain if tokens[first].kind == "operator" else tokens[first - 1].plain.strip()
    if mark == "+":
        return True
    is_broken_off = first > 2 and tokens[first - 2].kind in ("number", "close") and tokens[first - 3].kind == "operator"
    return is_broken_off and mark in ("-", "*")


def _is_plain_word(tokens: Sequence[Token], index: int) -> bool:
    """Whether the word at `index` is more than a letter that may be an unknown; the article and "I" are."""
    token = tokens[index]
    if _is_cjk(token.plain):
        return True
    is_glued = index > 0 and tokens[index - 1].end == token.start
    return len(token.plain) > 1 or (token.plain in ("a", "A", "I") and not is_glued)


def _is_cjk(word: str) -> bool:
    # These scripts put no space between a word and a number.
    return word[-1] >= "\u2e80"


def _joins(tokens: Sequence[Token], index: int) -> bool:
    """Whether the preposition at `index` joins a number or a share before it to what follows."""
    before = tokens[max(0, index - _JOINED_WITHIN) : index]
    for token in reversed(before):
        if token.kind == "stop":
            return False
        if token.kind != "word" or token.plain.casefold() in _SHARES:
            return True
    return False


def _is_compound(tokens: Sequence[Token], first: int) -> bool:
    """Whether a measure stands before the operand that counts with it: `2 hours and 30 minutes + ...`."""
    index = first - 2 if tokens[first - 1].plain == "and" else first - 1
    if index < 1 or tokens[index].kind != "word" or tokens[index - 1].kind not in ("number", "numeral"):
        return False
    return measure_of(tokens[index].plain) is not None


def _after_operator(tokens: Sequence[Token], first: int) -> bool:
    """Whether only words stand between an operator and the operand: `25 + his 1 teacher`."""
    index = first - 1
    while index >= 0 and tokens[index].kind == "word" and first - index <= _MAX_WORDS:
        if tokens[index].plain.casefold() in _LINKING:
            return False
        index -= 1
    return index >= 0 and tokens[index].kind in ("operator", "other", "power")
