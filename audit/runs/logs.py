"""The logs of a training run, read while it goes on or after it died.

    RUN/state.json      how far it is, and how it ended
    RUN/metrics.jsonl   a line a step: numbers by name, null for what could not be counted
    RUN/ledger.jsonl    a line a step: what sampling cost
    RUN/alerts.jsonl    a line for every alert that is raised, lowered or cleared, and for every resumption

Nothing is locked and nothing is written: reading never disturbs the run. A line that a kill tore, or that is just being
written, is left out and counted. A run that goes on from a checkpoint does its last steps again: where the steps of a
log run backwards, what was logged of them before is void.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...rollouts.rows import JsonLines
from ...rollouts.run_files import ALERTS_FILE, LEDGER_FILE, METRICS_FILE, STATE_FILE, STATE_SCHEMA

__all__ = ["RunLogs", "StepRow", "run_logs"]

MAX_STATE_BYTES = 1 << 20
MAX_LINE_BYTES = 1 << 20
MAX_NAMES = 2_000
"""Figures of a run that are kept; a stranger's log may name a new one in every line."""


@dataclass(frozen=True, slots=True)
class StepRow:
    """The numbers that a log has of one step; what was null, or is no number, is absent."""

    step: int
    numbers: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RunLogs:
    """What the folder of a run holds besides rollouts.

    Args:
        folder: of the run.
        state: of `state.json`; empty where there is none.
        metrics, ledger: by step, ascending, each step once.
        alerts: events that still hold, in order, as they were logged.
        resumptions: starts from a checkpoint.
        notes: what could not be read, for a person.
    """

    folder: Path
    state: Mapping[str, Any]
    metrics: tuple[StepRow, ...]
    ledger: tuple[StepRow, ...]
    alerts: tuple[Mapping[str, Any], ...]
    resumptions: int
    notes: tuple[str, ...]


def run_logs(folder: str | Path) -> RunLogs | None:
    """The logs in `folder`; None where it is no folder, or holds neither steps nor the state of a run.

    Raises:
        InputError: a log is there and cannot be opened.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     lines = ['{"step": 1, "a": 0.5}', '{"step": 2, "a": null}', '{"step": 2, "a": 1}', '{"step": 3, "a"']
        ...     _ = (Path(folder) / "metrics.jsonl").write_text("\\n".join(lines))
        ...     logs = run_logs(folder)
        >>> [(row.step, dict(row.numbers)) for row in logs.metrics], logs.notes
        ([(1, {'a': 0.5}), (2, {'a': 1.0})], ('metrics.jsonl: its last line is not whole: left out',))
    """
    folder = Path(folder)
    if not folder.is_dir():
        return None
    notes: list[str] = []
    state = _state(folder / STATE_FILE, notes)
    metrics = _steps(_rows(folder / METRICS_FILE, notes), METRICS_FILE, notes)
    ledger = _steps(_rows(folder / LEDGER_FILE, notes), LEDGER_FILE, notes)
    if not (state or metrics or ledger):
        return None
    alerts, resumptions = _events(_rows(folder / ALERTS_FILE, notes))
    return RunLogs(folder, state, metrics, ledger, alerts, resumptions, tuple(notes))


def _state(path: Path, notes: list[str]) -> Mapping[str, Any]:
    """Of another tool's `state.json` nothing is taken."""
    try:
        with path.open("rb") as file:
            state = json.loads(file.read(MAX_STATE_BYTES))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        notes.append(f"{path.name}: expected the state of a run, got: {error}; read without it")
        return {}
    return state if isinstance(state, dict) and state.get("schema") == STATE_SCHEMA else {}


def _rows(path: Path, notes: list[str]) -> list[Mapping[str, Any]]:
    """The lines that can be read; one that cannot, at the end of a log, may still be being written."""
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(f"{path}: expected a log that can be read, got: {error.strerror or error}") from error
    found, n_bad, is_last_bad = list[Mapping[str, Any]](), 0, False
    for row in JsonLines(stream).scan():
        is_last_bad = row.value is None or len(row.data) > MAX_LINE_BYTES
        if row.value is not None and not is_last_bad:
            found.append(row.value)
        n_bad += is_last_bad
    if is_last_bad:
        notes.append(f"{path.name}: its last line is not whole: left out")
        n_bad -= 1
    if n_bad:
        notes.append(f"{path.name}: {n_bad} lines cannot be read: left out")
    return found


def _steps(rows: Iterable[Mapping[str, Any]], name: str, notes: list[str]) -> tuple[StepRow, ...]:
    found: list[StepRow] = []
    names: dict[str, None] = {}
    n_left = 0
    for row in rows:
        step = row.get("step")
        if not isinstance(step, int) or isinstance(step, bool):
            n_left += 1
            continue
        while found and found[-1].step >= step:
            found.pop()
        numbers: dict[str, float] = {}
        for key, value in row.items():
            if key != "step" and (number := _number(value)) is not None:
                if key not in names and len(names) >= MAX_NAMES:
                    continue
                names[key] = None
                numbers[key] = number
        found.append(StepRow(step, numbers))
    if n_left:
        notes.append(f"{name}: {n_left} lines name no step: left out")
    if len(names) == MAX_NAMES:
        notes.append(f"{name}: only the first {MAX_NAMES} figures that it names are read")
    return tuple(found)


def _events(rows: Iterable[Mapping[str, Any]]) -> tuple[tuple[Mapping[str, Any], ...], int]:
    """Events of alerts, and how often the run was resumed; what it did again counts once."""
    found: list[Mapping[str, Any]] = []
    resumptions = 0
    for row in rows:
        step = row.get("step")
        if not isinstance(step, int):
            continue
        if row.get("event") == "resumed":
            resumptions += 1
            found = [one for one in found if one["step"] <= step]
        else:
            found.append(row)
    return tuple(found), resumptions


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
