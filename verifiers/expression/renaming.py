r"""Names that an author chooses freely: constants of integration (`C`, `c`, `C_1`), the `k` of `\pi/4 + k\pi`."""

import re
from collections.abc import Iterator
from itertools import permutations

from .tree import Constant, Function, Power, Product, Sum, Symbol, Tree, at_point, free_symbols, nodes

__all__ = ["with_names_of"]

_MOST_NAMES = 3
_CONSTANT = re.compile(r"[ABCDKc](?:_\d)?")
_TARGET_CONSTANT = re.compile(r"[CKc](?:_\d)?")
_NUMBERED = re.compile(r"[Cc]_\d")
_E = Constant("e")
_WHOLE = frozenset({"k", "l", "m", "n"})
_ANGLES = frozenset({"sin", "cos", "tan"})


def with_names_of(target: Tree, answer: Tree) -> Iterator[Tree]:
    """`answer` with its own free names replaced by those that `target` has in their place, in every order.

    Constants of integration are terms of a sum, or factors of such terms or of a power of e, beside other symbols; a
    whole number is free beside a multiple of pi.

    Example:
        >>> from .parser import parse
        >>> [free_symbols(tree) for tree in with_names_of(parse("x^2+C"), parse("x^2+k"))]
        []
        >>> [free_symbols(tree) for tree in with_names_of(parse("x^2+C"), parse("x^2+c"))]
        [('C', 'x')]
    """
    wanted, given = set(free_symbols(target)), set(free_symbols(answer))
    missing, own = sorted(wanted - given), sorted(given - wanted)
    if len(missing) != len(own) or not 0 < len(own) <= _MOST_NAMES:
        return
    if not (
        _are_spelled_alike(target, missing, own)
        or _are_constants(target, answer, missing, own)
        or _are_whole(target, answer, missing, own)
    ):
        return
    for order in permutations(missing):
        names = {name: Symbol(other) for name, other in zip(own, order, strict=True)}
        yield at_point(answer, names)


def _are_spelled_alike(target: Tree, missing: list[str], own: list[str]) -> bool:
    """Whether the one constant is `C` here and `c` there; beside an angle of that name it is none."""
    return (
        {*missing, *own} == {"C", "c"}
        and len(free_symbols(target)) > 1
        and not any(isinstance(node, Function) and missing[0] in free_symbols(node) for node in nodes(target))
        and any(isinstance(node, Sum) and Symbol(missing[0]) in node.terms for node in nodes(target))
    )


def _are_constants(target: Tree, answer: Tree, missing: list[str], own: list[str]) -> bool:
    return (
        (all(map(_TARGET_CONSTANT.fullmatch, missing)) or all(map(_NUMBERED.fullmatch, own)))
        and all(map(_CONSTANT.fullmatch, missing))
        and all(map(_CONSTANT.fullmatch, own))
        and len(free_symbols(target)) > len(missing)
        and all(_stand_in_terms(tree, names) for tree, names in ((target, missing), (answer, own)))
    )


def _stand_in_terms(tree: Tree, names: list[str]) -> bool:
    """Whether every one of `names` is a term, or a factor of one, or of what is a power of e times it."""
    if not isinstance(tree, Sum) and not any(isinstance(node, Power) and node.base == _E for node in nodes(tree)):
        return False
    return set(_terms_and_factors(tree)).issuperset(names)


def _terms_and_factors(tree: Tree) -> Iterator[str]:
    """The names of the symbols that no power and no function stands around."""
    match tree:
        case Symbol(name):
            yield name
        case Sum(parts) | Product(parts):
            for part in parts:
                yield from _terms_and_factors(part)
        case _:
            pass


def _are_whole(target: Tree, answer: Tree, missing: list[str], own: list[str]) -> bool:
    return (
        len(own) == 1
        and missing[0] in _WHOLE
        and own[0] in _WHOLE
        and all(any(node == Constant("pi") for node in nodes(tree)) for tree in (target, answer))
        and not any(isinstance(node, Function) and node.name in _ANGLES for node in nodes(target))
    )
