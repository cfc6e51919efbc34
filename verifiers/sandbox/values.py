"""Values that crossed the wall: read back without trust, and compared by exact type.

The inside of the jail writes them (`jail/plain.py`). A value that is none of plain data is `Opaque` and equals
nothing, not even itself.
"""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

__all__ = ["NotAValueError", "Opaque", "as_plain", "equal", "shown", "to_value"]

_MAX_DEPTH = 80
_MAX_DIGITS = 20_000
_MAX_SHOWN = 200
_MAX_OF_ONE_HASH = 64


class NotAValueError(ValueError):
    """What came is no value."""


class Opaque:
    """An object that stayed inside the jail."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name[:40]}>"


def to_value(data: object, depth: int = 0) -> Any:
    """The value that `data`, as JSON gave it, stands for.

    Raises:
        NotAValueError: it stands for none.

    Example:
        >>> to_value(["tuple", [["int", "2a"], "x", None]])
        (42, 'x', None)
    """
    if depth > _MAX_DEPTH:
        raise NotAValueError("value: nested too deep")
    if data is None or isinstance(data, (bool, str)):
        return data
    if not isinstance(data, list) or len(data) < 2 or not isinstance(data[0], str):
        raise NotAValueError("value: expected a tagged list")
    tag, content = data[0], data[1]
    try:
        if tag == "int":
            return int(content, 16)
        if tag == "float":
            return float.fromhex(content)
        if tag == "complex":
            return complex(float.fromhex(content), float.fromhex(data[2]))
        if tag in ("bytes", "bytearray"):
            return bytes.fromhex(content)
        if tag == "dict":
            keys = _keys([key for key, _ in content], depth)
            return dict(zip(keys, [to_value(item, depth + 1) for _, item in content], strict=True))
        if tag == "opaque":
            return Opaque(content if isinstance(content, str) else "")
        items = [to_value(item, depth + 1) for item in content]
        if tag == "list":
            return items
        if tag == "tuple":
            return tuple(items)
        if tag in ("set", "frozenset"):
            return frozenset(_keys(content, depth))
    except NotAValueError:
        raise
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise NotAValueError(f"value: expected {tag[:20]}, got {type(error).__name__}") from None
    raise NotAValueError(f"value: no such tag: {tag[:20]!r}")


def _keys(data: list[object], depth: int) -> list[Any]:
    """Keys or members; a TypeError where one is none. Multiples of 2**61 - 1 all hash to 0: a million take hours."""
    keys = [to_value(item, depth + 1) for item in data]
    if max(Counter(map(hash, keys)).values(), default=0) > _MAX_OF_ONE_HASH:
        raise NotAValueError(f"value: expected at most {_MAX_OF_ONE_HASH} keys of one hash")
    return keys


def as_plain(value: object) -> object:
    """`value`, from a caller we trust, as the data that crosses the wall inwards.

    Raises:
        NotAValueError: it is not plain data.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return ["int", format(value, "x")]
    if isinstance(value, float):
        return ["float", value.hex()]
    if isinstance(value, complex):
        return ["complex", value.real.hex(), value.imag.hex()]
    if isinstance(value, (bytes, bytearray)):
        return ["bytes" if isinstance(value, bytes) else "bytearray", value.hex()]
    if isinstance(value, Mapping):
        return ["dict", [[as_plain(key), as_plain(item)] for key, item in value.items()]]
    for kind, tag in ((tuple, "tuple"), (list, "list"), (frozenset, "frozenset"), (set, "set")):
        if isinstance(value, kind):
            return [tag, [as_plain(item) for item in value]]
    raise NotAValueError(f"value: expected plain data, got {type(value).__name__}")


def equal(expected: object, got: object, *, rel_tol: float = 0.0, abs_tol: float = 0.0) -> bool:
    """Whether `got` is the expected value.

    Types count: True is not 1. A tuple stands for a list, since tests come as JSON, which has no tuples; for the same
    reason keys that are decimal numbers stand for integers. NaN is expected by NaN. Floats have the tolerance given.

    Example:
        >>> equal([1, 2], (1, 2)), equal(1, True), equal({"1": 0.5}, {1: 0.5}), equal(2.0, 2)
        (True, False, True, True)
    """
    if isinstance(got, Opaque) or isinstance(expected, bool) != isinstance(got, bool):
        return False
    if isinstance(expected, (int, float, complex)) and isinstance(got, (int, float, complex)):
        return _same_number(expected, got, rel_tol, abs_tol)
    if isinstance(expected, (list, tuple)):
        return (
            isinstance(got, (list, tuple))
            and len(expected) == len(got)
            and all(equal(a, b, rel_tol=rel_tol, abs_tol=abs_tol) for a, b in zip(expected, got, strict=True))
        )
    if isinstance(expected, Mapping):
        return isinstance(got, Mapping) and _same_mapping(expected, got, rel_tol, abs_tol)
    if isinstance(expected, (set, frozenset)):
        return isinstance(got, frozenset) and _same_set(expected, got)
    return type(expected) is type(got) and expected == got


def _same_number(expected: Any, got: Any, rel_tol: float, abs_tol: float) -> bool:
    if expected != expected:
        return got != got
    if expected == got:
        return True
    has_float = isinstance(expected, float) or isinstance(got, float)
    # Python compares an integer and a float exactly; isclose would round the integer.
    if not has_float or rel_tol == abs_tol == 0 or isinstance(expected, complex) or isinstance(got, complex):
        return False
    try:
        return math.isfinite(got) and math.isclose(expected, got, rel_tol=rel_tol, abs_tol=abs_tol)
    except OverflowError:
        return False


def _same_mapping(expected: Mapping[Any, Any], got: Mapping[Any, Any], rel_tol: float, abs_tol: float) -> bool:
    if len(expected) != len(got):
        return False
    if any(isinstance(key, str) for key in expected) and not any(isinstance(key, str) for key in got):
        got = {str(key) if type(key) is int else key: item for key, item in got.items()}
    kinds = {key: type(key) for key in got}
    return all(
        key in got
        and (kinds[key] is bool) is isinstance(key, bool)
        and equal(item, got[key], rel_tol=rel_tol, abs_tol=abs_tol)
        for key, item in expected.items()
    )


def _same_set(expected: set[Any] | frozenset[Any], got: frozenset[Any]) -> bool:
    def typed(items: set[Any] | frozenset[Any]) -> set[Any]:
        return {(isinstance(item, bool), item) for item in items}

    return typed(expected) == typed(got)


def shown(value: object, limit: int = _MAX_SHOWN) -> str:
    """One line of `value` for a person, clipped; a huge integer is not written out.

    Example:
        >>> shown([1, "a"]), shown(10**5000)
        ("[1, 'a']", 'an integer of 16610 bits')
    """
    if isinstance(value, int) and value.bit_length() > 1_000:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, (list, tuple)):
        text = ", ".join(shown(item, limit) for item in value[:20]) + (", …" if len(value) > 20 else "")
        text = f"[{text}]" if isinstance(value, list) else f"({text}{',' if len(value) == 1 else ''})"
    elif isinstance(value, Mapping):
        text = ", ".join(f"{shown(key, limit)}: {shown(item, limit)}" for key, item in list(value.items())[:20])
        text = f"{{{text}}}"
    elif isinstance(value, (str, bytes)):
        text = repr(value[:limit])
    elif isinstance(value, (set, frozenset)):
        text = "{" + ", ".join(shown(item, limit) for item in list(value)[:20]) + "}"
    else:
        text = repr(value)
    return text if len(text) <= limit else text[:limit] + "…"
