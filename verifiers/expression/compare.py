"""Whether an answer is the target, and by which rule.

`compare` walks the two trees together. Numbers are decided here, exactly; everything that is neither a
number nor a structure of numbers goes, as text, to the `symbolic` function that the caller hands in.
"""

import re

from ..base import Outcome
from .clocks import compare_clocks
from .families import compare_families
from .groups import compare_groups
from .matrices import compare_matrices, determinant
from .nodes import SYMBOLS, Clock, Collection, Labelled, Matrix, Node, Opaque, Piecewise, Ratio, Relation, Text, Union
from .normalise import plain_words
from .numbers import Quantity
from .piecewise import compare_pieces
from .quantities import compare_digits, compare_quantities, compare_values, is_rounded
from .ratios import compare_ratios
from .residues import compare_residues
from .results import Comparison, Symbolic, correct, incorrect
from .said import says_the_same
from .several import compare_collections, compare_unions, one_of_several
from .solution_sets import describes_set, same_set
from .structures import read
from .unit_vectors import components

__all__ = ["compare"]

_MAX_SIDES = 8
_OF_ARGUMENT = re.compile(r"(?P<name>[A-Za-z])\((?P<of>[a-z])\)")
_LETTER_OR_COMMAND = re.compile(r"\\[a-zA-Z]+|[a-zA-Z]")


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
    if (by_steps := compare_families(target, answer)) is not None and by_steps.is_correct:
        return by_steps
    if (by_order := compare_groups(target, answer)) is not None:
        return by_order
    target, answer = _as_components(target, answer), _as_components(answer, target)
    return _compare_parts(target, answer, symbolic)


def _as_components(node: Node, other: Node) -> Node:
    """`node` as the tuple of its components, where it is written in unit vectors and `other` is a vector."""
    if not isinstance(node, Opaque):
        return node
    if isinstance(other, Matrix):
        size = max([len(other.rows), *map(len, other.rows)])
    elif isinstance(other, Collection) and other.brackets == "()":
        size = len(other.items)
    else:
        return node
    parts = components(node.text, size)
    return node if parts is None else Collection(tuple(map(read, parts)), "()", node.text)


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
    if isinstance(target, Quantity) and target.base is not None and isinstance(answer, Opaque | Text):
        return incorrect("base", target, answer) if "_" in answer.text else compare_digits(target, answer)
    if isinstance(target, Text) != isinstance(answer, Text) and not isinstance(target, Quantity):
        target, answer = _in_symbols(target), _in_symbols(answer)
    if isinstance(target, Text) or isinstance(answer, Text):
        return _compare_text(target, answer)
    if isinstance(target, Clock) or isinstance(answer, Clock):
        return compare_clocks(target, answer)
    if isinstance(target, Matrix) or isinstance(answer, Matrix):
        return _compare_matrices(target, answer, symbolic)
    if isinstance(target, Piecewise) or isinstance(answer, Piecewise):
        return compare_pieces(target, answer, lambda part, other: compare(part, other, symbolic).is_correct)
    if isinstance(target, Ratio) or isinstance(answer, Ratio):
        return compare_ratios(target, answer, lambda one, other: compare(one, other, symbolic).is_correct)

    def alike(part: Node, other: Node) -> Comparison:
        return compare(part, other, symbolic)

    if isinstance(target, Union) or isinstance(answer, Union):
        return compare_unions(target, answer, alike)
    if isinstance(target, Collection):
        return compare_collections(target, answer, alike)
    if isinstance(answer, Collection):
        return one_of_several(target, answer, alike)
    return compare_values(target, answer, symbolic)


def _compare_labelled(target: Node, answer: Node, symbolic: Symbolic) -> Comparison:
    if isinstance(target, Labelled) and isinstance(answer, Labelled):
        if _is_turned(target, answer):
            return _ask(target, answer, symbolic)  # AB = CD and CD = AB
        answer = _of_the_same_argument(target, answer)
        if _is_solved_for_another(target, answer):
            return _ask(target, answer, symbolic)
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


def _of_the_same_argument(target: Labelled, answer: Labelled) -> Labelled:
    """`f(t) = t^2` as `f(x) = x^2`, where `target` says what `f(x)` is."""
    wanted, given = _OF_ARGUMENT.fullmatch(target.label), _OF_ARGUMENT.fullmatch(answer.label)
    if wanted is None or given is None or wanted["name"] != given["name"] or wanted["of"] == given["of"]:
        return answer
    letters = [found.group() for found in _LETTER_OR_COMMAND.finditer(answer.value.text)]
    if "\\text" in letters or wanted["of"] in letters:
        return answer
    renamed = _LETTER_OR_COMMAND.sub(
        lambda found: wanted["of"] if found.group() == given["of"] else found.group(), answer.value.text
    )
    return Labelled(target.label, read(renamed), answer.text)


def _is_turned(target: Labelled, answer: Labelled) -> bool:
    """Whether two equations, or inequalities, between names name them the other way round."""
    ends = [node.value.items if isinstance(node.value, Collection) else (node.value,) for node in (target, answer)]
    wanted, given = ({end.text for end in side} for side in ends)
    return target.label in given and answer.label in wanted


def _is_solved_for_another(target: Labelled, answer: Labelled) -> bool:
    """Whether one equation between two names is solved for the one, and the other for the other: `m=3n` and `n=m/3`."""
    if target.label == answer.label or not (isinstance(target.value, Opaque) and isinstance(answer.value, Opaque)):
        return False
    wanted, given = (_LETTER_OR_COMMAND.findall(node.value.text) for node in (target, answer))
    return answer.label in wanted and target.label in given and len(target.label) == len(answer.label) == 1


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
    if first.group(1) == second.group(1) and None in (first.group(2), second.group(2)):
        # x_1 and x_2 are two values of x, and y(x) is y.
        return None not in (first.group(3), second.group(3)) and first.group(3) != second.group(3)
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
        if (value := _value_of_chain(target)) is not None:
            return compare(value, answer, symbolic)
        return incorrect("relation_expected", target, answer)
    assert isinstance(answer, Relation)
    if "\\ne" in answer.operators:
        return incorrect("negated", target, answer)
    if set(answer.operators) - {"=", "\\approx"}:
        if isinstance(target, Union | Collection):
            return _ask(target, answer, symbolic)
        return incorrect("inequality_for_value", target, answer)
    return _compare_equation(target, answer, symbolic)


def _value_of_chain(target: Relation) -> Node | None:
    """The value that `36^2 = 1296` computes; None where the sides are not equal numbers."""
    if set(target.operators) != {"="} or len(target.sides) > _MAX_SIDES or not all(target.sides):
        return None
    sides = [side for side in map(read, target.sides) if isinstance(side, Quantity)]
    if len(sides) < len(target.sides):
        return None
    *computed, last = sides
    return last if all(compare_quantities(side, last).is_correct for side in computed) else None


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
    if (
        set(answer.operators) == {"="}
        and len({found for found in _LETTER_OR_COMMAND.findall(sides[0]) if found.isalpha()}) > 1
        and all(compare(target, read(side), symbolic).is_correct for side in sides[1:])
    ):
        return correct("value_of_expression", target, answer)  # m+n = 15
    return incorrect("equation_for_value", target, answer)


def _in_symbols(node: Node) -> Node:
    """`node`, or the symbol that its words are another name of."""
    symbol = SYMBOLS.get(node.words) if isinstance(node, Text) else None
    return node if symbol is None else read(symbol)


def _compare_text(target: Node, answer: Node) -> Comparison:
    one, other = plain_words(target.text), plain_words(answer.text)
    same = one == other or (one in SYMBOLS and SYMBOLS[one] == SYMBOLS.get(other)) or says_the_same(one, other)
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


def _ask(target: Node, answer: Node, symbolic: Symbolic) -> Comparison:
    result = symbolic(target.text, answer.text)
    return Comparison(Outcome.CORRECT if result.equal else Outcome.INCORRECT, result.rule, result.detail)
