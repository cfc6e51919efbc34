r"""Lists that leave out their middle or their end: `1, 2, \ldots, 10` and `1, 3, 5, \ldots`."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from .nodes import Collection, Node
from .numbers import Quantity, as_fraction
from .results import Comparison, correct, incorrect

__all__ = ["compare_progressions", "is_shortened"]

_ELLIPSES = ("\\ldots", "..", "...")
_MOST_TERMS = 1_000


@dataclass(frozen=True, slots=True)
class _Progression:
    """An arithmetic one; `last` is None where it goes on for ever, and a node where it is no number."""

    first: Fraction
    step: Fraction
    last: Node | None

    def terms(self) -> list[Fraction] | None:
        """All of them, where they are few."""
        end = _number(self.last)
        if end is None or (end - self.first) % self.step or not 0 <= (end - self.first) / self.step < _MOST_TERMS:
            return None
        return [self.first + self.step * index for index in range(int((end - self.first) / self.step) + 1)]


def is_shortened(collection: Collection) -> bool:
    """Whether an ellipsis stands among its items."""
    return any(item.text.strip() in _ELLIPSES for item in collection.items)


def compare_progressions(target: Collection, answer: Collection, alike: Callable[[Node, Node], bool]) -> Comparison:
    """Two lists of which one is shortened: the same where both are one arithmetic progression, to the same end.

    `alike` judges ends that are no numbers.
    """
    wanted, given = _read(target), _read(answer)
    if wanted is None or given is None:
        same = _written_out(target, answer, wanted, given)
    elif (wanted.first, wanted.step) != (given.first, given.step):
        same = False
    elif wanted.last is None or given.last is None:
        same = wanted.last is given.last
    else:
        same = wanted.last.text == given.last.text or _same_end(wanted.last, given.last, alike)
    return (correct if same else incorrect)("progression", target, answer)


def _same_end(target: Node, answer: Node, alike: Callable[[Node, Node], bool]) -> bool:
    one, other = _number(target), _number(answer)
    return one == other if one is not None and other is not None else alike(target, answer)


def _written_out(
    target: Collection, answer: Collection, wanted: _Progression | None, given: _Progression | None
) -> bool:
    """Whether one of them is the other, all of whose terms are written."""
    short, whole = (wanted, answer) if given is None else (given, target)
    terms = None if short is None else short.terms()
    return terms is not None and terms == [_number(item) for item in whole.items]


def _read(collection: Collection) -> _Progression | None:
    gaps = [index for index, item in enumerate(collection.items) if item.text.strip() in _ELLIPSES]
    if len(gaps) != 1 or gaps[0] < 2:
        return None
    shown = [_number(item) for item in collection.items[: gaps[0]]]
    known = [value for value in shown if value is not None]
    steps = {later - earlier for earlier, later in pairwise(known)}
    if len(known) < len(shown) or len(steps) != 1 or not (step := steps.pop()):
        return None
    behind = collection.items[gaps[0] + 1 :]
    after = [_number(item) for item in behind]
    if any(value is not None and (value - known[0]) % step for value in after):
        return None
    return _Progression(known[0], step, behind[-1] if behind else None)


def _number(node: Node | None) -> Fraction | None:
    return as_fraction(node.value) if isinstance(node, Quantity) and node.unit is None else None
