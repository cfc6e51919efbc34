"""The rows of a file and its refusals to rows of step scores, in the order of the file, and such rows read back."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import InputError
from ..rollouts.messages import completion_text
from ..rollouts.records import Rollout
from ..rollouts.refusals import Refusal
from ..verifiers.arguments import whole
from .base import StepRow, StepScore, StepScorer
from .blocks import Span
from .scoring import step_scores
from .steps import Rule, step_spans

__all__ = ["ScoredRow", "ScoredStep", "StepScoresRow", "read_scored_rows", "scored_rows"]


class ScoredRow(NamedTuple):
    """What became of one row of the input.

    Args:
        rollout: as it was read, or its refusal.
        spans: of its steps, in characters of `completion_text(rollout.response)`; None where there is no text.
        scores: one a step; None where there is no text.
    """

    rollout: Rollout | Refusal
    spans: tuple[Span, ...] | None
    scores: list[StepScore] | None

    @property
    def written(self) -> list[dict[str, Any]] | None:
        """The steps as `rewardgate score` writes them; None where there is no text."""
        if self.spans is None or self.scores is None:
            return None
        return [
            {"start": start, "end": end, "score": said.value, "rule": said.rule, "detail": said.detail}
            for (start, end), said in zip(self.spans, self.scores, strict=True)
        ]


def scored_rows(
    rows: Iterable[Rollout | Refusal], scorer: StepScorer, *, split: Rule = "auto", batch: int = 64
) -> Iterator[ScoredRow]:
    """One for each of `rows`, in order.

    Args:
        rows: as `rollouts.reading.read_rows` gives them; consumed lazily, one batch ahead.
        scorer: asked about the rollouts of a batch together. It is not asked about a response without a step.
        split: where steps begin, see `prm.steps.step_spans`.
        batch: rows that are read and scored together.

    Raises:
        ArgumentError: no such rule, a batch below 1, or a scorer that does not answer with one score in [0, 1] or
            None for each step.
    """
    step_spans("", rule=split)
    return _scored(iter(rows), scorer, split, whole("batch", batch, at_least=1))


def _scored(rows: Iterator[Rollout | Refusal], scorer: StepScorer, split: Rule, batch: int) -> Iterator[ScoredRow]:
    while some := list(islice(rows, batch)):
        cut = [_steps(row, split) for row in some]
        questions = [question for _, question in cut if question is not None]
        answers = iter(step_scores(scorer, questions))
        for row, (spans, question) in zip(some, cut, strict=True):
            scores = next(answers) if question is not None else None if spans is None else []
            yield ScoredRow(row, spans, scores)


def _steps(row: Rollout | Refusal, split: Rule) -> tuple[tuple[Span, ...] | None, StepRow | None]:
    """The spans of a row's steps, and what the scorer is asked about them; None where there is nothing to ask."""
    if isinstance(row, Refusal) or row.response is None:
        return None, None
    text = completion_text(row.response)
    spans = step_spans(text, rule=split)
    if not spans:
        return spans, None
    return spans, StepRow(row.prompt or "", tuple(text[start:end] for start, end in spans), row.target)


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ScoredStep(_Frozen):
    """One step of a written row: `[start, end)` in characters of the response, and what was said of it."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    score: float | None = Field(ge=0, le=1, allow_inf_nan=False)
    rule: str
    detail: str


class StepScoresRow(_Frozen):
    """A row as `rewardgate score` writes it: `rollouts.writing.STEP_SCORE_FIELDS`.

    Args:
        row: 0-based number of the row in the file, refused rows counted: the n-th row that `read_rows` gives of the
            rollouts has its scores in the n-th line.
        line: 1-based line in the rollouts.
        steps: None where there was no text to cut.
        problem: why there was none; None where there was.
    """

    row: int
    line: int
    prompt_id: str | None
    steps: tuple[ScoredStep, ...] | None = Field(strict=False)
    problem: str | None
    scorer: str
    version: str

    @property
    def scores(self) -> list[StepScore] | None:
        """As the scorer gave them."""
        steps = self.steps
        return None if steps is None else [StepScore(step.score, step.rule, step.detail) for step in steps]


def read_scored_rows(path: str | Path) -> Iterator[StepScoresRow]:
    """The rows of a file that `rewardgate score` wrote, streamed; beside the rollouts they are read by `zip`.

    Raises:
        InputError: the file cannot be read, or a line of it is no such row.

    Example:
        >>> import tempfile
        >>> step = '{"start": 0, "end": 1, "score": 0.5, "rule": "graded", "detail": ""}'
        >>> row = f'"row": 0, "line": 1, "prompt_id": null, "steps": [{step}], "problem": null'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "scores.jsonl"
        ...     _ = path.write_text(f'{{{row}, "scorer": "mine", "version": "1"}}')
        ...     [one.scores for one in read_scored_rows(path)]
        [[StepScore(value=0.5, rule='graded', detail='')]]
    """
    try:
        with Path(path).open(encoding="utf-8") as file:
            for line, text in enumerate(file, start=1):
                yield _read(path, line, text)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: expected a file of step scores, got: {error}") from error


def _read(path: str | Path, line: int, text: str) -> StepScoresRow:
    try:
        return StepScoresRow.model_validate(json.loads(text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "row"
        raise InputError(f"{path}:{line}: {place}: {first['msg']}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}:{line}: row: expected a JSON object") from None
