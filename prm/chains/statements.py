r"""The equations and inequalities of a text, each as the chain of sides that is written: `2x+3 = 7`, `a < b = c`.

Inside mathematics a row that begins with a sign goes on with the chain of the row before (`\\ &= 11`). In prose a chain
is a run of symbols. What has no certain reading is kept, unread: between two equations it may have been a third.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...verifiers.expression.normalise import normalise
from ...verifiers.expression.parser import UnreadableError, parse
from ...verifiers.expression.tree import Constant, Tree, nodes
from .prose import has_gap, may_end, runs
from .regions import Region, regions

__all__ = ["Statement", "applied_letters", "statements"]

_MAX_SIDE = 300

_RELATION = re.compile(
    r"\\(?P<name>approx|simeq|sim|cong|equiv|neq|ne|leqslant|geqslant|leq|geq|le|ge|lt|gt|in|propto|mid)(?![a-zA-Z])"
    r"|(?P<mark>:=|!=|[<>]=?|=+|[≤≥≈≠≡∝])|[{(\[]|[})\]]"
)
_SIGNS = {
    "=": "=", "==": "=", "<": "<", ">": ">", "lt": "<", "gt": ">",
    **dict.fromkeys(("leq", "le", "leqslant", "≤", "<="), "\\le"),
    **dict.fromkeys(("geq", "ge", "geqslant", "≥", ">="), "\\ge"),
    **dict.fromkeys(("approx", "simeq", "≈"), "\\approx"),
}  # fmt: skip
_SEPARATOR = re.compile(
    r"\\\\(?:\[[^\]\n]{0,20}\])?(?!\s*&?\s*(?:=|[<>≤≥≈]|\\(?:approx|le|ge|leq|geq|lt|gt)(?![a-zA-Z])))"
    r"|\\(?:implies|iff|therefore|because|(?:Long)?(?:[Rr]ight|[Ll]eftright)arrow|to|qquad|quad|hspace\{[^{}]*\}"
    r"|(?:begin|end)\{[a-z]*\*?\})(?![a-zA-Z])|\\(?:text|mbox|textrm|tag)\*?\{[^{}]*\}"
    r"|,(?!\d{3}(?!\d))(?=\s|[^\d])|;|\.(?=\s|\Z)|=>|[⇒→⟹⇔]"
)
_LAYOUT = re.compile(r"\\\\(?:\[[^\]\n]{0,20}\])?|&|(?<!\\)\$|\\displaystyle|\\nonumber")
_BARE = re.compile(r"\s*[-+]?\s*(?:\d|\\(?:frac|sqrt|pm|dfrac|tfrac))")

# Segments, vectors, angles, derivatives, residues, endless decimals, percentages, several values, items of a list
# (`a[1]`): no plain algebra.
_FOREIGN = re.compile(
    r"(?<![\\a-zA-Z])[a-zA-Z]?[A-Z][A-Z]|\\(?:mathbf|vec|overrightarrow|overline|bar|hat|pm|mp|angle|triangle|ldots|dots"
    r"|cdots|mathbb|begin|pmod|bmod|mod|equiv|log|lim|int|frac\{d|partial|nabla|cup|cap|infty)(?![a-zA-Z])"
    r"|[%±∓'°∠]|\.\.|…|[a-zA-Z]\^\{-1\}\s*(?:\\left)?\("
    r"|(?<![a-zA-Z])[a-zA-Z]\[\w{1,3}\]"
)
_LETTER = re.compile(r"[a-zA-Z]")
_DEGREES = re.compile(r"\^\s*\{?\s*\\circ\s*\}?|°")
_ANGLES = re.compile(r"\\(?:pi|sin|cos|tan|cot|sec|csc|arc\w+)(?![a-zA-Z])|π")
_APPLIED = re.compile(r"(?<![A-Za-z0-9\\}_)])([A-Za-z])\s?\(\s*-?(?:\d+|[a-zA-Z])\s*\)")


class Statement(NamedTuple):
    r"""One chain of sides.

    Args:
        sides: as `normalise` spells them.
        signs: between them: `=`, `<`, `>`, `\le`, `\ge`, `\approx`, and `?` for any other.
        start, end: where it stands, in characters.
        is_prose: no delimiter sets it as mathematics.
        trees: one a side; None for a side that has no certain reading.
    """

    sides: tuple[str, ...]
    signs: tuple[str, ...]
    start: int
    end: int
    is_prose: bool
    trees: tuple[Tree | None, ...]


def statements(text: str, functions: frozenset[str] = frozenset()) -> Iterator[Statement]:
    r"""The chains of `text` in order; in prose those with a letter.

    Args:
        text: a step.
        functions: letters that are functions, so that `f(x+1)` is no product (`applied_letters`).

    Example:
        >>> text = r"So 2x + 3 = 7 gives \begin{align} 2x &= 7 - 3 \\ &= 4 \end{align}"
        >>> [one.sides for one in statements(text)]
        [('2x+3', '7'), ('2x', '7-3', '4')]
    """
    for region in regions(text):
        pieces = _pieces(text, region) if region.is_maths else runs(text, region.start, region.end)
        for start, end, is_begun, is_ended in pieces:
            chain = _chain(text, start, end)
            # Of numbers in prose the rule for arithmetic knows more.
            if chain is None or not (region.is_maths or _LETTER.search(text, start, end)):
                continue
            sides, signs = chain
            # An angle in degrees may equal one in radians, and the sine of one a number.
            is_angle = _DEGREES.search(text, start, end) and _ANGLES.search(text, start, end)
            trees = [None if is_angle else _tree(side, functions, is_prose=not region.is_maths) for side in sides]
            trees[0] = trees[0] if is_begun else None
            trees[-1] = trees[-1] if is_ended else None
            yield Statement(tuple(map(_spelled, sides)), tuple(signs), start, end, not region.is_maths, tuple(trees))


def applied_letters(text: str) -> frozenset[str]:
    """Letters that `text` applies to a number or a letter, as functions are: the f of `f(2)`, not the x of `2x(3)`."""
    return frozenset(_APPLIED.findall(text))


def _pieces(text: str, region: Region) -> Iterator[tuple[int, int, bool, bool]]:
    """What separators leave of a formula, that each begins for certain, and whether it ends so."""
    pieces: list[tuple[int, int]] = []
    position = region.start
    for separator in _SEPARATOR.finditer(text, region.start, region.end):
        # A comma inside brackets separates the parts of a point or an interval, and nothing else.
        if separator.group()[0] in ",;." and _is_open(text[position : separator.start()]):
            continue
        pieces.append((position, separator.start()))
        position = separator.end()
    pieces.append((position, region.end))
    for (start, end), following in zip(pieces, [*pieces[1:], None], strict=True):
        if following is None:
            is_ended = may_end(text, region.after)
        else:
            # `x = 1, -2` gives two values.
            is_ended = not ("," in text[end : following[0]] and _BARE.match(text, *following))
        yield start, end, True, is_ended


def _is_open(text: str) -> bool:
    return any(text.count(one) > text.count(other) for one, other in ("()", "[]", "{}"))


def _chain(text: str, start: int, end: int) -> tuple[list[str], list[str]] | None:
    """The sides of `text[start:end]` and the signs between them; None where there is no sign outside brackets."""
    sides: list[str] = []
    signs: list[str] = []
    depth, position = 0, start
    for found in _RELATION.finditer(text, start, end):
        if not (found["name"] or found["mark"]):
            depth += 1 if found.group() in "{([" else -1
        elif depth == 0:
            sides.append(text[position : found.start()])
            signs.append(_SIGNS.get(found["name"] or found["mark"], "?"))
            position = found.end()
    return ([*sides, text[position:end]], signs) if signs else None


def _tree(side: str, functions: frozenset[str], *, is_prose: bool) -> Tree | None:
    if len(side) > _MAX_SIDE or _is_foreign(side, functions) or (is_prose and has_gap(side.strip())):
        return None
    try:
        tree = parse(_spelled(side))
    except UnreadableError:
        return None
    # The letters e and i stand for a constant, an unknown or an index.
    is_doubtful = any(isinstance(node, Constant) and node.name != "pi" for node in nodes(tree))
    return None if is_doubtful else tree


def _spelled(side: str) -> str:
    if len(side) > _MAX_SIDE:
        return side
    return normalise(_LAYOUT.sub(" ", _DEGREES.sub(" ", side)).replace("$", ""))


def _is_foreign(text: str, functions: frozenset[str]) -> bool:
    plain = _DEGREES.sub("", text)
    if _FOREIGN.search(plain) or (plain != text and "\\" in plain):
        return True
    return any(re.search(rf"(?<![\\A-Za-z]){name}\s?\(", plain) for name in functions)
