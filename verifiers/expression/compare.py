"""Whether an answer is the target, and by which rule.

`compare` walks the two trees together. Numbers are decided here, exactly; everything that is neither a
number nor a structure of numbers goes, as text, to the `symbolic` function that the caller hands in.
"""

import re
from collections.abc import Sequence

from ..base import Outcome
from .clocks import compare_clocks
from .matrices import compare_matrices, determinant
from .nodes import SYMBOLS, Clock, Collection, Labelled, Matrix, Node, Opaque, Ratio, Relation, Text, Union
from .normalise import plain_words
from .numbers import Quantity
from .progressions import compare_progressions, is_shortened
from .quantities import compare_quantities, compare_values, is_rounded
from .ratios import compare_ratios
from .residues import compare_residues
from .results import Comparison, Symbolic, correct, incorrect
from .solution_sets import describes_set, same_set
from .structures import read

__all__ = ["compare"]

_MAX_SIDES = 8


def compare(target: Node, answer: Node, symbolic: Symbolic) -> Comparison:
    r"""The judgement of `answer` against `target`, with the rule that decided and both parsed forms.

    Args:
        target: the right answer, read by `structures.read`.
        answer: the extracted answer, read likewise.
        symbolic: judges two pieces of LaTeX; called only where no rule here decides.

    Raises:
        CostlyError: from `symbolic`, where that refuses.

    Example:
        >>> compare(read("1,2"), read("2,1"), symbolic=lambda target, answer: 1 / 0).rule  # never asked
        'list'
    """
    if describes_set(target) and describes_set(answer):
        return _compare_sets(target, answer, symbolic)
    if (by_class := compare_residues(target, answer)) is not None:
        return by_class
    return _compare_parts(target, answer, symbolic)


def _compare_sets(target: Node, answer: Node, symbolic: Symbolic) -> Comparison:
    """Part by part where both are written alike; else, or where the parts differ, by the points that they hold."""
    is_relation = isinstance(target, Relation) or isinstance(answer, Relation)
    by_parts = None if is_relation else _compare_parts(target, answer, symbolic)
    if by_parts is not None and (by_parts.is_correct or _are_intervals(target, answer)):
        return by_parts
    same = None if isinstance(target, Relation) and isinstance(answer, Relation) else same_set(target, answer)
    if same is not None:
        return (correct if same else incorrect)("solution_set", target, answer)
    return by_parts or _compare_parts(target, answer, symbolic)


def _are_intervals(*nodes: Node) -> bool:
    values = [node.value if isinstance(node, Labelled) else node for node in nodes]
    return all(isinstance(value, Collection) and value.brackets for value in values)


def _compare_parts(target: Node, answer: Node, symbolic: Symbolic) -> Comparison:
    if isinstance(target, Labelled) or isinstance(answer, Labelled):
        return _compare_labelled(target, answer, symbolic)
    if isinstance(answer, Relation) or isinstance(target, Relation):
        return _compare_relations(target, answer, symbolic)
    if isinstance(target, Quantity) and isinstance(answer, Quantity):
        return compare_quantities(target, answer)
    if isinstance(target, Text) != isinstance(answer, Text) and not isinstance(target, Quantity):
        target, answer = _in_symbols(target), _in_symbols(answer)
    if isinstance(target, Text) or isinstance(answer, Text):
        return _compare_text(target, answer)
    if isinstance(target, Clock) or isinstance(answer, Clock):
        return compare_clocks(target, answer)
    if isinstance(target, Matrix) or isinstance(answer, Matrix):
        return _compare_matrices(target, answer, symbolic)
    if isinstance(target, Ratio) or isinstance(answer, Ratio):
        return compare_ratios(target, answer, lambda one, other: compare(one, other, symbolic).is_correct)
    if isinstance(target, Union) or isinstance(answer, Union):
        return _compare_unions(target, answer, symbolic)
    if isinstance(target, Collection):
        return _compare_collections(target, answer, symbolic)
    if isinstance(answer, Collection):
        return _one_of_several(target, answer, symbolic)
    return compare_values(target, answer, symbolic)


def _compare_labelled(target: Node, answer: Node, symbolic: Symbolic) -> Comparison:
    if isinstance(target, Labelled) and isinstance(answer, Labelled):
        if _is_turned(target, answer):
            return _ask(target, answer, symbolic)  # AB = CD and CD = AB
        if _labels_conflict(target.label, answer.label):
            return incorrect("label_conflict", target, answer)
        return compare(target.value, answer.value, symbolic)
    if isinstance(target, Labelled):
        if isinstance(answer, Relation) and _is_curve(target):
            return _ask(target, answer, symbolic)
        return compare(target.value, answer, symbolic)
    assert isinstance(answer, Labelled)
    if isinstance(target, Relation):
        return _ask(target, answer, symbolic)
    return compare(target, answer.value, symbolic)


def _is_turned(target: Labelled, answer: Labelled) -> bool:
    """Whether two equations, or inequalities, between names name them the other way round."""
    ends = [node.value.items if isinstance(node.value, Collection) else (node.value,) for node in (target, answer)]
    wanted, given = ({end.text for end in side} for side in ends)
    return target.label in given and answer.label in wanted


def _labels_conflict(target: str, answer: str) -> bool:
    """Whether two labels name different things: two variables, or two functions, of different names."""
    if target == answer or not target or not answer:
        return False
    plain = [
        re.fullmatch(r"([A-Za-z]|\\[a-z]+)(_\w+|_\{[^{}]*\})?'*(\([^()]*\))?", label) for label in (target, answer)
    ]
    if not all(plain):
        return False
    first, second = plain
    assert first is not None
    assert second is not None
    # y = x^2 and f(x) = x^2 name the same curve.
    return bool(first.group(3)) == bool(second.group(3))


def _is_curve(target: Labelled) -> bool:
    return isinstance(target.value, Opaque) and bool(
        re.search(r"(?<![\\a-zA-Z])[a-df-hj-zA-Z](?![a-zA-Z])", target.value.text)
    )


def _compare_relations(target: Node, answer: Node, symbolic: Symbolic) -> Comparison:
    if isinstance(target, Relation) and isinstance(answer, Relation):
        return _ask(target, answer, symbolic)
    if isinstance(target, Relation):
        if isinstance(answer, Collection | Union) and "=" not in target.operators:
            return _ask(target, answer, symbolic)
        return incorrect("relation_expected", target, answer)
    assert isinstance(answer, Relation)
    if "\\ne" in answer.operators:
        return incorrect("negated", target, answer)
    if set(answer.operators) - {"=", "\\approx"}:
        if isinstance(target, Union | Collection):
            return _ask(target, answer, symbolic)
        return incorrect("inequality_for_value", target, answer)
    return _compare_equation(target, answer, symbolic)


def _compare_equation(target: Node, answer: Relation, symbolic: Symbolic) -> Comparison:
    r"""A chain such as `30/5 = 6` is the target if every side is; `421 = 420` and `2x - 6 = 0` are not.

    The last side may be the others rounded: `12\pi \approx 37.7`.
    """
    sides = [side for side in answer.sides if side]
    if len(set(sides)) < 2 or len(sides) > _MAX_SIDES:
        return incorrect("equation_for_value", target, answer)
    if all(compare(target, read(side), symbolic).is_correct for side in reversed(sides)):
        return correct("equal_chain", target, answer)
    if set(answer.operators[:-1]) <= {"="} and answer.operators[-1] == "\\approx":
        *exact, rounded = [read(side) for side in sides]
        if all(compare(target, side, symbolic).is_correct for side in exact) and is_rounded(
            rounded, exact[-1], symbolic
        ):
            return correct("with_approximation", target, answer)
    return incorrect("equation_for_value", target, answer)


def _in_symbols(node: Node) -> Node:
    """`node`, or the symbol that its words are another name of."""
    symbol = SYMBOLS.get(node.words) if isinstance(node, Text) else None
    return node if symbol is None else read(symbol)


def _compare_text(target: Node, answer: Node) -> Comparison:
    one, other = plain_words(target.text), plain_words(answer.text)
    same = one == other or (one in SYMBOLS and SYMBOLS[one] == SYMBOLS.get(other))
    return correct("text", target, answer) if same else incorrect("text", target, answer)


def _compare_matrices(target: Node, answer: Node, symbolic: Symbolic) -> Comparison:
    values = [
        determinant(node) if isinstance(node, Matrix) and node.kind == "determinant" else None
        for node in (target, answer)
    ]
    if any(values):
        wanted, given = (read(value) if value else node for value, node in zip(values, (target, answer), strict=True))
        return compare(wanted, given, symbolic)
    return compare_matrices(target, answer, lambda cell, other: compare(cell, other, symbolic).is_correct)


def _compare_unions(target: Node, answer: Node, symbolic: Symbolic) -> Comparison:
    if isinstance(target, Union) and isinstance(answer, Union):
        return _matched("union", target.parts, answer.parts, target, answer, symbolic)
    if isinstance(target, Union) and isinstance(answer, Collection) and not answer.brackets:
        # x < 3 or x > 5: alternatives of one variable are a union
        parts = [item.value if isinstance(item, Labelled) else item for item in answer.items]
        return _matched("union", target.parts, parts, target, answer, symbolic)
    if isinstance(answer, Union) and isinstance(target, Collection) and not target.brackets:
        parts = [item.value if isinstance(item, Labelled) else item for item in target.items]
        return _matched("union", parts, answer.parts, target, answer, symbolic)
    return incorrect("union", target, answer)


def _compare_collections(target: Collection, answer: Node, symbolic: Symbolic) -> Comparison:
    if isinstance(answer, Collection) and (is_shortened(target) or is_shortened(answer)):
        if target.brackets != answer.brackets and {target.brackets, answer.brackets} != {"", "{}"}:
            return incorrect("brackets", target, answer)
        return compare_progressions(target, answer, symbolic)
    if any("\\ldots" in text or ".." in text for text in (target.text, answer.text)):
        return incorrect("ellipsis", target, answer)
    if not isinstance(answer, Collection):
        if target.brackets == "{}" and len(target.items) == 1:
            return compare(target.items[0], answer, symbolic)
        return incorrect(_name(target), target, answer)
    wanted, given = target.brackets, answer.brackets
    if wanted not in ("", "{}") and given == "":
        wanted = given = "()"  # a bare list for a tuple keeps the tuple's order
    elif wanted == "{}" and given == "":
        given = "{}"
    elif wanted == "" and given in ("{}", "()"):
        wanted = given
    elif {wanted, given} == {"()", "[]"} and len(target.items) > 2:
        wanted = given = "()"  # no interval has three ends
    if wanted != given:
        return incorrect("brackets", target, answer)
    if wanted == "{}":
        return _matched(
            "set", _distinct(target.items, symbolic), _distinct(answer.items, symbolic), target, answer, symbolic
        )
    if wanted == "":
        return _compare_lists(target, answer, symbolic)
    return _in_order(_name(target), target.items, answer.items, target, answer, symbolic)


def _compare_lists(target: Collection, answer: Collection, symbolic: Symbolic) -> Comparison:
    labels = [_distinct_labels(items) for items in (target.items, answer.items)]
    if labels[0] and labels[1]:
        if sorted(labels[0]) != sorted(labels[1]):
            return incorrect("label_conflict", target, answer)
        by_label = dict(zip(labels[1], answer.items, strict=True))
        return _in_order("labels", target.items, [by_label[label] for label in labels[0]], target, answer, symbolic)
    if labels[0]:
        return _in_order("labels", target.items, answer.items, target, answer, symbolic)
    return _matched("list", target.items, answer.items, target, answer, symbolic)


def _distinct_labels(items: Sequence[Node]) -> list[str]:
    """The labels of the items where each has one and they name different things; else empty."""
    labels = [item.label for item in items if isinstance(item, Labelled)]
    names = {label.split("_")[0] for label in labels}
    return labels if len(labels) == len(items) and len(names) == len(items) > 1 else []


def _one_of_several(target: Node, answer: Collection, symbolic: Symbolic) -> Comparison:
    """Several values for one: a hedge, unless they are one value written again, or a decimal comma."""
    if answer.brackets == "{}" and len(answer.items) == 1:
        return compare(target, answer.items[0], symbolic)
    if answer.brackets not in ("", "{}"):
        rule = "inequality" if re.search(r"[<>]|\\[lg]e(?![a-z])", answer.text) else _name(answer)
        return incorrect(f"{rule}_for_value", target, answer)
    if isinstance(target, Quantity) and target.form == "decimal":
        found = re.fullmatch(r"([+-]?\d+),(\d+)", answer.text)
        comma = None if found is None else read(f"{found.group(1)}.{found.group(2)}")
        if isinstance(comma, Quantity) and compare_quantities(target, comma).is_correct:
            return correct("decimal_comma", target, answer)
    rule = "plus_minus" if "\\pm" in answer.text else "hedged"
    return incorrect(rule, target, answer, outcome=Outcome.HEDGED)


def _matched(
    rule: str, wanted: Sequence[Node], given: Sequence[Node], target: Node, answer: Node, symbolic: Symbolic
) -> Comparison:
    """Every part of `wanted` has its own equal in `given`, and none is left over."""
    if len(wanted) != len(given):
        return incorrect(f"{rule}_length", target, answer)
    left = list(given)
    for part in sorted(wanted, key=lambda node: not isinstance(node, Quantity)):
        found = next((other for other in left if other.text == part.text), None)
        if found is None:
            found = next((other for other in left if compare(part, other, symbolic).is_correct), None)
        if found is None:
            return incorrect(rule, target, answer)
        left.remove(found)
    return correct(rule, target, answer)


def _in_order(
    rule: str, wanted: Sequence[Node], given: Sequence[Node], target: Node, answer: Node, symbolic: Symbolic
) -> Comparison:
    if len(wanted) != len(given):
        return incorrect(f"{rule}_length", target, answer)
    for part, other in zip(wanted, given, strict=True):
        if not compare(part, other, symbolic).is_correct:
            return incorrect(rule, target, answer)
    return correct(rule, target, answer)


def _distinct(items: Sequence[Node], symbolic: Symbolic) -> list[Node]:
    kept: list[Node] = []
    for item in items:
        if not any(
            isinstance(other, Quantity) == isinstance(item, Quantity) and compare(other, item, symbolic).is_correct
            for other in kept
        ):
            kept.append(item)
    return kept


def _name(collection: Collection) -> str:
    if collection.brackets in ("", "{}"):
        return "set" if collection.brackets else "list"
    return "tuple" if collection.brackets == "()" else "interval"


def _ask(target: Node, answer: Node, symbolic: Symbolic) -> Comparison:
    result = symbolic(target.text, answer.text)
    return Comparison(Outcome.CORRECT if result.equal else Outcome.INCORRECT, result.rule, result.detail)
