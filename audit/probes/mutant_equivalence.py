"""Which changes to a program cannot be told from it by any test, or not by a fair one.

Whether two programs mean the same is undecidable, so this is a list of what is known, and what it misses stays in: a
surviving mutant is a question, not yet a proof that the tests are weak. What is left out here:

never run          code behind `return`, `raise`, `break` or `continue`, under `if False` or `if __name__ == …`
never asked        docstrings, annotations, decorators, assertions, messages of exceptions, imports
not the answer     `end=`, `sep=` and `flush=` of a print, limits of recursion, seeds
neutral            `x + 0`, `x * 1`, `x // 1`, `1 << 0`; constants that come out alike; a true constant as a test
a tie              `<` for `<=` where equal values are then assigned, chosen or exchanged, which changes nothing; at
                   0 of `x if x >= 0 else -x`; against a tolerance
stand-ins          round constants from a million on (infinity) and floats below 1/1000 (tolerances), by one
falling off        the last `return False` of a function: None is as false
"""

import ast
from collections.abc import Iterator, Mapping

__all__ = ["is_equivalent", "mutable_nodes", "parents_of"]

_LEFT = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_UNASKED_CALLS = frozenset({"setrecursionlimit", "set_int_max_str_digits", "seed", "float"})
_LAYOUT = frozenset({"end", "sep", "flush"})
_STAND_IN = 10**6
_TOLERANCE = 1e-3
_MOST_BITS = 64
_NEUTRAL: Mapping[type[ast.operator], int] = {
    ast.Add: 0, ast.Sub: 0, ast.LShift: 0, ast.RShift: 0, ast.Mult: 1, ast.FloorDiv: 1, ast.Div: 1, ast.Pow: 1,
}  # fmt: skip


def mutable_nodes(tree: ast.Module) -> set[ast.AST]:
    """The expressions and statements that a test can reach and ask about."""
    return set(_reached(tree))


def parents_of(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """Each node's parent; operators and contexts, which the parser shares, have any one of theirs."""
    return {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}


def is_equivalent(parents: Mapping[ast.AST, ast.AST], node: ast.AST, changed: ast.AST) -> bool:
    """Whether `changed` in the place of `node` is known to mean the same.

    Args:
        parents: as `parents_of` returns them.
        node: a node of that tree.
        changed: what would stand there.
    """
    if isinstance(node, ast.Return):
        return _falls_off(parents, node)
    if isinstance(node, ast.Compare):
        return _is_tie(parents, node, changed)
    if isinstance(node, ast.BinOp) and isinstance(changed, ast.BinOp):
        value = _value(node)
        return _is_neutral(node.op, changed.op, node.right) or (value is not None and value == _value(changed))
    if isinstance(node, ast.AugAssign) and isinstance(changed, ast.AugAssign):
        return _is_neutral(node.op, changed.op, node.value)
    if isinstance(node, ast.Constant) and isinstance(changed, ast.Constant):
        return _is_stand_in(parents, node) or _is_only_true(parents[node], node, changed)
    return False


def _reached(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.expr | ast.stmt):
        yield node
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "format_spec", "type_comment", "type_params"):
            continue
        if isinstance(field, list):
            for child in _until_left(field) if name in ("body", "orelse", "finalbody") else field:
                yield from _reached_child(node, child)
        elif isinstance(field, ast.AST):
            yield from _reached_child(node, field)


def _reached_child(parent: ast.AST, child: object) -> Iterator[ast.AST]:
    if not isinstance(child, ast.AST) or isinstance(child, ast.Assert | ast.Raise | ast.Import | ast.ImportFrom):
        return
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
        return  # a docstring, or a value that nobody takes
    if isinstance(child, ast.If) and (_is_main(child.test) or _is_false(child.test)):
        for other in child.orelse:
            yield from _reached_child(child, other)
        return
    if isinstance(child, ast.keyword) and child.arg in _LAYOUT:
        return
    if isinstance(child, ast.Call) and _called(child) in _UNASKED_CALLS:
        return
    yield from _reached(child)


def _until_left(body: list[ast.AST]) -> Iterator[ast.AST]:
    for statement in body:
        yield statement
        if isinstance(statement, _LEFT):
            return


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _is_false(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _is_neutral(old: ast.operator, new: ast.operator, operand: ast.expr) -> bool:
    value = _value(operand)
    if value is None:
        return False
    same = _NEUTRAL.get(type(old)) == _NEUTRAL.get(type(new))
    # x * -1 is x // -1.
    return same and (
        value == _NEUTRAL.get(type(old)) or (value == -1 and not isinstance(old, ast.Pow | ast.Add | ast.Sub))
    )


def _is_tie(parents: Mapping[ast.AST, ast.AST], node: ast.Compare, changed: ast.AST) -> bool:
    parent = parents[node]
    if not isinstance(changed, ast.Compare) or len(node.ops) != 1 or not _is_boundary(node.ops[0], changed.ops[0]):
        return False
    left, right = node.left, node.comparators[0]
    if _is_tolerance(left) or _is_tolerance(right):
        return True
    if isinstance(parent, ast.IfExp) and parent.test is node:
        chosen = {_text(parent.body), _text(parent.orelse)}
        return chosen == {_text(left), _text(right)} or (
            _value(right) == 0 and chosen == {_text(left), f"-{_text(left)}"}
        )
    if not (isinstance(parent, ast.If) and len(parent.body) == 1 and not parent.orelse):
        return False
    (done,) = parent.body
    if not (isinstance(done, ast.Assign) and len(done.targets) == 1):
        return False
    target, value, pair = done.targets[0], done.value, {_text(left), _text(right)}
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):  # an exchange
        sides = [_text(one) for one in target.elts]
        return set(sides) == pair and sides == [_text(one) for one in reversed(value.elts)]
    return {_text(target), _text(value)} == pair


def _is_boundary(old: ast.cmpop, new: ast.cmpop) -> bool:
    return {type(old), type(new)} in ({ast.Lt, ast.LtE}, {ast.Gt, ast.GtE})


def _is_stand_in(parents: Mapping[ast.AST, ast.AST], node: ast.Constant) -> bool:
    if _is_tolerance(node):
        return True
    if not isinstance(node.value, int) or isinstance(node.value, bool):
        return False
    whole: ast.AST = node
    while isinstance(parents[whole], ast.BinOp | ast.UnaryOp) and _value(parents[whole]) is not None:
        whole = parents[whole]
    value, parent = _value(whole), parents[whole]
    if value is None or (isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mod)):
        return False
    return abs(value) >= _STAND_IN and (value % _STAND_IN == 0 or value & (value - 1) == 0)


def _is_tolerance(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < abs(node.value) < _TOLERANCE


def _is_only_true(parent: ast.AST, node: ast.Constant, changed: ast.Constant) -> bool:
    """`while 1` is `while 2`."""
    is_test = isinstance(parent, ast.If | ast.While | ast.IfExp) and parent.test is node
    return is_test and bool(node.value) == bool(changed.value)


def _falls_off(parents: Mapping[ast.AST, ast.AST], node: ast.Return) -> bool:
    value, parent = node.value, parents[node]
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        return True
    is_last = isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef) and parent.body[-1] is node
    return is_last and isinstance(value, ast.Constant) and value.value is False


def _value(node: ast.AST) -> int | None:
    """What an expression of integer constants comes to; None for others, and for what is too large to work out."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int) and not isinstance(node.value, bool) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _value(node.operand)
        return None if value is None else -value
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _value(node.left), _value(node.right)
    if left is None or right is None:
        return None
    match node.op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv():
            return left // right if right else None
        case ast.Pow() if 0 <= right <= _MOST_BITS:
            return left**right if abs(left).bit_length() * right <= 4 * _MOST_BITS else None
        case ast.LShift() if 0 <= right <= _MOST_BITS:
            return left << right
    return None


def _text(node: ast.AST) -> str:
    return ast.unparse(node)
