"""Exact polynomials in several letters, as far as an expression is a quotient of two of them.

Small on purpose: what has many terms or a high degree is refused, so that nothing here can be slow.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product

from ...verifiers.expression.tree import Number, Power, Product, Sum, Symbol, Tree

__all__ = [
    "Monomial",
    "NotRationalError",
    "Polynomial",
    "coefficients",
    "difference",
    "divided",
    "greatest_divisor",
    "letters_of",
    "linear_part",
    "ratio",
    "value_at",
    "without_repetition",
]

Monomial = tuple[tuple[str, int], ...]
"""Letters in order, each with its exponent, at least 1."""

Polynomial = dict[Monomial, Fraction]
"""Coefficients, none of them 0; an empty one is the polynomial 0."""

_MAX_TERMS = 60
_MAX_PRODUCTS = 600  # of terms, in one multiplication
_MAX_DEGREE = 16
_MAX_BITS = 2_000

_ONE: Polynomial = {(): Fraction(1)}


class NotRationalError(Exception):
    """The expression is no quotient of two polynomials, or of too large ones."""


def difference(left: Tree, right: Tree) -> tuple[Polynomial, Polynomial]:
    """`left` less `right` as numerator and denominator, not reduced.

    Raises:
        NotRationalError: one of them is no quotient of polynomials, or divides by 0.

    Example:
        >>> from rewardgate.verifiers.expression.parser import parse
        >>> difference(parse("x/2"), parse("3"))[0] == {(("x", 1),): 1, (): -6}
        True
    """
    (above, below), (other_above, other_below) = ratio(left), ratio(right)
    if below == other_below:
        return _sum(above, _scaled(other_above, Fraction(-1))), below
    crossed = _sum(_product(above, other_below), _scaled(_product(other_above, below), Fraction(-1)))
    return crossed, _product(below, other_below)


def ratio(tree: Tree) -> tuple[Polynomial, Polynomial]:
    """Numerator and denominator of `tree`, not reduced.

    Raises:
        NotRationalError: it is no quotient of polynomials, or divides by 0.
    """
    match tree:
        case Number(value):
            return ({(): value} if value else {}), _ONE
        case Symbol(name):
            return {((name, 1),): Fraction(1)}, _ONE
        case Sum(terms):
            return _added(map(ratio, terms))
        case Product(factors):
            return _multiplied(map(ratio, factors))
        case Power(base, Number(exponent)) if exponent.denominator == 1 and abs(exponent) <= _MAX_DEGREE:
            above, below = ratio(base)
            if exponent < 0:
                above, below = below, above
            if not below:
                raise NotRationalError("a division by 0")
            return _multiplied([(above, below)] * abs(exponent.numerator))
        case _:
            raise NotRationalError("neither a sum, a product nor a power")


def letters_of(*polynomials: Polynomial) -> frozenset[str]:
    return frozenset(name for one in polynomials for monomial in one for name, _ in monomial)


def value_at(polynomial: Polynomial, point: Mapping[str, Fraction]) -> Fraction:
    total = Fraction(0)
    for monomial, coefficient in polynomial.items():
        for name, exponent in monomial:
            coefficient *= point[name] ** exponent
        total += coefficient
    return total


def linear_part(polynomial: Polynomial, name: str) -> tuple[Polynomial, Polynomial] | None:
    """(a, b) with `polynomial` = a `name` + b, neither of which holds `name`; None where a is 0 or holds it."""
    slope: Polynomial = {}
    rest: Polynomial = {}
    for monomial, coefficient in polynomial.items():
        exponent = dict(monomial).get(name, 0)
        if exponent > 1:
            return None
        if exponent:
            slope[tuple(pair for pair in monomial if pair[0] != name)] = coefficient
        else:
            rest[monomial] = coefficient
    return (slope, rest) if slope else None


def coefficients(polynomial: Polynomial) -> list[Fraction]:
    """Of a polynomial in at most one letter, the constant one first; no last one is 0."""
    found: list[Fraction] = []
    for monomial, coefficient in polynomial.items():
        exponent = monomial[0][1] if monomial else 0
        found.extend([Fraction(0)] * (exponent + 1 - len(found)))
        found[exponent] = coefficient
    return found


def divided(dividend: list[Fraction], divisor: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    """Quotient and rest of two lists of coefficients; the divisor is not 0."""
    rest = list(dividend)
    quotient = [Fraction(0)] * max(len(rest) - len(divisor) + 1, 0)
    for shift in range(len(quotient) - 1, -1, -1):
        quotient[shift] = rest[shift + len(divisor) - 1] / divisor[-1]
        for index, coefficient in enumerate(divisor):
            rest[shift + index] -= quotient[shift] * coefficient
    return quotient, _trimmed(rest)


def greatest_divisor(first: list[Fraction], second: list[Fraction]) -> list[Fraction]:
    """The common divisor of highest degree, with leading coefficient 1."""
    while second:
        first, second = second, divided(first, second)[1]
    return [coefficient / first[-1] for coefficient in first]


def without_repetition(polynomial: list[Fraction]) -> list[Fraction]:
    """One with the same roots, each of them once."""
    slope = _trimmed([index * coefficient for index, coefficient in enumerate(polynomial)][1:])
    return divided(polynomial, greatest_divisor(polynomial, slope))[0] if slope else polynomial


def _added(parts: Iterable[tuple[Polynomial, Polynomial]]) -> tuple[Polynomial, Polynomial]:
    total: tuple[Polynomial, Polynomial] = {}, _ONE
    for above, below in parts:
        if below == total[1]:
            total = _sum(total[0], above), below
        else:
            total = _sum(_product(total[0], below), _product(above, total[1])), _product(total[1], below)
    return total


def _multiplied(parts: Iterable[tuple[Polynomial, Polynomial]]) -> tuple[Polynomial, Polynomial]:
    total = _ONE, _ONE
    for above, below in parts:
        total = _product(total[0], above), _product(total[1], below)
    return total


def _sum(first: Polynomial, second: Polynomial) -> Polynomial:
    total = dict(first)
    for monomial, coefficient in second.items():
        total[monomial] = total.get(monomial, Fraction(0)) + coefficient
    return _bounded(total)


def _product(first: Polynomial, second: Polynomial) -> Polynomial:
    if first == _ONE or second == _ONE:
        return second if first == _ONE else first
    if len(first) * len(second) > _MAX_PRODUCTS:
        raise NotRationalError(f"more than {_MAX_PRODUCTS} products of terms")
    total: Polynomial = {}
    for (one, coefficient), (other, factor) in product(first.items(), second.items()):
        exponents = dict(one)
        for name, exponent in other:
            exponents[name] = exponents.get(name, 0) + exponent
        monomial = tuple(sorted(exponents.items()))
        total[monomial] = total.get(monomial, Fraction(0)) + coefficient * factor
    return _bounded(total)


def _scaled(polynomial: Polynomial, factor: Fraction) -> Polynomial:
    return {monomial: factor * coefficient for monomial, coefficient in polynomial.items()}


def _bounded(polynomial: Polynomial) -> Polynomial:
    found = {monomial: coefficient for monomial, coefficient in polynomial.items() if coefficient}
    if len(found) > _MAX_TERMS:
        raise NotRationalError(f"more than {_MAX_TERMS} terms")
    for monomial, coefficient in found.items():
        if sum(exponent for _, exponent in monomial) > _MAX_DEGREE:
            raise NotRationalError(f"a degree beyond {_MAX_DEGREE}")
        if coefficient.numerator.bit_length() + coefficient.denominator.bit_length() > _MAX_BITS:
            raise NotRationalError("a number of too many digits")
    return found


def _trimmed(some: list[Fraction]) -> list[Fraction]:
    while some and not some[-1]:
        some.pop()
    return some
