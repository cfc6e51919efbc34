r"""Reading an answer: lists, sets, tuples, intervals, relations, labels, ratios, matrices, text.

`read` turns a normalised answer into a small tree whose leaves are `Quantity`, `Text` or `Opaque`
(mathematics that this package does not read and hands to the symbolic stage as text).
"""

import re
from itertools import pairwise

from ..patterns import lazy_pattern
from .arithmetic import CostlyError
from .compounds import read_compound
from .matrices import MAX_ITEMS, read_matrix
from .nodes import Clock, Collection, Labelled, Matrix, Node, Opaque, Ratio, Relation, Text, Union
from .normalise import plain_words
from .numbers import Quantity, as_fraction, read_quantity
from .piecewise import read_pieces
from .units import read_unit

__all__ = ["is_label", "read", "split_outside"]

MAX_LEVELS = 20

_COMMA = lazy_pattern(", ?")
_TUPLE_COMMA = lazy_pattern("[,;] ?")
_SAID_RATIO = lazy_pattern(r"(\d+) ?(?:\\text\{ ?)?to(?: ?\})? ?(\d+)")
_COLON = lazy_pattern(":")
_CLOCK = lazy_pattern(r"(\d{1,2})(?::(\d{2}))? ?(?:\\text\{)?([ap])\.?m\.?\}?", re.IGNORECASE)
_CASES = lazy_pattern(
    r"\\begin\{cases\}(.*)\\end\{cases\}"
    r"|\\\{\\begin\{(?:array|aligned)\}(?:\{[lcr| ]*\})?(.*)\\end\{(?:array|aligned)\}",
    re.DOTALL,
)
_NAMED_PIECES = lazy_pattern(
    r"([A-Za-z](?:_\w)?(?:\([a-z]\))?)=((?:\\\{)?\\begin\{(?:cases|array)\}(?:(?!\\begin).)*\\end\{(?:cases|array)\})",
    re.DOTALL,
)
_DOMAIN = lazy_pattern(r"\(?\w\\in ?(?:\\mathbb\{[ZNRQ]\}|\\?[ZNRQ])\)?|\w ?\\?text\{ ?(?:is )?an integer\}")
_DOMAIN_BEHIND = lazy_pattern(r"(?<=[\w})]) ?(\(\w\\in ?\\mathbb\{[ZNRQ]\}\))\Z")
_OPERATOR = lazy_pattern(r"\\(?:le|ge|ne|approx|equiv|in)(?![a-z])|[=<>]")
_SEPARATOR = lazy_pattern(r",? ?(?:\\text\{ ?)?\b(?:and|or)\b ?\}?(?![a-zA-Z]) ?|; ?")
_UNION = lazy_pattern(r"\\cup(?![a-z])")
_REVERSED = lazy_pattern(r"(?:\](?=.*[\[\]])|\[(?=.*\[$))([^\[\](),;]+)[,;] ?([^\[\](),;]+)[\[\]]")
"""An interval as in France: `]0,1[`."""
_WITHOUT = r"\\mathbb\{R\}(?:\\setminus|\\backslash|-|/|\\text\{ ?(?:except|without) ?\}) ?"
_ALL_BUT = lazy_pattern(_WITHOUT + r"\\\{([^{}]+)\\\}")
_ALL_BUT_INTERVAL = lazy_pattern(_WITHOUT + r"([\[(])([^\[\](),;]+)[,;] ?([^\[\](),;]+)([\])])")
_UNEQUAL = lazy_pattern(r"([A-Za-z])\\ne ?([^=<>]*(?:,|\\pm)[^=<>]*)")
_PLUS_MINUS = lazy_pattern(r"\\(?:pm|mp)(?![a-z])")
_GROUPED_LIST = lazy_pattern(r"[+-]?\d{1,3}(?:,\d{3})*(?:, [+-]?\d{1,3}(?:,\d{3})*)+")
_SUBSCRIPT = lazy_pattern(r"_(?:\{[^{}]*\}|\w)")
_ARGUMENT = lazy_pattern(r"(?<=[A-Za-z'])\([^()]*\)")
_NO_LABEL = lazy_pattern(
    r"[\d^+*/!-]|\\(?:sqrt|pm|times|cdot|ln|log|exp|sin|cos|tan|infty|ldots|sum|int|begin)(?![a-z])"
)
_TRAILING_UNIT = lazy_pattern(r"(.*\S) ?(%|\^\\circ|\\text\{[^{}]*\}(?:\^\{?-?\d\}?)?)")
_ANGLE_ARGUMENT = lazy_pattern(r"\\(?:sin|cos|tan|cot|sec|csc)(?![a-z])[^+-]*\^\\circ\)?$")
_WORDS = lazy_pattern(r"(?:\\text\{[^{}]*\}|[^\W\d_]|[\s,.!?'’()-])++")
_WORD = lazy_pattern(r"[^\W\d_]{3,}")
_SHORT_WORDS = frozenset({"no", "yes", "on", "off", "up", "down", "in", "out"})
"""Words of two letters, which would be products of variables, and their opposites."""
_MATHS_COMMAND = lazy_pattern(r"\\(?!text\{)")
_TRANSPOSED = ("^T", "^{T}", "^\\top", "^{\\top}", "^\\text{T}", "^{\\text{T}}")
_CONSTANTS = frozenset({"e", "i", "\\pi"})
_INFINITIES = {"\\infty": "\\infty", "+\\infty": "\\infty", "-\\infty": "-\\infty"}
_OPENING = "([{"
_CLOSING = ")]}"


def read(text: str, depth: int = 0) -> Node:
    r"""The tree of the normalised answer `text`.

    Raises:
        CostlyError: a number in it is too large to compute, or it has too many parts or levels.

    Example:
        >>> read("(3,4)").brackets, read("x=2").label, len(read(r"1\pm2").items), read("11:21").terms[1].text
        ('()', 'x', 2, '21')
    """
    if depth > MAX_LEVELS:
        raise CostlyError(f"nested deeper than {MAX_LEVELS}")
    if text[:1].isdigit() and (found := _CLOCK.fullmatch(text)):
        return Clock(int(found.group(1)), int(found.group(2) or 0), found.group(3).lower() + "m", text)
    quantity = read_quantity(text) or read_compound(text)
    if quantity is not None:
        return quantity
    if text[:1] in ("[", "]") and (found := _REVERSED.fullmatch(text)) is not None:
        brackets = ("[" if text[0] == "[" else "(") + ("]" if text[-1] == "]" else ")")
        return Collection(_items([found.group(1), found.group(2)], depth), brackets, text)
    if "\\begin{" in text:
        if (named := _NAMED_PIECES.fullmatch(text)) is not None:
            return Labelled(named[1], read(named[2], depth + 1), text)
        if (pieces := read_pieces(text, lambda part: read(part, depth + 1))) is not None:
            return pieces
        if (found := _CASES.fullmatch(text)) and (rows := found[1] or found[2].replace("&", "")) and "&" not in rows:
            equations = [row.strip(" ,") for row in rows.split("\\\\") if row.strip(" ,")]
            return read(", ".join(equations), depth + 1)
    if text.endswith(_TRANSPOSED) and text[:1] in "([\\":
        return _transposed(text, depth)
    if text[-1:] in "})]|" and (matrix := read_matrix(text, lambda cell: read(cell, depth + 1))) is not None:
        return matrix
    if _is_words(text):
        return Text(plain_words(text), text)
    for reader in (_read_union, _read_list, _read_relation, _read_bracketed, _read_ratio, _read_plus_minus):
        node = reader(text, depth)
        if node is not None:
            return node
    if (found := _TRAILING_UNIT.fullmatch(text)) and not _ANGLE_ARGUMENT.search(text):
        return Opaque(found.group(1), read_unit(found.group(2)))
    return Opaque(_INFINITIES.get(text, text))


def split_outside(text: str, separator: re.Pattern[str]) -> list[str]:
    """The parts of `text` between the separators that stand outside all brackets.

    Example:
        >>> split_outside("(1,2),3", lazy_pattern(","))
        ['(1,2)', '3']
    """
    parts: list[str] = []
    start = position = depth = 0
    for found in separator.finditer(text):
        for character in text[position : found.start()]:
            depth += (character in _OPENING) - (character in _CLOSING)
        position = found.start()
        if depth <= 0:
            parts.append(text[start : found.start()].strip())
            start = position = found.end()
            depth = 0
    parts.append(text[start:].strip())
    return parts


def is_label(text: str) -> bool:
    r"""Whether `text` names something (`x`, `f(x)`, `V_1:V_2`, `\angle ABC`) rather than being computed with.

    Example:
        >>> is_label("x_1"), is_label("f(2)"), is_label("2x-6"), is_label("e^x")
        (True, True, False, False)
    """
    bare = _ARGUMENT.sub("", _SUBSCRIPT.sub("", text))
    return 0 < len(text) <= 60 and not _NO_LABEL.search(bare) and any(map(str.isalpha, bare)) and text not in _CONSTANTS


def _transposed(text: str, depth: int) -> Node:
    inner = read(text[: text.rindex("^")], depth + 1)
    if isinstance(inner, Collection) and inner.brackets in ("()", "[]"):
        return Matrix(tuple((item,) for item in inner.items), "matrix", text)
    if isinstance(inner, Matrix) and len({len(row) for row in inner.rows}) == 1:
        return Matrix(tuple(zip(*inner.rows, strict=True)), inner.kind, text)
    return Opaque(text)


def _is_words(text: str) -> bool:
    if text.casefold() in _SHORT_WORDS:
        return True
    if not _WORDS.fullmatch(text) or _MATHS_COMMAND.search(text):
        return False
    if re.search(r"\b(?:and|or)\b", text) and any(len(part) < 3 for part in split_outside(text, _SEPARATOR)):
        return False
    return "\\text{" in text or any(re.search("[aeiouAEIOU]|[^\x00-\x7f]", word) for word in _WORD.findall(text))


def _items(parts: list[str], depth: int) -> tuple[Node, ...]:
    if len(parts) > MAX_ITEMS:
        raise CostlyError(f"more than {MAX_ITEMS} parts")
    items: list[Node] = []
    for part in parts:
        node = read(part, depth + 1)
        if isinstance(node, Collection) and not node.brackets and _PLUS_MINUS.search(part):
            items.extend(node.items)
        else:
            items.append(node)
    return tuple(items)


def _read_list(text: str, depth: int) -> Node | None:
    text = _DOMAIN_BEHIND.sub(r", \1", text)
    if _GROUPED_LIST.fullmatch(text):
        parts = text.split(", ")
    else:
        parts = [part for part in split_outside(text, _SEPARATOR) if part]
        if len(parts) < 2:
            parts = [part for part in split_outside(text, _COMMA) if part]
        elif all("," in part and "=" not in part and part[0] not in "([{\\" for part in parts):
            parts = [f"({part})" for part in parts]  # 1,2;3,4 is a list of pairs
        elif not any("=" in part for part in parts):
            parts = [piece for part in parts for piece in split_outside(part, _COMMA) if piece]  # 1, 2 and 3
    while len(parts) > 1 and _DOMAIN.fullmatch(parts[-1]) is not None:
        parts = parts[:-1]  # "where k is an integer" is no second value
        if len(parts) == 1:
            node = read(parts[0], depth + 1)
            return Labelled("", node, parts[0]) if isinstance(node, Opaque) else node
    if len(parts) < 2:
        return None
    items = _items(parts, depth)
    first = items[0]
    if isinstance(first, Labelled) and not any(isinstance(item, Labelled | Relation) for item in items[1:]):
        return Labelled(first.label, Collection((first.value, *items[1:]), "", text), text)
    return Collection(items, "", text)


def _read_relation(text: str, depth: int) -> Node | None:
    sides = split_outside(text, _OPERATOR)
    if len(sides) < 2:
        return None
    operators = [found.group() for found in _OPERATOR.finditer(text)]
    if len(operators) != len(sides) - 1:
        return None
    first = operators[0]
    if first in ("=", "\\approx", "\\in", "\\equiv") and (
        is_label(sides[0]) or not sides[0] or _is_label_tuple(sides[0])
    ):
        rest = text[text.index(first) + len(first) :].strip()
        return Labelled(sides[0], read(rest, depth + 1), text)
    relation = Relation(tuple(sides), tuple(operators), text)
    return _as_interval(relation, depth) or relation


def _is_label_tuple(text: str) -> bool:
    return text.startswith("(") and text.endswith(")") and all(is_label(part) for part in text[1:-1].split(","))


def _as_interval(relation: Relation, depth: int) -> Node | None:
    """`a < x \\le b` as the interval of x; None where no side is a bare name."""
    sides, operators = relation.sides, relation.operators
    if "|" in relation.text:
        return None  # |x| is no name where it is bounded
    if not all(operator in ("<", ">", "\\le", "\\ge", "\\ne") for operator in operators):
        return None
    if len(sides) == 2 and is_label(sides[-1]) and not is_label(sides[0]):
        sides, operators = sides[::-1], (_FLIPPED[operators[0]],)
    if len(sides) == 2 and is_label(sides[0]) and sides[-1]:
        end, operator = read(sides[-1], depth + 1), operators[0]
        if not isinstance(end, Quantity | Opaque):
            return None
        low, high = Opaque("-\\infty"), Opaque("\\infty")
        if operator == "\\ne":
            parts = (Collection((low, end), "()", relation.text), Collection((end, high), "()", relation.text))
            return Labelled(sides[0], Union(parts, relation.text), relation.text)
        if operator in ("<", "\\le"):
            interval = Collection((low, end), "()" if operator == "<" else "(]", relation.text)
        else:
            interval = Collection((end, high), "()" if operator == ">" else "[)", relation.text)
        return Labelled(sides[0], interval, relation.text)
    if len(sides) != 3 or not is_label(sides[1]) or not (sides[0] and sides[2]):
        return None
    if set(operators) <= {">", "\\ge"}:
        sides, operators = sides[::-1], tuple(_FLIPPED[operator] for operator in operators[::-1])
    if not set(operators) <= {"<", "\\le"}:
        return None
    brackets = ("(" if operators[0] == "<" else "[") + (")" if operators[-1] == "<" else "]")
    ends = (read(sides[0], depth + 1), read(sides[2], depth + 1))
    return Labelled(sides[1], Collection(ends, brackets, relation.text), relation.text)


_FLIPPED = {"<": ">", ">": "<", "\\le": "\\ge", "\\ge": "\\le", "\\ne": "\\ne"}


def _read_union(text: str, depth: int) -> Node | None:
    if text == "\\mathbb{R}":
        return Collection((Opaque("-\\infty"), Opaque("\\infty")), "()", text)
    if (found := _ALL_BUT.fullmatch(text)) is not None:
        return _without_points(found.group(1), text, depth)
    if (found := _ALL_BUT_INTERVAL.fullmatch(text)) is not None:
        below, above = ")" if found[1] == "[" else "]", "(" if found[4] == "]" else "["
        return read(rf"(-\infty,{found[2]}{below}\cup{above}{found[3]},\infty)", depth + 1)
    if (found := _UNEQUAL.fullmatch(text)) is not None and (union := _without_points(found.group(2), text, depth)):
        return Labelled(found.group(1), union, text)
    parts = split_outside(text, _UNION)
    if len(parts) < 2 or not all(parts):
        return None
    nodes = _items(parts, depth)
    sets = [node for node in nodes if isinstance(node, Collection) and node.brackets == "{}"]
    if len(sets) == len(nodes):
        return Collection(tuple(item for node in sets for item in node.items), "{}", text)
    return Union(nodes, text)


def _without_points(points: str, text: str, depth: int) -> Node | None:
    r"""`\mathbb{R}\setminus\{a,b\}` as the union of the intervals between."""
    items = _items([part for part in split_outside(points, _COMMA) if part], depth)
    values = [as_fraction(item.value) if isinstance(item, Quantity) else None for item in items]
    known = sorted((value, item) for value, item in zip(values, items, strict=True) if value is not None)
    if len(known) < len(items):
        if len(items) > 1:
            return None
        ends = items
    else:
        ends = tuple(item for _, item in known)
    bounds = (Opaque("-\\infty"), *ends, Opaque("\\infty"))
    parts = tuple(Collection(pair, "()", text) for pair in pairwise(bounds))
    return Union(parts, text)


def _read_bracketed(text: str, depth: int) -> Node | None:
    body, brackets = text, ""
    if text.startswith("\\{") and text.endswith("\\}"):
        body, brackets = text[2:-2], "{}"
    elif text[:1] in "([" and text[-1:] in ")]" and len(text) > 2:
        body, brackets = text[1:-1], text[0] + text[-1]
    elif text[:1] == "{" and text[-1:] == "}" and "," in text:
        body, brackets = text[1:-1], "{}"
    elif text.startswith("\\langle") and text.endswith("\\rangle"):
        body, brackets = text[7:-7], "()"
    if not brackets or not _is_enclosed(body):
        return None
    if brackets == "{}" and not body.strip():
        return Opaque("\\emptyset")
    if (
        brackets == "{}"
        and (found := re.fullmatch(r"(.+?)(?:\||:)(.+)", body))
        and is_label(found.group(1).split("\\in")[0])
    ):
        return read(found.group(2), depth + 1)
    parts = split_outside(body, _TUPLE_COMMA)
    if _GROUPED_LIST.fullmatch(body):
        parts = body.split(", ")
    if len(parts) < 2 and brackets == "()":
        return None
    if brackets in ("(]", "[)") and len(parts) != 2:
        return None
    return Collection(_items([part for part in parts if part], depth), brackets, text)


def _is_enclosed(body: str) -> bool:
    depth = 0
    for character in body:
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth < 0:
            return False
    return depth == 0


def _read_ratio(text: str, depth: int) -> Node | None:
    said = _SAID_RATIO.fullmatch(text)
    parts = split_outside(text, _COLON) if said is None else [said.group(1), said.group(2)]
    if len(parts) < 2 or not all(parts):
        return None
    return Ratio(_items(parts, depth), text)


def _read_plus_minus(text: str, depth: int) -> Node | None:
    if not _PLUS_MINUS.search(text) or len(_PLUS_MINUS.findall(text)) > 1:
        return None
    plus = _PLUS_MINUS.sub(lambda sign: "+" if sign.group() == "\\pm" else "-", text).lstrip("+")
    minus = _PLUS_MINUS.sub(lambda sign: "-" if sign.group() == "\\pm" else "+", text).lstrip("+")
    return Collection((read(plus, depth + 1), read(minus, depth + 1)), "", text)
