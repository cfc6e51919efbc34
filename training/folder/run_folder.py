"""What a run leaves behind, and where. The names are a promise: `rewardgate audit RUN` and a resumed run read them.

    RUN/config.toml               every option of the run, as it was last started
    RUN/state.json                how far it is, and how it ended: replaced whole
    RUN/rollouts/step_000001.jsonl   what was sampled for a step, as native rollouts; appears whole
    RUN/evaluations/step_000050.jsonl   held-out rollouts, likewise
    RUN/ledger.jsonl              what sampling cost, a line a step
    RUN/metrics.jsonl             the monitor's, a line a step; likewise RUN/alerts.jsonl
    RUN/checkpoints/step_000050/  see `checkpoint`
    RUN/lock                      held by the process that runs it

A log that cannot be written (a full disk) is told once and never stops the run.
"""

import fcntl
import json
import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from ...errors import InputError
from ...rollouts.appending import Appender
from ...rollouts.records import Group
from ...rollouts.run_files import (
    CHECKPOINTS,
    CONFIG_FILE,
    EVALUATIONS,
    LEDGER_FILE,
    LOCK_FILE,
    LOGS,
    ROLLOUTS,
    STATE_FILE,
    STATE_SCHEMA,
    step_name,
    step_of,
)
from ...rollouts.writing import rollout_row, row_text

__all__ = ["RunFolder", "write_whole"]

_PART = ".part"
"""Ends the name of a file that is not whole yet."""


class RunFolder:
    """The folder of one run, for the one process that runs it.

    Args:
        path: made where it is missing.

    Raises:
        InputError: it cannot be made or written, or another process runs it.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._told: set[str] = set()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock: IO[str] | None = (self.path / LOCK_FILE).open("a", encoding="ascii")
        except OSError as error:
            raise InputError(f"folder: expected one to write to, got {path}: {error.strerror or error}") from error
        try:
            # Gone with the process, however it goes.
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise InputError(f"folder: expected one that no other process runs, got {path}") from error
        self._ledger = Appender(self.path / LEDGER_FILE)

    @property
    def checkpoints(self) -> Path:
        return self.path / CHECKPOINTS

    def has_run(self) -> bool:
        """Whether a run has begun here: by a state that is ours, not another tool's."""
        try:
            return f'"schema": "{STATE_SCHEMA}"' in (self.path / STATE_FILE).read_text(
                encoding="utf-8", errors="replace"
            )
        except OSError:
            return False

    def begin(self, **state: Any) -> None:
        """Make the folder a run's, by its state; one that is a run's already stays as it is.

        Raises:
            InputError: it holds other people's files under names of a run's, which a run would cut or delete; or it
                cannot be written.
        """
        if self.has_run():
            return
        for name in (STATE_FILE, CONFIG_FILE, *LOGS, ROLLOUTS, EVALUATIONS, CHECKPOINTS):
            if os.path.lexists(self.path / name):
                told = f"got {self.path}, which holds {name}, and no {STATE_FILE} of a run"
                raise InputError(f"folder: expected a new one, or a run's, {told}")
        try:
            write_whole(self.path / STATE_FILE, _state_text(state))
        except OSError as error:
            raise InputError(f"folder: expected one to write to, got {self.path}: {error.strerror}") from error

    def write_config(self, text: str) -> None:
        """Say what the run is.

        Raises:
            InputError: it cannot be written.
        """
        try:
            write_whole(self.path / CONFIG_FILE, text)
        except OSError as error:
            raise InputError(f"folder: expected one to write to, got {self.path}: {error.strerror}") from error

    def tell(self, **state: Any) -> None:
        """Say how far the run is."""
        text = _state_text(state)
        self._unless_full(STATE_FILE, lambda: _write_though_full(self.path / STATE_FILE, text))

    def dump(self, kind: str, step: int, groups: Iterable[Group], *, kept: Iterable[str] | None = None) -> None:
        """Write the rollouts of a step.

        Args:
            kind: `rollouts` or `evaluations`.
            kept: ids of the groups that the batch was made of; None where that is no question.
        """
        ids = None if kept is None else set(kept)

        def write() -> None:
            lines = [row_text(_row(group, row, ids)) for group in groups for row in range(len(group))]
            folder = self.path / kind
            folder.mkdir(exist_ok=True)
            write_whole(folder / f"{step_name(step)}.jsonl", "".join(f"{line}\n" for line in lines))

        self._unless_full(kind, write)

    def log_cost(self, step: int, row: Mapping[str, Any]) -> None:
        """A line of the ledger."""
        self._unless_full("ledger", lambda: self._ledger.append(row_text({"step": step, **row}).encode("ascii")))

    def positions(self) -> dict[str, int]:
        """How long each log is, its lines on the disk: what a checkpoint remembers."""
        found = {}
        for name in LOGS:
            path = self.path / name
            if path.exists():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
                    found[name] = file.seek(0, os.SEEK_END)
        return found

    def cut_back(self, step: int, positions: Mapping[str, int]) -> None:
        """Leave nothing of the steps behind a checkpoint: a resumed run does them again.

        Raises:
            InputError: it cannot be written.
        """
        try:
            for name in LOGS:
                path = self.path / name
                if path.exists() and path.stat().st_size > positions.get(name, 0):
                    os.truncate(path, positions.get(name, 0))
            for kind in (ROLLOUTS, EVALUATIONS):
                for path in (self.path / kind).glob("*"):
                    if _is_half_written(path) or (step_of(path) or 0) > step:
                        path.unlink()
        except OSError as error:
            raise InputError(f"folder: expected one to write to, got {self.path}: {error.strerror}") from error

    def close(self) -> None:
        """Let another process run it."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _unless_full(self, what: str, write: Any) -> None:
        try:
            write()
        except OSError as error:
            if what not in self._told:
                self._told.add(what)
                warnings.warn(f"{self.path}: {what} is not written: {error.strerror or error}", stacklevel=3)


def write_whole(path: Path, text: str) -> None:
    """Write a file that is there whole or as it was before."""
    part = path.with_name(f".{path.name}{_PART}")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _is_half_written(path: Path) -> bool:
    """Whether it is what a killed process left of a step's file; a file that is not the run's is never one."""
    name = path.name.removeprefix(".").removesuffix(_PART)
    return path.name == f".{name}{_PART}" and step_of(Path(name)) is not None


def _state_text(state: Mapping[str, Any]) -> str:
    return json.dumps({"schema": STATE_SCHEMA, **state}) + "\n"


def _write_though_full(path: Path, text: str) -> None:
    """`write_whole`; on a disk without room for a second file, over the first one, whose block is there already.

    In one write of less than a page, spaces over what was longer: a reader finds the one or the other.
    """
    try:
        write_whole(path, text)
    except OSError:
        if not path.exists():
            raise
        data = text.rstrip("\n").encode("utf-8").ljust(path.stat().st_size - 1) + b"\n"
        with path.open("r+b", buffering=0) as file:
            if file.write(data) != len(data):
                raise
            os.fsync(file.fileno())


def _row(group: Group, place: int, kept: set[str] | None) -> dict[str, Any]:
    row = rollout_row(group.rollouts[place], group_id=group.group_id)
    if kept is not None:
        row["meta"] = {**row["meta"], "kept": group.group_id in kept}
    return row
