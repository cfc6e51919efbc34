"""Ratios `a : b : c`: proportional ones are the same, and order counts."""

from collections.abc import Callable
from fractions import Fraction

from .nodes import Node, Ratio
from .numbers import Quantity, as_fraction
from .results import Comparison, correct, incorrect

__all__ = ["compare_ratios"]


def compare_ratios(target: Node, answer: Node, alike: Callable[[Node, Node], bool]) -> Comparison:
    """Two nodes of which one is a `Ratio`; `alike` judges terms that are no numbers.

    A ratio of two is also the fraction that it is worth, never an integer.
    """
    if isinstance(target, Ratio) and isinstance(answer, Ratio):
        if len(target.terms) != len(answer.terms):
            return incorrect("ratio", target, answer)
        wanted, given = _term_values(target), _term_values(answer)
        if wanted is not None and given is not None:
            same = _proportional(wanted, given) if wanted[-1] or len(wanted) > 2 else wanted == given  # 12:00 is a time
        else:
            same = all(alike(*pair) for pair in zip(target.terms, answer.terms, strict=True))
        return (correct if same else incorrect)("ratio", target, answer)
    ratio, other = (target, answer) if isinstance(target, Ratio) else (answer, target)
    assert isinstance(ratio, Ratio)
    values = _term_values(ratio)
    if isinstance(other, Quantity) and other.form != "integer" and values and len(values) == 2 and values[1]:
        same = as_fraction(other.value) == values[0] / values[1]
        return (correct if same else incorrect)("ratio_as_fraction", target, answer)
    return incorrect("ratio", target, answer)


def _term_values(ratio: Ratio) -> list[Fraction] | None:
    values = [as_fraction(term.value) for term in ratio.terms if isinstance(term, Quantity)]
    known = [value for value in values if value is not None]
    return known if len(known) == len(ratio.terms) else None


def _proportional(target: list[Fraction], answer: list[Fraction]) -> bool:
    if not any(target) or not any(answer):
        return target == answer
    first = next(index for index, value in enumerate(target) if value)
    scale = answer[first] / target[first]
    return scale > 0 and all(value * scale == other for value, other in zip(target, answer, strict=True))
