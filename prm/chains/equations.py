"""Whether one equation can have been made of another: the one must hold wherever the other does, or the reverse.

A step that squares or multiplies may gain solutions, and one that divides or looks at a case may lose some. Only where
neither equation follows from the other has something gone wrong between them.
"""

from collections.abc import Iterator
from fractions import Fraction

from ...verifiers.expression.tree import Tree
from .polynomials import (
    NotRationalError,
    Polynomial,
    coefficients,
    difference,
    divided,
    greatest_divisor,
    letters_of,
    linear_part,
    value_at,
    without_repetition,
)

__all__ = ["agree", "only_solution", "zeros"]

_SIZES = tuple(Fraction(*pair) for pair in ((7, 3), (-5, 4), (13, 6), (23, 7), (-17, 9), (31, 3), (11, 2)))
_N_POINTS = 4


def zeros(left: Tree, right: Tree) -> Polynomial | None:
    """A polynomial that is 0 where `left` = `right`; None where both are not quotients of polynomials.

    Of one letter, what makes a denominator 0 is divided out.
    """
    try:
        above, below = difference(left, right)
    except NotRationalError:
        return None
    names = letters_of(above, below)
    if len(names) == 1 and above and letters_of(below):
        (name,) = names
        reduced, poles = coefficients(above), coefficients(below)
        while len(common := greatest_divisor(reduced, poles)) > 1:
            reduced, _ = divided(reduced, common)
        return {((name, power),) if power else (): size for power, size in enumerate(reduced) if size}
    return above


def agree(premise: Polynomial, conclusion: Polynomial) -> bool | None:
    """Whether one of two equations (as what is 0 in each) follows from the other; None where that is not certain.

    Example:
        >>> from rewardgate.verifiers.expression.parser import parse
        >>> both = [zeros(parse(left), parse(right)) for left, right in (("2x+3", "7"), ("2x", "4"), ("x", "5"))]
        >>> agree(both[0], both[1]), agree(both[1], both[2])
        (True, False)
    """
    if not letters_of(premise) or not letters_of(conclusion):
        return None
    if len(letters_of(premise, conclusion)) == 1:
        first, second = coefficients(premise), coefficients(conclusion)
        return _divides(first, second) or _divides(second, first)
    answers = _follows(premise, conclusion), _follows(conclusion, premise)
    if True in answers:
        return True
    return False if answers == (False, False) else None


def only_solution(polynomial: Polynomial) -> Fraction | None:
    """The one number at which a polynomial of one letter is 0; None where there is none, or more than one."""
    roots = without_repetition(coefficients(polynomial)) if len(letters_of(polynomial)) == 1 else []
    return -roots[0] / roots[1] if len(roots) == 2 else None


def _divides(first: list[Fraction], second: list[Fraction]) -> bool:
    """Whether every root of `first` is one of `second`."""
    return not divided(second, without_repetition(first))[1]


def _follows(premise: Polynomial, conclusion: Polynomial) -> bool | None:
    """Whether `conclusion` is 0 at points where `premise` is; None where no such points are found."""
    names = sorted(letters_of(premise, conclusion))
    for name in names:
        parts = linear_part(premise, name)
        if parts is None:
            continue
        values = [value_at(conclusion, point) for point in _solutions(*parts, name, names)]
        if len(values) >= _N_POINTS - 1:
            return not any(values)
    return None


def _solutions(slope: Polynomial, rest: Polynomial, name: str, names: list[str]) -> Iterator[dict[str, Fraction]]:
    for shift in range(_N_POINTS):
        point = {other: _SIZES[(shift + 2 * index) % len(_SIZES)] + index for index, other in enumerate(names)}
        factor = value_at(slope, point)
        if factor:
            yield point | {name: -value_at(rest, point) / factor}
