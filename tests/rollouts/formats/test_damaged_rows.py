"""Whatever stands in a row of a tool's dump, its reader refuses the row or reads it, and raises nothing else."""

import copy
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_records import json_values, write_lines
from tool_dumps import (
    episode,
    inspect_sample,
    results_row,
    samples_row,
    trace,
    trl_row,
    verl_row,
)

from rewardgate.errors import InputError
from rewardgate.rollouts import read, read_rows

TINKER = {
    "split": "train",
    "iteration": 0,
    "group_idx": 0,
    "traj_idx": 0,
    "total_reward": 1.0,
    "steps": [{"ac_len": 3}],
}
NEMO = {"content": [["2+2?", "4"]], "rewards": [1.0], "input_lengths": [9], "advantages": [[0.5]], "idx": 0}
EPISODE = episode("k", trace("t", "4", {"correct": (1.0, 1.0), "fmt": (1.0, 0.2)}), group="g")
ROWS: dict[str, dict[str, Any]] = {
    "trl": trl_row("2+2?", "4", 0.7, right=1.0, neat=0.5, gold="4"),
    "verl": verl_row("2+2?", "4", 1.0, uid="p_0_1", acc="True"),
    "prime_rl": EPISODE,
    "verifiers_traces": {name: cell for name, cell in EPISODE.items() if name != "group"},
    "verifiers": results_row(2, "4", 1.2, correct=1.0, fmt=1.0),
    "lm_eval": samples_row(2, ["4", "5"], "none", ["4"], exact_match=1.0),
    "inspect": inspect_sample("a", 1, "4", {"match": "C", "parts": {"x": 1}}),
    "tinker": TINKER,
    "nemo_rl": NEMO,
}


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to everything inside `value`."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, item in inner for place in [(*path, key), *places(item, (*path, key))]]


def with_change(row: dict[str, Any], path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> dict[str, Any]:
    changed = copy.deepcopy(row)
    holder: Any = changed
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return changed


def read_all(rows: list[dict[str, Any]], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder, suppress(InputError):
        path = write_lines(Path(folder) / "dump.jsonl", *rows)
        for group in read(path, format=name, tokens=True):
            assert group.rollouts
        list(read_rows(path, format="auto"))


@pytest.mark.parametrize("name", ROWS)
def test_a_whole_row_is_recognised_and_read(name: str, tmp_path: Path) -> None:
    reading = read(write_lines(tmp_path / "dump.jsonl", ROWS[name]))
    assert reading.format == name
    assert (reading.summary.n_rollouts, reading.summary.n_refused) == (2 if name == "lm_eval" else 1, 0)


@pytest.mark.parametrize("name", ROWS)
def test_a_row_without_any_of_its_parts_stops_nothing(name: str) -> None:
    row = ROWS[name]
    without = [with_change(row, path, lambda holder, key: holder.pop(key)) for path in places(row)]
    read_all([row, row, *without, {}], name)


@pytest.mark.parametrize("name", ROWS)
def test_a_row_with_something_odd_in_any_place_stops_nothing(name: str) -> None:
    row = ROWS[name]
    for odd in (None, "x", -1, 1e400, [], [None], [[]], [{}], {"a": None}):
        changed = [
            with_change(row, path, lambda holder, key, odd=odd: holder.__setitem__(key, odd)) for path in places(row)
        ]
        read_all([row, row, *changed], name)


@given(st.data())
def test_a_row_with_anything_in_any_place_stops_nothing(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(ROWS)))
    row = ROWS[name]
    rows = [row, row]
    for _ in range(3):
        path = data.draw(st.sampled_from(places(row)))
        value = data.draw(json_values)
        rows.append(with_change(row, path, lambda holder, key, value=value: holder.__setitem__(key, value)))
    read_all(rows, name)
