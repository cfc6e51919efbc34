r"""Antiderivatives: two of them are one answer where their difference is a constant, whatever letter `C` has.

`\frac12\sin^2x+C` is `-\frac12\cos^2x+C`. A logarithm without a base is the natural one here: no other is an
antiderivative. `\ln x+C` is no answer for `\ln|x|+C`: it has no values where the target has some.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from .enclosures import FLOATS, UndefinedError
from .evaluation import Budget, BudgetError, evaluate
from .points import rational_points, shown_point
from .probing import OPERATIONS, Probe, probe
from .tree import Function, Power, Product, Sum, Symbol, Tree, at_point, free_symbols, negated, nodes

__all__ = ["probe_antiderivatives"]

_CONSTANT = re.compile(r"[CcK](?:_\d|_0)?")
_VARIABLES = frozenset({*"xyztuvwsr", "\\theta", "\\phi"})
_NEIGHBOURS = frozenset("abdABD")
Point = dict[str, Fraction]

_MOST_POINTS = 24
_SHARED_POINTS = 3


def probe_antiderivatives(target: Tree, answer: Tree) -> Probe | None:
    """Whether the two differ by a constant; None where one of them has no constant of integration, or it is unclear.

    Example:
        >>> from .parser import parse
        >>> [probe_antiderivatives(parse("x^2+C"), parse(text)).equal for text in ("x^2+1+c", "x^3+C")]
        [True, False]
        >>> probe_antiderivatives(parse("x^2+C"), parse("x^2")) is None
        True
    """
    wanted, given = _without_constant(target), _without_constant(answer)
    if wanted is None or given is None or _VARIABLES.isdisjoint(free_symbols(wanted)):
        return None
    wanted, given = _natural(wanted), _natural(given)
    if _has_bars(wanted) and not _has_bars(given) and (point := _alone(wanted, given)) is not None:
        return Probe(False, f"no value at {shown_point(point)}")
    difference = Sum((wanted, negated(given)))
    for point in _shared_points(wanted, given):
        found = probe(difference, at_point(difference, point))
        if found.equal is not None:
            return Probe(found.equal, "up to a constant") if found.equal else found
    return None


def _without_constant(tree: Tree) -> Tree | None:
    """`tree` without its one constant of integration, a term of it; None where it has none."""
    if not isinstance(tree, Sum):
        return None
    constants = [term for term in tree.terms if isinstance(term, Symbol) and _CONSTANT.fullmatch(term.name)]
    rest = Sum(tuple(term for term in tree.terms if term not in constants))
    others = free_symbols(rest)
    # Beside a and b, or A and B, it is one of three names.
    if len(constants) != 1 or _NEIGHBOURS.intersection(others) or any(map(_CONSTANT.fullmatch, others)):
        return None
    return rest


def _natural(tree: Tree) -> Tree:
    match tree:
        case Sum(terms):
            return Sum(tuple(map(_natural, terms)))
        case Product(factors):
            return Product(tuple(map(_natural, factors)))
        case Power(base, exponent):
            return Power(_natural(base), _natural(exponent))
        case Function(name, arguments):
            return Function("ln" if name == "log" else name, tuple(map(_natural, arguments)))
        case _:
            return tree


def _has_bars(tree: Tree) -> bool:
    return any(isinstance(node, Function) and node.name == "abs" for node in nodes(tree))


def _alone(target: Tree, answer: Tree) -> Point | None:
    """A point where a logarithm in `answer` leaves it without the value that `target` has; None where none is met."""
    if not any(isinstance(node, Function) and node.name == "ln" for node in nodes(answer)):
        return None
    points = islice(rational_points(free_symbols(target, answer)), _MOST_POINTS)
    return next((point for point in points if _is_real(target, point) and not _is_real(answer, point)), None)


def _shared_points(*trees: Tree) -> Iterator[Point]:
    points = islice(rational_points(free_symbols(*trees)), _MOST_POINTS)
    return islice((point for point in points if all(_is_real(tree, point) for tree in trees)), _SHARED_POINTS)


def _is_real(tree: Tree, point: Point) -> bool:
    try:
        evaluate(tree, point, FLOATS, Budget(OPERATIONS))
    except (UndefinedError, BudgetError, OverflowError, ZeroDivisionError):
        return False
    return True
