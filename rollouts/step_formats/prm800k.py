"""PRM800K: a tree of rated completions, from which the one solution is taken that its labeller went on with.

Of each step that is the chosen completion, or the one that the labeller wrote instead. Where neither is there the
labeller stopped, and the step is the first completion that was rated wrong.
"""

from collections.abc import Mapping
from typing import Any

from ..formats.base import Row
from ..records import Source
from ..refusals import RowRefusedError, clip
from ..values import integer_value, name_value
from .cells import digest, mapping, scores, text
from .records import NO_ERROR, StepTrace

__all__ = ["is_prm800k", "prm800k_traces"]

_RATINGS = {-1: False, 0: True, 1: True}
"""A neutral step is marked neither way; that it counts as right is ours."""


def is_prm800k(row: Row) -> bool:
    """Whether the row is a labelled tree."""
    label, question = row.get("label"), row.get("question")
    return isinstance(label, Mapping) and isinstance(label.get("steps"), list) and isinstance(question, Mapping)


def prm800k_traces(row: Row, place: Source) -> list[StepTrace]:
    """The solution of a labelled tree.

    Raises:
        RowRefusedError: the problem was given up as bad, or no step is there to take.
    """
    label, question = mapping(row.get("label"), "label"), mapping(row.get("question"), "question")
    if label.get("finish_reason") == "bad_problem":
        raise RowRefusedError("label.finish_reason", 'expected a labelled solution, got "bad_problem"')
    taken: list[tuple[str, bool | None]] = []
    for number, step in enumerate(label["steps"]):
        found = _taken(mapping(step, f"label.steps[{number}]"), f"label.steps[{number}]")
        if found is None:
            break
        taken.append(found)
    if not taken:
        raise RowRefusedError("label.steps", f"expected a step that was chosen or rated, got {clip(label['steps'])}")
    steps, labels = tuple(one for one, _ in taken), tuple(rated for _, rated in taken)
    problem = text(question, "problem")
    target = name_value(question.get("ground_truth_answer"))
    return [
        StepTrace(
            id=str(place),
            problem_id=digest(problem),
            problem=problem,
            steps=steps,
            labels=labels,
            first_error=_first_error(labels),
            final_correct=None,
            target=target,
            scores=scores(row, len(steps)),
            source="prm800k",
            difficulty=name_value(question.get("level")) or "",
            place=place,
        )
    ]


def _first_error(labels: tuple[bool | None, ...]) -> int | None:
    """None where a step that nobody rated may be an earlier error."""
    first = labels.index(False) if False in labels else len(labels)
    if None in labels[:first]:
        return None
    return first if first < len(labels) else NO_ERROR


def _taken(step: Mapping[str, Any], field: str) -> tuple[str, bool | None] | None:
    """The text of a step and whether it is right; None where the labeller stopped without one."""
    completions = step.get("completions") or []
    chosen = step.get("chosen_completion")
    if chosen is not None:
        number = integer_value(chosen)
        if number is None or not 0 <= number < len(completions):
            wanted = f"expected null or a completion 0..{len(completions) - 1}"
            raise RowRefusedError(f"{field}.chosen_completion", f"{wanted}, got {clip(chosen)}")
        return _rated(completions[number], f"{field}.completions[{number}]")
    human = step.get("human_completion")
    if human is not None:
        # Written by the labeller to go on with; nobody rated it, and nobody writes a wrong step on purpose.
        return text(mapping(human, f"{field}.human_completion"), "text"), True
    rated = [_rated(one, f"{field}.completions[{number}]") for number, one in enumerate(completions)]
    return next((one for one in rated if one[1] is False), None)


def _rated(completion: object, field: str) -> tuple[str, bool | None]:
    found = mapping(completion, field)
    rating = found.get("rating")
    if rating is None or rating != rating:
        return text(found, "text"), None
    number = integer_value(rating)
    if number not in _RATINGS:
        raise RowRefusedError(f"{field}.rating", f"expected -1, 0, 1 or null, got {clip(rating)}")
    return text(found, "text"), _RATINGS[number]
