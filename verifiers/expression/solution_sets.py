r"""Sets of real numbers, however they are written: `x^2<4`, `|x|<2`, `-2<x<2`, `(-2,2)`, `x>-2` and `x<2`.

Two of them are the same where they hold the same points: every end that either names, what lies close beside each
end, between them and beyond, and points of every size. An end counts as the other's only where both sides of its
relation have equal values there.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from .agreement import agree_in_floats
from .enclosures import FLOATS, UndefinedError
from .evaluation import Budget, BudgetError, evaluate
from .nodes import Collection, Labelled, Node, Opaque, Relation, Union
from .numbers import Quantity
from .parser import UnreadableError, parse
from .points import rational_points
from .probing import OPERATIONS, probe
from .tree import Number, Tree, at_point, free_symbols

__all__ = ["describes_set", "same_set"]

_MOST_ENDS = 8
_FEWEST_AGREED = 12
_BESIDE = Fraction(1, 10**6)
_ORDERS: dict[str, frozenset[int]] = {
    "<": frozenset({-1}),
    "\\le": frozenset({-1, 0}),
    ">": frozenset({1}),
    "\\ge": frozenset({0, 1}),
    "\\ne": frozenset({-1, 1}),
}
_OR = re.compile(r"\bor\b")


def describes_set(node: Node) -> bool:
    """Whether `node` is written as a set of real numbers by its bounds or conditions, and not as single values."""
    match node:
        case Union():
            return all(describes_set(part) or _is_finite(part) for part in node.parts)
        case Relation():
            return set(node.operators) <= _ORDERS.keys()
        case Labelled():
            return describes_set(node.value)
        case Collection():
            if node.brackets:
                return node.brackets != "{}" and len(node.items) == 2
            return all(isinstance(item, Relation | Labelled) and describes_set(item) for item in node.items)
        case _:
            return False


def same_set(target: Node, answer: Node) -> bool | None:
    r"""Whether two nodes that describe sets describe the same one; None where that is not certain.

    Example:
        >>> from .structures import read
        >>> same_set(read(r"(-2,2)"), read("x^2<4")), same_set(read(r"[-2,2]"), read("x^2<4"))
        (True, False)
    """
    try:
        return _Comparison(target, answer).decided()
    except (UnreadableError, BudgetError):
        return None


class _UncertainError(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Region:
    """What a node says of a number: the ends that it names, its variables, and whether a number belongs to it."""

    ends: tuple[Tree, ...]
    names: frozenset[str]
    holds: Callable[[Tree], bool]


class _Comparison:
    def __init__(self, target: Node, answer: Node) -> None:
        self._budget = Budget(OPERATIONS)
        self._regions = self._region(target), self._region(answer)

    def decided(self) -> bool | None:
        first, second = self._regions
        ends = (*first.ends, *second.ends)
        if not ends or len(ends) > 2 * _MOST_ENDS or len(first.names | second.names) > 1:
            return None
        agreed = 0
        for point in self._points(ends):
            try:
                if first.holds(point) != second.holds(point):
                    return False
            except _UncertainError:
                if point in ends:
                    return None
                continue
            agreed += 1
        return True if agreed >= _FEWEST_AGREED else None

    def _points(self, ends: tuple[Tree, ...]) -> Iterator[Tree]:
        yield from ends
        values = sorted({self._nearly(end) for end in ends})
        for value in values:
            beside = _BESIDE * max(1, abs(value))
            yield from (Number(value - beside), Number(value + beside))
        for low, high in pairwise(values):
            yield from (Number(low + (high - low) * Fraction(part, 7)) for part in (1, 3, 6))
        for distance in (1, 3, 40, 10**4):
            yield from (Number(values[0] - distance), Number(values[-1] + distance))
        yield from (Number(point["x"]) for point in rational_points(("x",)))

    def _nearly(self, end: Tree) -> Fraction:
        try:
            value = evaluate(end, {}, FLOATS, self._budget)
        except (UndefinedError, OverflowError, ZeroDivisionError):
            raise UnreadableError("an end without a real value") from None
        return value if isinstance(value, Fraction) else Fraction(float(FLOATS.enclosed(value).middle))

    def _region(self, node: Node) -> _Region:
        match node:
            case Labelled(label, value, _):
                inside = self._region(value)
                return _Region(inside.ends, frozenset({label} if label else ()) | inside.names, inside.holds)
            case Union(parts, _):
                return _joined([self._region(part) for part in parts], any)
            case Relation():
                return self._of_relation(node)
            case Collection(items, "", text):
                return self._of_conditions([self._region(item) for item in items], text)
            case Collection(items, "{}", _):
                return self._of_values([parse(item.text) for item in items])
            case Collection((low, high), brackets, _):
                return self._of_interval(low, high, brackets)
            case _:
                raise UnreadableError("no set")

    def _of_values(self, values: list[Tree]) -> _Region:
        return _Region(
            tuple(values), frozenset(), lambda point: any(self._order(point, value) == 0 for value in values)
        )

    def _of_interval(self, low: Node, high: Node, brackets: str) -> _Region:
        bounds: list[tuple[Tree, frozenset[int]]] = []
        for end, endless, bracket, side in ((low, "-\\infty", "[", 1), (high, "\\infty", "]", -1)):
            if end.text not in (endless, f"+{endless}"):
                bounds.append((parse(end.text), frozenset({side, 0} if bracket in brackets else {side})))
        if any(free_symbols(end) for end, _ in bounds):
            raise UnreadableError("an end that is no number")
        return _Region(
            tuple(end for end, _ in bounds),
            frozenset(),
            lambda point: all(self._order(point, end) in orders for end, orders in bounds),
        )

    def _of_relation(self, relation: Relation) -> _Region:
        sides = [parse(side) for side in relation.sides]
        names = free_symbols(*sides)
        if len(names) != 1:
            raise UnreadableError("a relation of no or several variables")
        steps = list(zip(sides, relation.operators, sides[1:], strict=False))

        def holds(point: Tree) -> bool:
            at = {names[0]: point}
            return all(
                self._order(at_point(left, at), at_point(right, at)) in _ORDERS[sign] for left, sign, right in steps
            )

        return _Region((), frozenset(names), holds)

    def _of_conditions(self, regions: list[_Region], text: str) -> _Region:
        """Conditions hold together, unless "or" is said, or nothing fulfils them all ("x < 2, x > 5")."""
        if _OR.search(text) is None:
            together = _joined(regions, all)
            if self._is_inhabited(together):
                return together
        return _joined(regions, any)

    def _is_inhabited(self, region: _Region) -> bool:
        for point in self._points(region.ends) if region.ends else ():
            try:
                if region.holds(point):
                    return True
            except _UncertainError:
                continue
        return not region.ends

    def _order(self, left: Tree, right: Tree) -> int | None:
        """-1, 0 or 1 as `left` is smaller than, equal to or larger than `right`; None where one has no real value.

        Raises:
            _UncertainError: they are too close to tell.
        """
        try:
            values = evaluate(left, {}, FLOATS, self._budget), evaluate(right, {}, FLOATS, self._budget)
        except UndefinedError:
            return None
        except (OverflowError, ZeroDivisionError):
            raise _UncertainError from None
        equal = agree_in_floats(*values)
        if equal is None:
            equal = probe(left, right).equal
        if equal is None:
            raise _UncertainError
        if equal:
            return 0
        one, other = values
        if isinstance(one, Fraction) and isinstance(other, Fraction):
            return 1 if one > other else -1
        apart = FLOATS.enclosed(one).middle - FLOATS.enclosed(other).middle
        if not apart:
            raise _UncertainError
        return 1 if apart > 0 else -1


def _joined(regions: list[_Region], judge: Callable[..., bool]) -> _Region:
    return _Region(
        tuple(end for region in regions for end in region.ends),
        frozenset().union(*(region.names for region in regions)),
        lambda point: judge(region.holds(point) for region in regions),
    )


def _is_finite(node: Node) -> bool:
    return (
        isinstance(node, Collection)
        and node.brackets == "{}"
        and all(isinstance(item, Quantity | Opaque) for item in node.items)
    )
