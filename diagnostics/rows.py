"""Rewards and group ids as arrays: read once, checked by name, and numbered in order of first appearance."""

from collections.abc import Hashable, Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError

__all__ = ["FloatArray", "IntArray", "group_index", "number_groups", "reward_values"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def reward_values(rewards: Sequence[float | None] | npt.ArrayLike) -> FloatArray:
    """Rewards as float64 (B,), NaN where unknown.

    Raises:
        ArgumentError: not (B,), or an entry that is neither a finite number nor None nor NaN; a numeral
            in a string is refused, because whoever wrote it may have meant something else.

    Example:
        >>> reward_values([True, None, 0.5])
        array([1. , nan, 0.5])
    """
    array = _array(rewards)
    if array.ndim != 1:
        raise ArgumentError(f"rewards: expected shape (B,), got {array.shape}")
    if array.dtype.kind == "O":
        for row, reward in enumerate(array):
            if reward is not None and not isinstance(reward, Real | np.bool_):
                raise ArgumentError(f"rewards: expected numbers or None, got {reward!r} in row {row}")
    elif array.dtype.kind not in "biuf":
        raise ArgumentError(f"rewards: expected numbers or None, got dtype {array.dtype}")
    values = array.astype(np.float64)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise ArgumentError(f"rewards: expected finite numbers, got {values[infinite[0]]} in row {infinite[0]}")
    return values


def group_index(group_ids: Sequence[Hashable] | npt.NDArray[Any]) -> tuple[tuple[Hashable, ...], IntArray]:
    """The distinct ids in order of first appearance, and the position (B,) among them of every row's id.

    Raises:
        ArgumentError: an id that cannot be a key: unhashable, or NaN (which equals nothing, itself included).

    Example:
        >>> group_index(["b", "a", "b"])
        (('b', 'a'), array([0, 1, 0]))
    """
    if isinstance(group_ids, np.ndarray) and group_ids.ndim == 1 and group_ids.dtype.kind in "iu":
        distinct, numbers, _ = number_groups(group_ids)
        return tuple(distinct.tolist()), numbers
    # Items of a tensor are tensors, which hash by identity: every row would be its own group.
    to_list = getattr(group_ids, "tolist", None)
    listed = group_ids if to_list is None else to_list()
    positions: dict[Any, int] = {}
    index: list[int] = []
    for row, group_id in enumerate(listed):
        try:
            index.append(positions.setdefault(group_id, len(positions)))
        except TypeError as error:
            raise ArgumentError(f"group_ids: expected hashable ids, got {group_id!r} in row {row}") from error
        if group_id != group_id:
            raise ArgumentError(f"group_ids: expected ids that equal themselves, got {group_id!r} in row {row}")
    return tuple(positions), np.asarray(index, dtype=np.int64)


def number_groups(ids: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.integer], IntArray, IntArray]:
    """What `group_index` returns, as arrays and without a step of Python a row, for integers; and group sizes.

    Args:
        ids: (B,) of any integer dtype.

    Returns:
        (N,) the distinct ids in order of first appearance; (B,) the position among them of every row's id;
        (N,) rows of each.

    Example:
        >>> number_groups(np.array([7, 3, 3, 7, 7]))
        (array([7, 3]), array([0, 1, 1, 0, 0]), array([3, 2]))
    """
    if not len(ids):
        return ids, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.append(True, ids[1:] != ids[:-1]))
    # One id, and one length, a run of equal neighbours: few where the rows of a group are adjacent.
    runs, lengths = ids[starts], np.diff(starts, append=len(ids))
    dense = _dense(runs)
    first = np.full(dense.max() + 1, len(runs))
    np.minimum.at(first, dense, np.arange(len(runs)))
    opening = np.sort(first[first < len(runs)])  # (N,) the runs in which an id appears for the first time
    number = np.empty(len(first), dtype=np.int64)
    number[dense[opening]] = np.arange(len(opening))
    index = np.repeat(number[dense], lengths)
    return runs[opening], index, lengths if len(opening) == len(runs) else np.bincount(index)


def _array(rewards: Any) -> npt.NDArray[Any]:
    if not isinstance(rewards, np.ndarray) and hasattr(rewards, "tolist"):
        rewards = rewards.tolist()  # a tensor on any device, of any dtype
    try:
        return np.asarray(rewards)
    except ValueError as error:
        raise ArgumentError("rewards: expected shape (B,), got rows of different lengths") from error


def _dense(ids: npt.NDArray[Any]) -> IntArray:
    """Integers that are equal where `ids` are, small enough to index a table with."""
    low, high = int(ids.min()), int(ids.max())
    if high - low < 4 * len(ids) and high <= np.iinfo(np.int64).max:
        return ids.astype(np.int64) - low
    return np.unique(ids, return_inverse=True)[1]
