r"""Two decimals that are one number in different precision.

The referee takes a decimal target to be exact: 12.3457 is not 12.35. Where a grader refused such an answer, what
differs is the tolerance, and a person decides whether there should be one: this names a cause and repairs nothing.
"""

from decimal import Decimal
from fractions import Fraction
from math import isfinite

from ...verifiers.expression.enclosures import FLOATS, UndefinedError
from ...verifiers.expression.evaluation import Budget, BudgetError, evaluate
from ...verifiers.expression.nodes import Node, Opaque
from ...verifiers.expression.numbers import Quantity, as_fraction
from ...verifiers.expression.parser import parse
from ...verifiers.expression.quantities import rounds_to
from ...verifiers.expression.tokens import UnreadableError
from .notation import as_node

__all__ = ["LEAST_DIGITS", "SAME_DIGITS", "is_rounded"]

LEAST_DIGITS = 3
"""Significant digits below which agreement is too cheap to say anything."""

SAME_DIGITS = 6
"""Relative to the size, in powers of ten."""

_LONGEST_CHARS = 80
_OPERATIONS = 200


def is_rounded(target: str, answer: str) -> bool:
    r"""Whether one of the two is a decimal of at least `LEAST_DIGITS` digits to which the other rounds.

    Nothing rounds to a whole number: 421 and 420 are two numbers, and so are 420 and 420.04. A decimal that agrees
    with the other number to `SAME_DIGITS` is the same in floating point.

    Example:
        >>> is_rounded("12.35", "12.3457"), is_rounded("420", "420.04"), is_rounded(r"7\pi", "21.99")
        (True, False, True)
        >>> is_rounded("90", "90.0000000001"), is_rounded("1.4287", "1.4286")
        (True, False)
    """
    wanted, given = as_node(target), as_node(answer)
    if wanted is None or given is None:
        return False
    return _rounds_to(wanted, given) or _rounds_to(given, wanted) or _is_same_float(wanted, given)


def _rounds_to(exact: Node, written: Node) -> bool:
    if not isinstance(written, Quantity) or not isinstance(written.value, Decimal):
        return False
    _, digits, exponent = written.value.as_tuple()
    if written.form != "decimal" or len(digits) < LEAST_DIGITS or not isinstance(exponent, int) or exponent >= 0:
        return False
    value = _value(exact)
    return value is not None and value != as_fraction(written.value) and rounds_to(value, written.value)


def _is_same_float(wanted: Node, given: Node) -> bool:
    if not any(isinstance(node, Quantity) and node.form == "decimal" for node in (wanted, given)):
        return False
    one, other = _value(wanted), _value(given)
    return one is not None and other is not None and 0 < abs(one - other) * 10**SAME_DIGITS <= max(abs(one), abs(other))


def _value(node: Node) -> Fraction | None:
    if isinstance(node, Quantity):
        return as_fraction(node.value)
    if not isinstance(node, Opaque) or len(node.text) > _LONGEST_CHARS:
        return None
    try:
        value = evaluate(parse(node.text), {}, FLOATS, Budget(_OPERATIONS))
    except (UnreadableError, UndefinedError, BudgetError, KeyError, ArithmeticError, ValueError):
        return None  # it has a symbol in it, or no value
    if isinstance(value, Fraction):
        return value
    return Fraction(value.middle) if isinstance(value.middle, float) and isfinite(value.middle) else None
