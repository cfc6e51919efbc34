"""Python literals as data, without evaluating them: what datasets write where they mean a value."""

import ast
from typing import Any

__all__ = ["literal"]

_MAX_CHARS = 1_000_000
_NAMES = {"inf": float("inf"), "nan": float("nan"), "infinity": float("inf")}
_CALLS = {"float": float, "set": set, "frozenset": frozenset, "tuple": tuple, "list": list, "dict": dict}


def literal(text: str) -> Any:
    """The value that `text` writes; also `float('inf')`, `inf` and `set()`, which `ast.literal_eval` refuses.

    Raises:
        ValueError: it is none.

    Example:
        >>> literal("[1, float('inf')]"), literal("{1: (2,)}")
        ([1, inf], {1: (2,)})
    """
    if len(text) > _MAX_CHARS:
        raise ValueError(f"literal: expected at most {_MAX_CHARS} characters, got {len(text)}")
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError, TypeError) as error:
        raise ValueError(f"literal: expected a Python literal, got {text[:60]!r} ({type(error).__name__})") from None


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else +value
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        items = [_value(item) for item in node.elts]
        return items if isinstance(node, ast.List) else tuple(items) if isinstance(node, ast.Tuple) else set(items)
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {_value(key): _value(item) for key, item in pairs if key is not None}
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        left, right = _value(node.left), _value(node.right)
        if isinstance(left, (int, float)) and isinstance(right, complex):
            return left + right if isinstance(node.op, ast.Add) else left - right
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        arguments = [_value(argument) for argument in node.args]
        if node.func.id in _CALLS and len(arguments) <= 1:
            return _CALLS[node.func.id](*arguments)
    raise ValueError(f"literal: expected a Python literal, got {ast.unparse(node)[:60]!r}")
