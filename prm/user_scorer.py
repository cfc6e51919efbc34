"""What runs inside the worker for a user's own step scorer: finding it, reading its parameters, calling it.

`functions` holds the caller's side. Everything that goes back is plain data.
"""

import inspect
import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from ..verifiers.workers.user_code import named_object
from .base import Prompt, StepRow, StepScore, Target

__all__ = ["describe", "score_rows"]

Asked = tuple[Prompt, tuple[str, ...], Target | None]
Plain = list[Any]
"""Value, rule and detail of a score."""

_ROLES = ("steps", "prompt", "target")


def describe(spec: str, options: str) -> str:
    """The version of the scorer behind `spec`, empty where it has none.

    Raises:
        TypeError: it is neither of what a scorer may be; the message says what it is.
    """
    scorer = _scorer(spec, options)
    return str(getattr(scorer, "version", ""))


def score_rows(spec: str, options: str, rows: Sequence[Asked]) -> list[list[Plain]]:
    """What it says of every step of every row, as plain data."""
    answers = _scorer(spec, options).score([StepRow(prompt, tuple(steps), target) for prompt, steps, target in rows])
    return [[_plain(score) for score in answer] for answer in answers]


class _OfOneRow:
    """A function of one row as a scorer of many."""

    def __init__(self, function: Callable[..., Any], names: Sequence[str]) -> None:
        self._function, self._names = function, names

    def score(self, rows: Sequence[StepRow]) -> list[list[Any]]:
        return [list(self._function(**{name: getattr(row, name) for name in self._names})) for row in rows]


@lru_cache(maxsize=4)
def _scorer(spec: str, options: str) -> Any:
    found, known = named_object(spec), json.loads(options)
    if inspect.isclass(found):
        found = found(**known)
    elif known:
        raise TypeError(f"options {', '.join(known)} of what is no class")
    if hasattr(found, "score"):
        return found
    if not callable(found):
        raise TypeError(f"{type(found).__name__}, which is no function and has no score(rows)")
    return _OfOneRow(found, _names(found))


def _names(function: Callable[..., Any]) -> list[str]:
    """The parameters that are given something."""
    given = []
    for parameter in inspect.signature(function).parameters.values():
        is_by_name = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        if parameter.name in _ROLES and is_by_name:
            given.append(parameter.name)
        elif is_by_name and parameter.default is parameter.empty:
            raise TypeError(f"a function with the parameter {parameter.name}; known: {', '.join(_ROLES)}")
    if "steps" not in given:
        raise TypeError("a function without the parameter steps, and no score(rows)")
    return given


def _plain(score: Any) -> Plain:
    if isinstance(score, StepScore):
        return [None if score.value is None else float(score.value), str(score.rule), str(score.detail)]
    return [None if score is None else float(score), "returned", ""]
