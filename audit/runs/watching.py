"""Follows a log of rollouts as it grows: says what each look finds anew, and keeps all looks as JSON beside it."""

import fcntl
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ...rollouts.output import Output
from ...verifiers.arguments import as_verifier, whole
from ...verifiers.base import Verifier
from .looks import Look, WaitingRow, WatchReport, Window, look, new_rows

__all__ = ["Watch", "end_with", "follow", "report_path"]

POLL_S = 1.0


def report_path(log: str | Path) -> Path:
    """Where the looks at a log are kept.

    Example:
        >>> report_path("run/rollouts.jsonl").as_posix()
        'run/rollouts.jsonl.watch.json'
    """
    log = Path(log)
    return log.with_name(f"{log.name}.watch.json")


class Watch:
    """The looks at one log.

    Args:
        log: JSON lines, which need not be there yet.
        scratch: a folder for the rows under audit.
        every: steps in a look.
        referee: as in `audit`.
        start: the byte of the log to begin at: what an earlier run wrote was looked at then.
        say: is handed a line for every finding of `warn` or `fail` that no earlier look had.

    Attributes:
        report: all looks so far; it stands at `report_path(log)` too.

    Raises:
        ArgumentError: `every` is below 1, `start` below 0, or `referee` is no verifier.
    """

    def __init__(
        self,
        log: str | Path,
        scratch: Path,
        *,
        every: int = 5,
        referee: str | Verifier | None = None,
        start: int = 0,
        say: Callable[[str], None],
    ) -> None:
        self._log = Path(log)
        self._rows = scratch / "rows.jsonl"
        self._referee = as_verifier("auto" if referee is None else referee, "referee")
        self._say = say
        self._window = Window(whole("every", every, at_least=1))
        self._offset = whole("start", start, at_least=0)
        self._said: set[str] = set()
        self.report = WatchReport(log=str(log))

    def catch_up(self) -> None:
        """Read what is new, and look where that completes a window.

        Raises:
            InputError: the log or the report is out of reach.
        """
        for line, behind in new_rows(self._log, self._offset):
            self._offset = behind
            self._look_at(self._window.add(line))

    def finish(self) -> None:
        """Look at what no window was completed by."""
        self._look_at(self._window.rest())

    def _look_at(self, rows: Sequence[WaitingRow]) -> None:
        if not rows:
            return
        found = look(rows, self._rows, referee=self._referee)
        self.report = self.report.with_look(found)
        for sentence in self._news(found):
            self._say(f"{self._log.name}{_steps(found)}: {sentence}")
        with Output("watch", str(report_path(self._log)), source=self._log) as out:
            out.write(self.report.model_dump_json(indent=2) + "\n")

    def _news(self, found: Look) -> Iterator[str]:
        told = [(finding.severity, finding.sentence) for finding in found.findings]
        for severity, sentence in told or [(found.severity, found.headline)]:
            # The same sentence with other numbers is no news, unless it has become graver.
            key = severity + re.sub(r"[\d.]+", "#", sentence.partition(";")[0])
            if severity != "ok" and key not in self._said:
                self._said.add(key)
                yield f"{severity.upper()}: {sentence}"


def follow(watch: Watch, log: str | Path) -> None:
    """Catch up with `log` every second, for ever. Of several that follow one log, the others wait for the first to end.

    Raises:
        InputError: the log or the report is out of reach.
    """
    pause = threading.Event()
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    with Path(log).open("ab") as held:  # makes it where the first row is still to come
        while not _is_alone(held.fileno()):
            pause.wait(POLL_S)
        while True:
            watch.catch_up()
            pause.wait(POLL_S)


def end_with(parent: int, life_line: int, scratch: Path) -> None:
    """End this process when its parent does, in the middle of a look too: a thread waits for that.

    Args:
        parent: its process id.
        life_line: descriptor of a pipe whose other end the parent holds, and closes when it wants no more looks.
        scratch: a folder that is removed then.
    """

    def wait() -> None:
        pause = threading.Event()
        os.set_blocking(life_line, False)
        # The pipe alone will not do: a child that the parent forked holds its other end as well.
        while os.getppid() == parent and not _is_closed(life_line):
            pause.wait(POLL_S / 4)
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(0)

    threading.Thread(target=wait, name="rewardgate-watch-parent", daemon=True).start()


def _is_alone(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: better two that look than none
        return True
    return True


def _is_closed(life_line: int) -> bool:
    try:
        return os.read(life_line, 1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _steps(found: Look) -> str:
    if found.first_step is None:
        return ""
    return f", step {found.first_step}" + ("" if found.first_step == found.last_step else f" to {found.last_step}")
