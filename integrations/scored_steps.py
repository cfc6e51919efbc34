"""Completions as token ids -> the scores of their steps, and the step of every token, ready for `grpo.gate`.

The text that is cut and scored is read from the ids themselves, so that every step lies on its own tokens whatever
the host decoded, stripped or parsed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..prm.base import Prompt, StepRow, StepScorer, Target
from ..prm.scoring import score_values, step_scores
from ..prm.spans import step_ids
from ..prm.steps import Rule, step_spans
from ..prm.token_bytes import token_bytes

__all__ = ["CompletionIds", "ScoredSteps", "padded", "scored_steps", "unscored_steps", "without_masked_steps"]

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
    rows: Sequence[CompletionIds],
    is_open: Sequence[bool],
    mask: BoolArray,
    *,
    tokenizer: Any,
    scorer: StepScorer,
    split: Rule = "auto",
) -> list[ScoredSteps]:
    """The steps of every row; `scorer` is asked once, about the open rows with a token that counts.

    Args:
        rows: B completions.
        is_open: (B,) True marks the rows whose steps are wanted.
        mask: (B, T) True = counts; False where a completion is shorter than T. What does not count (a tool's
            answer) is cut into steps of its own, which the scorer sees and which are left without a score.
        tokenizer: as in `prm.token_bytes`.
        scorer: what scores the steps.
        split: where steps begin, see `prm.steps.step_spans`.

    Raises:
        ArgumentError: a tokenizer of no known kind, or a scorer that does not answer with one score in [0, 1] or
            None for each step.
    """
    step_rows: list[StepRow] = []
    step_of_token: dict[int, IntArray] = {}  # of the rows asked about, in order
    for number, row in enumerate(rows):
        if not is_open[number] or not mask[number].any():
            continue
        pieces = token_bytes(tokenizer, row.ids)
        texts, steps = _steps(pieces, mask[number, : len(pieces)], split)
        step_rows.append(StepRow(row.prompt, tuple(texts), row.target))
        step_of_token[number] = np.full(mask.shape[1], -1)
        step_of_token[number][: len(pieces)] = steps
    found = unscored_steps(mask)
    for (number, steps), scores in zip(step_of_token.items(), step_scores(scorer, step_rows), strict=True):
        values = without_masked_steps(np.array(score_values(scores)), steps, mask[number])
        found[number] = ScoredSteps(values, steps, mask[number])
    return found


def _steps(pieces: Sequence[bytes | None], mask: BoolArray, split: Rule) -> tuple[list[str], IntArray]:
    """The texts of a completion's steps, and the step (T,) of each of its tokens.

    No step has words of the policy and of a tool: an error of the tool would be charged to the call before it.
    """
    texts: list[str] = []
    steps = np.full(len(pieces), -1)
    turns = [0, *(np.flatnonzero(mask[1:] != mask[:-1]) + 1).tolist(), len(pieces)]
    for start, end in pairwise(turns):
        said = b"".join(piece for piece in pieces[start:end] if piece is not None).decode("utf-8", "replace")
        spans = step_spans(said, rule=split)
        found = step_ids(said, spans, pieces[start:end])
        steps[start:end] = np.where(found < 0, -1, found + len(texts))
        texts += [said[first:last] for first, last in spans]
    return texts, steps


def unscored_steps(mask: BoolArray) -> list[ScoredSteps]:
    """What stands for rows (B, T) whose steps nobody was asked about."""
    return [ScoredSteps(np.empty(0), np.full(mask.shape[1], -1), row) for row in mask]


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


def without_masked_steps(values: FloatArray, steps: IntArray, mask: BoolArray) -> FloatArray:
    """The scores (S,) with NaN for the steps with tokens of which none counts.

    A step that begins and ends inside a token of the step before has no token, and keeps its score.

    Args:
        values: (S,) scores.
        steps: (T,) the step of each token, -1 = none.
        mask: (T,) True = counts.
    """
    tokens, counted = (np.bincount(kept[kept >= 0], minlength=len(values)) for kept in (steps, steps[mask]))
    return np.where((tokens > 0) & (counted == 0), np.nan, values)
