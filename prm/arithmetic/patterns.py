"""Questions about one place in a sequence of tokens; nothing is read or kept here."""

from collections.abc import Sequence

from .tokens import Token
from .words import is_unit_word

__all__ = [
    "LITERALS",
    "at",
    "ends_range",
    "is_fraction",
    "is_glued",
    "is_mixed",
    "is_sign",
    "may_be_cut",
    "multiplies",
    "starts",
    "unit_end",
]

LITERALS = frozenset({"number", "numeral", "constant"})
_STARTS = LITERALS | {"frac", "root", "open", "currency"}
_MAX_UNIT_WORDS = 5


def at(tokens: Sequence[Token], index: int, kind: str) -> bool:
    """Whether a token of that kind stands at `index`."""
    return 0 <= index < len(tokens) and tokens[index].kind == kind


def is_glued(tokens: Sequence[Token], index: int) -> bool:
    """Whether no space stands before the token at `index`."""
    return 0 < index < len(tokens) and tokens[index - 1].end == tokens[index].start


def starts(tokens: Sequence[Token], index: int) -> bool:
    """Whether an operand can begin at `index`, signs and letters apart."""
    return index < len(tokens) and tokens[index].kind in _STARTS


def multiplies(tokens: Sequence[Token], index: int) -> bool:
    """Whether a letter x at `index` is a multiplication sign."""
    return at(tokens, index, "word") and tokens[index].plain in ("x", "X") and starts(tokens, index + 1)


def is_fraction(tokens: Sequence[Token], index: int) -> bool:
    """Whether a fraction of whole numbers without spaces begins at `index`: `3/4`."""
    if index < 0 or index + 2 >= len(tokens):
        return False
    numerator, over, denominator = tokens[index : index + 3]
    is_tight = is_glued(tokens, index + 1) and is_glued(tokens, index + 2)
    return is_tight and over.plain == "/" and numerator.plain.isdigit() and denominator.plain.isdigit()


def is_mixed(tokens: Sequence[Token], index: int, *, gap: int = 1) -> bool:
    """Whether a mixed number begins at `index`, its fraction `gap` tokens further on: `3 1/2`."""
    if not is_fraction(tokens, index + gap) or is_glued(tokens, index + gap):
        return False
    whole, numerator, denominator = tokens[index], tokens[index + gap], tokens[index + gap + 2]
    if numerator.kind != "number" or max(len(numerator.plain), len(denominator.plain)) > 9:
        return False
    return whole.plain.isdigit() and int(numerator.plain) < int(denominator.plain)


def ends_range(tokens: Sequence[Token], end: int) -> bool:
    """Whether the number before `end` ends a range: `3-4`, `$10-$20`."""
    read = [token for token in tokens[max(0, end - 4) : end] if token.kind != "currency"][-3:]
    if len(read) < 3 or read[1].plain != "-":
        return False
    first, sign, last = read
    n_currencies = at(tokens, end - 2, "currency")
    is_tight = first.end == sign.start and last.start - sign.end <= n_currencies
    return is_tight and first.plain.isdigit() and last.plain.isdigit() and int(first.plain) < int(last.plain)


def is_sign(tokens: Sequence[Token], index: int) -> bool:
    """Whether a minus at `index` is written like the sign of the number behind it: `as -3`, not `- 3` or `5-3`."""
    is_minus = at(tokens, index, "operator") and tokens[index].plain == "-"
    return is_minus and is_glued(tokens, index + 1) and not is_glued(tokens, index)


def may_be_cut(tokens: Sequence[Token], first: int, end: int) -> bool:
    """Whether the bracket from `first` to `end` may be that of a whole or fractional part: `[50/3]`, `{3.7}`."""
    if tokens[first].plain[-1] == "(" or at(tokens, first - 1, "power"):
        return False
    inside = tokens[first + 1 : end]
    return any(token.kind == "frac" or token.plain == "/" or "." in token.plain for token in inside)


def unit_end(tokens: Sequence[Token], start: int, *, after_slash: bool = False) -> int | None:
    """The token after the unit that begins at `start`; None where the words there are no unit of the number before.

    They are none where another number follows them, or an operator without a number behind it.

    Args:
        tokens, start: the first word.
        after_slash: a slash stands between the number and the word (`$11/platter`).
    """
    index = start
    while at(tokens, index, "word") and index - start <= _MAX_UNIT_WORDS and not multiplies(tokens, index):
        is_first = index == start
        is_attached = is_first and not after_slash and is_glued(tokens, start)
        if not is_unit_word(tokens[index].plain, is_first=is_first, is_glued=is_attached):
            break
        index += 1
        if at(tokens, index, "operator") and tokens[index].plain == "/" and at(tokens, index + 1, "word"):
            index += 1
    if index == start:
        return None
    if len(tokens[start].plain) > 1:
        index = _exponent_end(tokens, index)
    if index == len(tokens):
        return index
    if tokens[index].kind == "operator":
        is_signed = at(tokens, index + 1, "operator") and tokens[index + 1].plain in "+-"
        return index if starts(tokens, index + 1 + is_signed) else None
    return None if tokens[index].kind in LITERALS | {"power", "superscript"} else index


def _exponent_end(tokens: Sequence[Token], index: int) -> int:
    """The token after the exponent of a unit (`cm^2`, `cm^{2}`, `cm²`) that may stand at `index`."""
    if at(tokens, index, "superscript"):
        return index + 1
    if at(tokens, index, "power") and at(tokens, index + 1, "number"):
        return index + 2
    if at(tokens, index, "power") and at(tokens, index + 1, "open") and at(tokens, index + 3, "close"):
        return index + 4
    return index
