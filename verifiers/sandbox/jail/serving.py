"""The zygote's work: a candidate forked for each request, held to its time, and reported when it ends."""

import contextlib
import json
import os
import select
import signal
import socket
import time
import traceback
from dataclasses import dataclass, replace

import candidate
import confine
import proofs
import scratch
from family import family
from keepers import Keeper

_LOOK_S = 0.05
"""How often the time that candidates have used is looked at."""
_IDLE_S = 5.0
_CLEARING_MS = 1000
"""How long a report waits for the folder of its run to be gone."""
_MAX_REQUEST_BYTES = 64 * 1024
_MAX_DESCRIPTORS = 8


@dataclass
class Run:
    """One run under way.

    Args:
        number: what the supervisor calls it.
        pid, pidfd: of the candidate.
        report: where a candidate that cannot be confined says why.
        plan: what was asked for.
        keeper: of its PID namespace; None where there is none.
        started: when, on the monotonic clock.
        until: when it has had its time on the clock.
        killed: why we killed it.
    """

    number: int
    pid: int
    pidfd: int
    report: int
    plan: candidate.Plan
    keeper: Keeper | None
    started: float
    until: float
    killed: str | None = None

    def look(self) -> None:
        """Kill it where it has used up its time; the time it stood in line is given back, up to as much again."""
        if self.killed is None:
            late_s = time.monotonic() - self.until
            if late_s > 0 and late_s > min(_queued_s(self.pid), self.until - self.started):
                self.kill("wall")
            elif _cpu_s(self.pid) > self.plan.limits.cpu_s:
                self.kill("cpu")
            elif self.plan.limits.processes and self.keeper is not None:
                count, resident_bytes = family(self.pid, self.keeper.pid)
                if count > self.plan.limits.processes:
                    self.kill("processes")
                elif resident_bytes > self.plan.limits.memory_bytes:
                    self.kill("memory")

    def kill(self, why: str) -> None:
        self.killed = self.killed or why
        signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)


def _cpu_s(pid: int) -> float:
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0  # it has ended


def _queued_s(pid: int) -> float:
    """Seconds that the first thread was ready to run and did not: on a busy machine the clock is not the program's."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0  # it has ended, or this kernel keeps no such account


class Zygote:
    """Serves requests; several runs may be under way at once."""

    def __init__(self, control: socket.socket, jail: proofs.Jail) -> None:
        self._control = control
        self._jail = jail
        self._runs: dict[int, Run] = {}
        self._clearing: set[int] = set()
        self._caller = os.getppid()
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)
        if jail.keepers is not None:
            self._poll.register(jail.keepers, 0)

    def serve(self) -> None:
        """Until the control channel closes; then everything that runs is killed."""
        try:
            while self._serve_once():
                pass
        finally:
            for run in self._runs.values():
                run.kill("asked")
            for run in list(self._runs.values()):
                self._collect(run)

    def _serve_once(self) -> bool:
        for descriptor, _ in self._poll.poll((_LOOK_S if self._runs else _IDLE_S) * 1000):
            if descriptor == self._control.fileno():
                data, descriptors, _, _ = socket.recv_fds(self._control, _MAX_REQUEST_BYTES, _MAX_DESCRIPTORS)
                if not data:
                    return False
                self._request(json.loads(data), descriptors)
            elif self._jail.keepers is not None and descriptor == self._jail.keepers.fileno():
                return False  # it hung up; whoever asks next starts another zygote
            else:
                run = next(run for run in self._runs.values() if run.pidfd == descriptor)
                self._say({"run": run.number, **self._collect(run)})
        for run in self._runs.values():
            run.look()
        self._clearing = {pid for pid in self._clearing if os.waitpid(pid, os.WNOHANG)[0] == 0}
        # The channel closes when the caller dies, unless something that it forked still holds it.
        return os.getppid() == self._caller

    def _request(self, request: dict, descriptors: list[int]) -> None:
        if "kill" in request:
            run = self._runs.get(request["kill"])
            if run is not None:
                run.kill("asked")
            return
        try:
            run = self._started(request, descriptors)
        except BaseException:
            self._say({"run": request["run"], "error": traceback.format_exc(limit=-2)})
            return
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self._runs[run.number] = run
        self._poll.register(run.pidfd, select.POLLIN)

    def _started(self, request: dict, descriptors: list[int]) -> Run:
        jail = self._jail
        limits = confine.Limits(**request["limits"])
        if jail.keepers is None:
            limits = replace(limits, processes=0)  # nothing would end what it leaves behind
        plan = candidate.Plan(
            kind=request["kind"],
            limits=limits,
            scratch=jail.scratch or scratch.made(),
            has_mounts=jail.has_mounts,
            source=descriptors[0],
            descriptors=tuple(descriptors[1:]),
            settings=request["settings"],
        )
        keeper = jail.keepers.enter() if jail.keepers is not None else None
        ours, theirs = os.pipe()
        started = time.monotonic()
        pid = os.fork()
        if pid == 0:
            candidate.become(plan, jail.layers, theirs)
        os.close(theirs)
        until = started + request["wall_s"]
        return Run(request["run"], pid, os.pidfd_open(pid), ours, plan, keeper, started, until)

    def _collect(self, run: Run) -> dict:
        """How a run that has ended, or is about to, ended; nothing of it is left behind."""
        with contextlib.suppress(KeyError):
            self._poll.unregister(run.pidfd)
        del self._runs[run.number]
        _, status, usage = os.wait4(run.pid, 0)
        wall_s = time.monotonic() - run.started
        said = os.read(run.report, 1 << 16)
        for descriptor in (run.pidfd, run.report):
            os.close(descriptor)
        if run.keeper is not None and self._jail.keepers is not None:
            is_empty = run.plan.limits.processes == 0 and self._jail.layers.seccomp
            self._jail.keepers.leave(run.keeper, is_empty=is_empty)
        if not self._jail.scratch:
            self._clear(run.plan.scratch)
        if said:
            return json.loads(said)
        return {
            "status": status,
            "killed": run.killed,
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "wall_s": wall_s,
            "peak_kb": usage.ru_maxrss,
        }

    def _clear(self, folder: str) -> None:
        """Remove a run's folder, in a process of its own: one that was filled on purpose holds up nobody."""
        pid = os.fork()
        if pid == 0:
            try:
                self._control.close()
                scratch.remove(folder)
            finally:
                os._exit(0)
        poll = select.poll()
        pidfd = os.pidfd_open(pid)
        poll.register(pidfd, select.POLLIN)
        poll.poll(_CLEARING_MS)
        os.close(pidfd)
        self._clearing.add(pid)

    def _say(self, message: dict) -> None:
        self._control.send(json.dumps(message).encode())
