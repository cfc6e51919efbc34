r"""Two right answers written differently: in what do they differ?

Asked only of an answer that the referee accepts. The closed set of differences is that of the causes:
`units`, `tolerance`, `structure`, else `format` (other notation of the same value).
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from ...verifiers.expression.arithmetic import CostlyError
from ...verifiers.expression.nodes import Collection, Labelled, Node, Opaque, Union
from ...verifiers.expression.normalise import normalise
from ...verifiers.expression.numbers import Quantity, same_value
from ...verifiers.expression.structures import read

__all__ = ["Difference", "as_node", "difference", "is_plain", "same_text"]

_MOST_CHARS = 500

_RULES = {
    "rounds_to_target": "tolerance",
    "six_digits": "tolerance",
    "unit_conversion": "units",
    "percent_value": "units",
    "angle": "units",
}
"""Rules of the referee that name the difference by themselves."""

_UNNAMED_UNIT = re.compile(r"\d\s*(?:\\(?:text|mathrm|mbox)\{\s*)?(?!times|cdot)[A-Za-z]{2,}[A-Za-z .]*\}?\Z")
"""Words behind a number, which the referee passes over: `63 \\text{ square units}`."""


class Difference(StrEnum):
    """In what a right answer differs from its target; `NONE` where the texts are the same."""

    NONE = "none"
    FORMAT = "format"
    TOLERANCE = "tolerance"
    UNITS = "units"
    STRUCTURE = "structure"


def difference(target: str, answer: str, *, rule: str = "") -> Difference:
    r"""In what the right `answer` differs from `target`.

    Args:
        target: as the file has it.
        answer: as extracted.
        rule: the referee's, where it says more than the texts.

    Example:
        >>> [str(difference(*pair)) for pair in (("18", "18 dollars"), ("(1,2)", "[1, 2]"), ("1/2", r"\frac12"))]
        ['units', 'structure', 'format']
    """
    if same_text(target, answer):
        return Difference.NONE
    if rule in _RULES:
        return Difference(_RULES[rule])
    wanted, given = as_node(target), as_node(answer)
    if wanted is None or given is None:
        return Difference.FORMAT
    if _unit_names(wanted) != _unit_names(given):
        return Difference.UNITS
    if isinstance(wanted, Quantity) and isinstance(given, Quantity):
        return Difference.FORMAT if same_value(wanted.value, given.value) else Difference.TOLERANCE
    return Difference.STRUCTURE if _structures_differ(wanted, given) else Difference.FORMAT


def same_text(target: str, answer: str) -> bool:
    """Whether the two are the same but for spaces and a pair of `$`.

    Example:
        >>> same_text("$x + 1$", "x+1"), same_text("x+1", "1+x")
        (True, False)
    """
    return _bare(target) == _bare(answer)


def is_plain(target: str) -> bool:
    r"""Whether every parser can read `target`: a plain number or words, no LaTeX, no structure.

    Example:
        >>> is_plain("-1.5"), is_plain("blue whale"), is_plain(r"\frac{1}{2}"), is_plain("3,400")
        (True, True, False, False)
    """
    text = target.strip()
    return text.replace(".", "", 1).removeprefix("-").isdigit() or text.replace(" ", "").isalpha()


def _bare(text: str) -> str:
    text = "".join(text.split())
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] == "$" else text


@lru_cache(maxsize=4096)
def as_node(text: str) -> Node | None:
    """The tree of an answer; None where it is too long or too costly to read."""
    if len(text) > _MOST_CHARS:
        return None
    try:
        return read(normalise(text))
    except CostlyError:
        return None


def _unit_names(node: Node) -> tuple[str, ...]:
    """The names of the units in `node`, each once."""
    if isinstance(node, Quantity | Opaque):
        if node.unit is None and isinstance(node, Quantity) and _UNNAMED_UNIT.search(node.text):
            return ("unnamed",)
        return () if node.unit is None else (node.unit.name,)
    if isinstance(node, Labelled):
        return _unit_names(node.value)
    if isinstance(node, Collection):
        return tuple(sorted({name for item in node.items for name in _unit_names(item) if name}))
    return ()


def _structures_differ(wanted: Node, given: Node) -> bool:
    """Whether brackets or order differ; parts in the same places may be written as they like."""
    wanted, given = _unlabelled(wanted), _unlabelled(given)
    if isinstance(wanted, Union) and isinstance(given, Union):
        return not _same_in_order(wanted.parts, given.parts) and _same_in_any_order(wanted.parts, given.parts)
    if not (isinstance(wanted, Collection) and isinstance(given, Collection)):
        return False
    if wanted.brackets != given.brackets:
        return True
    return not _same_in_order(wanted.items, given.items) and _same_in_any_order(wanted.items, given.items)


def _unlabelled(node: Node) -> Node:
    return node.value if isinstance(node, Labelled) else node


def _same_in_order(wanted: Sequence[Node], given: Sequence[Node]) -> bool:
    return len(wanted) == len(given) and all(map(_same_part, wanted, given))


def _same_in_any_order(wanted: Sequence[Node], given: Sequence[Node]) -> bool:
    left = list(given)
    for part in wanted:
        found = next((other for other in left if _same_part(part, other)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _same_part(wanted: Node, given: Node) -> bool:
    wanted, given = _unlabelled(wanted), _unlabelled(given)
    if isinstance(wanted, Quantity) and isinstance(given, Quantity):
        return same_value(wanted.value, given.value)
    return wanted.text == given.text
