"""Completions as token ids -> the scores of their steps, and the step of every token, ready for `grpo.gate`.

The text that is cut and scored is read from the ids themselves, so that every step lies on its own tokens whatever
the host decoded, stripped or parsed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..prm.base import Prompt, StepRow, StepScorer, Target
from ..prm.spans import step_ids, token_bytes
from ..prm.steps import step_spans

__all__ = ["CompletionIds", "ScoredSteps", "padded", "scored_steps"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


class CompletionIds(NamedTuple):
    """A completion as the host generated it: what was asked, what is right (None = unknown), its T token ids."""

    prompt: Prompt
    target: Target | None
    ids: Sequence[int]


@dataclass(frozen=True, slots=True, eq=False)
class ScoredSteps:
    """One completion.

    Args:
        values: (S,) scores of its steps, NaN = not scored; (0,) where the scorer was not asked.
        step_ids: (T,) the step of each token, -1 = none.
        mask: (T,) True = counts.
    """

    values: FloatArray
    step_ids: IntArray
    mask: BoolArray


def scored_steps(
    rows: Sequence[CompletionIds], is_open: Sequence[bool], mask: BoolArray, *, tokenizer: Any, scorer: StepScorer
) -> list[ScoredSteps]:
    """The steps of every row; `scorer` is asked once, about the open rows with a token that counts.

    Args:
        rows: B completions.
        is_open: (B,) True marks the rows whose steps are wanted.
        mask: (B, T) True = counts; rows longer than their completion are padding there. A step without a token
            that counts (a tool's answer) is left without a score.
        tokenizer: as in `prm.spans.token_bytes`.
        scorer: what scores the steps.

    Raises:
        ArgumentError: a tokenizer of no known kind, or a scorer that does not give each step one score.
    """
    asked: list[int] = []
    step_rows: list[StepRow] = []
    found = [ScoredSteps(np.empty(0), np.full(len(row_mask), -1), row_mask) for row_mask in mask]
    for number, (row, row_is_open) in enumerate(zip(rows, is_open, strict=True)):
        if not row_is_open or not mask[number].any():
            continue
        pieces = token_bytes(tokenizer, row.ids)
        text = b"".join(piece for piece in pieces if piece is not None).decode("utf-8", "replace")
        spans = step_spans(text)
        found[number].step_ids[: len(row.ids)] = step_ids(text, spans, pieces)
        step_rows.append(StepRow(row.prompt, tuple(text[start:end] for start, end in spans), row.target))
        asked.append(number)
    scores = scorer.score(step_rows) if step_rows else []
    if [len(of_row) for of_row in scores] != [len(row.steps) for row in step_rows]:
        raise ArgumentError(
            f"step scorer: expected one score a step of each row ({[len(row.steps) for row in step_rows]}), got "
            f"{[len(of_row) for of_row in scores]} from {type(scorer).__name__}"
        )
    for number, of_row in zip(asked, scores, strict=True):
        values = np.array([np.nan if score.value is None else score.value for score in of_row])
        steps = found[number]
        counted = steps.step_ids[steps.mask & (steps.step_ids >= 0)]
        values[np.bincount(counted, minlength=len(values)) == 0] = np.nan
        found[number] = ScoredSteps(values, steps.step_ids, steps.mask)
    return found


def padded(rows: Sequence[ScoredSteps]) -> tuple[FloatArray, IntArray, BoolArray]:
    """Rows of any number of steps and tokens as step_rewards (B, S), step_ids (B, T) and completion_mask (B, T).

    Example:
        >>> short = ScoredSteps(np.array([1.0]), np.array([0]), np.array([True]))
        >>> longer = ScoredSteps(np.array([1.0, 0.0]), np.array([0, 1]), np.array([True, True]))
        >>> for array in padded([short, longer]):
        ...     print(array.tolist())
        [[1.0, nan], [1.0, 0.0]]
        [[0, -1], [0, 1]]
        [[True, False], [True, True]]
    """
    n_steps = max((len(row.values) for row in rows), default=0)
    n_tokens = max((len(row.mask) for row in rows), default=0)
    step_rewards = np.full((len(rows), n_steps), np.nan)
    ids = np.full((len(rows), n_tokens), -1, dtype=np.int64)
    mask = np.zeros((len(rows), n_tokens), dtype=bool)
    for number, row in enumerate(rows):
        step_rewards[number, : len(row.values)] = row.values
        ids[number, : len(row.step_ids)] = row.step_ids
        mask[number, : len(row.mask)] = row.mask
    return step_rewards, ids, mask
