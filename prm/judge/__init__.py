"""A chat model asked which step is the first wrong one."""

from .scorer import JudgeScorer
from .usage import Usage

__all__ = ["JudgeScorer", "Usage"]
