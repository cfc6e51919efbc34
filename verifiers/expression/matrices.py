r"""Matrices: read cell by cell, compared cell by cell; vectors also as tuples, determinants by their value."""

import re
from collections.abc import Callable
from itertools import permutations

from .arithmetic import CostlyError
from .nodes import Collection, Matrix, Node
from .results import Comparison, correct, incorrect

__all__ = ["MAX_ITEMS", "compare_matrices", "determinant", "read_matrix"]

MAX_ITEMS = 200
"""Cells of a matrix, and parts of any list."""

_LARGEST_DETERMINANT = 4
_MATRIX = re.compile(
    r"(?P<before>[+-]?[^+\-&=<>]{0,40}?)\\begin\{(?P<kind>[pbvBV]?matrix|array)\}(?:\{[lcr| ]*\})?(?P<cells>.*)"
    r"\\end\{(?P=kind)\}",
    re.DOTALL,
)


def read_matrix(text: str, read: Callable[[str], Node]) -> Matrix | None:
    r"""The matrix that all of `text` is, a number before it multiplied into its cells; None where it is none.

    Args:
        text: the normalised answer.
        read: the reader of one cell.

    Raises:
        CostlyError: it has more than `MAX_ITEMS` cells.
    """
    bars = text[:1] + text[-1:]
    found = _MATRIX.fullmatch(text[1:-1] if bars in ("()", "[]", "||") else text)
    if found is None:
        return None
    before = found["before"].removesuffix("\\cdot").removesuffix("\\times")
    is_determinant = found["kind"] in ("vmatrix", "Vmatrix") or before == "\\det" or bars == "||"
    if is_determinant and before not in ("", "\\det"):
        return None
    rows = [row.split("&") for row in found["cells"].split("\\\\") if row.strip()]
    if sum(map(len, rows)) > MAX_ITEMS:
        raise CostlyError(f"more than {MAX_ITEMS} cells")
    factor = "" if is_determinant else {"-": "(-1)", "+": ""}.get(before, before)
    cells = tuple(
        tuple(read(f"({factor})*({cell.strip()})" if factor else cell.strip()) for cell in row) for row in rows
    )
    return Matrix(cells, "determinant" if is_determinant else "matrix", text)


def determinant(matrix: Matrix) -> str | None:
    r"""The determinant of `matrix` written out; None where it is not square, or large.

    Example:
        >>> from .structures import read
        >>> determinant(read(r"\begin{vmatrix}1&2\\3&4\end{vmatrix}"))
        '+(1)(4)-(2)(3)'
    """
    size = len(matrix.rows)
    if size > _LARGEST_DETERMINANT or any(len(row) != size for row in matrix.rows):
        return None
    terms: list[str] = []
    for columns in permutations(range(size)):
        swaps = sum(one > other for index, one in enumerate(columns) for other in columns[index + 1 :])
        product = "".join(f"({matrix.rows[row][column].text})" for row, column in enumerate(columns))
        terms.append(f"{'-' if swaps % 2 else '+'}{product}")
    return "".join(terms)


def compare_matrices(target: Node, answer: Node, alike: Callable[[Node, Node], bool]) -> Comparison:
    """Two nodes of which one is a matrix of kind `"matrix"`; `alike` judges their cells."""
    wanted, given = _as_matrix(target, answer), _as_matrix(answer, target)
    if not (isinstance(wanted, Matrix) and isinstance(given, Matrix) and wanted.kind == given.kind):
        return incorrect("matrix", target, answer)
    if [len(row) for row in wanted.rows] != [len(row) for row in given.rows]:
        return incorrect("matrix_shape", target, answer)
    pairs = [pair for rows in zip(wanted.rows, given.rows, strict=True) for pair in zip(*rows, strict=True)]
    same = all(alike(cell, other) for cell, other in pairs)
    return (correct if same else incorrect)("matrix", target, answer)


def _as_matrix(node: Node, other: Node) -> Node:
    """`node` as a matrix where it is rows of a nested list, or the entries of the vector that `other` is."""
    if not isinstance(node, Collection) or not isinstance(other, Matrix) or node.brackets not in ("()", "[]"):
        return node
    rows = [item.items for item in node.items if isinstance(item, Collection) and item.brackets == node.brackets]
    if len(rows) == len(node.items):
        return Matrix(tuple(rows), "matrix", node.text)
    if all(len(row) == 1 for row in other.rows):
        return Matrix(tuple((item,) for item in node.items), "matrix", node.text)
    return Matrix((node.items,), "matrix", node.text) if len(other.rows) == 1 else node
