"""Whether the two sides of an equality agree: exactly, or within the precision to which they are written.

Readings of the two sides that agree confirm the equality. It is refuted only where no two of them do, and no
other way is known in which its author can have meant it.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from ...verifiers.expression.numbers import terminates
from .operands import Operand
from .readings import MAX_ROUNDED, Reading, n_rounded, plain_value, readings, without_marks

__all__ = ["agree"]

_NUMBER = re.compile(r"[0-9.]+")
_ADDED_PERCENT = re.compile(r"[+-]\([0-9.]+%\)(?![*/^])")
_FRACTION = re.compile(r"[0-9]+/[0-9]+|\\frac\{[0-9]+\}\{[0-9]+\}")
# -3^2 is -9 and is often written for 9; 1/1/2 is written for one over a half.
_SLOPPY = re.compile(r"(?:^|[-+*/(])-[0-9.]+\^|/(?:[0-9.]+|\([0-9.]+\))/")


def agree(
    left: Operand,
    right: Operand,
    *,
    is_approximate: bool = False,
    is_continued: bool = False,
    values: Mapping[str, Fraction] | None = None,
) -> bool | None:
    """True where the two sides agree, False where they provably do not, None where that cannot be told.

    A decimal literal may be rounded to its last digit and, where the exact value has no finite decimal, cut
    after it; a whole number may be rounded only there. `is_approximate` allows one unit in the last
    significant digit. Two bare numbers are not compared: "1 = 2" draws a contradiction as often as it errs.

    Args:
        left, right: the two sides.
        is_approximate: the sign says "about".
        is_continued: another sign follows the right side.
        values: what capital letters stand for; used only to check a substitution, `A * B = 3 * 4`.

    Example:
        >>> from rewardgate.prm.arithmetic.equalities import equalities
        >>> [agree(one.left, one.right) for one in equalities("10/3 = 3.33, 10/3 = 3.34, 1/2 of 12 eggs = 6 eggs")]
        [True, False, True]
    """
    if left.letters != right.letters or (left.is_number and right.is_number):
        return None
    if (left.names or right.names) and not _is_substitution(left, right, values or {}):
        return None
    lefts, rights = readings(left, values), readings(right, values)
    if not lefts or not rights:
        return None
    if any(one.value == other.value for one, other in product(lefts, rights)):
        return True
    left_slacks, right_slacks = [one.slack() for one in lefts], [one.slack() for one in rights]
    for (one, slack), (other, other_slack) in product(
        zip(lefts, left_slacks, strict=True), zip(rights, right_slacks, strict=True)
    ):
        distance = abs(one.value - other.value)
        if (
            distance <= slack + other_slack
            or _is_rounded(left, one, other.value, distance - other_slack, is_approximate)
            or _is_rounded(right, other, one.value, distance - slack, is_approximate)
        ):
            return True
    if _may_mean_otherwise(left, right) or _counts_cents(left, right, lefts, rights):
        return None
    return None if is_continued and _runs_on(lefts, right) else False


def _is_substitution(left: Operand, right: Operand, values: Mapping[str, Fraction]) -> bool:
    # `A + B = 12` may be a condition on A and B; `A + B = 5 + 7` shows what was put for them.
    are_expressions = not left.is_number and not right.is_number
    return are_expressions and not right.names and all(name in values for name in left.names)


def _is_rounded(operand: Operand, written: Reading, exact: Fraction, distance: Fraction, is_approximate: bool) -> bool:
    """Whether the literal `operand` is `exact` to its own precision."""
    unit = written.unit
    if unit is None:
        return False
    if is_approximate:
        while written.value and (written.value / unit) % 10 == 0:
            unit *= 10
        return distance <= unit
    is_decimal, is_endless = "." in operand.plain, not terminates(exact)
    if distance <= (unit if operand.is_truncated else unit / 2):
        return is_decimal or is_endless
    # 2/3 = 0.66: digits cut off where more would follow for ever.
    return is_decimal and is_endless and abs(written.value) < abs(exact) and distance < unit


def _may_mean_otherwise(left: Operand, right: Operand) -> bool:
    """Whether a reading that was not tried may make the two sides agree."""
    sides = ((left, right), (right, left))
    if any(
        one.is_doubtful or _SLOPPY.search(without_marks(one.plain)) or n_rounded(one) > MAX_ROUNDED for one, _ in sides
    ):
        return True
    # `42 * 20/21 daps = 42 baps` relates two units, `3/4 tank = $40` a share and a price; neither recomputes anything.
    if left.labels and not left.labels & right.labels and (right.labels or _FRACTION.fullmatch(left.plain)):
        return True
    # `200 + 10% = 220` adds a share of what stands before it; `48 = 100% + 20%` says what share a number is.
    return any(
        (_ADDED_PERCENT.search(one.plain) and not _is_all_percent(one))
        or (one.is_number and "%" not in one.plain and _is_all_percent(other))
        for one, other in sides
    )


def _is_all_percent(operand: Operand) -> bool:
    return 0 < operand.plain.count("%") == len(_NUMBER.findall(operand.plain))


def _counts_cents(left: Operand, right: Operand, lefts: list[Reading], rights: list[Reading]) -> bool:
    """Whether cents may have been counted as dollars: `25 * 30 = $7.50`."""
    has_currency = left.has_currency or right.has_currency
    return has_currency and any(one.value == 100 * other.value for one, other in product(lefts, rights))


def _runs_on(lefts: list[Reading], right: Operand) -> bool:
    """Whether the right side begins with the left's value and computes on from there: `5 + 3 = 8 * 2 = 16`."""
    head = None if right.is_number else plain_value(right.head)
    return head is not None and any(head == reading.value for reading in lefts)
