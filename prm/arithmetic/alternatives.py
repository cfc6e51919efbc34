"""What else two sides that do not agree may mean; where they may mean something else, nothing is refuted."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from .conversions import DIMENSIONS, may_convert
from .operands import Operand
from .readings import MAX_ROUNDED, Reading, factor_beside, n_decimals, n_rounded, plain_value, without_marks

__all__ = ["is_hundredfold", "is_turned", "is_whole_part", "may_mean_otherwise"]

_NUMBER = re.compile(r"[0-9.]+")
_ADDED_PERCENT = re.compile(r"[+-]\([0-9.]+%\)(?![*/^])")
_FRACTION = re.compile(r"[0-9]+/[0-9]+|\\frac\{[0-9]+\}\{[0-9]+\}")
# -3^2 is -9 and is often written for 9, 1/1/2 for one over a half, 8^1/3 for the cube root.
_SLOPPY = re.compile(r"(?:^|[-+*/(])-[0-9.]+\^|/(?:[0-9.]+|\([0-9.]+\))/|\^1/")
_SHARE = r"(?:1|[0-9]{1,3}/[0-9]{1,3}|\\frac\{[0-9]{1,3}\}\{[0-9]{1,3}\}|0?\.[0-9]{1,2})"
_SHARES = re.compile(rf"{_SHARE}(?:[-+]{_SHARE})*")
_WHOLE = re.compile(r"([0-9]{1,3})/\1")
_CLOCK_RANGE = re.compile(r"([0-9]{1,2})-([0-9]{1,2})")
_HALF_DAY = 12
_LEAST_COUNT = 2
_HOUR = 3600
_JOINED = re.compile(r"[0-9]+(?:-[0-9]+){2,}")
# ($5) is a loss of 5 in a ledger.
_BRACKETED = re.compile(r"\([0-9.]+\)[-+]")
_POINT_OF_THOUSANDS = re.compile(r"(?<![0-9.])([1-9][0-9]{0,2})\.([0-9]{3})(?![0-9])")
# Decimals that look cut off: 0.33, 66.67, 3.14; and the short ones among them.
_REPEATING = re.compile(
    r"(?<![0-9.])(?:[1-9][0-9]*\.[37]|[0-9]*\.(?:33|6[67]|1[67]|83|14|29|43|57|71|86|11|22|44|5[56]|7[78]|8[89]"
    r"|08|42|58|92)|1\.(?:41|73|62)|2\.(?:24|65|72)|[1-9][0-9]*\.(?:09|18|27|36|45|64|73|82|91)|[0-9]*\.[0-9]{3,})(?![0-9])"
)
_MAX_ROUNDED_BACK = Fraction(2, 100)
# 2 melt/15 minutes * 28 is 56 in every 15 minutes.
_PER_MEASURE = re.compile(r"/\([0-9.]+@[0-9/]+\)(?=\*)")
# (1) + (2) = (3) adds equations.
_NUMBERED = re.compile(r"\([0-9]{1,2}\)")
_NUMBERED_SUM = re.compile(r"\([0-9]{1,2}\)(?:[-+]\([0-9]{1,2}\))+")
_PI = re.compile(r"(?<![0-9.])3\.14[0-9]*(?![0-9])")


def may_mean_otherwise(left: Operand, right: Operand, lefts: Sequence[Reading], rights: Sequence[Reading]) -> bool:
    """Whether a meaning that was not tried may make the two sides agree.

    Args:
        left, right: the two sides.
        lefts, rights: their readings, none of which agree.

    Example:
        >>> from rewardgate.prm.arithmetic.equalities import equalities
        >>> from rewardgate.prm.arithmetic.readings import readings
        >>> for text in ("2/5 = 20 students", "100/8 = 13 buses", "30 * 4 = 2 hours", "30 * 4 = 3 hours"):
        ...     one = next(equalities(text))
        ...     print(may_mean_otherwise(one.left, one.right, readings(one.left), readings(one.right)))
        True
        True
        True
        False
    """
    sides = ((left, right, lefts[0].value, rights[0].value), (right, left, rights[0].value, lefts[0].value))
    if any(
        one.is_doubtful or _SLOPPY.search(without_marks(one.plain)) or n_rounded(one) > MAX_ROUNDED
        for one in (left, right)
    ):
        return True
    # `42 * 20/21 daps = 42 baps` relates two units, `3/4 tank = $40` a share and a price; neither recomputes anything.
    if left.labels and not left.labels & right.labels and (right.labels or _FRACTION.fullmatch(left.plain)):
        return True
    return (
        any(
            _percents(one, other)
            or _is_share_of(one, other, value, other_value)
            or _counts_in(one, other, value, other_value)
            for one, other, value, other_value in sides
        )
        or (_counts_things(left, right) and is_whole_part(lefts, rights))
        or _is_clock_range(left, right, rights[0].value)
        or _counts_cents(left, right, lefts, rights)
        or _groups_by_points(left, right)
        or _is_rounded_back(left, right, lefts[0], rights[0])
        or _is_joined(left, rights[0].value)
        or bool(_NUMBERED_SUM.fullmatch(left.plain) and _NUMBERED.fullmatch(right.plain))
        or plain_value(without_marks(_PER_MEASURE.sub("", left.plain))) == rights[0].value
        or (left.has_currency and _BRACKETED.match(left.plain) is not None)
        or (left.is_dashed and plain_value(f"-{without_marks(left.plain)}") == rights[0].value)
    )


def is_whole_part(lefts: Sequence[Reading], rights: Sequence[Reading]) -> bool:
    """Whether the right side is the left one rounded up or down to a whole number: `100/8 = 13`."""
    return any(
        other.value.denominator == 1 and other.value in (math.floor(one.value), math.ceil(one.value))
        for one, other in product(lefts, rights)
    )


def is_hundredfold(lefts: Sequence[Reading], rights: Sequence[Reading]) -> bool:
    """Whether the right side is the left one in percent, without the sign: `(6 - 5)/5 = 20`."""
    return any(other.value == 100 * one.value for one, other in product(lefts, rights))


def is_turned(lefts: Sequence[Reading], rights: Sequence[Reading]) -> bool:
    """Whether two angles in degrees are whole turns apart: `350 + 20 = 10`."""
    return any((one.value - other.value) % 360 == 0 for one, other in product(lefts, rights))


def _percents(one: Operand, other: Operand) -> bool:
    # `200 + 10% = 220` adds a share of what stands before it; `48 = 100% + 20%` says what share a number is.
    return bool(
        (_ADDED_PERCENT.search(one.plain) and not _is_all_percent(one))
        or (one.is_number and "%" not in one.plain and _is_all_percent(other))
    )


def _is_joined(left: Operand, right_value: Fraction) -> bool:
    """Whether the hyphens only join numbers that are added: `45-45-90 = 180`."""
    return _JOINED.fullmatch(left.plain) is not None and plain_value(left.plain.replace("-", "+")) == right_value


def _is_all_percent(operand: Operand) -> bool:
    return 0 < operand.plain.count("%") == len(_NUMBER.findall(operand.plain))


def _is_share_of(one: Operand, other: Operand, value: Fraction, other_value: Fraction) -> bool:
    """Whether a share is named beside what it comes to: `1 - 2/5 = 3/5 = 30 students`, `5/5 = 50`."""
    if value == 1 and (whole := _WHOLE.fullmatch(one.plain)):
        return other_value >= _LEAST_COUNT and other_value % int(whole[1]) == 0
    if not (0 < value < 1 < other_value and _SHARES.fullmatch(without_marks(one.plain))):
        return False
    # Without a word beside it the other side is hardly a count below 2.
    is_bare = _FRACTION.fullmatch(one.plain) and not _FRACTION.fullmatch(other.plain) and other_value >= _LEAST_COUNT
    return bool(is_bare) or other.has_words or other.has_currency


def _counts_in(one: Operand, other: Operand, value: Fraction, other_value: Fraction) -> bool:
    """Whether only `other` has a unit, and `one` counts in another of its kind: `30 * 4 = 2 hours`."""
    if one.labels or not other.labels or not other_value:
        return False
    return may_convert(value / other_value, other.labels, factor_beside(other))


def _counts_things(left: Operand, right: Operand) -> bool:
    """Whether the right side counts what comes in wholes: buses, not dollars, nor hours out of minutes."""
    measures = left.labels & right.labels & DIMENSIONS
    return right.is_number and right.has_words and not (right.has_currency or measures)


def _is_clock_range(left: Operand, right: Operand, right_value: Fraction) -> bool:
    """Whether the left side may be two times of the day with so many hours between them: `9-5 = 8 hours`."""
    times = _CLOCK_RANGE.fullmatch(left.plain)
    if times is None or factor_beside(right) != _HOUR:
        return False
    begins, ends = map(int, times.groups())
    return right_value == (ends - begins) % _HALF_DAY


def _counts_cents(left: Operand, right: Operand, lefts: Sequence[Reading], rights: Sequence[Reading]) -> bool:
    """Whether cents may have been counted as dollars: `25 * 30 = $7.50`."""
    has_currency = left.has_currency or right.has_currency
    return has_currency and any(one.value == 100 * other.value for one, other in product(lefts, rights))


def _groups_by_points(left: Operand, right: Operand) -> bool:
    """Whether the sides agree with their points taken for signs of thousands, or such commas for points."""
    plains = [without_marks(operand.plain) for operand in (left, right)]
    has_points = any(map(_POINT_OF_THOUSANDS.search, plains))
    if not (has_points or left.has_groups or right.has_groups):
        return False
    one, other = (
        plain_value(_POINT_OF_THOUSANDS.sub(r"\1\2", _POINT_OF_THOUSANDS.sub(r"\1\2", plain))) for plain in plains
    )
    if one is None or other is None:
        return False
    # 1,125 * 8 = 9
    is_scaled = (left.has_groups or right.has_groups) and (one == 1000 * other or other == 1000 * one)
    return one == other or is_scaled


def _is_rounded_back(left: Operand, right: Operand, one: Reading, other: Reading) -> bool:
    """Whether a side is off by what decimals that look rounded make: `33.33 * 3 = 100`, `3.14 * 5^2 = 78.54`."""
    for operand, reading, result in ((left, one, right), (right, other, left)):
        if operand.is_number:
            continue
        is_rounder = result.is_number and n_decimals(result) < 2
        distance = abs(one.value - other.value)
        if distance <= abs(reading.value) * _MAX_ROUNDED_BACK and distance <= reading.slack(
            _REPEATING if is_rounder else _PI
        ):
            return True
    return False
