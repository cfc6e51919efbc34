"""Asking somebody's step scorer, whose own mistakes are told in one line."""

from collections.abc import Sequence

from ..errors import ArgumentError, RewardgateError
from ..prm.base import StepRow, StepScore, StepScorer
from ..prm.scoring import step_scores

__all__ = ["asked"]


def asked(scorer: StepScorer, rows: Sequence[StepRow]) -> list[list[StepScore]]:
    """What the scorer says of `rows`; an exception of its own becomes one line.

    Raises:
        ArgumentError: it raises something, or does not keep its contract.
    """
    try:
        return step_scores(scorer, rows)
    except RewardgateError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise ArgumentError(f"step scorer: expected scores of every text, got {said}") from error
