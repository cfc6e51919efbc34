"""Whether the two sides of an equality agree: exactly, or within the precision to which a side is written."""

import re
from fractions import Fraction
from itertools import product

from ..verifiers.expression.arithmetic import CostlyError, evaluate
from .arithmetic_text import Operand
from .equalities import Equality

_DECIMAL = re.compile(r"\(*-?\(*(\d*)(?:\.(\d+))?(?:%?\))*")


def agrees(equality: Equality) -> bool | None:
    """True where a reading makes both sides agree, False where none does, None where that cannot be told."""
    left, right = _values(equality.left), _values(equality.right)
    if not left or not right:
        return None
    for (one, one_unit), (other, other_unit) in product(left, right):
        if _close(one, other, one_unit, other_unit, equality):
            return True
    if equality.left.is_doubtful or equality.right.is_doubtful:
        return None
    return False


def shown_value(operand: Operand) -> str:
    values = _values(operand)
    return str(values[0][0]) if values else "?"


def _values(operand: Operand) -> list[tuple[Fraction, Fraction | None]]:
    """(value, unit in the last place) of each reading; no unit where the operand is no decimal literal."""
    readings = {operand.plain.replace("%", "*1/100"): Fraction(1, 100), operand.plain.replace("%", ""): Fraction(1)}
    found = []
    for plain, scale in readings.items():
        try:
            value = evaluate(plain)
        except CostlyError:
            continue
        if isinstance(value, Fraction):
            literal = _DECIMAL.fullmatch(operand.plain) if operand.is_number else None
            unit = None
            if literal:
                unit = Fraction(1, 10 ** len(literal.group(2) or "")) * scale
            found.append((value, unit))
    return found


def _close(one, other, one_unit, other_unit, equality) -> bool:
    distance = abs(one - other)
    if not distance:
        return True
    for unit, exact, operand in ((one_unit, other, equality.left), (other_unit, one, equality.right)):
        if unit is None:
            continue
        if equality.is_approximate:
            if distance <= unit:
                return True
        elif unit < 1 or exact.denominator not in (1,):
            if distance <= (unit if operand.is_truncated else unit / 2) and (unit < 1 or not _terminates(exact)):
                return True
            if unit < Fraction(1, 10**8) and distance <= abs(exact) / 10**12:
                return True
    return False


def _terminates(value: Fraction) -> bool:
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1
