"""The layouts in which step labels are published: by which fields each is known, and what it counts steps from.

layout       known by                          an error is                               counted from
processbench steps, label                      label, -1 = none                          0
cases        steps, first_error                first_error, -1 = none                    0
mistake      steps, mistake_index              mistake_index, null = none                0
prmbench     modified_process, error_steps     every one of error_steps                  1
mr_gsm8k     model_output_steps                …_first_error_step, "N/A" = none          1
prm800k      label.steps of completions        a completion rated -1                     –
scored       steps, step_scores                nobody said; the final answer may be known
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..formats.base import Row
from ..records import Source
from ..refusals import RowRefusedError, clip
from .cells import digest, error_index, flag, labels_to, name, scores, text, texts
from .prm800k import is_prm800k, prm800k_traces
from .records import NO_ERROR, StepTrace

__all__ = ["LAYOUTS", "StepLayout"]


@dataclass(frozen=True, slots=True)
class StepLayout:
    """One layout.

    Args:
        name: what it is called.
        fits: whether a row is of it.
        traces: the solutions of a row; raises `RowRefusedError`.
        errors: how it marks errors, for a person.
    """

    name: str
    fits: Callable[[Row], bool]
    traces: Callable[[Row, Source], list[StepTrace]]
    errors: str


def _has(*fields: str) -> Callable[[Row], bool]:
    return lambda row: all(field in row for field in fields)


def _processbench(row: Row, place: Source) -> list[StepTrace]:
    found = row.get("label")
    trace_id = name(row, "id")
    # The part of the benchmark stands in the id: gsm8k-0, math-12, olympiadbench-3, omnimath-7.
    part = trace_id.rpartition("-")[0] if trace_id.rpartition("-")[2].isdigit() else ""
    return [_first_error_trace(row, place, found, "label", source=name(row, "source", "split", "dataset") or part)]


def _cases(row: Row, place: Source) -> list[StepTrace]:
    return [_first_error_trace(row, place, row.get("first_error"), "first_error")]


def _mistake(row: Row, place: Source) -> list[StepTrace]:
    steps, found = texts(row, "steps"), row.get("mistake_index")
    # A table turns a column of numbers and nulls into floats and NaN.
    first = NO_ERROR if found is None or found != found else _index(found, "mistake_index", 0, len(steps))
    answer, target = row.get("answer"), row.get("target")
    final = answer.strip() == target.strip() if isinstance(answer, str) and isinstance(target, str) else None
    return [
        _trace(
            row,
            place,
            problem=text(row, "input"),
            steps=steps,
            first_error=first,
            final_correct=final,
            target=target if isinstance(target, str) else None,
        )
    ]


def _mr_gsm8k(row: Row, place: Source) -> list[StepTrace]:
    field = "model_output_solution_first_error_step"
    steps, found = texts(row, "model_output_steps"), row.get(field)
    is_correct = flag(row.get("model_output_solution_correctness"), "model_output_solution_correctness")
    if is_correct is None:
        raise RowRefusedError("model_output_solution_correctness", "expected correct or wrong, got null")
    first = NO_ERROR if is_correct else _index(found, field, 1, len(steps))
    if is_correct and str(found).strip().upper() not in ("N/A", "NONE", "", "NAN"):
        raise RowRefusedError(field, f'expected "N/A" in a correct solution, got {clip(found)}')
    final = flag(row.get("model_output_answer_correctness"), "model_output_answer_correctness")
    source = name(row, "source", "question_type")
    return [
        _trace(
            row,
            place,
            problem=text(row, "question"),
            steps=steps,
            first_error=first,
            final_correct=final,
            target=name(row, "ground_truth_answer") or None,
            source=source,
        )
    ]


_NO_ERROR_AT_ALL = "multi_solutions"
_NOT_WRONG = "redundency"
"""A redundant step is not a wrong one; the data set spells it so."""


def _prmbench(row: Row, place: Source) -> list[StepTrace]:
    kind = name(row, "classification")
    if kind in (_NOT_WRONG, "redundancy"):
        raise RowRefusedError("classification", f"expected an error that makes a step wrong, got {clip(kind)}")
    found, steps = row.get("error_steps"), texts(row, "modified_process")
    if not isinstance(found, list):
        raise RowRefusedError("error_steps", f"expected a list of steps, got {clip(found)}")
    wrong = {_index(one, f"error_steps[{number}]", 1, len(steps)) for number, one in enumerate(found)}
    if not wrong and kind != _NO_ERROR_AT_ALL:
        raise RowRefusedError("error_steps", f"expected at least one step for {clip(kind)}, got []")
    problem = text(row, "modified_question") if row.get("modified_question") else text(row, "question")
    return [
        _trace(
            row,
            place,
            problem=problem,
            steps=steps,
            first_error=min(wrong, default=NO_ERROR),
            labels=tuple(step not in wrong for step in range(len(steps))),
            source=f"prmbench-{kind}" if kind else "prmbench",
        )
    ]


def _scored(row: Row, place: Source) -> list[StepTrace]:
    steps = texts(row, "steps")
    return [_trace(row, place, problem=_problem(row), steps=steps, first_error=None, final_correct=_final(row))]


def _first_error_trace(row: Row, place: Source, found: object, field: str, *, source: str = "") -> StepTrace:
    steps = texts(row, "steps")
    first = NO_ERROR if found in (-1, "-1") else _index(found, field, 0, len(steps))
    return _trace(
        row,
        place,
        problem=_problem(row),
        steps=steps,
        first_error=first,
        final_correct=_final(row),
        target=name(row, "gold", "target") or None,
        source=source,
    )


def _index(found: object, field: str, base: int, n_steps: int) -> int:
    return error_index(found, field, base=base, n_steps=n_steps)


def _final(row: Row) -> bool | None:
    field = "final_answer_correct" if "final_answer_correct" in row else "final_correct"
    return flag(row.get(field), field)


def _problem(row: Row) -> str:
    return next((row[field] for field in ("problem", "question", "prompt") if isinstance(row.get(field), str)), "")


def _trace(
    row: Row,
    place: Source,
    *,
    problem: str,
    steps: tuple[str, ...],
    first_error: int | None,
    labels: tuple[bool | None, ...] | None = None,
    final_correct: bool | None = None,
    target: str | None = None,
    source: str = "",
) -> StepTrace:
    if labels is None:
        labels = (None,) * len(steps) if first_error is None else labels_to(first_error, len(steps))
    trace_id = name(row, "id", "uuid", "idx") or str(place)
    return StepTrace(
        id=trace_id,
        problem_id=name(row, "problem_id") or (digest(problem) if problem else trace_id),
        problem=problem,
        steps=steps,
        labels=labels,
        first_error=first_error,
        final_correct=final_correct,
        target=target,
        scores=scores(row, len(steps)),
        source=source or name(row, "source", "dataset"),
        difficulty=name(row, "difficulty", "level"),
        place=place,
    )


def _is_processbench(row: Row) -> bool:
    return isinstance(row.get("steps"), list) and "label" in row and not isinstance(row["label"], Mapping)


def _is_scored(row: Row) -> bool:
    truths = ("final_correct", "final_answer_correct")
    return isinstance(row.get("steps"), list) and ("step_scores" in row or any(truth in row for truth in truths))


LAYOUTS: tuple[StepLayout, ...] = (
    StepLayout("prm800k", is_prm800k, prm800k_traces, "completions rated -1; neutral ones (0) count as right"),
    StepLayout("prmbench", _has("modified_process", "error_steps"), _prmbench, "error_steps, counted from 1"),
    StepLayout(
        "mr_gsm8k",
        _has("model_output_steps", "model_output_solution_first_error_step"),
        _mr_gsm8k,
        "model_output_solution_first_error_step, counted from 1",
    ),
    StepLayout("mistake", _has("steps", "mistake_index"), _mistake, "mistake_index, counted from 0, null = none"),
    StepLayout("cases", _has("steps", "first_error"), _cases, "first_error, counted from 0, -1 = none"),
    StepLayout("processbench", _is_processbench, _processbench, "label, counted from 0, -1 = none"),
    StepLayout("scored", _is_scored, _scored, "nothing: no step is labelled, though final answers may be"),
)
"""Every layout, in the order in which they are asked: the more particular first."""
