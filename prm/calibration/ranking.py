"""Does a score rank right above wrong? The area under the ROC curve, over all rows and within groups.

An AUC is the chance that a right row drawn at random has a higher score than a wrong one, a tie counting half:
1 ranks perfectly, 0.5 is chance, below 0.5 the score speaks against the truth. It asks for the order alone, so that
any increasing transform of the scores keeps it; whether a score means what it says asks `diagram`.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from ...diagnostics.rows import group_index
from ...errors import ArgumentError
from .scored import BoolArray, FloatArray

__all__ = ["GroupPairs", "auc", "group_pairs", "weighted_auc"]


def auc(values: FloatArray, is_right: BoolArray) -> float:
    """The AUC of `values`; NaN where all rows are right, or all are wrong.

    Args:
        values: (n,) without NaN.
        is_right: (n,) True marks the rows that should score high.

    Raises:
        ArgumentError: shapes that differ, or NaN among the values: unknown has no rank.

    Source:
        Mann & Whitney 1947: U / (right rows × wrong rows), ties one half.

    Example:
        Of the 2 × 2 pairs one is won twice (0.9 over 0.5 and 0.1), one tied, one won: 3.5 / 4.

        >>> auc(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))
        0.875
    """
    return float(weighted_auc(values, is_right, np.ones((1, len(values))))[0])


def weighted_auc(values: FloatArray, is_right: BoolArray, weights: FloatArray) -> FloatArray:
    """The AUC under each of R weightings of the rows, in one sort: what a bootstrap asks.

    Args:
        values: (n,) without NaN.
        is_right: (n,) bool.
        weights: (R, n), not negative.

    Returns:
        (R,), NaN where a weighting leaves no right row, or no wrong one.

    Raises:
        ArgumentError: as `auc`.
    """
    _check(values, is_right)
    if weights.ndim != 2 or weights.shape[1] != len(values):
        raise ArgumentError(f"weights: expected shape (R, {len(values)}), got {weights.shape}")
    if not len(values):
        return np.full(len(weights), np.nan)
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(values[order]) > 0))  # (K,) where each run of ties begins
    right, ordered = is_right[order], weights[:, order]
    rights = np.add.reduceat(ordered * right, starts, axis=1)  # (R, K)
    wrongs = np.add.reduceat(ordered * ~right, starts, axis=1)
    below = np.cumsum(wrongs, axis=1) - wrongs
    # wins = Σ_k right_k (wrong below k + wrong_k / 2)
    wins = (rights * (below + wrongs / 2)).sum(axis=1)
    pairs = rights.sum(axis=1) * wrongs.sum(axis=1)
    return np.divide(wins, pairs, out=np.full(len(weights), np.nan), where=pairs > 0)


class GroupPairs(NamedTuple):
    """Pairs of a right and a wrong row of one group, and how many of them the right one wins.

    Args:
        wins: (N,) ties count half.
        pairs: (N,) right rows × wrong rows.
    """

    wins: FloatArray
    pairs: FloatArray

    @property
    def auc(self) -> float:
        """Wins over pairs, pooled: every pair weighs the same. NaN where there is none."""
        total = float(self.pairs.sum())
        return float(self.wins.sum()) / total if total else float("nan")


def group_pairs(values: FloatArray, is_right: BoolArray, group_ids: Sequence[Hashable]) -> GroupPairs:
    """Wins and pairs of every group, in order of first appearance: rows are compared within their group alone.

    A scorer that merely knows which prompts are hard gets an AUC over all rows for it, and none here.

    Args:
        values: (n,) without NaN.
        is_right: (n,) bool.
        group_ids: (n,) any hashables.

    Raises:
        ArgumentError: as `auc`, or not one id a value.

    Example:
        Prompt "a" scores high throughout; within both prompts the wrong row wins.

        >>> pairs = group_pairs(np.array([0.8, 0.9, 0.1, 0.2]), np.array([True, False, True, False]), list("aabb"))
        >>> pairs.pairs.tolist(), pairs.auc
        ([1.0, 1.0], 0.0)
    """
    _check(values, is_right)
    ids, index = group_index(group_ids)
    if len(index) != len(values):
        raise ArgumentError(f"group_ids: expected one id a value ({len(values)}), got {len(index)}")
    wins, pairs = np.zeros(len(ids)), np.zeros(len(ids))
    order = np.argsort(index, kind="stable")
    ends = np.cumsum(np.bincount(index, minlength=len(ids)))
    for group, rows in enumerate(np.split(order, ends[:-1]) if ids else ()):
        right = is_right[rows]
        pairs[group] = right.sum() * (~right).sum()
        if pairs[group]:
            wins[group] = auc(values[rows], right) * pairs[group]
    return GroupPairs(wins, pairs)


def _check(values: FloatArray, is_right: BoolArray) -> None:
    if values.ndim != 1 or is_right.shape != values.shape or is_right.dtype != np.bool_:
        raise ArgumentError(
            f"is_right: expected bool of the shape of values {values.shape}, got {is_right.dtype} {is_right.shape}"
        )
    if np.isnan(values).any():
        raise ArgumentError("values: expected known numbers, got NaN; leave unknown rows out, and say how many")
