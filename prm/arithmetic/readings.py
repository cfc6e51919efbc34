"""The values that an operand may have, by what its percent signs and its words of measure are taken for."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from ...verifiers.expression.arithmetic import CostlyError, evaluate
from .operands import Operand

__all__ = [
    "MAX_ROUNDED",
    "ROUNDED",
    "Reading",
    "factor_beside",
    "is_literal",
    "n_decimals",
    "n_rounded",
    "plain_value",
    "readings",
    "without_marks",
]

MAX_ROUNDED = 6
"""Rounded decimals of one operand whose influence is followed."""

_MARK = re.compile(r"@([0-9]+(?:/[0-9]+)?)")
_LITERAL = re.compile(
    r"[(-]*[0-9]*(?:\.(?P<decimals>[0-9]+))?(?:\*10\^(?P<power>-?[0-9]+)\)?)?(?P<mark>%|@[0-9/]+)?\)*"
)
# Decimals this long are taken for the rounded results that they mostly are; shorter ones for prices and counts.
ROUNDED = re.compile(r"[0-9]*\.[0-9]{3,}")
# As many digits as only a binary float prints, and what such a float may be off by.
_FLOAT_DIGITS = 12
_FLOAT_NOISE = Fraction(1, 10**12)
_PERCENT_READINGS = ("*1/100", "")
_MEASURE_READINGS = ("", r"*\1")


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of an operand.

    Args:
        plain: what was computed.
        value: its value.
        unit: the unit in the last place where the operand is a literal, else None.
    """

    plain: str
    value: Fraction
    unit: Fraction | None

    def slack(self, rounded: re.Pattern[str] = ROUNDED) -> Fraction:
        """By how much the value may be off because the decimals that `rounded` finds are, to first order."""
        slack = Fraction(0)
        for found in islice(rounded.finditer(self.plain), MAX_ROUNDED):
            literal = found.group()
            half_unit = f"1/{2 * 10 ** len(literal.partition('.')[2])}"
            moved = plain_value(f"{self.plain[: found.start()]}({literal}+{half_unit}){self.plain[found.end() :]}")
            if moved is not None:
                slack += abs(moved - self.value)
            if len(literal) > _FLOAT_DIGITS:
                slack += abs(self.value) * _FLOAT_NOISE
        return slack


@lru_cache(maxsize=64)
def readings(operand: Operand) -> tuple[Reading, ...]:
    """Every reading of `operand` that has a value; the first counts percent signs and no measures.

    Example:
        >>> from rewardgate.prm.arithmetic.operands import read_right
        >>> [str(reading.value) for reading in readings(read_right("2 hours * 50%", 0, 13))]
        ['1', '100', '3600', '360000']
    """
    plain = operand.plain
    literal = _literal(operand)
    found: dict[str, Reading] = {}
    for measure in _MEASURE_READINGS:
        for percent in _PERCENT_READINGS:
            reading = _resolved(plain, measure, percent)
            value = None if reading in found else plain_value(reading)
            if value is not None:
                factor = plain_value("1" + _resolved(literal["mark"] or "", measure, percent)) if literal else None
                unit = _last_place(literal) * factor if literal and factor else None
                found[reading] = Reading(reading, value, unit)
    return tuple(found.values())


def is_literal(operand: Operand) -> bool:
    """Whether `operand` is one number, in scientific notation or not, and no expression."""
    return _literal(operand) is not None


def n_decimals(operand: Operand) -> int:
    """The decimals of a literal `operand`, zeros at its end left out."""
    literal = _literal(operand)
    return len((literal["decimals"] or "").rstrip("0")) if literal else 0


def factor_beside(operand: Operand) -> Fraction:
    """What the unit beside a literal `operand` is worth; 1 where it is none, or one of its dimension's own."""
    literal = _literal(operand)
    mark = _MARK.fullmatch(literal["mark"] or "") if literal else None
    return Fraction(mark[1]) if mark else Fraction(1)


def n_rounded(operand: Operand) -> int:
    """How many decimals of `operand` are taken for rounded ones."""
    return len(ROUNDED.findall(operand.plain))


def plain_value(plain: str) -> Fraction | None:
    """The exact value of an expression without marks; None where it has none, or costs too much."""
    try:
        value = evaluate(plain)
    except CostlyError:
        return None
    return value if isinstance(value, Fraction) else None


def without_marks(plain: str) -> str:
    """`plain` with its percent signs and measures taken for mere labels."""
    return _resolved(plain, "", "")


def _literal(operand: Operand) -> re.Match[str] | None:
    literal = _LITERAL.fullmatch(operand.plain)
    return literal if literal and (operand.is_number or literal["power"]) else None


def _last_place(literal: re.Match[str]) -> Fraction:
    # 7.3e-3 is written to 10^-4.
    return Fraction(10) ** (int(literal["power"] or 0) - len(literal["decimals"] or ""))


def _resolved(plain: str, measure: str, percent: str) -> str:
    return _MARK.sub(measure, plain).replace("%", percent)
