"""Rollouts of prime-rl: `rollouts/step_{n}/{train|eval}/{all|effective}/traces.jsonl`, episodes under a group id.

`all` is the log of arrivals, and groups straddle its steps; `effective` repeats what was left after filtering, which
is a survivors' choice: of a folder that has both, only `all` is read. Evaluations are left out where there are
training rollouts. The step is that at which a rollout was sent out.
Source: PrimeIntellect-ai/prime-rl, its file monitor.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..values import integer_value, name_value, number_value
from .base import ReaderDefaults, Row, most
from .episodes import FIELDS, Repeats, episode_rollouts, is_episode, task_key

METRICS_FILE = "metrics.jsonl"
MAX_METRICS_BYTES = 1 << 28
_FILTERED = "effective"
N_FOLDERS_UP = 6
"""How far above its traces the log of a run may stand."""


class Format:
    """Episodes that belong to a group."""

    name = "prime_rl"

    def files_of_run(self, paths: Sequence[Path]) -> list[Path]:
        """Without `effective` beside `all`, and without evaluations beside training."""
        known = set(paths)
        paths = [path for path in paths if path.parent.name != _FILTERED or not _sibling(path) & known]
        trained = [path for path in paths if "eval" not in path.parts[-3:-1]]
        return trained or list(paths)

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, lambda row: is_episode(row) and bool(row.get("group")))

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "PrimeRlReader":
        return PrimeRlReader(tokens=options.tokens)


class PrimeRlReader(ReaderDefaults):
    """One row is one episode."""

    has_named_rewards = True
    spans_files = True
    fields: Mapping[str, str] = {**FIELDS, "group_id": "group.id", "step": "run.work.step"}

    def __init__(self, *, tokens: bool) -> None:
        self._tokens = tokens
        self._repeats = Repeats()
        self._metrics: dict[int, dict[str, float]] = {}

    @property
    def notes(self) -> Sequence[str]:
        return self._repeats.notes

    @property
    def step_metrics(self) -> Mapping[int, Mapping[str, float]]:
        return self._metrics

    def look_around(self, paths: Sequence[Path]) -> None:
        for folder in paths[0].absolute().parents[:N_FOLDERS_UP]:
            if (found := folder / METRICS_FILE).is_file():
                self._metrics = _step_metrics(found)
                return

    def identity(self, row: Row) -> Identity:
        group = row.get("group")
        name = name_value(group.get("id")) if isinstance(group, dict) else name_value(group)
        if name is None:
            raise RowRefusedError("group.id", f"expected text, got {clip(group)}")
        return Identity(task_key(row), group=name)  # without the step: a group may be sent out over two

    def learn(self, row: Row, identity: Identity) -> None:
        self._repeats.add(row)

    def left_out(self) -> Collection[int]:
        return self._repeats.rows

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        return episode_rollouts(
            row,
            prompt_id=identity.prompt_id or "",
            step=integer_value(_work(row).get("step")),
            tokens=self._tokens,
            source=source,
            tally=tally,
        )


def _sibling(path: Path) -> set[Path]:
    return {path.parent.parent / "all" / path.name}


def _work(row: Row) -> Mapping[str, object]:
    run = row.get("run")
    work = run.get("work") if isinstance(run, dict) else None
    return work if isinstance(work, dict) else {}


def _step_metrics(path: Path) -> dict[int, dict[str, float]]:
    """The numbers of each step; a line that cannot be read has none."""
    found: dict[int, dict[str, float]] = {}
    if path.stat().st_size > MAX_METRICS_BYTES:
        return found
    for line in path.read_bytes().split(b"\n"):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        step = integer_value(row.get("step")) if isinstance(row, dict) else None
        if step is not None:
            numbers = {name: number for name, cell in row.items() if (number := number_value(cell)) is not None}
            found.setdefault(step, {}).update(numbers)
    return found
