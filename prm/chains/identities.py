"""Whether two expressions are the same, and a point of small numbers at which one sees that they are not."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice, product

from ...verifiers.expression.arithmetic import CostlyError
from ...verifiers.expression.enclosures import FLOATS, UndefinedError, Value
from ...verifiers.expression.evaluation import Budget, BudgetError, evaluate
from ...verifiers.expression.probing import probe
from ...verifiers.expression.tree import Tree, free_symbols
from .polynomials import NotRationalError, difference

__all__ = ["MAX_PROBES", "Probes", "where_they_differ"]

MAX_PROBES = 25
"""Comparisons by value in one row; one of them takes up to a tenth of a second."""

_OPERATIONS = 4_000
_MOST_POINTS = 60
_VALUES = (1, 2, 3, -1, 0, 5)


class Probes:
    """How many pairs of expressions that are no quotients of polynomials may still be compared by their values.

    Args:
        n_left: the bound.
    """

    def __init__(self, n_left: int = MAX_PROBES) -> None:
        self.n_left = n_left

    def is_identity(self, left: Tree, right: Tree) -> bool | None:
        """Whether two expressions have the same value wherever both have one; None where that is not certain.

        Raises:
            CostlyError: nothing is left, and their values would have to be compared.

        Example:
            >>> from rewardgate.verifiers.expression.parser import parse
            >>> [Probes().is_identity(parse("(x+1)^2"), parse(other)) for other in ("x^2+2x+1", "x^2+1")]
            [True, False]
        """
        try:
            return not difference(left, right)[0]
        except NotRationalError:
            self.n_left -= 1
            if self.n_left < 0:
                raise CostlyError("more comparisons by value than are made") from None
            return probe(left, right).equal


def where_they_differ(left: Tree, right: Tree) -> tuple[dict[str, Fraction], Value, Value] | None:
    """A point of small whole numbers where both have a value and these differ, and the two values."""
    budget = Budget(_OPERATIONS)
    try:
        for point in islice(_small_points(free_symbols(left, right)), _MOST_POINTS):
            one, other = (_value(tree, point, budget) for tree in (left, right))
            if one is not None and other is not None and _differ(one, other):
                return point, one, other
    except BudgetError:
        pass
    return None


def _small_points(names: tuple[str, ...]) -> Iterator[dict[str, Fraction]]:
    for values in product(_VALUES, repeat=len(names)):
        yield dict(zip(names, map(Fraction, values), strict=True))


def _value(tree: Tree, point: Mapping[str, Fraction], budget: Budget) -> Value | None:
    try:
        return evaluate(tree, point, FLOATS, budget)
    except (UndefinedError, OverflowError, ZeroDivisionError):
        return None


def _differ(left: Value, right: Value) -> bool:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left != right
    one, other = FLOATS.enclosed(left), FLOATS.enclosed(right)
    return abs(one.middle - other.middle) > 1e-6 * max(1.0, abs(one.middle), abs(other.middle))
