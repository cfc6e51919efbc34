"""Whether the two sides of an equality agree: exactly, or within the precision to which they are written.

A side may have several readings (is `25%` a quarter, or the number 25 with its label? is `2 hours` two, or 7200
seconds?). Readings that agree prove the equality; it is refuted only where none do and no reading is missing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from ..verifiers.expression.arithmetic import CostlyError, evaluate
from ..verifiers.expression.numbers import terminates
from .operands import Operand

__all__ = ["agree", "value_of"]

_MARK = re.compile(r"@([0-9]+(?:/[0-9]+)?)")
_LITERAL = re.compile(r"[(-]*([0-9]*)(?:\.([0-9]+))?(%|@[0-9/]+)?\)*")
# Decimals this long are taken for the rounded results that they mostly are; shorter ones for prices and counts.
_ROUNDED = re.compile(r"[0-9]*\.([0-9]{3,})")
_MAX_ROUNDED = 8
_NUMBER = re.compile(r"[0-9.]+")
_ADDED_PERCENT = re.compile(r"[+-]\([0-9.]+%\)(?![*/^])")
_FRACTION = re.compile(r"[0-9]+/[0-9]+|\\frac\{[0-9]+\}\{[0-9]+\}")
# -3^2 is -9 and is often written for 9; 1/1/2 is written for the inverse of a half.
_SLOPPY = re.compile(r"(?:^|[-+*/(])-[0-9.]+\^|[0-9]/[0-9.]+/[0-9]")
# As many digits as only a binary float prints.
_FLOAT_DIGITS = 12
_FLOAT_NOISE = Fraction(1, 10**12)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One value of an operand, by how much rounding may have moved it, and the unit in a literal's last place."""

    value: Fraction
    slack: Fraction
    unit: Fraction | None


def agree(
    left: Operand,
    right: Operand,
    *,
    is_approximate: bool = False,
    is_continued: bool = False,
    values: Mapping[str, Fraction] | None = None,
) -> bool | None:
    """True where the two sides agree, False where they provably do not, None where that cannot be told.

    A decimal literal may be rounded to its last digit, and where the exact value has no finite decimal, cut
    after it; a whole number may be rounded only there. `is_approximate` allows one unit in the last
    significant digit.

    Args:
        left, right: the two sides.
        is_approximate: the sign says "about".
        is_continued: another sign follows the right side.
        values: what capital letters stand for.
    """
    if left.letters != right.letters or (left.is_number and right.is_number):
        return None
    if (left.names or right.names) and not _is_substitution(left, right, values or {}):
        return None
    left_readings = list(_readings(left, values))
    right_readings = list(_readings(right, values))
    if not left_readings or not right_readings:
        return None
    for one, other in product(left_readings, right_readings):
        if _close(one, other, left, right, is_approximate):
            return True
    if _may_mean_otherwise(left, right) or (is_continued and _runs_on(left_readings, right)):
        return None
    return None if _is_hundredfold(left, right, left_readings, right_readings) else False


def value_of(operand: Operand, values: Mapping[str, Fraction] | None = None) -> Fraction | None:
    """The value of `operand` with its percent signs counted and its units of measure not; None where it has none."""
    return next((reading.value for reading in _readings(operand, values)), None)


def _is_substitution(left: Operand, right: Operand, values: Mapping[str, Fraction]) -> bool:
    # `A * B = 3 * 4` shows what was put for the letters; `A + B = 12` may be a condition on them.
    return not right.names and not right.is_number and not left.is_number and all(name in values for name in left.names)


def _readings(operand: Operand, values: Mapping[str, Fraction] | None) -> Iterator[_Reading]:
    plain = operand.plain
    for name in operand.names:
        plain = plain.replace(name, f"({values[name]})" if values else name)
    literal = _LITERAL.fullmatch(plain) if operand.is_number else None
    seen = set()
    for percent, measures in (("*1/100", ""), ("", ""), ("*1/100", r"*\1"), ("", r"*\1")):
        reading = _MARK.sub(measures, plain).replace("%", percent)
        if reading in seen:
            continue
        seen.add(reading)
        value = _value(reading)
        if value is None:
            continue
        unit = None
        if literal is not None:
            factor = _value("1" + _MARK.sub(measures, literal.group(3) or "").replace("%", percent)) or Fraction(1)
            unit = factor / 10 ** len(literal.group(2) or "")
        yield _Reading(value, _slack(reading, value), unit)


def _value(plain: str) -> Fraction | None:
    try:
        value = evaluate(plain)
    except CostlyError:
        return None
    return value if isinstance(value, Fraction) else None


def _slack(plain: str, value: Fraction) -> Fraction:
    """By how much `value` may be off because decimals in `plain` are rounded, to first order."""
    slack = Fraction(0)
    for found in list(_ROUNDED.finditer(plain))[:_MAX_ROUNDED]:
        half = 2 * 10 ** len(found.group(1))
        moved = _value(f"{plain[: found.start()]}({found.group()}+1/{half}){plain[found.end() :]}")
        if moved is not None:
            slack += abs(moved - value)
        if len(found.group()) > _FLOAT_DIGITS:
            slack += abs(value) * _FLOAT_NOISE
    return slack


def _close(one: _Reading, other: _Reading, left: Operand, right: Operand, is_approximate: bool) -> bool:
    distance = abs(one.value - other.value)
    if distance <= one.slack + other.slack:
        return True
    return _rounds_to(other.value, one, left, distance - other.slack, is_approximate) or _rounds_to(
        one.value, other, right, distance - one.slack, is_approximate
    )


def _rounds_to(exact: Fraction, written: _Reading, operand: Operand, distance: Fraction, is_approximate: bool) -> bool:
    unit = written.unit
    if unit is None:
        return False
    if is_approximate:
        while written.value and (written.value / unit) % 10 == 0:
            unit *= 10
        return distance <= unit
    if distance <= (unit if operand.is_truncated else unit / 2):
        return "." in operand.plain or not terminates(exact)
    # 2/3 = 0.66: digits cut off where more follow for ever.
    return "." in operand.plain and not terminates(exact) and abs(written.value) < abs(exact) and distance < unit


def _may_mean_otherwise(left: Operand, right: Operand) -> bool:
    """Whether a reading that was not tried may make the two sides agree."""
    sides = ((left, right), (right, left))
    if any(one.is_doubtful or _SLOPPY.search(one.plain) for one, _ in sides):
        return True
    shared = left.labels & right.labels
    # `42 * 20/21 daps = 42 baps` relates two units, `3/4 tank = $40` a share and a price; neither recomputes anything.
    if left.labels and not shared and (right.labels or _FRACTION.fullmatch(left.plain)):
        return True
    # `200 + 10% = 220` adds a share of what stands before it; `48 = 100% + 20%` says what share a number is.
    return any(
        (_ADDED_PERCENT.search(one.plain) and not _is_all_percent(one))
        or (one.is_number and "%" not in one.plain and _is_all_percent(other))
        for one, other in sides
    )


def _is_all_percent(operand: Operand) -> bool:
    return 0 < operand.plain.count("%") == len(_NUMBER.findall(operand.plain))


def _is_hundredfold(left: Operand, right: Operand, ones: list[_Reading], others: list[_Reading]) -> bool:
    """Whether cents may have been counted as dollars: `25 * 30 = $7.50`."""
    has_currency = left.has_currency or right.has_currency
    return has_currency and any(one.value == 100 * other.value != 0 for one, other in product(ones, others))


def _runs_on(left: list[_Reading], right: Operand) -> bool:
    """Whether the right side begins with the left's value and computes on from there: `5 + 3 = 8 * 2 = 16`."""
    head = _value(right.head)
    if right.is_number or not right.plain.startswith(right.head):
        return False
    return head is not None and any(head == reading.value for reading in left)
