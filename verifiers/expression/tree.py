"""The tree of one mathematical expression: exact numbers, symbols, constants, sums, products, powers, functions.

Nothing is simplified and nothing is expanded: a tree says what was written.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

__all__ = [
    "MINUS_ONE", "Constant", "Function", "Number", "Power", "Product", "Series", "Sum",
    "Symbol", "Tree", "at_point",
    "free_symbols", "inverse", "negated", "nodes",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Number:
    """An exact rational number, as written."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Symbol:
    r"""A variable: a letter or a Greek command, with its subscript and primes (`x`, `\\theta`, `x_{1}`, `f'`)."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    r"""`"pi"`, `"e"` (Euler's number) or `"i"` (the imaginary unit)."""

    name: str


@dataclass(frozen=True, slots=True)
class Sum:
    """`terms` added up; a difference holds a product with -1."""

    terms: tuple["Tree", ...]


@dataclass(frozen=True, slots=True)
class Product:
    """`factors` multiplied; a quotient holds a power with exponent -1."""

    factors: tuple["Tree", ...]


@dataclass(frozen=True, slots=True)
class Power:
    """`base` to the power of `exponent`, both as written."""

    base: "Tree"
    exponent: "Tree"


@dataclass(frozen=True, slots=True)
class Function:
    """A function of `arguments`; its names are the keys of `evaluation.FUNCTIONS`.

    `log` is a logarithm whose base nobody wrote: 10 for some authors and e for others.
    """

    name: str
    arguments: tuple["Tree", ...]


@dataclass(frozen=True, slots=True)
class Series:
    """`term` summed up (`"sum"`) or multiplied (`"prod"`) for every whole `index` from `low` to `high`."""

    name: str
    index: str
    low: "Tree"
    high: "Tree"
    term: "Tree"


MINUS_ONE = Number(Fraction(-1))

Tree = Number | Symbol | Constant | Sum | Product | Power | Function | Series


def nodes(tree: Tree) -> Iterator[Tree]:
    """Every node of `tree`, itself included, in no particular order.

    Example:
        >>> sum(1 for _ in nodes(Sum((Symbol("x"), Symbol("y")))))
        3
    """
    left = [tree]
    while left:
        node = left.pop()
        yield node
        match node:
            case Sum(parts) | Product(parts) | Function(_, parts):
                left.extend(parts)
            case Power(base, exponent):
                left += (base, exponent)
            case Series(_, _, low, high, term):
                left += (low, high, term)
            case _:
                pass


def free_symbols(*trees: Tree) -> tuple[str, ...]:
    """The names of all symbols in `trees` that no series runs over, sorted.

    Example:
        >>> free_symbols(Sum((Symbol("y"), Symbol("x"))), Symbol("y"))
        ('x', 'y')
    """
    names = {node.name for tree in trees for node in nodes(tree) if isinstance(node, Symbol)}
    if any(isinstance(node, Series) for tree in trees for node in nodes(tree)):
        names = set().union(*map(_unbound, trees))
    return tuple(sorted(names))


def _unbound(tree: Tree) -> set[str]:
    match tree:
        case Symbol(name):
            return {name}
        case Sum(parts) | Product(parts) | Function(_, parts):
            return set().union(*map(_unbound, parts))
        case Power(base, exponent):
            return _unbound(base) | _unbound(exponent)
        case Series(_, index, low, high, term):
            return _unbound(low) | _unbound(high) | (_unbound(term) - {index})
        case _:
            return set()


def at_point(tree: Tree, point: "Mapping[str, Fraction | Tree]") -> Tree:
    """`tree` with numbers, or other trees, for the symbols that `point` names.

    Example:
        >>> at_point(Sum((Symbol("x"), Symbol("y"))), {"x": Fraction(2)})
        Sum(terms=(Number(value=Fraction(2, 1)), Symbol(name='y')))
    """
    match tree:
        case Symbol(name) if name in point:
            value = point[name]
            return Number(value) if isinstance(value, Fraction) else value
        case Sum(terms):
            return Sum(tuple(at_point(term, point) for term in terms))
        case Product(factors):
            return Product(tuple(at_point(factor, point) for factor in factors))
        case Power(base, exponent):
            return Power(at_point(base, point), at_point(exponent, point))
        case Function(name, arguments):
            return Function(name, tuple(at_point(argument, point) for argument in arguments))
        case Series(name, index, low, high, term):
            inside = {other: value for other, value in point.items() if other != index}
            return Series(name, index, at_point(low, point), at_point(high, point), at_point(term, inside))
        case _:
            return tree


def negated(tree: Tree) -> Tree:
    """`tree` times -1."""
    return Number(-tree.value) if isinstance(tree, Number) else Product((MINUS_ONE, tree))


def inverse(tree: Tree) -> Tree:
    """1 divided by `tree`."""
    return Power(tree, MINUS_ONE)
