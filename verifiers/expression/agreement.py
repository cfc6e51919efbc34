"""Whether two values with bounds on their errors are equal, different, or neither for certain."""

from decimal import Context, Decimal
from fractions import Fraction

from .enclosures import FLOATS, Field, Value

__all__ = ["AGREED_BITS", "agree", "agree_in_floats", "as_digits"]

AGREED_BITS = 100
"""Values that are called equal agree to this many bits, relative to their size."""

_CLEARLY_APART = 1e-9
_DIGITS = 45


def agree_in_floats(first: Value, second: Value) -> bool | None:
    """Whether two values look equal, or are clearly different; None where floats do not tell."""
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return first == second
    one, other = FLOATS.enclosed(first), FLOATS.enclosed(second)
    size = _CLEARLY_APART * max(abs(one.middle), abs(other.middle))
    apart, radius = abs(one.middle - other.middle), one.radius + other.radius
    if radius >= size:
        return None
    if apart > 64 * radius and apart > size:
        return False
    return True if apart <= 8 * radius else None


def agree(values: list[Value], field: Field) -> bool | None:
    """Whether two values are equal as far as their radii tell; None where they do not."""
    first, second = values
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return first == second
    one, other = field.enclosed(first), field.enclosed(second)
    apart, radius = abs(one.middle - other.middle), one.radius + other.radius
    if apart > 64 * radius:
        return False
    if apart > 8 * radius:
        return None
    # Of a value that is zero no relative error can be small: there the absolute one decides.
    size = max(abs(one.middle), abs(other.middle))
    if size <= 8 * radius and (0 in (first, second) or not any(isinstance(value, Fraction) for value in values)):
        size = 1
    return True if radius * 2**AGREED_BITS <= size else None


def as_digits(value: Value) -> Decimal | None:
    """A real value to `_DIGITS` digits, 0 where it may be 0; None for what is not real."""
    if isinstance(value, Fraction):
        context = Context(prec=_DIGITS)
        return context.divide(Decimal(value.numerator), Decimal(value.denominator))
    middle = value.middle
    if abs(middle) <= value.radius:
        return Decimal(0)
    if hasattr(middle, "imag") and abs(middle.imag) > value.radius:
        return None
    return Decimal(middle.context.nstr(middle.real, _DIGITS))
