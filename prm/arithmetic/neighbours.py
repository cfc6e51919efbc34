"""What stands beside an operand, and whether its value may go on there."""

from collections.abc import Sequence
from enum import Enum

from .patterns import LITERALS, is_fraction
from .tokens import Token, measure_of
from .words import CHANGING, LINKING, SCALES, is_cjk

__all__ = ["Ending", "Tie", "ending", "tie"]

_MAX_WORDS = 5


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# These change it from anywhere behind it: `9 with a remainder of 2`, `3 (mod 7)`.
_REMAINING = _words("remainder mod modulo am pm base")
# After such a word a number is part of something larger: `3 less than 5 * 2`, `not 2 + 2 = 5`.
_TYING = CHANGING | _words(
    """max min than less per over times plus minus negative not average mean median if whether about around
    approximately roughly nearly almost below above odds"""
)
# Such a word and a number make a name: `chapters 3 + 4`.
_NAMING = _words(
    """day chapter chapters problem problems question questions exercise exercises page pages level room section version
    lesson lessons players no"""
)
# After these it is where they follow a number or a share: `5 boxes of 12 + 3`, `half of 8 + 2`, `multiply by 3 + 2`.
_JOINING = _words("of with to by from in for at on")
_SHARES = _words(
    """half third thirds quarter quarters fourth fourths fifth fifths average mean median square cube root rest
    remainder percent percentage fraction part portion twice double triple all each most one some ratio
    add added adding multiply multiplied multiplying divide divided dividing raised digit digits opposite negative
    negation reciprocal inverse ceiling floor factorial log logarithm complement supplement quotient factor factors
    divisor divisors multiple multiples absolute"""
)
# What such a word makes of the numbers of a list is not the last of them: `the sum of 10 and 3 * 2`.
_AGGREGATES = _words(
    """sum difference product quotient ratio average mean median mode range gcd lcm hcf gcf digits add adding added
    combine combining combined together altogether subtract subtracting multiply multiplying between"""
)
_MULTIPLIERS = _words("double twice triple thrice half quadruple")
_PARTS = _words("half halves third thirds quarter quarters fourth fourths fifth fifths sixth eighth tenth")
_MAX_LIST = 16
_ARTICLES = _words("the a an his her its their these those")
_JOINED_WITHIN = 3


class Tie(Enum):
    """What the text before an operand says of it."""

    FREE = "nothing there belongs to its value"
    DOUBTFUL = "something there may"
    TIED = "its value began unread"


class Ending(Enum):
    """What the text behind an operand says of it."""

    COMPLETE = "nothing there belongs to its value"
    DOUBTFUL = "something there may"
    OPEN = "its value goes on unread"


def ending(tokens: Sequence[Token], position: int, stopped_by: str) -> Ending:
    """What stands behind an operand on the right of a sign.

    Args:
        tokens, position: the first token that was not read.
        stopped_by: its kind, `"aside"` for a bracket after a space, "" where the tokens ended.
    """
    if _adds_a_part(tokens, position):
        return Ending.DOUBTFUL
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
        if first in CHANGING - {"off"} or not _is_plain_word(tokens, position):
            return Ending.OPEN
    start = position - (tokens[position].plain == "and")
    for index in range(position, min(position + _MAX_WORDS, len(tokens))):
        token, before = tokens[index], tokens[index - 1].plain
        word = token.plain.casefold()
        if token.kind in ("number", "numeral", "constant"):
            # 2 hours 30 minutes, 5 feet and 3 inches, 4 more than 7
            if before == "of":
                return Ending.DOUBTFUL  # 2 groups of 3
            is_compound = index - start - (before == "and") == 1 and _counts_on(tokens[start].plain)
            return Ending.OPEN if is_compound or before == "than" else Ending.COMPLETE
        if token.kind != "word":
            is_rate = token.plain == "/" and index + 1 < len(tokens) and tokens[index + 1].kind == "word"
            if not is_rate:
                is_open = token.kind in ("operator", "power", "superscript", "ratio", "other")
                return Ending.OPEN if is_open else Ending.COMPLETE
        elif word in _REMAINING:
            return Ending.OPEN
        elif word in LINKING and word != "and":
            return Ending.COMPLETE
    return Ending.COMPLETE


def tie(tokens: Sequence[Token], first: int, *, is_number: bool) -> Tie:
    """What stands before an operand on the left of a sign.

    Args:
        tokens, first: the operand's first token.
        is_number: the operand is a single number, which any word before it may name ("week 2 = ...").
    """
    if _is_tied(tokens, first, is_number=is_number) or _is_listed(tokens, first, is_number=is_number):
        return Tie.TIED
    # `10 and 3 * 2`, `2 and 1/2`: two numbers, or one.
    is_second = first > 1 and tokens[first - 1].plain == "and" and tokens[first - 2].kind in LITERALS
    return Tie.DOUBTFUL if is_second else Tie.FREE


def _is_tied(tokens: Sequence[Token], first: int, *, is_number: bool) -> bool:
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
    is_glued = before.end == tokens[first].start and not is_cjk(before.plain)
    if before.kind != "word" or is_number or is_glued or tokens[first].kind == "operator":
        return True
    if before.plain.casefold() in _TYING | _NAMING or not _is_plain_word(tokens, first - 1):
        return True
    index = first - 2 if before.plain.casefold() in _ARTICLES else first - 1
    joins = index >= 0 and tokens[index].plain.casefold() in _JOINING and _joins(tokens, index)
    return joins or _is_multiplied(tokens, first) or _after_operator(tokens, first) or _is_compound(tokens, first)


def _is_listed(tokens: Sequence[Token], first: int, *, is_number: bool) -> bool:
    """Whether the operand is the last of several numbers: `the average of 3, 5, 7`, `the sum of 10 and 3 * 2`."""
    if first < 2 or tokens[first - 1].plain not in (",", ";", "and", "from", "to", "with"):
        return False
    if is_number and tokens[first - 1].kind == "stop" and tokens[first - 2].kind in LITERALS | {"close", "percent"}:
        return True
    has_number = False
    for index in range(first - 1, max(-1, first - _MAX_LIST), -1):
        token = tokens[index]
        word = token.plain.casefold()
        if token.kind in LITERALS:
            has_number = True
        elif token.kind == "word":
            is_total = word == "total" and tokens[index + 1].plain == "of"
            if has_number and (is_total or word in _AGGREGATES):
                return True
            if word in LINKING - {"and", "or"}:
                return False
        elif token.kind == "stop" and token.plain not in (",", ";"):
            return False
    return False


def _is_multiplied(tokens: Sequence[Token], first: int) -> bool:
    """Whether a word such as "twice" stands a few words before the operand: `twice the sum 3 + 4`."""
    for index in range(first - 1, max(-1, first - 1 - _JOINED_WITHIN), -1):
        word = tokens[index].plain.casefold()
        if tokens[index].kind != "word" or word in LINKING:
            return False
        if word in _MULTIPLIERS:
            return True
    return False


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
    if is_cjk(token.plain):
        return True
    is_glued = index > 0 and tokens[index - 1].end == token.start
    return len(token.plain) > 1 or (token.plain in ("a", "A", "I") and not is_glued)


def _joins(tokens: Sequence[Token], index: int) -> bool:
    """Whether the preposition at `index` joins a number or a share before it to what follows."""
    before = tokens[max(0, index - _JOINED_WITHIN) : index]
    for token in reversed(before):
        if token.kind == "stop":
            return False
        if token.kind != "word" or token.plain.casefold().rpartition("-")[2] in _SHARES:
            return True
    return False


def _is_compound(tokens: Sequence[Token], first: int) -> bool:
    """Whether a measure stands before the operand that counts with it: `2 hours and 30 minutes + ...`."""
    index = first - 2 if tokens[first - 1].plain == "and" else first - 1
    if index < 1 or tokens[index].kind != "word" or tokens[index - 1].kind not in ("number", "numeral"):
        return False
    return _counts_on(tokens[index].plain)


def _counts_on(word: str) -> bool:
    """Whether a smaller number may follow the number with this unit: `2 hours 30 minutes`, `one hundred five`."""
    return measure_of(word) is not None or word.casefold() in SCALES


def _adds_a_part(tokens: Sequence[Token], position: int) -> bool:
    """Whether a fraction or a smaller measure follows, as in `2 and a half` or `2 hours, 15 minutes`."""
    index = position
    while index < len(tokens) and tokens[index].plain in (",", "and", "plus", "whole"):
        index += 1
    if index == position or index >= len(tokens):
        return False
    token, following = tokens[index], tokens[index + 1].plain.casefold() if index + 1 < len(tokens) else ""
    is_counted = token.kind in ("number", "numeral") or token.plain in _ARTICLES
    if tokens[position].plain == ",":
        units = (tokens[position - 1].plain, following)
        return is_counted and tokens[position - 1].kind == "word" and None not in map(measure_of, units)
    part = token.plain.casefold().rpartition("-")[2]
    if following == "of" and part in _PARTS:
        return False  # 22 and half of it
    return (
        part in _PARTS
        or token.kind in ("constant", "frac")
        or (is_counted and following in _PARTS)
        or is_fraction(tokens, index)
    )


def _after_operator(tokens: Sequence[Token], first: int) -> bool:
    """Whether only words stand between an operator and the operand: `25 + his 1 teacher`."""
    index = first - 1
    while index >= 0 and tokens[index].kind == "word" and first - index <= _MAX_WORDS:
        if tokens[index].plain.casefold() in LINKING:
            return False
        index -= 1
    return index >= 0 and tokens[index].kind in ("operator", "other", "power")
