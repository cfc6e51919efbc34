"""Is the reasoning right? Steps of a completion, scorers of steps, and their registry."""

from .base import StepRow, StepScore, StepScorer, get, step_scorers

__all__ = ["StepRow", "StepScore", "StepScorer", "get", "step_scorers"]
