r"""Vectors written in unit vectors: `3\mathbf{i}-7\mathbf{j}` is `(3,-7)`."""

import re

__all__ = ["components"]

_TERM = re.compile(r"(?P<sign>[+-]?)(?P<factor>[^+-]*?)\*?(?P<name>[ijk]|\\imath|\\jmath)(?![a-zA-Z])")
_NAMES = {"i": 0, "\\imath": 0, "j": 1, "\\jmath": 1, "k": 2}
_LONGEST_CHARS = 200


def components(text: str, size: int) -> list[str] | None:
    r"""The `size` components of the vector that all of the normalised `text` spells in i, j and k, or None.

    `3+4i` is a complex number: a vector has no term of its own, and names j or k.

    Example:
        >>> components(r"\frac{1}{2}i-k", 3), components("3+4i", 2), components("5i", 2)
        (['\\frac{1}{2}', '0', '-1'], None, None)
    """
    found: dict[int, str] = {}
    position = 0
    text = text.replace(" ", "")
    if len(text) > _LONGEST_CHARS:
        return None
    while position < len(text):
        term = _TERM.match(text, position)
        if term is None or (position > 0 and not term["sign"]) or _NAMES[term["name"]] in found:
            return None
        factor = term["factor"].strip()
        if factor.count("(") != factor.count(")") or factor.count("{") != factor.count("}"):
            return None
        found[_NAMES[term["name"]]] = term["sign"].replace("+", "") + (factor or "1")
        position = term.end()
    if not found or max(found) == 0 or max(found) >= size:
        return None
    return [found.get(index, "0") for index in range(size)]
