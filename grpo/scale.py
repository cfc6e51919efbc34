"""How large gated advantages are: as large as those of the mixed groups beside them, unless told otherwise.

Standardised credits and an estimator's advantages are in different units (Dr. GRPO's are three times smaller than
GRPO's). Left so, the ratio of two learning rates would be hidden in the choice of an estimator.
"""

from dataclasses import dataclass
from math import isfinite, nan, sqrt
from typing import Literal

from ..errors import ArgumentError

__all__ = ["Scale", "ScaleState", "matching_factor"]

Scale = Literal["match", "none"]


@dataclass(frozen=True, slots=True)
class ScaleState:
    """Running mean square of the advantages of mixed groups, for batches that have none. Nothing is changed in
    place: `gate` returns the next one.

    Args:
        decay: weight that a batch keeps when the next one arrives, in [0, 1).
        total: decayed sum of mean squares.
        weight: decayed sum of ones; 0 before the first batch with a mixed group.

    Raises:
        ArgumentError: decay outside [0, 1).

    Example:
        >>> state = ScaleState(decay=0.5).updated(4.0).updated(1.0)
        >>> state.mean_square  # (0.5 * 4 + 1) / 1.5
        2.0
    """

    decay: float = 0.9
    total: float = 0.0
    weight: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.decay < 1:
            raise ArgumentError(f"decay: expected a number in [0, 1), got {self.decay}")

    @property
    def mean_square(self) -> float:
        """The estimate; NaN before the first batch with a mixed group."""
        return self.total / self.weight if self.weight else nan

    def updated(self, mean_square: float) -> "ScaleState":
        """The state after a batch whose mixed groups had that mean square; NaN (it had none) changes nothing."""
        if not isfinite(mean_square):
            return self
        return ScaleState(self.decay, self.decay * self.total + mean_square, self.decay * self.weight + 1)


def matching_factor(gated: float, mixed: float, state: ScaleState) -> tuple[float, str]:
    """What to multiply gated advantages by, and where that comes from.

    Args:
        gated: mean square of the credited tokens, before; NaN or 0 where there is none.
        mixed: mean square over the tokens of this batch's mixed groups; NaN or 0 where there is none.
        state: of the batches before.

    Returns:
        The factor, and `"batch"`, `"running"`, or `"unknown"`: nothing to match yet, factor 1.

    Example:
        >>> matching_factor(4.0, 1.0, ScaleState()), matching_factor(4.0, nan, ScaleState())
        ((0.5, 'batch'), (1.0, 'unknown'))
    """
    for wanted, source in ((mixed, "batch"), (state.mean_square, "running")):
        if wanted > 0:
            return (sqrt(wanted / gated) if gated > 0 else 1.0), source
    return 1.0, "unknown"
