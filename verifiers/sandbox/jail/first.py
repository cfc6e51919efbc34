"""The first process of a run: makes the scratch folder, starts the candidate, holds it to its time, reports, exits.

In a PID namespace its exit ends everything that the candidate left behind; without one the candidate may start no
process, so that there is nothing to end. No signal from inside the namespace reaches it.
"""

import contextlib
import json
import os
import select
import signal
import time
import traceback
from dataclasses import dataclass

import candidate
from confine import Limits, adopt_orphans, die_with_parent, mount_scratch, mount_shared_memory

_LOOK_S = 0.05
"""How often the processor time of a candidate is looked at."""


@dataclass(frozen=True)
class Plan:
    """One run, as the supervisor asked for it.

    Args:
        kind: `program` (run as `__main__`), `calls` (loaded as a module, then called over descriptor 3) or `tests`
            (which call over descriptor 3).
        limits: of the candidate.
        wall_s: after which it is killed whatever it did.
        scratch: its working folder: where a tmpfs is mounted, or one that was made for it.
        has_mounts: whether this process has a mount namespace of its own.
        descriptors: what becomes 0, 1, 2 and, where there is one more, 3; the first of all is the source.
        settings: for the candidate: what else its kind needs to know.
    """

    kind: str
    limits: Limits
    wall_s: float
    scratch: str
    has_mounts: bool
    source: int
    descriptors: tuple[int, ...]
    settings: dict


def be_first(plan: Plan, layers: candidate.Layers, report: int) -> None:
    """Never returns. Writes one line of JSON to `report`: the candidate's end, or what kept it from starting."""
    try:
        die_with_parent()
        os.setsid()
        adopt_orphans()
        if plan.has_mounts:
            mount_scratch(plan.scratch, plan.limits.file_bytes)
            if plan.limits.processes:
                mount_shared_memory(plan.limits.file_bytes)
        os.chdir(plan.scratch)
        started = time.monotonic()
        pid = os.fork()
        if pid == 0:
            candidate.become(plan, layers, report)
        for descriptor in (plan.source, *plan.descriptors):
            os.close(descriptor)
        said = _watch(pid, plan, started)
    except BaseException:
        said = {"error": traceback.format_exc(limit=-2)}
    os.write(report, json.dumps(said).encode() + b"\n")
    os._exit(0)


def _watch(pid: int, plan: Plan, started: float) -> dict:
    """Wait for the candidate, and kill it where it takes too long."""
    killed: str | None = None

    def end(*_: object) -> None:
        nonlocal killed
        killed = killed or "asked"
        _kill(pid)

    # The zygote's way to end a run early, and still to learn what it took.
    signal.signal(signal.SIGTERM, end)
    descriptor = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    clock = (~pid << 3) | 2
    while not poll.poll(_LOOK_S * 1000 if killed is None else None):
        if _cpu_s(clock) > plan.limits.cpu_s:
            killed = "cpu"
        elif time.monotonic() - started > plan.wall_s:
            killed = "wall"
        if killed is not None:
            _kill(pid)
    while True:
        # Orphans that were adopted end here too.
        done, status, usage = os.wait4(-1, 0)
        if done == pid:
            break
    return {
        "status": status,
        "killed": killed,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "wall_s": time.monotonic() - started,
        "peak_kb": usage.ru_maxrss,
    }


def _cpu_s(clock: int) -> float:
    try:
        return time.clock_gettime(clock)
    except OSError:
        return 0.0  # it ended by itself, a moment ago


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # it ended by itself, a moment ago
        os.kill(pid, signal.SIGKILL)
