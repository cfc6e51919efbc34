"""Whether the two sides of an equality agree: exactly, or within the precision to which they are written.

Readings of the two sides that agree confirm the equality. It is refuted only where no two of them do, and no
other way is known in which its author can have meant it.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from ...verifiers.expression.numbers import terminates
from .alternatives import may_mean_otherwise
from .operands import Operand
from .readings import Reading, is_literal, plain_value, readings

__all__ = ["agree"]

# Farther off than this share of it, "about" does not excuse a number.
_ABOUT = Fraction(1, 10)


def agree(
    left: Operand,
    right: Operand,
    *,
    is_approximate: bool = False,
    is_continued: bool = False,
) -> bool | None:
    """True where the two sides agree, False where they provably do not, None where that cannot be told.

    A decimal literal may be rounded to its last digit and, where the exact value has no finite decimal, cut
    after it; a whole number may be rounded only there. `is_approximate` allows one unit in the last
    significant digit, and refutes only a literal that is off by more than a tenth. Two bare numbers are not
    compared ("1 = 2" draws a contradiction as often as it errs), nor letters with what is put in for them.

    Args:
        left, right: the two sides.
        is_approximate: the sign says "about".
        is_continued: another sign follows the right side.

    Example:
        >>> from rewardgate.prm.arithmetic.equalities import equalities
        >>> [agree(one.left, one.right) for one in equalities("10/3 = 3.33, 10/3 = 3.34, 1/2 of 12 eggs = 6 eggs")]
        [True, False, True]
    """
    # `A + B = 12` may be a condition, and `A + B = 5 + 7` puts in what A and B are in this case.
    if left.letters != right.letters or left.names or right.names or (left.is_number and right.is_number):
        return None
    lefts, rights = readings(left), readings(right)
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
    if is_approximate and _is_about(right, lefts[0].value, rights[0].value):
        return None
    if may_mean_otherwise(left, right, lefts, rights):
        return None
    return None if is_continued and _runs_on(lefts, right) else False


def _is_about(right: Operand, exact: Fraction, written: Fraction) -> bool:
    # `48 * 21 ≈ 50 * 20` puts easier numbers for the true ones; nobody says how near they must be.
    return not is_literal(right) or abs(written - exact) <= _ABOUT * abs(exact)


def _is_rounded(operand: Operand, written: Reading, exact: Fraction, distance: Fraction, is_approximate: bool) -> bool:
    """Whether the literal `operand` is `exact` to its own precision."""
    unit = written.unit
    if unit is None:
        return False
    if is_approximate:
        while written.value and (written.value / unit) % 10 == 0:
            unit *= 10
        # Of 10 days in seconds the last digit is as much as the number, and nothing is "about" its half.
        return distance <= min(unit, abs(written.value) / 2)
    is_decimal = "." in operand.plain or "^" in operand.plain
    is_endless = not terminates(exact)
    if distance <= (unit if operand.is_truncated else unit / 2):
        return is_decimal or is_endless
    # 2/3 = 0.66: digits cut off where more would follow for ever.
    return is_decimal and is_endless and abs(written.value) < abs(exact) and distance < unit


def _runs_on(lefts: Sequence[Reading], right: Operand) -> bool:
    """Whether the right side begins with the left's value and computes on from there: `5 + 3 = 8 * 2 = 16`."""
    head = None if right.is_number else plain_value(right.head)
    return head is not None and any(head == reading.value for reading in lefts)
