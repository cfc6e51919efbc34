"""The signs of equality inside one chain: which of them claim that two expressions are the same, and hold or do not.

`(x+1)^2 = x^2+2x+1` rewrites, `(x+1)^2 = x^2+9` asks for x, and the signs do not say which. A link is taken for a
rewriting that went wrong only where no equation can be meant:

- both sides are constants;
- they differ in one term: such an equation holds nowhere, or only where a letter is 0, and nobody sets it up;
- another link of the chain is a true rewriting, and the two have most of their terms in common;
- the prompt asks for nothing but another form of an expression.
"""

import math
from fractions import Fraction
from typing import NamedTuple

from ...verifiers.expression.agreement import as_digits
from ...verifiers.expression.enclosures import Enclosure, Value
from ...verifiers.expression.numbers import terminates
from ...verifiers.expression.points import shown_point
from ...verifiers.expression.tree import Function, Number, Product, Sum, Symbol, Tree, free_symbols, nodes
from .identities import Probes, where_they_differ
from .polynomials import NotRationalError, Polynomial, difference, ratio
from .statements import Statement

__all__ = ["Link", "difference_shown", "is_turned", "links"]

_FEWEST_SHARED = 2
_LONGEST_SHOWN = 24
_HALF = Fraction(1, 2)
_NEARLY = 1e-9


class Link(NamedTuple):
    """One sign of equality between two expressions with the same letters, or none.

    Args:
        left, right: the two sides, as trees.
        texts: as they are spelled.
        holds: whether they are the same expression; None where that is not certain.
        is_claim: whether they are meant to be, although they are not.
        is_continued: the link before it in the chain holds.
    """

    left: Tree
    right: Tree
    texts: tuple[str, str]
    holds: bool | None
    is_claim: bool
    is_continued: bool


def links(statement: Statement, probes: Probes, *, is_rewriting: bool = False) -> list[Link]:
    """The links of one chain that compare two different expressions with the same letters.

    Args:
        statement: the chain.
        probes: what may still be compared by value.
        is_rewriting: the row as a whole is about rewriting one expression.

    Raises:
        CostlyError: nothing of it is left.

    Example:
        >>> from .statements import statements
        >>> (chain,) = statements("(x + 1)^2 = x^2 + 1")
        >>> [(link.holds, link.is_claim) for link in links(chain, Probes())]
        [(False, True)]
    """
    found: list[Link] = []
    for index, sign in enumerate(statement.signs):
        left, right = statement.trees[index : index + 2]
        if left is None or right is None or sign != "=" or left == right:
            continue
        if free_symbols(left) == free_symbols(right):
            texts = statement.sides[index], statement.sides[index + 1]
            holds = probes.is_identity(left, right)
            is_continued = bool(found) and found[-1].right is left and found[-1].holds is True
            found.append(Link(left, right, texts, holds, is_claim=False, is_continued=is_continued))
    is_chain = any(link.holds and _is_worked(link.left, link.right) for link in found)
    return [
        link._replace(is_claim=_is_claim(link, is_chain=is_chain, is_rewriting=is_rewriting))
        if link.holds is False
        else link
        for link in found
    ]


def difference_shown(link: Link) -> str:
    """Where the two sides of a link differ: `4 on the left, 2 on the right at x = 1`."""
    found = where_they_differ(link.left, link.right)
    if found is None:
        return "the two sides are not the same"
    point, left, right = found
    where = f" at {shown_point(point)}" if point else ""
    return f"{_shown(left)} on the left, {_shown(right)} on the right{where}"


def is_turned(link: Link) -> bool:
    """Whether two constants are one direction, whole turns apart: `350 + 20 = 10`, `7\\pi/3 = \\pi/3`."""
    found = where_they_differ(link.left, link.right)
    match found:
        case (_, Fraction() as left, Fraction() as right):
            return (left - right) % 360 == 0
        case (_, Enclosure() as left, Enclosure() as right):
            turns = (left.middle - right.middle) / math.tau
            return abs(turns - round(turns)) < _NEARLY
        case _:
            return False


def _is_claim(link: Link, *, is_chain: bool, is_rewriting: bool) -> bool:
    if not free_symbols(link.left):
        is_bare = isinstance(link.left, Number) and isinstance(link.right, Number)
        return not (is_bare or _measures_angles(link) or _runs_on(link) or _is_rounded(link))
    try:
        apart = difference(link.left, link.right)[0]
        sides = ratio(link.left), ratio(link.right)
    except NotRationalError:
        return False  # a root of a square is its base where that is known to be positive
    if is_rewriting or (len(apart) == 1 and _is_worked(link.left, link.right)):
        return True
    # Over one denominator, so that terms can be compared.
    (above, below), (other_above, other_below) = sides
    return is_chain and below == other_below and len(_shared(above, other_above)) >= max(_FEWEST_SHARED, len(apart))


def _measures_angles(link: Link) -> bool:
    """Whether an angle stands in a link of constants: `\\sin 30` may mean degrees."""
    return any(
        isinstance(node, Function) and node.name.removeprefix("arc") in ("sin", "cos", "tan")
        for tree in (link.left, link.right)
        for node in nodes(tree)
    )


def _runs_on(link: Link) -> bool:
    """Whether the right side begins with the left one's value and computes on from there: `5+3 = 8+2 = 10`."""
    parts = (
        link.right.terms
        if isinstance(link.right, Sum)
        else link.right.factors
        if isinstance(link.right, Product)
        else ()
    )
    first = parts[0] if parts else None
    if isinstance(first, Product):
        first = first.factors[0]
    found = where_they_differ(link.left, link.right)
    return isinstance(first, Number) and found is not None and found[1] == first.value


def _is_rounded(link: Link) -> bool:
    """Whether one side of two constants is a whole number that the other, which does not terminate, rounds to."""
    found = where_they_differ(link.left, link.right)
    if found is None:
        return True  # too near to one another to be told apart at a glance
    for side, whole, exact in ((link.left, found[1], found[2]), (link.right, found[2], found[1])):
        if isinstance(side, Number) and isinstance(whole, Fraction) and whole.denominator == 1:
            if isinstance(exact, Fraction):
                return not terminates(exact) and abs(exact - whole) <= _HALF
            return abs(exact.middle - float(whole)) <= _HALF
    return False


def _shared(first: Polynomial, second: Polynomial) -> list[object]:
    return [monomial for monomial, coefficient in first.items() if second.get(monomial) == coefficient]


def _is_worked(left: Tree, right: Tree) -> bool:
    """Whether there was something to work out: a letter alone is set, and `2A = 4A` compares two amounts."""
    if isinstance(left, Symbol) or isinstance(right, Symbol):
        return False
    return any(
        any(isinstance(node, Sum) for node in nodes(tree)) or (isinstance(tree, Product) and _n_numbers(tree) > 1)
        for tree in (left, right)
    )


def _n_numbers(tree: Product) -> int:
    return sum(isinstance(factor, Number) and abs(factor.value) != 1 for factor in tree.factors)


def _shown(value: Value) -> str:
    if not isinstance(value, Fraction):
        return f"{value.middle:.6g}"
    return str(value) if len(str(value)) <= _LONGEST_SHOWN else f"{as_digits(value):.6g}"
