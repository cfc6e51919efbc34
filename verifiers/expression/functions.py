"""The functions that a tree may hold, on exact fractions where their value is one, on enclosures elsewhere.

Each takes a field and values. A branch cut or a jump inside an argument's radius is `UndefinedError`: the
value beside it would be a guess.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .enclosures import MAX_EXPONENT, Enclosure, Field, UndefinedError, Value

__all__ = ["FUNCTIONS", "power"]

MAX_FACTORIAL = 400
_ONE = Fraction(1)
_ZERO = Fraction(0)


def power(field: Field, base: Value, exponent: Value) -> Value:
    """`base` to `exponent`; on the real line a negative base takes whole exponents only."""
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        return field.whole_power(base, exponent.numerator)
    if isinstance(base, Fraction):
        if base == 1 or (base == 0 and isinstance(exponent, Fraction) and exponent > 0):
            return base
        if isinstance(exponent, Fraction) and base > 0:
            root = _exact_root(base, exponent.denominator)
            if root is not None:
                return field.whole_power(root, exponent.numerator)
    ball, grade = field.enclosed(base), field.enclosed(exponent)
    distance = field.distance_from_zero(ball)
    _off_the_cut(field, ball)
    field.check_exponent(abs(grade.middle), ball)
    logarithm = field.functions.log(ball.middle)
    middle = field.functions.exp(grade.middle * logarithm)
    error = abs(grade.middle) * ball.radius / distance + abs(logarithm) * (
        grade.radius + abs(grade.middle) * field.epsilon
    )
    return field.rounded(middle, 2 * abs(middle) * (error + field.epsilon))


def _root(field: Field, value: Value, index: Value) -> Value:
    """The real root where there is one, of a negative number too where `index` is odd."""
    if not isinstance(index, Fraction) or index.denominator != 1 or not 0 < index < 1_000:
        raise UndefinedError("a root whose index is no small whole number")
    times = index.numerator
    if times == 2:
        return _square_root(field, value)
    if isinstance(value, Fraction):
        if abs(value) <= 1 and value in (0, 1):
            return value
        if value < 0 and times % 2:
            return field.multiply(-_ONE, power(field, -value, Fraction(1, times)))
    elif field.is_real(value) and times % 2:
        middle = _real(field, value)
        if abs(middle) <= value.radius:  # zero, as far as is known
            return Enclosure(0 * middle, 2 * (abs(middle) + value.radius) ** (1 / field.enclosed(index).middle))
        if middle < 0:
            return field.multiply(-_ONE, power(field, Enclosure(-value.middle, value.radius), Fraction(1, times)))
    return power(field, value, Fraction(1, times))


def _square_root(field: Field, value: Value) -> Value:
    if isinstance(value, Fraction):
        if not value:
            return value
        exact = _exact_root(value, 2) if value > 0 else None
        if exact is not None:
            return exact
    ball = field.enclosed(value)
    distance = field.distance_from_zero(ball)
    _off_the_cut(field, ball)
    middle = field.functions.sqrt(ball.middle)
    return field.rounded(middle, ball.radius / field.functions.sqrt(distance))


def _exact_root(value: Fraction, times: int) -> Fraction | None:
    """The root of a positive fraction where it is a fraction."""
    above, below = _whole_root(value.numerator, times), _whole_root(value.denominator, times)
    return None if above is None or below is None else Fraction(above, below)


def _whole_root(value: int, times: int) -> int | None:
    """By Newton's method from above, in whole numbers."""
    if times >= value.bit_length():
        return value if value == 1 else None
    root = 1 << -(-value.bit_length() // times)
    while True:
        smaller = ((times - 1) * root + value // root ** (times - 1)) // times
        if smaller >= root:
            return root if root**times == value else None
        root = smaller


def _off_the_cut(field: Field, ball: Enclosure) -> None:
    """Refuses what lies on the negative real axis (unless surely on it, in a complex field)."""
    if field.is_real(ball):
        if _real(field, ball) < 0 and not field.is_complex:
            raise UndefinedError("not real")
    elif _real(field, ball) < 0 and abs(field.functions.im(ball.middle)) <= ball.radius:
        raise UndefinedError("on a branch cut")


def _real(field: Field, ball: Enclosure) -> Any:
    return field.functions.re(ball.middle) if field.is_complex else ball.middle


def _ln(field: Field, value: Value) -> Value:
    if value == _ONE:
        return _ZERO
    ball = field.enclosed(value)
    distance = field.distance_from_zero(ball)
    _off_the_cut(field, ball)
    return field.rounded(field.functions.log(ball.middle), 2 * ball.radius / distance)


def _smooth(name: str, at_zero: Fraction, slope: Callable[[Field, Enclosure], Any]) -> Callable[[Field, Value], Value]:
    """A function without cuts, its value at 0 and a bound on its derivative."""

    def apply(field: Field, value: Value) -> Value:
        if value == _ZERO:
            return at_zero
        ball = field.enclosed(value)
        if abs(ball.middle) > MAX_EXPONENT:
            raise UndefinedError("an argument too large")
        middle = getattr(field.functions, name)(ball.middle)
        return field.rounded(middle, 2 * ball.radius * slope(field, ball) + 2 * field.epsilon * abs(middle))

    return apply


def _growth(field: Field, ball: Enclosure) -> Any:
    """A bound on the derivative of sine, cosine and the hyperbolic functions away from the real line."""
    return field.functions.cosh(abs(ball.middle) + ball.radius)


def _unit_or_growth(field: Field, ball: Enclosure) -> Any:
    return 1 if not field.is_complex or field.is_real(ball) else _growth(field, ball)


def _tan(field: Field, value: Value) -> Value:
    return field.multiply(FUNCTIONS["sin"](field, value), field.inverse(FUNCTIONS["cos"](field, value)))


def _tanh(field: Field, value: Value) -> Value:
    return field.multiply(FUNCTIONS["sinh"](field, value), field.inverse(FUNCTIONS["cosh"](field, value)))


def _arc(name: str) -> Callable[[Field, Value], Value]:
    """Arc sine or arc cosine, on the closed interval from -1 to 1."""

    def apply(field: Field, value: Value) -> Value:
        ball = field.enclosed(value)
        if not field.is_real(ball):
            raise UndefinedError("an arc function off the real line")
        middle = _real(field, ball)
        if isinstance(value, Fraction) and abs(value) == 1:
            return field.rounded(getattr(field.functions, name)(middle), 0)
        room = 1 - abs(middle) - ball.radius
        if not room > 0:
            raise UndefinedError("an arc function beyond 1")
        return field.rounded(getattr(field.functions, name)(middle), 2 * ball.radius / field.functions.sqrt(room))

    return apply


def _arctan(field: Field, value: Value) -> Value:
    if value == _ZERO:
        return _ZERO
    ball = field.enclosed(value)
    if not field.is_real(ball):
        raise UndefinedError("an arc function off the real line")
    return field.rounded(field.functions.atan(_real(field, ball)), ball.radius)


def _absolute(field: Field, value: Value) -> Value:
    return abs(value) if isinstance(value, Fraction) else Enclosure(abs(value.middle), value.radius)


def _stepped(name: str) -> Callable[[Field, Value], Value]:
    """`floor` or `ceil`, where the whole enclosure has the same one."""

    def apply(field: Field, value: Value) -> Value:
        if isinstance(value, Fraction):
            return Fraction(getattr(math, name)(value))
        if not field.is_real(value):
            raise UndefinedError("rounding off the real line")
        middle = _real(field, value)
        step = getattr(field.functions, name)
        low, high = step(middle - value.radius), step(middle + value.radius)
        if low != high:
            raise UndefinedError("a jump")
        return Fraction(int(low))

    return apply


def _factorial(field: Field, value: Value) -> Value:
    if not isinstance(value, Fraction) or value.denominator != 1 or not 0 <= value <= MAX_FACTORIAL:
        raise UndefinedError("the factorial of no small whole number")
    return Fraction(math.factorial(value.numerator))


def _binomial(field: Field, above: Value, below: Value) -> Value:
    """For a whole `below`, the polynomial in `above` that it is."""
    if not isinstance(below, Fraction) or below.denominator != 1 or not 0 <= below <= MAX_FACTORIAL:
        raise UndefinedError("a binomial coefficient of no small whole number")
    product: Value = _ONE
    for index in range(below.numerator):
        factor = field.add(above, Fraction(-index))
        product = field.multiply(product, field.multiply(factor, Fraction(1, index + 1)))
    return product


def _arranged(field: Field, above: Value, below: Value) -> Value:
    """In how many ways `below` of `above` things can be put in order."""
    return field.multiply(_binomial(field, above, below), _factorial(field, below))


def _on_whole_numbers(function: Callable[..., int]) -> Callable[..., Value]:
    def apply(field: Field, *values: Value) -> Value:
        whole = [value.numerator for value in values if isinstance(value, Fraction) and value.denominator == 1]
        if len(whole) < len(values) or not all(whole):
            raise UndefinedError("a function of whole numbers")
        return Fraction(function(*whole))

    return apply


def _extreme(sign: int) -> Callable[..., Value]:
    """The largest of the values, or with -1 the smallest, where that is certain."""

    def apply(field: Field, *values: Value) -> Value:
        best = values[0]
        for value in values[1:]:
            if isinstance(best, Fraction) and isinstance(value, Fraction):
                is_beyond = sign * value > sign * best
            else:
                one, other = field.enclosed(best), field.enclosed(value)
                if not (field.is_real(one) and field.is_real(other)):
                    raise UndefinedError("an extreme off the real line")
                apart = _real(field, other) - _real(field, one)
                if abs(apart) <= one.radius + other.radius:
                    raise UndefinedError("an extreme of values too close to tell")
                is_beyond = sign * apart > 0
            best = value if is_beyond else best
        return best

    return apply


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "root": _root,
    "ln": _ln,
    "sin": _smooth("sin", _ZERO, _unit_or_growth),
    "cos": _smooth("cos", _ONE, _unit_or_growth),
    "tan": _tan,
    "arcsin": _arc("asin"),
    "arccos": _arc("acos"),
    "arctan": _arctan,
    "sinh": _smooth("sinh", _ZERO, _growth),
    "cosh": _smooth("cosh", _ONE, _growth),
    "tanh": _tanh,
    "abs": _absolute,
    "floor": _stepped("floor"),
    "ceil": _stepped("ceil"),
    "factorial": _factorial,
    "binomial": _binomial,
    "arranged": _arranged,
    "gcd": _on_whole_numbers(math.gcd),
    "lcm": _on_whole_numbers(math.lcm),
    "mod": _on_whole_numbers(lambda value, by: value % by),
    "max": _extreme(1),
    "min": _extreme(-1),
}
