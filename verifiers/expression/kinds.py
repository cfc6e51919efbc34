"""What kinds of functions a tree holds, as far as its comparison depends on it."""

from .tree import Constant, Function, Number, Power, Product, Sum, Tree, free_symbols, nodes

__all__ = ["has_bare_logarithm", "has_branches", "has_jumps", "is_imaginary", "is_polynomial"]

_E = Constant("e")


def has_bare_logarithm(*trees: Tree) -> bool:
    return any(isinstance(node, Function) and node.name == "log" for tree in trees for node in nodes(tree))


def is_imaginary(*trees: Tree) -> bool:
    return any(node == Constant("i") for tree in trees for node in nodes(tree))


def has_branches(*trees: Tree) -> bool:
    """Whether a function has more than one value, or joins pieces: anything but a rational or an entire one."""
    return any(_branches(node) for tree in trees for node in nodes(tree))


def _branches(node: Tree) -> bool:
    if isinstance(node, Power):
        return not (isinstance(node.exponent, Number) and node.exponent.value.denominator == 1) and node.base != _E
    return isinstance(node, Function) and node.name not in ("sin", "cos", "sinh", "cosh", "tan", "tanh")


def has_jumps(*trees: Tree) -> bool:
    """Whether a function rounds."""
    return any(isinstance(node, Function) and node.name in ("floor", "ceil") for tree in trees for node in nodes(tree))


def is_polynomial(tree: Tree) -> bool:
    """Whether `tree` is a polynomial in its symbols as it is written, whatever its coefficients are."""
    match tree:
        case Sum(parts) | Product(parts):
            return all(map(is_polynomial, parts))
        case Power(base, Number(value)) if value.denominator == 1 and value >= 0:
            return is_polynomial(base)
        case Power() | Function():
            return not free_symbols(tree)
        case _:
            return True
