"""Is the reasoning right? Steps of a completion, scorers of steps, and their registry."""

from .base import StepRow, StepScore, StepScorer, get, step_scorers
from .steps import step_spans

__all__ = ["StepRow", "StepScore", "StepScorer", "get", "step_scorers", "step_spans"]
