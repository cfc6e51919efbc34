"""What a reward function returned, as the rewards of each row it was asked about; it is only looked at."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from .records import MAIN_REWARD_NAMES
from .refusals import clip

__all__ = ["RewardsOfRow", "rewards_returned"]

_MAIN_NAMES = ("rewards", "scores", *MAIN_REWARD_NAMES)


class RewardsOfRow(NamedTuple):
    """The rewards of one row, and which the trainer learns from.

    Args:
        rewards: name -> a finite number, or None where what was returned is none.
        reward_name: the main one's name.
        returned: what stood in place of the main number, in words; None where it was a number.
    """

    rewards: dict[str, float | None]
    reward_name: str
    returned: str | None = None


def rewards_returned(returned: Any, n_rows: int, *, is_batch: bool, name: str) -> list[RewardsOfRow]:
    """One entry a row.

    Args:
        returned: a number; a mapping with a main number in it (verl: `{"score": …}`); of a batch a list, array or
            tensor of these, or a mapping of names to such lists (OpenRLHF: `{"rewards": …, "scores": …}`). Iterators
            are left alone: looking would use them up.
        n_rows: rows that the call had.
        is_batch: whether they came as a batch.
        name: of the function, which names a reward that has no other name.

    Example:
        >>> found = rewards_returned([1, None, float("nan")], 3, is_batch=True, name="accuracy")
        >>> [(row.rewards, row.returned) for row in found]
        [({'accuracy': 1.0}, None), ({'accuracy': None}, 'null'), ({'accuracy': None}, 'NaN')]
        >>> rewards_returned({"score": 1.0, "pred": "4"}, 1, is_batch=False, name="compute_score")[0].rewards
        {'score': 1.0}
    """
    if not is_batch:
        return [_of_row(_only_item(returned), name)]
    if isinstance(returned, Mapping):
        columns = {str(key): items for key, cell in returned.items() if (items := _items(cell, n_rows)) is not None}
        if any(key in columns for key in _MAIN_NAMES):
            return [_of_row({key: items[place] for key, items in columns.items()}, name) for place in range(n_rows)]
    items = _items(returned, n_rows)
    if items is None:
        told = _told(returned, n_rows)
        return [RewardsOfRow({name: None}, name, told) for _ in range(n_rows)]
    return [_of_row(item, name) for item in items]


def _of_row(value: Any, name: str) -> RewardsOfRow:
    if isinstance(value, Mapping):
        main = next((key for key in _MAIN_NAMES if key in value), None)
        if main is None:
            return RewardsOfRow({name: None}, name, clip(value))
        numbers = {str(key): number for key, item in value.items() if (number := _number(item)) is not None}
        if main not in numbers:
            return RewardsOfRow({**numbers, main: None}, main, clip(_item(value[main])))
        return RewardsOfRow(dict(numbers), main)
    number = _number(value)
    return RewardsOfRow({name: number}, name, clip(_item(value)) if number is None else None)


def _number(value: Any) -> float | None:
    """`value` as a finite float: a number, or an array, tensor or object of the library that holds one."""
    value = _item(value)
    if not isinstance(value, (bool, int, float)):
        value = getattr(value, "reward", None)  # a verdict
        if not isinstance(value, (bool, int, float)):
            return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _item(value: Any) -> Any:
    item = getattr(value, "item", None)
    if isinstance(value, (str, int, float)) or not callable(item):
        return value
    try:
        return item()
    except (TypeError, ValueError, RuntimeError):  # an array of several
        return value


def _items(value: Any, n: int) -> list[Any] | None:
    """`value` as a list of `n`, or None where it is no such thing."""
    to_list = getattr(value, "tolist", None)
    if callable(to_list):
        value = to_list()
    if not isinstance(value, (list, tuple)):
        value = [value] if n == 1 and _number(value) is not None else None
    return list(value) if value is not None and len(value) == n else None


def _only_item(returned: Any) -> Any:
    """A list of one number, where one row was asked about, is that number."""
    return returned[0] if isinstance(returned, (list, tuple)) and len(returned) == 1 else returned


def _told(returned: Any, n_rows: int) -> str:
    if isinstance(returned, (list, tuple)):
        return f"{len(returned)} rewards for {n_rows} responses"
    return f"{type(returned).__name__} for {n_rows} responses"
