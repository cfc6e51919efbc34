"""Cells of a row: by name or by path, and one row a response where a row holds lists of them."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..refusals import Tally
from ..turns import messages_in
from .base import Row


def cell(row: Row, column: str | None, *, default: Any = None) -> Any:
    """The cell of `column`, which may lead into objects with dots; `default` where there is none.

    Example:
        >>> cell({"info": {"gold": "4"}}, "info.gold")
        '4'
    """
    if column is None:
        return default
    if column in row or "." not in column:
        return row.get(column, default)
    found: Any = row
    for part in column.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return default
        found = found[part]
    return found


def first_column(row: Row, columns: Sequence[str]) -> str | None:
    """The first of `columns` whose cell is not null."""
    return next((name for name in columns if row.get(name) is not None), None)


def object_items(row: Row, column: str | None) -> list[dict[str, Any]] | None:
    """The objects that a wide row lists instead of texts; None where it lists none."""
    found = cell(row, column)
    if isinstance(found, list) and found and all(isinstance(item, dict) for item in found) and not messages_in(found):
        return found
    return None


def listed(found: object, column: str | None) -> object:
    """A list that a table holds as JSON text, under a plural name; any other cell as it is."""
    if isinstance(found, str) and found.startswith("[") and column is not None and column.endswith("s"):
        try:
            items = json.loads(found)
        except (ValueError, RecursionError):
            return found
        return items if isinstance(items, list) else found
    return found


def width(row: Row, response: str | None, reward: str | None) -> int | None:
    """How many responses a wide row holds, by its responses or else its rewards; None for a long row.

    Example:
        >>> width({"responses": ["4", "5"]}, "responses", None), width({"response": "4"}, "response", None)
        (2, None)
    """
    responses = listed(cell(row, response), response)
    if isinstance(responses, list) and not messages_in(responses):
        return len(responses)
    rewards = listed(cell(row, reward), reward)
    # Without responses a list of rewards is the group; beside one response it is an odd reward.
    return len(rewards) if responses is None and isinstance(rewards, list) else None


def rows_of_objects(row: Row, column: str, items: Sequence[Row], *, left_out: Collection[str | None]) -> list[Row]:
    """One row an object: its own cells, and those of `row` for what it does not say."""
    shared = {name: found for name, found in row.items() if name != column and name not in left_out}
    return [{**shared, **item} for item in items]


def rows_of_lists(
    row: Row,
    n_responses: int,
    *,
    rewards: Collection[str],
    kept_whole: Collection[str | None],
    left_out: Collection[str | None],
    tally: Tally,
) -> list[Row]:
    """One row a response: lists in step with the responses are taken apart, everything else is shared.

    Args:
        rewards: columns that must be in step, and may be objects of lists.
        kept_whole: columns whose list is one value (several right answers, unless all are the same).
        left_out: columns that name the row, not its responses, unless they are lists.

        tally: counts a list of rewards that is not in step; it is read as unknown.
    """
    cells = {name: listed(found, name) for name, found in row.items()}
    for column in rewards:
        found = cells.get(column)
        if isinstance(found, list) and len(found) != n_responses:
            cells[column] = None
            tally["rewards_not_aligned"] += 1
    apart: dict[str, Sequence[Any]] = {}
    for name, found in cells.items():
        if name in rewards and isinstance(found, dict):
            parts = [{part: _at(values, index) for part, values in found.items()} for index in range(n_responses)]
            apart[name] = parts
        elif isinstance(found, list) and len(found) == n_responses and not _is_one_value(name, found, kept_whole):
            apart[name] = found
    shared = {name: found for name, found in cells.items() if name not in apart and name not in left_out}
    return [{**shared, **{name: found[index] for name, found in apart.items()}} for index in range(n_responses)]


def _at(values: object, index: int) -> object:
    if not isinstance(values, list):
        return values
    return values[index] if index < len(values) else None


def _is_one_value(name: str, found: Sequence[Any], kept_whole: Collection[str | None]) -> bool:
    return name in kept_whole and (messages_in(list(found)) is not None or any(item != found[0] for item in found))
