r"""Numbers in steps for every whole number: `\frac{\pi}{4}+k\pi`, `\pm\frac{\pi}{3}+2k\pi`, `7k+3` for `3\pmod7`.

Two families are the same where they hold the same numbers, however their first one is chosen and in however many
parts they are written. Said only where one letter runs over the whole numbers: the target is an unknown, or said for
every whole number, and holds a multiple of pi; or one side is a residue class.
"""

import re
from decimal import Decimal, InvalidOperation, localcontext
from fractions import Fraction
from itertools import pairwise
from math import lcm

from .nodes import Collection, Labelled, Node, Opaque
from .numbers import Quantity
from .parser import UnreadableError, parse
from .probing import probe
from .results import Comparison, correct, incorrect
from .tree import Function, Tree, at_point, free_symbols, nodes

__all__ = ["compare_families"]

_WHOLE = frozenset({"k", "l", "m", "n"})
_UNKNOWNS = frozenset({"", "x", "y", "z", "t", "\\theta", "\\alpha", "\\beta", "\\phi"})
_ANGLES = frozenset({"sin", "cos", "tan", "cot", "sec", "csc"})
_MOST_PARTS = 8
_LONGEST_PERIOD = 4
_MOST_STEPS = 360
_NEAR = Decimal(10) ** -25
_RESIDUE = re.compile(r"(?:[a-zA-Z]\\equiv ?)?(-?\d{1,9})[, ]*\(?\\p?mod ?\{?([1-9]\d{0,8})\}?\)?")

Steps = tuple[Decimal, Decimal]
"""A first number and the distance to the next."""


def compare_families(target: Node, answer: Node) -> Comparison | None:
    r"""Two nodes of which each is a family of numbers, by the numbers that they hold; None where one is none.

    Example:
        >>> from .structures import read
        >>> compare_families(read(r"x=\frac{\pi}{4}+k\pi"), read(r"\frac{5\pi}{4}+n\pi")).is_correct
        True
        >>> compare_families(read("2k+1"), read("2n+1")) is None
        True
    """
    if not _may_be_family(target) or not _may_be_family(answer):
        return None
    residue, other = _residue(target.text), _residue(answer.text)
    if (residue is None) == (other is None) and not (_is_solution(target) and _has_turns(target, answer)):
        return None
    wanted = [residue] if residue is not None else _parts(target)
    given = [other] if other is not None else _parts(answer)
    if not wanted or not given:
        return None
    with localcontext() as context:
        context.prec = 60
        try:
            same = _hold_the_same(wanted, given)
        except InvalidOperation:  # numbers so large that a step says nothing beside them
            return None
    return None if same is None else (correct if same else incorrect)("family", target, answer)


def _may_be_family(node: Node) -> bool:
    return isinstance(node, Opaque | Labelled | Collection) and any(name in node.text for name in ("k", "l", "m", "n"))


def _has_turns(*families: Node) -> bool:
    """Whether both are in radians with pi, or both in degrees."""
    degrees = ["^\\circ" in node.text for node in families]
    return all(degrees) if any(degrees) else all("\\pi" in node.text for node in families)


def _is_solution(node: Node) -> bool:
    """Whether `node` is said of an unknown, or for every whole number: `(n-2)\\pi` alone is one value."""
    if isinstance(node, Collection):
        return any(map(_is_solution, node.items))
    return isinstance(node, Labelled) and node.label in _UNKNOWNS


def _residue(text: str) -> Steps | None:
    found = _RESIDUE.fullmatch(text)
    return None if found is None else (Decimal(found[1]), Decimal(found[2]))


def _parts(node: Node) -> list[Steps] | None:
    """Every part of a family as its steps; None where `node` is none."""
    if isinstance(node, Labelled):
        return _parts(node.value)
    if isinstance(node, Collection):
        if node.brackets not in ("", "{}") or len(node.items) > _MOST_PARTS:
            return None
        parts = [_parts(item) for item in node.items]
        return None if any(part is None for part in parts) else [step for part in parts if part for step in part]
    if not isinstance(node, Opaque | Quantity):
        return None
    try:
        tree = parse(node.text.replace("^\\circ", ""))
    except UnreadableError:
        return None
    names = free_symbols(tree)
    if len(names) != 1 or names[0] not in _WHOLE or _turns(tree, names[0]):
        return None
    return _steps(tree, names[0])


def _turns(tree: Tree, name: str) -> bool:
    """Whether the whole number stands in a sine: that is a value and no family."""
    return any(
        isinstance(node, Function) and node.name in _ANGLES and name in free_symbols(node) for node in nodes(tree)
    )


def _steps(tree: Tree, name: str) -> list[Steps] | None:
    values: list[Decimal] = []
    for number in range(3 * _LONGEST_PERIOD):
        at = at_point(tree, {name: Fraction(number)})
        value = probe(at, at).values[0]
        if value is None:
            return None
        values.append(value)
    with localcontext() as context:
        context.prec = 60
        for period in range(1, _LONGEST_PERIOD + 1):
            distances = [later - value for value, later in zip(values, values[period:], strict=False)]
            if all(abs(other - one) < _NEAR for one, other in pairwise(distances)) and abs(distances[0]) > _NEAR:
                return [(value, abs(distances[0])) for value in values[:period]]
    return None


def _hold_the_same(wanted: list[Steps], given: list[Steps]) -> bool | None:
    unit = wanted[0][1]
    periods = [Fraction(distance / unit).limit_denominator(60) for _, distance in (*wanted, *given)]
    if not all(periods) or any(
        abs(Decimal(period.numerator) / period.denominator - distance / unit) > _NEAR
        for period, (_, distance) in zip(periods, (*wanted, *given), strict=True)
    ):
        return False
    denominator = lcm(*(period.denominator for period in periods))
    whole = Fraction(lcm(*((period * denominator).numerator for period in periods)), denominator)
    if any(whole / period > _MOST_STEPS for period in periods):
        return None
    length = unit * whole.numerator / whole.denominator
    first, second = (_within(length, family) for family in (wanted, given))
    return all(_holds(second, value, length) for value in first) and all(
        _holds(first, value, length) for value in second
    )


def _within(length: Decimal, family: list[Steps]) -> list[Decimal]:
    return [
        (start + distance * step) % length for start, distance in family for step in range(round(length / distance))
    ]


def _holds(values: list[Decimal], value: Decimal, length: Decimal) -> bool:
    return any(min(abs(other - value) % length, length - abs(other - value) % length) < _NEAR for other in values)
