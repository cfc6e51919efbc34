"""Weights that a file leaves out: of which numbers, and how, its producer summed the reward it learned from.

Least squares, believed only where the numbers leave no doubt: the sum must come out right in every row, and a weight
that the rows do not settle is said to be unsettled instead of guessed.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

TOLERANCE = 1e-4
"""Of a sum, against its largest part: trainers add in 32 bits."""


class Weight(NamedTuple):
    """What the rows say of one part; `value` means nothing where it `is_settled` not."""

    value: float
    is_settled: bool


def weights_of_totals(parts: Sequence[Sequence[float]], totals: Sequence[float]) -> list[Weight] | None:
    """How `totals`, shape (N,), were summed from `parts`, shape (N, K); None where no weights give them.

    Example:
        >>> [round(weight.value, 6) for weight in weights_of_totals([[1, 0], [0, 1], [1, 1]], [1, 0.2, 1.2]) or ()]
        [1.0, 0.2]
    """
    import numpy as np

    matrix, sums = np.asarray(parts, dtype=float), np.asarray(totals, dtype=float)
    if not matrix.size:
        return None
    scale = np.abs(matrix).max(axis=0)
    scale[scale == 0] = 1.0
    scaled = matrix / scale
    solution = np.linalg.lstsq(scaled, sums, rcond=1e-10)[0]
    if np.abs(scaled @ solution - sums).max() > TOLERANCE * max(1.0, np.abs(sums).max()):
        return None
    return [
        Weight(float(value), bool(settled)) for value, settled in zip(solution / scale, _settled(scaled), strict=True)
    ]


def weights_of_advantages(
    parts: Sequence[Sequence[Sequence[float]]], advantages: Sequence[Sequence[float]]
) -> list[Weight] | None:
    """The weights, up to a common factor, under which each group's rewards are its advantages shifted and scaled.

    Args:
        parts: for each group (G, K).
        advantages: for each group (G,), not all 0.

    Returns: the weights with the largest at 1; None where none fit, or where they are not settled up to that factor.
    """
    import numpy as np

    rows: list[npt.NDArray[Any]] = []
    for part, advantage in zip(parts, advantages, strict=True):
        centred = np.asarray(part, dtype=float) - np.mean(part, axis=0)
        direction = np.asarray(advantage, dtype=float) - np.mean(advantage)
        direction /= np.linalg.norm(direction)
        # What is left of a reward beside its advantages' direction must cancel out: R w = s A.
        rows.append(centred - np.outer(direction, direction @ centred))
    matrix = np.concatenate(rows)
    _, sizes, vectors = np.linalg.svd(matrix)
    n_parts = matrix.shape[1]
    sizes = np.concatenate([sizes, np.zeros(n_parts - len(sizes))])
    limit = TOLERANCE * max(1.0, float(np.sqrt(len(matrix))))
    if sizes[-1] > limit or (n_parts > 1 and sizes[-2] <= limit):
        return None
    largest = vectors[-1][np.argmax(np.abs(vectors[-1]))]
    return [Weight(float(value), True) for value in vectors[-1] / largest]


def is_sum_of(parts: Sequence[Sequence[float]], advantages: Sequence[float]) -> bool:
    """Whether the plain sums of a group's `parts`, (G, K), are its `advantages`, (G,), shifted and scaled."""
    import numpy as np

    sums = np.asarray(parts, dtype=float).sum(axis=1)
    sums -= sums.mean()
    direction = np.asarray(advantages, dtype=float) - np.mean(advantages)
    size = float(direction @ direction)
    rest = sums - direction * (float(direction @ sums) / size if size else 0.0)
    return bool(np.abs(rest).max() <= 10 * TOLERANCE * max(float(np.abs(sums).max()), TOLERANCE))


def _settled(matrix: "npt.NDArray[np.float64]") -> "npt.NDArray[np.bool_]":
    """Of each column of (N, K): whether the rows settle its weight, whatever the others' are."""
    import numpy as np

    # A weight is settled where its unit vector lies in the space of the rows.
    return np.abs(np.diag(np.linalg.pinv(matrix, rcond=1e-10) @ matrix) - 1.0) < 1e-6
