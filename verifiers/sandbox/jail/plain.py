"""Plain data on the wire: None, booleans, integers, floats, complex, text, bytes and their containers, by exact type.

What a candidate returns is reduced to it through the methods of the built-in types themselves, so that a subclass
that lies about itself is asked nothing. Everything else becomes an opaque value, which equals nothing.
Read back by `verifiers/sandbox/values.py`, which trusts none of it.
"""

from collections.abc import Callable
from typing import Any

Opaque = Callable[[object], object]
Refer = Callable[[str, object], object]

MAX_DEPTH = 64
MAX_ITEMS = 1_000_000


class TooLargeError(ValueError):
    """More items than a frame may carry."""


def encoded(value: object, opaque: "Opaque | None" = None) -> object:
    """`value` as JSON data: itself where JSON has it, else one tagged list.

    Args:
        opaque: what stands for an object that is no plain data; None names its class.
    """
    return _encoded(value, 0, [MAX_ITEMS], opaque or _named)


def _named(value: object) -> list:
    name = type.__getattribute__(type(value), "__name__")
    return ["opaque", name if type(name) is str else ""]


def _encoded(value: Any, depth: int, budget: list[int], opaque: "Opaque") -> object:
    budget[0] -= 1
    if budget[0] < 0:
        raise TooLargeError(f"value: expected at most {MAX_ITEMS} items")
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    base: Any = kind if kind in _TAGS else next((one for one in kind.__mro__ if one in _TAGS), None)
    if base is None and kind.__module__ == "numpy" and hasattr(kind, "tolist"):
        return _encoded(value.tolist(), depth + 1, budget, opaque)
    if base is None:
        return opaque(value)
    if depth > MAX_DEPTH:
        return _named(value)

    def inner(item: object) -> object:
        return _encoded(item, depth + 1, budget, opaque)

    if base is int:
        return ["int", int.__format__(value, "x")]
    if base is float:
        return ["float", float.hex(value)]
    if base is complex:
        parts = (complex.__getattribute__(value, part) for part in ("real", "imag"))
        return ["complex", *map(float.hex, parts)]
    if base is str:
        return str.__getitem__(value, slice(None))
    if base in (bytes, bytearray):
        return [_TAGS[base], base.hex(value)]
    if base is dict:
        pairs = dict.items(value)
        return ["dict", [[inner(key), inner(item)] for key, item in pairs]]
    return [_TAGS[base], [inner(item) for item in base.__iter__(value)]]


_TAGS: dict[type, str] = {
    int: "int", float: "float", complex: "complex", str: "str", bytes: "bytes", bytearray: "bytearray", list: "list",
    tuple: "tuple", set: "set", frozenset: "frozenset", dict: "dict",
}  # fmt: skip


def decoded(data: object, refer: "Refer | None" = None) -> object:
    """The value that `encoded` made `data` of; `refer` turns a tag of its own, `ref` or `own`, into an object."""
    if not isinstance(data, list):
        return data
    tag, content = data[0], data[1]
    if tag == "int":
        return int(content, 16)
    if tag == "float":
        return float.fromhex(content)
    if tag == "complex":
        return complex(float.fromhex(content), float.fromhex(data[2]))
    if tag in ("bytes", "bytearray"):
        return (bytes if tag == "bytes" else bytearray).fromhex(content)
    if tag == "dict":
        return {decoded(key, refer): decoded(item, refer) for key, item in content}
    if tag in _CONTAINERS:
        return _CONTAINERS[tag](decoded(item, refer) for item in content)
    if refer is None:
        raise ValueError(f"value: no such tag: {str(tag)[:20]!r}")
    return refer(tag, content)


_CONTAINERS = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
