r"""Functions by cases: `\begin{cases} x^2 & x\ge0 \\ -x & x<0 \end{cases}`, compared piece by piece in any order."""

import re
from collections.abc import Callable

from .nodes import Node, Piece, Piecewise
from .normalise import plain_words
from .results import Comparison, correct, incorrect

__all__ = ["compare_pieces", "read_pieces"]

_CASES = re.compile(
    r"(?:\\\{)?\\begin\{(?P<kind>cases|array)\}(?:\{[lcr| ]*\})?(?P<rows>.*)\\end\{(?P=kind)\}", re.DOTALL
)
_ROW = re.compile(r"\\\\(?:\[[^\]]*\])?")
_IF = re.compile(r"^(?:\\text\{ ?)?(?:,? ?)(?:if|when|for|where|provided|as) ?\}? ?|^\\text\{ ?\}")
_IDLE_WORDS = frozenset({"if", "when", "for", "is", "are", "an", "a", "all", "integer", "number"})
_REST = frozenset({"otherwise", "else", "elsewhere"})
_MOST_PIECES = 12


def read_pieces(text: str, read: Callable[[str], Node]) -> Piecewise | None:
    """The pieces that all of `text` is, by its rows of a value and its condition; None where it has no such rows.

    Args:
        text: the normalised answer.
        read: the reader of one value or condition.
    """
    found = _CASES.fullmatch(text)
    if found is None or "&" not in found["rows"] or (found["kind"] == "array" and not text.startswith("\\{")):
        return None
    rows = [row.strip() for row in _ROW.split(found["rows"]) if row.strip()]
    cells = [[cell.strip(" ,;.") for cell in row.split("&") if cell.strip(" ,;.")] for row in rows]
    if not 0 < len(rows) <= _MOST_PIECES or any(len(row) != 2 for row in cells):
        return None
    return Piecewise(tuple(_piece(value, condition, read) for value, condition in cells), text)


def _piece(value: str, condition: str, read: Callable[[str], Node]) -> Piece:
    condition = _IF.sub("", condition).strip(" ,;.")
    words = plain_words(condition).split()
    if _REST.intersection(words):
        return Piece(read(value), None, "otherwise")
    return Piece(read(value), read(condition), " ".join(word for word in words if word not in _IDLE_WORDS))


def compare_pieces(target: Node, answer: Node, alike: Callable[[Node, Node], bool]) -> Comparison:
    """Two nodes of which one is piecewise: the same values under the same conditions.

    "Otherwise" is the condition that is left over, when all the others agree.
    """
    if not (isinstance(target, Piecewise) and isinstance(answer, Piecewise)):
        return incorrect("piecewise", target, answer)
    if len(target.pieces) != len(answer.pieces):
        return incorrect("piecewise_length", target, answer)
    left = list(answer.pieces)
    for piece in sorted(target.pieces, key=lambda piece: piece.condition is None):
        found = next((other for other in left if _same_condition(piece, other, alike)), None)
        if found is None and len(left) == 1 and None in (piece.condition, left[0].condition):
            found = left[0]
        elif found is None:
            found = next((other for other in left if other.condition is None), None)
        if found is None or not alike(piece.value, found.value):
            return incorrect("piecewise", target, answer)
        left.remove(found)
    return correct("piecewise", target, answer)


def _same_condition(piece: Piece, other: Piece, alike: Callable[[Node, Node], bool]) -> bool:
    if piece.condition is None or other.condition is None:
        return piece.condition is other.condition
    return piece.words == other.words or alike(piece.condition, other.condition)
