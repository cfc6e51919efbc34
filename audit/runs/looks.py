"""An audit of a log that is still being written: a look at the rows of every few steps, while the run goes on.

A step is looked at when a later one has begun. Memory is bounded: what is not yet read waits in the file, what was
looked at is dropped, and a window that grows too large is looked at early.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from ... import __version__
from ...errors import RewardgateError
from ...rollouts.fields import STEP
from ...rollouts.reading import read
from ...rollouts.records import Rollout
from ...rollouts.rows import parse_row
from ...rollouts.values import integer_value
from ...verifiers.base import Verifier
from ..auditing import audit
from ..findings import headline
from ..report.model import AuditReport, Finding, GroupTable, Part, Severity

__all__ = ["Look", "WatchReport", "Window", "look", "new_rows"]

SCHEMA_VERSION = "rewardgate.watch/1"
MAX_ROWS = 4_096
MAX_BYTES = 1 << 26
ROWS_WITHOUT_STEP = 512
"""Rows in a look where they tell no step."""
MAX_LOOKS = 200
"""Looks that a report keeps: the first and the latest."""


class Look(Part):
    """What one look found.

    Args:
        first_step, last_step: of the rows; None where they tell no step.
        n_rows: lines looked at, unreadable ones too.
        severity, headline, findings: the audit's; a window that could not be audited says why in its headline.
        groups: the table of the rewards as logged.
        n_targets, n_failing_targets: how many there are, and how many do not verify against themselves.
        n_unscored: rollouts whose reward is null.
        unscored_because: what most of them got in its place (`rollouts.record` writes it down); None where unknown.
        n_no_answer: wrong-scored rollouts that commit to no answer.
        seconds: what the look took.
    """

    first_step: int | None
    last_step: int | None
    n_rows: int
    severity: Severity
    headline: str
    findings: tuple[Finding, ...] = ()
    groups: GroupTable | None = None
    n_rollouts: int = 0
    n_targets: int = 0
    n_failing_targets: int = 0
    n_unscored: int = 0
    unscored_because: str | None = None
    n_no_answer: int = 0
    seconds: float


class WatchReport(Part):
    """All looks at one log, oldest first; of more than `MAX_LOOKS` the first and the latest."""

    schema_version: str = SCHEMA_VERSION
    rewardgate_version: str = __version__
    log: str
    n_looks: int = 0
    looks: tuple[Look, ...] = ()

    def with_look(self, found: Look) -> "WatchReport":
        """This report and one look more."""
        looks = (*self.looks, found)
        if len(looks) > MAX_LOOKS:
            looks = (looks[0], *looks[2:])
        return self.model_copy(update={"n_looks": self.n_looks + 1, "looks": looks})


class WaitingRow(NamedTuple):
    """One line of the log, and its step where it tells one."""

    step: int | None
    line: bytes


class Window:
    """Rows that wait for the next look.

    Args:
        every: steps in a look.
    """

    def __init__(self, every: int) -> None:
        self._every = every
        self._rows: list[WaitingRow] = []
        self._steps: set[int] = set()
        self._n_bytes = 0

    def add(self, line: bytes) -> list[WaitingRow]:
        """Take one line; the rows of a look where it completes one, else none."""
        row = WaitingRow(_step(line), line)
        self._rows.append(row)
        self._n_bytes += len(line)
        if row.step is not None:
            self._steps.add(row.step)
        if len(self._rows) >= (MAX_ROWS if self._steps else ROWS_WITHOUT_STEP) or self._n_bytes >= MAX_BYTES:
            return self.rest()
        # The newest step may still be under way.
        return self._taken(max(self._steps)) if len(self._steps) > self._every else []

    def rest(self) -> list[WaitingRow]:
        """All that waits."""
        return self._taken(None)

    def _taken(self, open_step: int | None) -> list[WaitingRow]:
        taken = [row for row in self._rows if open_step is None or row.step != open_step]
        self._rows = [row for row in self._rows if open_step is not None and row.step == open_step]
        self._steps = {row.step for row in self._rows if row.step is not None}
        self._n_bytes = sum(len(row.line) for row in self._rows)
        return taken


def new_rows(path: Path, offset: int) -> Iterator[tuple[bytes, int]]:
    """The whole lines of a file from `offset` on, each with the offset behind it; a line without its end waits.

    A file that is shorter than `offset` was begun anew and is read from its start; one that is not there has no lines.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        if file.seek(0, 2) < offset:
            offset = 0
        file.seek(offset)
        for line in file:
            if not line.endswith(b"\n"):
                return
            offset += len(line)
            yield line, offset


def look(rows: Sequence[WaitingRow], scratch: Path, *, referee: str | Verifier | None = None) -> Look:
    """The audit of these rows as they were logged.

    Args:
        rows: at least one.
        scratch: a file to lay them in, which is overwritten.
        referee: as in `audit`.
    """
    started = perf_counter()
    steps = [row.step for row in rows if row.step is not None]
    scratch.write_bytes(b"".join(row.line for row in rows))
    first, last = (min(steps), max(steps)) if steps else (None, None)
    try:
        reading = read(scratch)
        report = audit(reading, referee=referee)
        rollouts = [rollout for group in reading for rollout in group.rollouts]
    except RewardgateError as error:
        return Look(
            first_step=first,
            last_step=last,
            n_rows=len(rows),
            severity="fail",
            headline=str(error).replace(str(scratch), "the log"),
            seconds=perf_counter() - started,
        )
    unscored = [rollout for rollout in rollouts if rollout.reward is None]
    reasons = Counter(told for rollout in unscored if (told := _in_place_of_reward(rollout)) is not None)
    because = reasons.most_common(1)[0][0] if reasons else None
    findings = report.findings
    if len(unscored) == len(rollouts):
        # To the audit a file without a reward is one of responses to be judged; here something should have paid.
        sentence = f"none of {len(rollouts)} rollouts has a reward" + (f"; most got {because}" if because else "")
        findings = (Finding(section="causes", severity="fail", sentence=sentence, threshold="fail"), *findings)
    worst = headline(findings)
    return Look(
        first_step=first,
        last_step=last,
        n_rows=len(rows),
        severity=worst.severity,
        headline=worst.sentence,
        findings=findings,
        groups=report.groups[0] if report.groups else None,
        n_rollouts=len(rollouts),
        n_targets=0 if report.golds is None else report.golds.n_targets,
        n_failing_targets=0 if report.golds is None else report.golds.n_failing,
        n_unscored=len(unscored),
        unscored_because=because,
        n_no_answer=_count(report, "no_answer"),
        seconds=perf_counter() - started,
    )


def _in_place_of_reward(rollout: Rollout) -> str | None:
    told = rollout.meta.get("raised", rollout.meta.get("returned"))
    return told if isinstance(told, str) else None


def _count(report: AuditReport, cause: str) -> int:
    return next((count.rollouts for count in report.causes if count.cause == cause), 0)


def _step(line: bytes) -> int | None:
    row, _ = parse_row(line)
    return None if row is None else integer_value(next((row[name] for name in STEP if name in row), None))
