"""Processor seconds of a tree of processes in which nobody waits for those that end; used by ray_scale.py."""

import os
import threading
from contextlib import suppress
from pathlib import Path

from audit_cost import process_tree

TICKS = os.sysconf("SC_CLK_TCK")


class Meter:
    """Processor seconds of this process and of all that it started and starts.

    Ray's node waits for no worker that ended, so that the kernel tells nobody what it had used: a thread looks at all
    processes ten times a second and keeps the last that it saw of those.
    """

    def __init__(self) -> None:
        self._seen: dict[int, float] = {}
        self._workers: set[int] = set()
        self._looking = threading.Lock()
        threading.Thread(target=self._look_for_ever, daemon=True).start()

    def seconds(self) -> float:
        with self._looking:
            tree = process_tree(os.getpid())
            now = {process: found for process in tree if (found := self._used(process)) is not None}
            self._seen = {process: used for process, used in self._seen.items() if process in self._workers} | now
            return sum(self._seen.values())

    def _used(self, process: int) -> float | None:
        with suppress(OSError):
            stat = (Path("/proc") / str(process) / "stat").read_text()
            fields = stat.rpartition(")")[2].split()
            parent = Path("/proc") / fields[1] / "comm"
            if parent.read_text().strip() == "raylet":
                self._workers.add(process)
            return sum(map(int, fields[11:15])) / TICKS  # user, system, and both of the children that it waited for
        return None

    def _look_for_ever(self) -> None:
        pause = threading.Event()
        while True:
            self.seconds()
            pause.wait(0.1)
