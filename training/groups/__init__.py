"""A step's groups: completions asked of a generator, their outcomes judged and their steps scored, whatever fails."""

from .collecting import Collected, Collector
from .judging import JudgedGroup, Judging
from .scoring import Scoring

__all__ = ["Collected", "Collector", "JudgedGroup", "Judging", "Scoring"]
