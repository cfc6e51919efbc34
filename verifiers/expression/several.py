"""Several values: lists, sets, tuples, intervals and unions, compared part by part."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..base import Outcome
from .nodes import Collection, Labelled, Node, Union
from .numbers import Quantity, read_quantity
from .progressions import compare_progressions, is_shortened
from .quantities import compare_quantities
from .results import Comparison, correct, incorrect

__all__ = ["compare_collections", "compare_unions", "one_of_several"]

_OR = re.compile(r"\bor\b")
_NAMES_IN_A_ROW = ("abcdef", "mn", "pqrst", "uvw", "xyz", "ABCD")
Compare = Callable[[Node, Node], Comparison]
"""Judges two parts."""


def compare_unions(target: Node, answer: Node, compare: Compare) -> Comparison:
    if isinstance(target, Union) and isinstance(answer, Union):
        return _matched("union", target.parts, answer.parts, target, answer, compare)
    if isinstance(target, Union) and isinstance(answer, Collection) and not answer.brackets:
        # x < 3 or x > 5: alternatives of one variable are a union
        parts = [item.value if isinstance(item, Labelled) else item for item in answer.items]
        return _matched("union", target.parts, parts, target, answer, compare)
    if isinstance(answer, Union) and isinstance(target, Collection) and not target.brackets:
        parts = [item.value if isinstance(item, Labelled) else item for item in target.items]
        return _matched("union", parts, answer.parts, target, answer, compare)
    return incorrect("union", target, answer)


def compare_collections(target: Collection, answer: Node, compare: Compare) -> Comparison:
    if isinstance(answer, Collection) and (is_shortened(target) or is_shortened(answer)):
        if target.brackets != answer.brackets and {target.brackets, answer.brackets} != {"", "{}"}:
            return incorrect("brackets", target, answer)
        return compare_progressions(target, answer, lambda one, other: compare(one, other).is_correct)
    if any("\\ldots" in text or ".." in text for text in (target.text, answer.text)):
        return incorrect("ellipsis", target, answer)
    if not isinstance(answer, Collection):
        if target.brackets == "{}" and len(target.items) == 1:
            return compare(target.items[0], answer)
        if _says_one_value(target, compare):
            return next(
                (found for item in target.items if (found := compare(item, answer)).is_correct),
                incorrect(_name(target), target, answer),
            )
        return incorrect(_name(target), target, answer)
    if (
        target.brackets == "{}" != answer.brackets
        and len(target.items) == 1
        and isinstance(target.items[0], Collection)
    ):
        return compare(target.items[0], answer)
    wanted, given = target.brackets, answer.brackets
    if wanted == "()" and given == "":
        answer = _in_the_order_of_names(answer)
    if wanted not in ("", "{}") and given == "":
        wanted = given = "()"  # a bare list for a tuple keeps the tuple's order
    elif wanted == "{}" and given == "":
        given = "{}"
    elif wanted == "" and (given in ("{}", "()") or (given == "[]" and len(answer.items) > 2)):
        wanted = given  # [1, 2, 3] is a list of Python's
    elif {wanted, given} == {"()", "[]"} and len(target.items) > 2:
        wanted = given = "()"  # no interval has three ends
    if given == "{}" and len(answer.items) == 1:
        return compare(target, answer.items[0])
    if wanted != given:
        return incorrect("brackets", target, answer)
    if wanted == "{}":
        return _matched(
            "set", _distinct(target.items, compare), _distinct(answer.items, compare), target, answer, compare
        )
    if wanted == "":
        return _compare_lists(target, answer, compare)
    if wanted == "[]" and not target.brackets:
        return _matched("list", target.items, answer.items, target, answer, compare)
    return _in_order(_name(target), target.items, answer.items, target, answer, compare)


def _compare_lists(target: Collection, answer: Collection, compare: Compare) -> Comparison:
    labels = [_distinct_labels(items) for items in (target.items, answer.items)]
    if labels[0] and labels[1]:
        if sorted(labels[0]) != sorted(labels[1]):
            return incorrect("label_conflict", target, answer)
        by_label = dict(zip(labels[1], answer.items, strict=True))
        return _in_order("labels", target.items, [by_label[label] for label in labels[0]], target, answer, compare)
    if labels[0]:
        return _in_order("labels", target.items, answer.items, target, answer, compare)
    return _matched("list", target.items, answer.items, target, answer, compare)


def _says_one_value(target: Collection, compare: Compare) -> bool:
    r"""Whether `target` is one value in several forms: `\frac14 \text{ or } 25\%`."""
    if target.brackets or not target.items or not _OR.search(target.text):
        return False
    first, *others = target.items
    return all(compare(first, other).is_correct or compare(other, first).is_correct for other in others)


def _in_the_order_of_names(answer: Collection) -> Collection:
    """`answer` with the values of neighbouring letters in their order: `y=3, x=2` is the point (2,3)."""
    labels = _distinct_labels(answer.items)
    ordered = sorted(labels)
    neighbours = "".join(ordered)
    if not labels or len(neighbours) != len(labels) or not any(neighbours in row for row in _NAMES_IN_A_ROW):
        return answer
    by_label = dict(zip(labels, answer.items, strict=True))
    return replace(answer, items=tuple(by_label[label] for label in ordered))


def _distinct_labels(items: Sequence[Node]) -> list[str]:
    """The labels of the items where each has one and they name different things; else empty."""
    labels = [item.label for item in items if isinstance(item, Labelled)]
    names = {label.split("_")[0] for label in labels}
    return labels if len(labels) == len(items) and len(names) == len(items) > 1 else []


def one_of_several(target: Node, answer: Collection, compare: Compare) -> Comparison:
    """Several values for one: a hedge, unless they are one value written again, or a decimal comma."""
    if answer.brackets == "{}" and len(answer.items) == 1 and target.text != "\\emptyset":
        return compare(target, answer.items[0])
    if answer.brackets not in ("", "{}"):
        rule = "inequality" if re.search(r"[<>]|\\[lg]e(?![a-z])", answer.text) else _name(answer)
        return incorrect(f"{rule}_for_value", target, answer)
    if isinstance(target, Quantity) and target.form == "decimal":
        found = re.fullmatch(r"([+-]?\d+),(\d+)", answer.text)
        comma = None if found is None else read_quantity(f"{found.group(1)}.{found.group(2)}")
        if comma is not None and compare_quantities(target, comma).is_correct:
            return correct("decimal_comma", target, answer)
    rule = "plus_minus" if "\\pm" in answer.text else "hedged"
    return incorrect(rule, target, answer, outcome=Outcome.HEDGED)


def _matched(
    rule: str, wanted: Sequence[Node], given: Sequence[Node], target: Node, answer: Node, compare: Compare
) -> Comparison:
    """Every part of `wanted` has its own equal in `given`, and none is left over."""
    if len(wanted) != len(given):
        return incorrect(f"{rule}_length", target, answer)
    left = list(given)
    for part in sorted(wanted, key=lambda node: not isinstance(node, Quantity)):
        found = next((other for other in left if other.text == part.text), None)
        if found is None:
            found = next((other for other in left if compare(part, other).is_correct), None)
        if found is None:
            return incorrect(rule, target, answer)
        left.remove(found)
    return correct(rule, target, answer)


def _in_order(
    rule: str, wanted: Sequence[Node], given: Sequence[Node], target: Node, answer: Node, compare: Compare
) -> Comparison:
    if len(wanted) != len(given):
        return incorrect(f"{rule}_length", target, answer)
    for part, other in zip(wanted, given, strict=True):
        if not compare(part, other).is_correct:
            return incorrect(rule, target, answer)
    return correct(rule, target, answer)


def _distinct(items: Sequence[Node], compare: Compare) -> list[Node]:
    kept: list[Node] = []
    for item in items:
        if not any(
            isinstance(other, Quantity) == isinstance(item, Quantity) and compare(other, item).is_correct
            for other in kept
        ):
            kept.append(item)
    return kept


def _name(collection: Collection) -> str:
    if collection.brackets in ("", "{}"):
        return "set" if collection.brackets else "list"
    return "tuple" if collection.brackets == "()" else "interval"
