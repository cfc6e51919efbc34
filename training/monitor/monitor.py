"""The monitor of a run: every step's figures, written where they are watched, and what they warn of.

    RUN/metrics.jsonl   one line a step, null for what could not be counted
    RUN/alerts.jsonl    one line for every alert that is raised, lowered or cleared, and for every resumption

Both are appended to, so that a killed run loses no more than the line it was writing. A resumed run repeats the steps
after its checkpoint: `audit.run_logs` leaves out what was logged of them before.
"""

import json
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ...audit.report.ladder import RungName
from ...rollouts.appending import Appender
from ...rollouts.run_files import ALERTS_FILE, METRICS_FILE
from .alerts import Alert, AlertRule, Alerts, change_first
from .figures import step_figures
from .record import StepRecord
from .rules import RULES
from .writers import Writer
from .writers import writers as named_writers

__all__ = ["Monitor", "StepReport"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReport:
    """What the monitor found in a step.

    Args:
        figures: by name, NaN where nothing could be counted.
        alerts: raised, lowered or cleared in this step.
        active: all that are raised after it, by layer.
        change_first: the layer to change first; None where nothing is raised.
    """

    figures: Mapping[str, float]
    alerts: tuple[Alert, ...]
    active: tuple[Alert, ...]
    change_first: RungName | None


class Monitor:
    """Logs every step of a run and says what it warns of.

    A log that cannot be written never stops the run: it is warned of (`warnings`), and a writer that failed is asked no
    more.

    Args:
        folder: of the run; made where it is missing.
        writers: besides `metrics.jsonl`: registered names, or writers.
        rules: of the alerts; see `RULES`.
        correct_at, wrong_at: as in `diagnostics.group_kinds`.

    Raises:
        UnknownNameError: no writer has that name.
        MissingExtraError: a writer's package is not installed.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     monitor = Monitor(folder)
        ...     report = monitor.step(StepRecord(step=1, rewards=[1, 0], group_ids=["p", "p"]))
        ...     monitor.close()
        ...     row = json.loads((Path(folder) / "metrics.jsonl").read_text())
        >>> row["step"], row["groups/mixed_rate"], report.change_first
        (1, 1.0, None)
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        writers: Sequence[str | Writer] = (),
        rules: Sequence[AlertRule] = RULES,
        correct_at: float = 1.0,
        wrong_at: float = 0.0,
    ) -> None:
        self._folder = Path(folder)
        self._options = {"correct_at": correct_at, "wrong_at": wrong_at}
        self._alerts = Alerts(rules)
        self._step = 0
        self._is_told = False  # that a line was not written
        self._metrics_log, self._alerts_log = (Appender(self._folder / name) for name in (METRICS_FILE, ALERTS_FILE))
        self._writers = [named_writers.create(one, self._folder) if isinstance(one, str) else one for one in writers]

    def step(self, record: StepRecord) -> StepReport:
        """Log one step.

        Raises:
            ArgumentError: what the record holds are no rewards.
        """
        figures = step_figures(record, **self._options)
        alerts = self._alerts.step(record.step, figures)
        self._step, now = record.step, time.time()
        self._append(self._metrics_log, {"step": record.step, "time": now, **figures})
        for alert in alerts:
            self._append(self._alerts_log, {"time": now, **asdict(alert)})
        self._write({name: value for name, value in figures.items() if isfinite(value)})
        active = self._alerts.active
        return StepReport(figures=figures, alerts=tuple(alerts), active=active, change_first=change_first(active))

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run needs of it, as plain JSON values."""
        return {"step": self._step, "alerts": self._alerts.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` returned: what was logged of later steps is told to be void."""
        self._step = state["step"]
        self._alerts.load_state_dict(state["alerts"])
        self._append(self._alerts_log, {"time": time.time(), "step": self._step, "event": "resumed"})

    def close(self) -> None:
        """Write out what the writers hold; more than once is allowed."""
        while self._writers:
            writer = self._writers.pop()
            with self._told(writer, "to be closed"):
                writer.close()

    def _append(self, log: Appender, row: Mapping[str, Any]) -> None:
        try:
            log.append(json.dumps({name: _plain(value) for name, value in row.items()}).encode("ascii"))
        except OSError as error:
            if not self._is_told:
                self._is_told = True
                warnings.warn(f"{self._folder}: a line of the monitor was not written: {error}", stacklevel=3)

    def _write(self, figures: Mapping[str, float]) -> None:
        for writer in tuple(self._writers):
            with self._told(writer, f"to log step {self._step}"):
                writer.write(self._step, figures)

    @contextmanager
    def _told(self, writer: Writer, what: str) -> Iterator[None]:
        """A failure becomes a warning, and the writer is asked no more: a stranger's package is never worth a run."""
        try:
            yield
        except Exception as error:
            if writer in self._writers:
                self._writers.remove(writer)
            warnings.warn(f"{type(writer).__name__}: expected {what}, got {error!r}; it logs no more", stacklevel=4)


def _plain(value: Any) -> Any:
    """NaN and infinity have no JSON."""
    return None if isinstance(value, float) and not isfinite(value) else value
