"""What an answer is made of: the nodes of its tree, whose leaves are `Quantity`, `Text` and `Opaque`."""

from dataclasses import dataclass

from .numbers import Quantity
from .units import Unit

__all__ = [
    "SYMBOLS",
    "Clock",
    "Collection",
    "Labelled",
    "Matrix",
    "Node",
    "Opaque",
    "Piece",
    "Piecewise",
    "Ratio",
    "Relation",
    "Text",
    "Union",
]


@dataclass(frozen=True, slots=True)
class Text:
    """An answer in words: `words` are its lower-case words."""

    words: str
    text: str


SYMBOLS = {
    **dict.fromkeys(
        ("no solution", "no solutions", "no real solution", "no real solutions", "empty set"), "\\emptyset"
    ),
    **dict.fromkeys(("all real numbers", "all reals", "set of all real numbers", "every real number"), "\\mathbb{R}"),
    **dict.fromkeys(("infinity", "positive infinity", "plus infinity"), "\\infty"),
    **dict.fromkeys(("negative infinity", "minus infinity"), "-\\infty"),
    **dict.fromkeys(("infinitely many", "infinitely many solutions"), "\\infty"),
    **dict.fromkeys(("does not exist", "dne", "doesn't exist", "doesnt exist"), "\\text{does not exist}"),
}
"""The words of a `Text` that are another name of a symbol."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """Mathematics left as LaTeX, with the unit that stood after it."""

    text: str
    unit: Unit | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """Several values.

    Args:
        items: the parts, in order.
        brackets: the enclosing pair: `""` a bare list, `"{}"` a set, `"()"`, `"[]"`, `"(]"`, `"[)"`.
    """

    items: tuple["Node", ...]
    brackets: str
    text: str


@dataclass(frozen=True, slots=True)
class Union:
    """A union of intervals and sets, in the order written."""

    parts: tuple["Node", ...]
    text: str


@dataclass(frozen=True, slots=True)
class Relation:
    r"""A chain of sides (as text) and operators: `=`, `<`, `>`, `\le`, `\ge`, `\ne`; no label among them."""

    sides: tuple[str, ...]
    operators: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """`label = value`, the label a name and not something to be solved."""

    label: str
    value: "Node"
    text: str


@dataclass(frozen=True, slots=True)
class Ratio:
    """`a : b : c`."""

    terms: tuple["Node", ...]
    text: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of cells; `kind` is `"matrix"`, or `"determinant"` for vertical bars."""

    rows: tuple[tuple["Node", ...], ...]
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day; `half` is `"am"`, `"pm"` or empty where unsaid."""

    hour: int
    minute: int
    half: str
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """`value` under `condition`, None for "otherwise"; `words` are those of the condition that say something."""

    value: "Node"
    condition: "Node | None"
    words: str


@dataclass(frozen=True, slots=True)
class Piecewise:
    """A function by cases, in the order written."""

    pieces: tuple[Piece, ...]
    text: str


Node = Quantity | Text | Opaque | Collection | Union | Relation | Labelled | Ratio | Matrix | Clock | Piecewise
