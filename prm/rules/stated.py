"""The numbers that a text states as results, and whether two numbers may be one.

A result stands behind a sign of equality that nothing continues: `15 - 3 = 12`, `x = 12`. What stands on the left is
not asked for.
"""

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import NamedTuple

from ...verifiers.unicode_text import half_width
from ..arithmetic.equalities import Budget, without_annotations
from ..arithmetic.operands import Operand, read_right
from ..arithmetic.readings import Reading, readings

__all__ = ["StatedValue", "number_in", "prose_of", "same_value", "stated_texts", "stated_values", "value_behind"]

_SIGN = re.compile(r"(?<![=!<>:~+*/%|&^-])(?:=|≈|\\approx(?![a-zA-Z]))(?![=<>~])|\bequals\b")
_BLANKS = re.compile(r"[\s&]*+")
_FRACTION = re.compile(r"\(?-?(?:[0-9.]+/[0-9.]+|\\frac\{[0-9]+\}\{[0-9]+\})\)?%?")
_MAX_SIDE = 300
_FORMULA = re.compile(r"((?:[(\[][^()\[\]\n$=]{0,80}[)\]]|(?!\$|\\[)\]]|[\n;=≈]|[.,]\s|\.\Z).){1,200})")

# What one unit is of another: minutes, dozens, feet, pounds, cents, thousands, weeks, months, years.
_FACTORS = frozenset(
    map(Fraction, (2, 3, 4, 7, 8, 10, 12, 14, 16, 20, 24, 25, 28, 30, 31, 36, 52, 60, 100, 128, 144, 168, 180, 360, 365,
                   366, 1000, 1024, 1440, 1760, 2000, 3600, 5280, 86400, 10**6, 10**9))
)  # fmt: skip


class StatedValue(NamedTuple):
    """A number behind a sign of equality.

    Args:
        operand: the number.
        start, end: from the sign to the end of the number, in characters of the text.
    """

    operand: Operand
    start: int
    end: int


def prose_of(text: str) -> str:
    """`text` in half-width signs, with blanks for its `<<a=b>>` annotations; offsets stay true."""
    return without_annotations(half_width(text))


def stated_values(prose: str, budget: Budget) -> Iterator[StatedValue]:
    """Every result of `prose` (see `prose_of`), in order.

    Raises:
        CostlyError: more is written beside signs than is left of `budget`.

    Example:
        >>> [one.operand.plain for one in stated_values("5 * 3 = 10 + 5 = 15, so x = 15 and y != 2", Budget())]
        ['15', '15']
    """
    signs = list(_SIGN.finditer(prose))
    for sign, following in pairwise([*signs, None]):
        assert sign is not None
        stated = value_behind(prose, sign.end(), budget, end=None if following is None else following.start())
        if stated is not None and not (following is not None and stated.reaches_end):
            yield StatedValue(stated, sign.start(), stated.end)


def stated_texts(prose: str) -> Iterator[str]:
    """What stands behind each sign of equality of a formula or a line and is not continued by another, as written.

    Example:
        >>> list(stated_texts(r"So $A = \\pi r^2 = 2\\pi$, and y = x + 1."))
        ['2\\\\pi', 'x + 1']
    """
    for sign, following in pairwise([*_SIGN.finditer(prose), None]):
        assert sign is not None
        found = _FORMULA.match(prose, sign.end())
        if found is not None and found[1].strip() and (following is None or following.start() > found.end()):
            yield found[1].strip()


def value_behind(prose: str, start: int, budget: Budget, *, end: int | None = None) -> Operand | None:
    """The number that `prose[start:end]` begins with; None where it begins with none, or with more than a number.

    Raises:
        CostlyError: nothing is left of `budget`.
    """
    blanks = _BLANKS.match(prose, start)
    start = start if blanks is None else blanks.end()
    limit = len(prose) if end is None else end
    stop = min(limit, start + _MAX_SIDE)
    budget.take(n_signs=1, n_characters=max(0, stop - start))
    operand = read_right(prose, start, stop) if start < stop else None
    if operand is None or (stop < limit and operand.end >= stop - 1) or operand.letters or operand.names:
        return None
    return operand if _is_number(operand) else None


def number_in(text: str) -> Operand | None:
    """The number that all of `text` is, with or without a unit; None where it is something else.

    Example:
        >>> number_in("$1,200"), number_in("12 or 13"), number_in("x")  # doctest: +ELLIPSIS
        (Operand(plain='1200', ...), None, None)
    """
    prose = half_width(text)
    if len(prose) > _MAX_SIDE:
        return None
    operand = read_right(prose, 0, len(prose))
    if operand is None or not operand.reaches_end or operand.is_doubtful or operand.letters or operand.names:
        return None
    return operand if _is_number(operand) else None


def same_value(one: Operand, other: Operand) -> bool | None:
    """True where the two agree under a reading of both, False where they do not, None where a unit may explain it.

    Each may be rounded to its own last digit. None is said of a half, a hundredfold and the like (another unit, a
    percentage), of a changed sign, and of two that are nearer than one.

    Example:
        >>> texts = [("12", "12 pens"), ("3.33", "10/3"), ("0.4", "40%"), ("2", "120"), ("12", "13")]
        >>> [same_value(read_right(a, 0, len(a)), read_right(b, 0, len(b))) for a, b in texts]
        [True, True, True, None, False]
    """
    pairs = list(product(readings(one), readings(other)))
    if any(_agree(a, b) or _agree(b, a) for a, b in pairs):
        return True
    if not pairs or one.is_doubtful or other.is_doubtful:
        return None
    return None if any(_may_be_one(a.value, b.value) for a, b in pairs) else False


def _is_number(operand: Operand) -> bool:
    # A fraction is an expression to the reader, and a result to its author.
    return operand.is_number or _FRACTION.fullmatch(operand.plain) is not None


def _agree(one: Reading, other: Reading) -> bool:
    distance = abs(one.value - other.value)
    return not distance or (one.unit is not None and one.unit < 1 and distance <= one.unit / 2)


def _may_be_one(one: Fraction, other: Fraction) -> bool:
    if one == -other or abs(one - other) < 1 or not one or not other:
        return one == -other or abs(one - other) < 1
    ratio = abs(one / other)
    return max(ratio, 1 / ratio) in _FACTORS or _is_near(one, other)


def _is_near(one: Fraction, other: Fraction) -> bool:
    """Whether one is the other, rounded to two digits or more."""
    larger = max(abs(one), abs(other))
    unit = Fraction(10) ** (math.floor(math.log10(max(1, larger))) - 1)
    is_round = any(not value % unit for value in (one, other))
    return is_round and abs(one - other) <= unit / 2
