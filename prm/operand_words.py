"""The words around a number: which are its unit, which change its value, which tie it to what is not read."""

from collections.abc import Sequence

from ..verifiers.expression.words import SCALES as _LARGE
from .arithmetic_tokens import Token, measure_of

__all__ = ["SCALES", "continues", "is_bound", "is_unit_word"]

SCALES = {"hundred": 100, "dozen": 12, "dozens": 12, **_LARGE}
"""Words that multiply the number before them."""

_MAX_WORDS = 5
_UNIT_LETTERS = frozenset("msghlLkKM")

# The number beside such a word is another number, or none.
CHANGING = frozenset(
    """squared cubed factorial half halves third thirds quarter quarters fourth fourths fifth fifths twice double
    triple thrice less more fewer mod modulo choose am pm o'clock th st nd rd remainder log ln sin cos tan exp sqrt
    max min gcd lcm root base""".split()  # noqa: SIM905
)
# Words that end a unit: what follows them is another part of the sentence.
_LINKING = frozenset(
    """is are was were be been has have had so then and or but if when which that who gets get makes make we i he she
    they it you because since where thus hence therefore means not gives""".split()  # noqa: SIM905
)
# After such a word a number is part of something larger: "half of 8 + 2", "3 less than 5 * 2", "not 2 + 2 = 5".
_TYING = CHANGING | frozenset(
    "of by than per over times plus minus negative not average mean median to".split()  # noqa: SIM905
)
_SUMS = frozenset({"total", "sum", "cost"})


def is_unit_word(word: str, *, is_first: bool, is_glued: bool) -> bool:
    """Whether `word` can be (part of) the unit of the number before it.

    Args:
        word: as written.
        is_first: it stands right behind the number.
        is_glued: without a space between.
    """
    if len(word) == 1:
        return (word == "a" and not is_glued) or (is_first and word in _UNIT_LETTERS)
    lower = word.casefold()
    return lower not in CHANGING and lower not in _LINKING and not (is_first and lower == "of")


def continues(tokens: Sequence[Token], position: int, kind: str) -> bool:
    """Whether what follows an operand on the right of a sign may belong to its value.

    Args:
        tokens, position: the first token that was not read.
        kind: why it was not.
    """
    if kind in ("", "stop", "close", "ellipsis"):
        return False
    if kind == "aside":
        # A bracket after a space explains (`= 5 (since ...)`) or, with numbers in it, may multiply.
        inner = tokens[position + 1] if position + 1 < len(tokens) else None
        return inner is None or inner.kind != "word" or inner.plain.casefold() in CHANGING
    if kind != "word":
        return True
    is_measure = measure_of(tokens[position].plain) is not None
    for token in tokens[position : position + _MAX_WORDS]:
        word = token.plain.casefold()
        if token.kind in ("number", "numeral", "constant"):
            return is_measure  # 2 hours 30 minutes
        if token.kind != "word":
            return token.kind in ("operator", "power", "superscript", "ratio", "other")
        if word in CHANGING or (len(word) == 1 and (word not in ("a", "i") or tokens[position - 1].end == token.start)):
            return True
        if word in _LINKING and word != "and":
            return False
    return False


def is_bound(tokens: Sequence[Token], first: int, *, is_number: bool) -> bool:
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
    if before.kind in ("stop", "open"):
        return False
    if before.kind == "currency":
        return first > 1 and tokens[first - 2].kind not in ("stop", "open", "word")
    if before.kind != "word" or is_number or before.end == tokens[first].start:
        return True
    if tokens[first].kind == "operator":
        return True
    word = before.plain.casefold()
    if word == "of" and first > 1 and tokens[first - 2].plain.casefold() in _SUMS:
        return False
    if word in _TYING or (len(word) == 1 and word not in ("a", "i")):
        return True
    return _after_operator(tokens, first)


def _after_operator(tokens: Sequence[Token], first: int) -> bool:
    """Whether only words stand between an operator and the operand: `25 + his 1 teacher`."""
    index = first - 1
    while index >= 0 and tokens[index].kind == "word" and first - index <= _MAX_WORDS:
        if tokens[index].plain.casefold() in _LINKING:
            return False
        index -= 1
    return index >= 0 and tokens[index].kind in ("operator", "other", "power")
