"""The milestones that a target carries: intermediate values, some of them by name.

The target is a mapping with `milestones`, beside whatever the outcome verifier reads of it, or a list of milestones:

    {"answer": "24", "milestones": [{"name": "pens left", "value": "12", "unit": "pens"}, {"value": "1/2"}]}
    {"answer": "24", "milestones": {"pens left": "12"}}
    [{"name": "pens left", "value": 12}]

A unit or a name may be left out. A list of texts is one of answers, and holds no milestone.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ...verifiers.base import Outcome
from ...verifiers.expression.arithmetic import CostlyError
from ...verifiers.expression.compare import compare
from ...verifiers.expression.nodes import Node, Text
from ...verifiers.expression.normalise import normalise
from ...verifiers.expression.results import SymbolicError, SymbolicResult, shown
from ...verifiers.expression.structures import read
from ...verifiers.probed import probed
from ...verifiers.target_texts import target_texts
from ...verifiers.targets import is_too_long
from ..arithmetic.operands import Operand
from ..base import Target
from .stated import number_in

__all__ = ["MAX_MILESTONES", "Milestone", "UnreadableTargetError", "milestones_of"]

MAX_MILESTONES = 100
"""Milestones of one target; more are a mistake in it."""

_MAX_NAME = 100
_WORD = re.compile(r"\w+")


class Milestone(NamedTuple):
    """One value of a target: how it is shown, its unit, the number that it is, and what finds its name."""

    text: str
    unit: str
    number: Operand | None
    name: str
    named: re.Pattern[str] | None

    def is_expression(self, text: str) -> bool:
        """Whether `text` is the value, by our own parser and without a symbolic stage."""
        try:
            return compare(_node(self.text), _node(text), probed(_unasked)).is_correct
        except (CostlyError, SymbolicError):
            return False

    @property
    def shown(self) -> str:
        value = f"{self.text} {self.unit}".strip()
        return shown(f"{self.name} = {value}" if self.name else value)


class UnreadableTargetError(ValueError):
    """A milestone that cannot be read: the caller's fault."""


def milestones_of(target: Target | None) -> list[Milestone]:
    """The milestones of `target`, none where it carries none.

    Raises:
        UnreadableTargetError: there are too many, or one of them has a value that is none, or a name without words.

    Example:
        >>> [one.shown for one in milestones_of({"milestones": [{"name": "pens left", "value": 12}, "1/2"]})]
        ['pens left = 12', '1/2']
    """
    return [_milestone(*one) for one in _given(target)]


def _given(target: Target | None) -> Iterator[tuple[Any, str, str]]:
    """(value, name, unit) of every milestone of a target."""
    if isinstance(target, Mapping):
        given = target.get("milestones", ())
    elif isinstance(target, Sequence) and not isinstance(target, str):
        # A list of texts is one of answers.
        given = [one for one in target if isinstance(one, Mapping)]
    else:
        return
    if isinstance(given, Mapping):
        given = [{"name": name, "value": value} for name, value in given.items()]
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise UnreadableTargetError(f"milestones: expected a list or a mapping of names to values, got {shown(given)}")
    if len(given) > MAX_MILESTONES:
        raise UnreadableTargetError(f"milestones: expected at most {MAX_MILESTONES}, got {len(given)}")
    for one in given:
        if not isinstance(one, Mapping):
            yield one, "", ""
            continue
        fields: dict[str, Any] = dict(one)
        if "value" not in fields:
            raise UnreadableTargetError(f"milestones: expected a value in each, got {shown(fields)}")
        yield fields["value"], str(fields.get("name") or ""), str(fields.get("unit") or "")


def _milestone(value: Any, name: str, unit: str) -> Milestone:
    texts = [] if isinstance(value, Mapping | list | tuple) else target_texts(value)
    return _read_milestone(texts[0] if texts else shown(value), name, unit)


@lru_cache(maxsize=4096)
def _read_milestone(text: str, name: str, unit: str) -> Milestone:
    number = number_in(f"{text} {unit}".strip().strip("$")) or number_in(text)
    if number is None and not _is_readable(text):
        raise UnreadableTargetError(f"milestones: expected a number or an expression as value, got {shown(text)!r}")
    words = _WORD.findall(name)
    if len(name) > _MAX_NAME or (name.strip() and not words):
        raise UnreadableTargetError(
            f"milestones: expected a name of words, at most {_MAX_NAME} characters, got {shown(name)!r}"
        )
    return Milestone(text, unit, number, " ".join(words), _name_pattern(words))


def _is_readable(text: str) -> bool:
    try:
        return not isinstance(_node(text), Text)
    except CostlyError:
        return False


@lru_cache(maxsize=4096)
def _node(text: str) -> Node:
    normalised = normalise(text)
    if is_too_long(normalised):
        raise CostlyError(f"an expression of {len(normalised)} characters")
    return read(normalised)


def _unasked(target: str, answer: str) -> SymbolicResult:
    raise SymbolicError(Outcome.UNSUPPORTED, "not_asked", f"{target} and {answer} are not compared")


def _name_pattern(words: Sequence[str]) -> re.Pattern[str] | None:
    if not words:
        return None
    name = r"[\s_*-]{1,3}".join(map(re.escape, words))
    return re.compile(rf"(?<!\w){name}(?!\w)", re.IGNORECASE)
