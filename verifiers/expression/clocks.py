"""Times of day: `3 PM`, `4:30 p.m.`, and `16:30`, which reads as a ratio."""

from .nodes import Clock, Node, Ratio
from .numbers import Quantity, as_fraction
from .results import Comparison, correct, incorrect

__all__ = ["compare_clocks"]


def compare_clocks(target: Node, answer: Node) -> Comparison:
    """Two times of which one is a `Clock`; "a.m." and "p.m." may be missing, and must not be wrong."""
    wanted, given = _hours(target), _hours(answer)
    if wanted is None or given is None or wanted[1] != given[1]:
        return incorrect("clock", target, answer)
    half = answer.half if isinstance(answer, Clock) else ""
    same = wanted[0] == given[0]
    if isinstance(target, Clock):
        same = same and half in ("", target.half)
        same = same or (not half and given[0] == target.hour % 12 + 12 * (target.half == "pm"))
    return (correct if same else incorrect)("clock", target, answer)


def _hours(node: Node) -> tuple[int, int] | None:
    """(hour, minute) where `node` can tell a time."""
    if isinstance(node, Clock):
        return node.hour, node.minute
    if isinstance(node, Quantity):
        terms = [node] if node.unit is None else []
    else:
        terms = list(node.terms) if isinstance(node, Ratio) else []
    values = [as_fraction(term.value) if isinstance(term, Quantity) else None for term in terms]
    whole = [value.numerator for value in values if value is not None and value.denominator == 1]
    if not whole or len(whole) != len(terms) or len(whole) > 2:
        return None
    return whole[0], whole[1] if len(whole) == 2 else 0
