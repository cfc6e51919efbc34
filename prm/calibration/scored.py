"""A labelled trace and what a scorer said of its steps: numbers alone, the texts are gone."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...errors import ArgumentError

__all__ = ["BoolArray", "FloatArray", "IntArray", "ScoredTrace"]

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoredTrace:
    """One solution with a score and a label for each of its S steps.

    Args:
        problem_id: what traces are right and wrong together by; the unit of every interval.
        values: (S,) in [0, 1], the probability that the step is right; NaN = the scorer had nothing to say.
        labels: (S,) 1 = right, 0 = wrong, NaN = nobody said.
        first_error: the first wrong step, 0-based; -1 = no step is wrong; None = nobody said.
        final_correct: whether its final answer is right; None = nobody said.
        source: the data set or the part of it; empty where unknown.
        difficulty: of the problem, as its file names it; empty where unknown.

    Raises:
        ArgumentError: values or labels outside their ranges, of another length, or a first error beyond the steps.
    """

    problem_id: str
    values: FloatArray
    labels: FloatArray
    first_error: int | None
    final_correct: bool | None = None
    source: str = ""
    difficulty: str = ""

    def __post_init__(self) -> None:
        n = len(self.values)
        if self.labels.shape != (n,):
            raise ArgumentError(f"labels: expected one a value ({n}), got shape {self.labels.shape}")
        for name, numbers in (("values", self.values), ("labels", self.labels)):
            outside = numbers[(numbers < 0) | (numbers > 1)]
            if len(outside):
                raise ArgumentError(f"{name}: expected numbers in [0, 1] or NaN, got {outside[0]}")
        if self.first_error is not None and not -1 <= self.first_error < n:
            raise ArgumentError(f"first_error: expected -1 or a step below {n}, got {self.first_error}")

    @property
    def is_silent(self) -> bool:
        """Whether the scorer said nothing of any step."""
        return bool(np.isnan(self.values).all())
