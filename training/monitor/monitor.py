"""The monitor of a run: every step's figures, written where they are watched, and what they warn of.

    RUN/metrics.jsonl   one line a step, null for what could not be counted
    RUN/alerts.jsonl    one line for every alert that is raised or cleared

Both are appended to, so that a killed run loses no more than the line it was writing. A resumed run repeats the steps
after its checkpoint: the last line of a step counts.
"""

import json
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ...rollouts.appending import Appender
from .figures import step_figures
from .record import StepRecord
from .writers import Writer
from .writers import writers as named_writers

__all__ = ["Monitor", "StepReport"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReport:
    """What the monitor found in a step.

    Args:
        figures: by name, NaN where nothing could be counted.
    """

    figures: Mapping[str, float]


class Monitor:
    """Logs every step of a run.

    A log that cannot be written never stops the run: the first failure of each is warned of, and the run goes on
    without it.

    Args:
        folder: of the run; made where it is missing.
        writers: besides `metrics.jsonl`: registered names, or writers.
        correct_at, wrong_at: as in `diagnostics.group_kinds`.

    Raises:
        UnknownNameError: no writer has that name.
        MissingExtraError: a writer's package is not installed.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     monitor = Monitor(folder)
        ...     _ = monitor.step(StepRecord(step=1, rewards=[1, 0], group_ids=["p", "p"]))
        ...     monitor.close()
        ...     row = json.loads((Path(folder) / "metrics.jsonl").read_text())
        >>> row["step"], row["groups/mixed_rate"]
        (1, 1.0)
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        writers: Sequence[str | Writer] = (),
        correct_at: float = 1.0,
        wrong_at: float = 0.0,
    ) -> None:
        self._folder = Path(folder)
        self._options = {"correct_at": correct_at, "wrong_at": wrong_at}
        self._metrics = Appender(self._folder / "metrics.jsonl")
        self._writers = [named_writers.create(one, self._folder) if isinstance(one, str) else one for one in writers]

    def step(self, record: StepRecord) -> StepReport:
        """Log one step.

        Raises:
            ArgumentError: what the record holds are no rewards.
        """
        figures = step_figures(record, **self._options)
        self._append(self._metrics, {"step": record.step, "time": time.time(), **figures})
        known = {name: value for name, value in figures.items() if isfinite(value)}
        for writer in self._writers:
            writer.write(record.step, known)
        return StepReport(figures=figures)

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run needs of it, as plain JSON values."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` returned."""

    def close(self) -> None:
        """Write out what the writers hold; more than once is allowed."""
        for writer in self._writers:
            writer.close()

    def _append(self, log: Appender, row: Mapping[str, Any]) -> None:
        try:
            log.append(json.dumps({name: _plain(value) for name, value in row.items()}).encode("ascii"))
        except OSError as error:
            warnings.warn(f"{self._folder}: a line of the monitor was not written: {error}", stacklevel=3)


def _plain(value: Any) -> Any:
    """NaN and infinity have no JSON."""
    return None if isinstance(value, float) and not isfinite(value) else value
