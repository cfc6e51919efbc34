"""Scored steps in few bytes, where they travel: neighbouring tokens of one step become one run.

As a text for hosts between whose reward and whose advantages only plain values travel, and that average every other
value which they find beside a reward; as arrays between the processes of one training, of which each needs all rows.
"""

import json
import math
from itertools import groupby
from typing import NamedTuple

import numpy as np

from .scored_steps import FloatArray, IntArray, ScoredSteps, without_masked_steps

__all__ = ["NO_STEPS", "PackedSteps", "packed", "steps_of_text", "text_of_steps", "unpacked"]

NO_STEPS = ""
"""Stands for a completion that no step scorer was asked about."""


def text_of_steps(steps: ScoredSteps) -> str:
    """The scores, null = not scored, and the runs of tokens of one step, as [step, tokens].

    Example:
        >>> ids = np.array([0, 0, 0, 1, -1])
        >>> text_of_steps(ScoredSteps(np.array([1.0, np.nan]), ids, ids > -2))
        '{"scores":[1.0,null],"runs":[[0,3],[1,1],[-1,1]]}'
    """
    scores = [None if math.isnan(value) else value for value in steps.values.tolist()]
    runs = [[step, sum(1 for _ in tokens)] for step, tokens in groupby(steps.step_ids.tolist())]
    return json.dumps({"scores": scores, "runs": runs}, separators=(",", ":"))


def steps_of_text(text: str, mask: "np.ndarray") -> ScoredSteps:
    """The steps that `text_of_steps` wrote, under the mask (T,) of the tokens that count.

    Tokens beyond those of the text belong to no step. A step of whose tokens none counts is left without a score.

    Example:
        >>> steps_of_text('{"scores":[1.0],"runs":[[0,2]]}', np.array([True, True, False])).step_ids.tolist()
        [0, 0, -1]
    """
    step_ids = np.full(len(mask), -1)
    if text == NO_STEPS:
        return ScoredSteps(np.empty(0), step_ids, mask)
    said = json.loads(text)
    steps, tokens = np.array(said["runs"], dtype=np.int64).reshape(-1, 2).T
    spread = np.repeat(steps, tokens)[: len(mask)]
    step_ids[: len(spread)] = spread
    values = np.array([math.nan if score is None else score for score in said["scores"]], dtype=np.float64)
    return ScoredSteps(without_masked_steps(values, step_ids, mask), step_ids, mask)


class PackedSteps(NamedTuple):
    """A completion's scores (S,), and its tokens as R runs: `[step, 1 = counts, tokens]` each, (R, 3)."""

    values: FloatArray
    runs: IntArray


def packed(row: ScoredSteps) -> PackedSteps:
    """`row` without what its tokens repeat; `unpacked` is its inverse.

    Example:
        >>> ids = np.array([0, 0, 0, 1, -1])
        >>> packed(ScoredSteps(np.array([1.0, 0.0]), ids, ids > -1)).runs.tolist()
        [[0, 1, 3], [1, 1, 1], [-1, 0, 1]]
    """
    tokens = np.stack([row.step_ids, row.mask.astype(np.int64)], 1)  # (T, 2)
    is_first = np.ones(len(tokens), dtype=bool)
    is_first[1:] = (tokens[1:] != tokens[:-1]).any(1)
    starts = np.flatnonzero(is_first)
    return PackedSteps(row.values, np.column_stack([tokens[starts], np.diff(starts, append=len(tokens))]))


def unpacked(row: PackedSteps) -> ScoredSteps:
    """The completion that was packed."""
    steps, counts, tokens = row.runs.T
    return ScoredSteps(row.values, np.repeat(steps, tokens), np.repeat(counts, tokens).astype(bool))
