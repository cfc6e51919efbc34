"""Small mutants of a reference program: wrong programs that a verifier of code must refuse.

A verifier that runs a program against tests pays exactly what the tests let through. Each mutant here differs from the
reference in one place, as a slip would: an index off by one, `<` for `<=`, a lost `not`. One that is accepted shows
tests that are too weak, or a mutant that means the same as the reference after all; see `is_equivalent`.

Programs are read and written as syntax trees, never run.
"""

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

from ...errors import InputError
from ...verifiers.arguments import whole
from .mutant_equivalence import is_equivalent, mutable_nodes, parents_of

__all__ = ["OPERATORS", "ProgramMutant", "program_mutants"]

_COMPARED: dict[type[ast.cmpop], tuple[tuple[str, type[ast.cmpop]], ...]] = {
    ast.Lt: (("boundary", ast.LtE), ("swapped_comparison", ast.Gt)),
    ast.LtE: (("boundary", ast.Lt), ("swapped_comparison", ast.GtE)),
    ast.Gt: (("boundary", ast.GtE), ("swapped_comparison", ast.Lt)),
    ast.GtE: (("boundary", ast.Gt), ("swapped_comparison", ast.LtE)),
    ast.Eq: (("swapped_comparison", ast.NotEq),),
    ast.NotEq: (("swapped_comparison", ast.Eq),),
    ast.Is: (("swapped_comparison", ast.IsNot),),
    ast.IsNot: (("swapped_comparison", ast.Is),),
    ast.In: (("swapped_comparison", ast.NotIn),),
    ast.NotIn: (("swapped_comparison", ast.In),),
}
_CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}

OPERATORS = (
    "boundary", "swapped_comparison", "swapped_operator", "dropped_negation", "swapped_connective", "off_by_one",
    "changed_constant", "swapped_call", "removed_return",
)  # fmt: skip
"""What a mutant's `operator` can be."""


@dataclass(frozen=True, slots=True)
class ProgramMutant:
    """One wrong program.

    Args:
        source: the whole program. Comments and layout are the syntax tree's, not the reference's.
        operator: one of `OPERATORS`.
        line: of the change, in the reference.
        before, after: what stood there, and what stands there now.
    """

    source: str
    operator: str
    line: int
    before: str
    after: str


def program_mutants(source: str, *, most: int | None = None, seed: int = 0) -> tuple[ProgramMutant, ...]:
    """The mutants of a program that are not known to mean the same as it, in the order of its lines.

    Args:
        source: a Python program or function.
        most: return this many at most, drawn evenly over the operators; None for all.
        seed: of that draw.

    Returns:
        Distinct programs. Every one parses; it may loop for ever or raise, which is a failure too.

    Raises:
        InputError: `source` is no Python program.
        ArgumentError: `most` or `seed` is no whole number in its range.

    Example:
        >>> for mutant in program_mutants("def is_adult(age):\\n    return age >= 18"):
        ...     print(mutant.operator, "|", mutant.before, "|", mutant.after)
        removed_return | return age >= 18 | pass
        boundary | age >= 18 | age > 18
        swapped_comparison | age >= 18 | age <= 18
        off_by_one | 18 | 19
        off_by_one | 18 | 17
    """
    if most is not None:
        whole("most", most, at_least=0)
    whole("seed", seed, at_least=0)
    try:
        tree = ast.parse(source)
        mutable, parents = mutable_nodes(tree), parents_of(tree)
        seen = {ast.unparse(tree)}
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"source: expected a Python program, got: {error}") from None
    found = []
    for node in ast.walk(tree):
        for operator, changed in _changes(node) if node in mutable else ():
            if is_equivalent(parents, node, changed):
                continue
            mutant = _with(tree, parents[node], node, changed)
            if mutant not in seen:
                seen.add(mutant)
                line = getattr(node, "lineno", 1)
                found.append(ProgramMutant(mutant, operator, line, ast.unparse(node), ast.unparse(changed)))
    found.sort(key=lambda mutant: mutant.line)
    return tuple(found if most is None or len(found) <= most else _drawn(found, most, seed))


def _with(tree: ast.Module, parent: ast.AST, node: ast.AST, changed: ast.AST) -> str:
    """The program with `changed` in the place of `node`; the tree is as before afterwards."""
    for name, field in ast.iter_fields(parent):
        if field is node:
            setattr(parent, name, changed)
            text = ast.unparse(tree)
            setattr(parent, name, node)
            return text
        if isinstance(field, list) and any(one is node for one in field):
            place = next(index for index, one in enumerate(field) if one is node)
            field[place] = changed
            text = ast.unparse(tree)
            field[place] = node
            return text
    raise AssertionError("a node is a field of its parent")


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare():
            for place, old in enumerate(node.ops):
                for operator, new in _COMPARED[type(old)]:
                    ops = [*node.ops[:place], new(), *node.ops[place + 1 :]]
                    yield operator, ast.Compare(node.left, ops, node.comparators)
        case ast.BinOp() if not _is_sequence(node.left) and not _is_sequence(node.right):
            if new := _CALCULATED.get(type(node.op)):
                yield "swapped_operator", ast.BinOp(node.left, new(), node.right)
        case ast.AugAssign() if not _is_sequence(node.value):
            if new := _CALCULATED.get(type(node.op)):
                yield "swapped_operator", ast.AugAssign(node.target, new(), node.value)
        case ast.UnaryOp() if not isinstance(node.op, ast.UAdd):
            yield "dropped_negation", node.operand
        case ast.BoolOp():
            yield "swapped_connective", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.Constant():
            yield from _other_constants(node.value)
        case ast.Call(func=ast.Name(id=name)) if name in _CALLED:
            yield "swapped_call", ast.Call(ast.Name(_CALLED[name]), node.args, node.keywords)
        case ast.Call(func=ast.Name(id="range"), args=[*before, last]) if len(before) < 2 and not _is_constant(last):
            for stop in _by_one(last):
                yield "off_by_one", ast.Call(node.func, [*before, stop], node.keywords)
        case ast.Slice(upper=ast.expr() as upper) if not _is_constant(upper):
            for stop in _by_one(upper):
                yield "off_by_one", ast.Slice(node.lower, stop, node.step)
        case ast.Return(value=ast.expr()):
            yield "removed_return", ast.Pass()


def _other_constants(value: object) -> Iterator[tuple[str, ast.AST]]:
    match value:
        case bool():
            yield "changed_constant", ast.Constant(not value)
        case int():
            yield "off_by_one", ast.Constant(value + 1)
            # Written as the parser reads a negative number: -1 under another minus would be --1.
            less = value - 1
            yield "off_by_one", ast.Constant(less) if less >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-less))
        case float() if value - 1 != value:
            yield "changed_constant", ast.Constant(value + 1)
        case str():
            yield "changed_constant", ast.Constant("" if value else "?")


def _by_one(node: ast.expr) -> Iterator[ast.expr]:
    yield ast.BinOp(node, ast.Add(), ast.Constant(1))
    yield ast.BinOp(node, ast.Sub(), ast.Constant(1))


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.UnaryOp)


def _is_sequence(node: ast.expr) -> bool:
    """What only a crash can come of, which any test tells: `"a" - b`, `[0] // n`."""
    if isinstance(node, ast.BinOp):
        return _is_sequence(node.left) or _is_sequence(node.right)
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return is_text or isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp)


def _drawn(found: list[ProgramMutant], most: int, seed: int) -> list[ProgramMutant]:
    """`most` of them: one of each operator in turn, so that the commonest kind does not take all places."""
    source = random.Random(seed)
    by_operator = [[place for place, one in enumerate(found) if one.operator == name] for name in OPERATORS]
    for places in by_operator:
        source.shuffle(places)
    in_turn = [places[turn] for turn in range(len(found)) for places in by_operator if turn < len(places)]
    return [found[place] for place in sorted(in_turn[:most])]
