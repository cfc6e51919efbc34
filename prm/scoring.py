"""Asking a step scorer, and holding it to its contract: one score a step, in [0, 1] or unknown."""

from collections.abc import Sequence

from ..errors import ArgumentError
from .base import StepRow, StepScore, StepScorer

__all__ = ["score_values", "step_scores"]


def step_scores(scorer: StepScorer, rows: Sequence[StepRow]) -> list[list[StepScore]]:
    """What `scorer` says of every step of every row. It is not called where there is no row.

    A score counts as knowledge further on, so that one too many or one too few, which would shift every later
    score to another step, is refused here.

    Raises:
        ArgumentError: not one list a row, not one score a step, or a value outside [0, 1] (NaN included).
    """
    if not rows:
        return []
    answers = [list(answer) for answer in scorer.score(rows)]
    if len(answers) != len(rows):
        raise ArgumentError(f"step scorer: expected one list of scores a row ({len(rows)}), got {len(answers)}")
    for number, (row, answer) in enumerate(zip(rows, answers, strict=True)):
        if len(answer) != len(row.steps):
            raise ArgumentError(
                f"step scorer: expected one score a step of row {number} ({len(row.steps)}), got {len(answer)}"
            )
        for score in answer:
            if score.value is not None and not 0 <= score.value <= 1:
                raise ArgumentError(
                    f"step scorer: expected values in [0, 1] or None, got {score.value!r} in row {number}"
                )
    return answers


def score_values(scores: Sequence[StepScore]) -> list[float]:
    """The values of `scores`, NaN for unknown: what `grpo.gate` takes.

    Example:
        >>> score_values([StepScore(1.0, "equal", ""), StepScore(None, "nothing_to_check", "")])
        [1.0, nan]
    """
    return [float("nan") if score.value is None else float(score.value) for score in scores]
