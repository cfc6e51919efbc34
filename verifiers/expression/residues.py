r"""Classes of whole numbers: `x\equiv 17\pmod{12}` is `5\pmod{12}`."""

import re

from .nodes import Node
from .results import Comparison, correct, incorrect

__all__ = ["compare_residues"]

_CLASS = re.compile(
    r"(?:[a-zA-Z]\\equiv ?)?(?P<values>-?\d{1,12}(?:(?:, ?|,? ?(?:\\text\{ ?)?(?:or|and) ?\}?)-?\d{1,12})*)"
    r"[, ]*\(?\\p?(?:b|od)?mod ?\{?(?P<modulus>[1-9]\d{0,11})\}?\)?"
)
_WHOLE = re.compile(r"-?\d+")


def compare_residues(target: Node, answer: Node) -> Comparison | None:
    """Two nodes that both name residues and a modulus, by their classes; None where one of them does not."""
    if "mod" not in target.text or "mod" not in answer.text:
        return None
    wanted, given = _classes(target.text), _classes(answer.text)
    if wanted is None or given is None:
        return None
    return (correct if wanted == given else incorrect)("residues", target, answer)


def _classes(text: str) -> tuple[int, frozenset[int]] | None:
    found = _CLASS.fullmatch(text)
    if found is None:
        return None
    modulus = int(found["modulus"])
    return modulus, frozenset(int(value) % modulus for value in _WHOLE.findall(found["values"]))
