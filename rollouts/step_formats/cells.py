"""Cells of a row of labelled steps, each checked by name: what is refused says which field, what was due, what came."""

import hashlib
import math
from collections.abc import Mapping
from typing import Any

from ..formats.base import Row
from ..refusals import RowRefusedError, clip
from ..values import integer_value, name_value
from .records import NO_ERROR

__all__ = ["digest", "error_index", "flag", "labels_to", "mapping", "name", "scores", "text", "texts"]

SCORE_FIELDS = ("step_scores", "scores")


def text(row: Row, field: str) -> str:
    """A text that may not be missing."""
    found = row.get(field)
    if not isinstance(found, str):
        raise RowRefusedError(field, f"expected text, got {clip(found)}")
    return found


def texts(row: Row, field: str) -> tuple[str, ...]:
    """The steps: a list of texts, at least one. A step may be an object with its `text`, or with its `score` alone."""
    found = row.get(field)
    if not isinstance(found, list) or not found:
        raise RowRefusedError(field, f"expected a list of step texts, got {clip(found)}")
    return tuple(_step_text(step, f"{field}[{number}]") for number, step in enumerate(found))


def _step_text(step: object, field: str) -> str:
    said = step
    if isinstance(step, Mapping):
        said = step.get("text", "" if "score" in step else None)
    if not isinstance(said, str):
        raise RowRefusedError(field, f"expected text, got {clip(step)}")
    return said


def mapping(found: object, field: str) -> Mapping[str, Any]:
    """An object that may not be missing."""
    if not isinstance(found, Mapping):
        raise RowRefusedError(field, f"expected an object, got {clip(found)}")
    return found


def error_index(found: object, field: str, *, base: int, n_steps: int) -> int:
    """A step by its number, 0-based whatever the file counts from.

    Args:
        found: a whole number, also as text or as a float of a table.
        base: what the file calls the first step, 0 or 1.
        n_steps: how many there are.
    """
    number = integer_value(found)
    if number is None or not base <= number < n_steps + base:
        raise RowRefusedError(field, f"expected a step {base}..{n_steps - 1 + base}, got {clip(found)}")
    return number - base


def labels_to(first_error: int, n_steps: int) -> tuple[bool | None, ...]:
    """(S,) labels where the first error alone is marked: right before it, nobody knows behind it.

    Example:
        >>> labels_to(1, 3), labels_to(-1, 2)
        ((True, False, None), (True, True))
    """
    if first_error == NO_ERROR:
        return (True,) * n_steps
    return (*[True] * first_error, False, *[None] * (n_steps - first_error - 1))


def flag(found: object, field: str) -> bool | None:
    """Whether something is so; None where the file does not say."""
    if found is None or (isinstance(found, float) and math.isnan(found)):
        return None
    if isinstance(found, bool):
        return found
    if isinstance(found, int | float) and found in (0, 1):
        return bool(found)
    if isinstance(found, str) and (word := found.strip().lower()) in _WORDS:
        return _WORDS[word]
    raise RowRefusedError(field, f"expected true, false or null, got {clip(found)}")


_WORDS = {"true": True, "correct": True, "right": True, "false": False, "wrong": False, "incorrect": False}


def scores(row: Row, n_steps: int) -> tuple[float | None, ...] | None:
    """The scores that somebody left in the row, or in its steps: numbers or nulls, or objects with a `value`.

    None where there are none.
    """
    field = next((name for name in SCORE_FIELDS if row.get(name) is not None), None)
    if field is None:
        steps = row.get("steps")
        if not isinstance(steps, list) or not any(isinstance(step, Mapping) and "score" in step for step in steps):
            return None
        of_steps = [step.get("score") if isinstance(step, Mapping) else None for step in steps]
        return tuple(_score(one, f"steps[{number}].score") for number, one in enumerate(of_steps))
    found = row[field]
    if not isinstance(found, list) or len(found) != n_steps:
        raise RowRefusedError(field, f"expected a list of one score a step ({n_steps}), got {clip(found)}")
    return tuple(_score(one, f"{field}[{number}]") for number, one in enumerate(found))


def _score(found: object, field: str) -> float | None:
    if isinstance(found, Mapping):
        found = found.get("value")
    if found is None or (isinstance(found, float) and math.isnan(found)):
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= 1:
        raise RowRefusedError(field, f"expected a number in [0, 1] or null, got {clip(found)}")
    return float(found)


def name(row: Row, *fields: str) -> str:
    """The first of `fields` that names something, in the row or in its `meta`; empty where none does."""
    meta = row.get("meta")
    for place in (row, meta if isinstance(meta, Mapping) else {}):
        for field in fields:
            if (found := name_value(place.get(field))) is not None:
                return found
    return ""


def digest(problem: str) -> str:
    """What stands for a problem without an id: its text, without regard to white space."""
    return hashlib.sha1(" ".join(problem.split()).encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
