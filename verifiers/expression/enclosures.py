"""Numbers with a bound on their error: exact fractions while arithmetic is rational, enclosures beyond.

An `Enclosure` holds a float, or a number of mpmath, and a radius that grows by every operation's rounding and
by what the operation makes of its arguments' radii (to first order, doubled). Two values whose enclosures lie
apart are different; two that overlap are equal only as far as their radii are small.

Where an operation has no real value (a root of a negative number), or none at all, it is `UndefinedError`:
never a NaN. A field that is `is_complex` takes principal values.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from threading import Lock
from types import ModuleType
from typing import Any

__all__ = ["FLOATS", "DivisionByZeroError", "Enclosure", "Field", "UndefinedError", "Value", "mp_field"]

MAX_EXACT_BITS = 4_000
"""Beyond this size an exact fraction goes on as an enclosure."""

MAX_EXPONENT = 10**5
"""Values beyond e to this power are not computed."""


class UndefinedError(Exception):
    """There is no value here, or none that this field computes."""


class DivisionByZeroError(UndefinedError):
    """There is no value, in any field: something is divided by an exact zero."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """`middle` (a float, or an `mpf` or `mpc` of mpmath), at most `radius` away from the true value."""

    middle: Any
    radius: Any


Value = Fraction | Enclosure


@dataclass(frozen=True, slots=True)
class Field:
    """Arithmetic at one precision.

    Args:
        functions: what holds `exp`, `log`, `sin`, ...: the module `math`, or a context of mpmath.
        epsilon: the relative error of one rounded operation, generously.
        smallest: the absolute error of one that may underflow.
        is_complex: whether values outside the real line are values.
        cost: what one operation counts in a budget.
    """

    functions: "ModuleType | Any"
    epsilon: Any
    smallest: float = 0.0
    is_complex: bool = False
    cost: int = 1

    def enclosed(self, value: Value) -> Enclosure:
        """`value` as an enclosure of this field."""
        if isinstance(value, Enclosure):
            return value
        if self.functions is math:
            middle: Any = value.numerator / value.denominator
        else:
            middle = self.functions.mpf(value.numerator) / value.denominator
        return Enclosure(middle, abs(middle) * self.epsilon)

    def rounded(self, middle: Any, radius: Any) -> Enclosure:
        """An enclosure whose `middle` has just been rounded; refused where it is no finite number."""
        size = abs(middle)
        if not size < math.inf:
            raise UndefinedError("not finite")
        return Enclosure(middle, radius + size * self.epsilon + self.smallest)

    def add(self, first: Value, second: Value) -> Value:
        if isinstance(first, Fraction) and isinstance(second, Fraction):
            return self._bounded(first + second)
        if first == 0 or second == 0:
            return second if first == 0 else first
        left, right = self.enclosed(first), self.enclosed(second)
        return self.rounded(left.middle + right.middle, left.radius + right.radius)

    def multiply(self, first: Value, second: Value) -> Value:
        if isinstance(first, Fraction) and isinstance(second, Fraction):
            return self._bounded(first * second)
        if first == 0 or second == 0:
            return Fraction(0)
        left, right = self.enclosed(first), self.enclosed(second)
        radius = abs(left.middle) * right.radius + (abs(right.middle) + right.radius) * left.radius
        return self.rounded(left.middle * right.middle, radius)

    def inverse(self, value: Value) -> Value:
        if isinstance(value, Fraction):
            if not value:
                raise DivisionByZeroError("a division by zero")
            return 1 / value
        distance = self.distance_from_zero(value)
        return self.rounded(1 / value.middle, value.radius / (abs(value.middle) * distance))

    def whole_power(self, base: Value, exponent: int) -> Value:
        """`base` to a whole exponent, by its logarithm's size never too large."""
        if isinstance(base, Fraction):
            if exponent < 0 and not base:
                raise DivisionByZeroError("a division by zero")
            bits = max(base.numerator.bit_length(), base.denominator.bit_length())
            if bits * abs(exponent) <= MAX_EXACT_BITS or abs(base) in (0, 1):
                return base**exponent
        if exponent <= 0:
            return self.inverse(self.whole_power(base, -exponent)) if exponent else Fraction(1)
        ball = self.enclosed(base)
        self.check_exponent(exponent, ball)
        steepest = exponent * (abs(ball.middle) + ball.radius) ** (exponent - 1)
        middle = ball.middle**exponent
        return self.rounded(middle, 2 * steepest * ball.radius + exponent * self.epsilon * abs(middle))

    def check_exponent(self, exponent: Any, ball: Enclosure) -> None:
        """Refuses a power whose size in nats would go beyond `MAX_EXPONENT`."""
        size = abs(ball.middle) + ball.radius
        if size and abs(exponent) * (abs(self.functions.log(size)) + 4) > MAX_EXPONENT:
            raise UndefinedError("a power too large")

    def distance_from_zero(self, ball: Enclosure) -> Any:
        distance = abs(ball.middle) - ball.radius
        if not distance > 0:
            raise UndefinedError("zero, or too near to it")
        return distance

    def binary_size(self, value: Value) -> int:
        """The logarithm to base 2 of the size of `value`, without its sign, to the next whole number.

        0 for what is 0, or may be.
        """
        if isinstance(value, Fraction):
            return abs(value.numerator.bit_length() - value.denominator.bit_length()) if value else 0
        if abs(value.middle) <= value.radius:
            return 0
        if self.functions is math:
            return abs(math.frexp(value.middle)[1])
        return abs(int(self.functions.mag(value.middle)))

    def is_real(self, ball: Enclosure) -> bool:
        return not self.is_complex or self.functions.im(ball.middle) == 0

    def _bounded(self, value: Fraction) -> Value:
        if value.numerator.bit_length() + value.denominator.bit_length() > MAX_EXACT_BITS:
            return self.enclosed(value)
        return value


FLOATS = Field(math, 2.0**-52, 1e-300)


@lru_cache(maxsize=32)
def mp_field(bits: int, *, is_complex: bool = False) -> Field:
    """The field of mpmath's numbers of `bits` bits. Its context is its own, and its precision never changes."""
    from mpmath import MPContext

    with _LOCK:
        # mpmath keeps the digits of its constants, and extends them unguarded: here once, before threads share them.
        longest = MPContext()
        longest.prec = _CONSTANT_BITS
        _ = (+longest.pi, +longest.e, +longest.ln2)
    context = MPContext()
    context.prec = bits
    return Field(context, context.ldexp(1, 1 - bits), is_complex=is_complex, cost=bits // 16)


_LOCK = Lock()
_CONSTANT_BITS = 4_096
"""More than any field here has, and than its functions add to that."""
