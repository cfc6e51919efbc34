"""The zygote: a small interpreter, started fresh, that forks one jailed process a run and says how each ended.

It never holds an expected value, for what a process has held, its children can find. Descriptor 0 is the control
channel (SOCK_SEQPACKET, JSON): a request carries the descriptors of one run beside it, an answer tells its end.
"""

import contextlib
import gc
import json
import os
import resource
import select
import signal
import socket
import sys
import time
import traceback
from dataclasses import dataclass

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import confine
import proofs
from first import Plan, be_first

_PRELOADED = (
    "abc", "array", "ast", "bisect", "calendar", "cmath", "collections", "contextlib", "copy", "dataclasses",
    "datetime", "decimal", "enum", "fractions", "functools", "heapq", "io", "itertools", "json", "math", "numbers",
    "operator", "queue", "random", "re", "statistics", "string", "struct", "textwrap", "threading", "time", "typing",
)  # fmt: skip
_GRACE_S = 2.0
"""How much longer than its plan a run may take before its first process is killed from outside."""
_LOOK_S = 5.0
_MAX_REQUEST_BYTES = 64 * 1024
_MAX_DESCRIPTORS = 8
_OPEN_FILES = 4096


@dataclass
class Run:
    """One run under way: its first process, until when it may live, and where its report comes from."""

    number: int
    pid: int
    pidfd: int
    report: int
    deadline: float


def main() -> None:
    """Prepare, prove, announce; then serve until the control channel closes."""
    settings = json.loads(sys.argv[1])
    sys.argv[:] = [""]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _stand_first_in_line()
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    try:
        _preload(settings)
        jail = proofs.prepare(settings)
    except BaseException:
        control.send(json.dumps({"error": traceback.format_exc(limit=-3)}).encode())
        return
    control.send(json.dumps({"ready": True, "layers": jail.names, "reasons": jail.reasons}).encode())
    gc.collect()
    gc.freeze()
    gc.disable()
    Zygote(control, jail).serve()


def _stand_first_in_line() -> None:
    """A kernel that is short of memory takes a program's rather than the caller's; and files enough can be open."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


def _preload(settings: dict) -> None:
    sys.path.extend(settings["paths"])
    import _sitebuiltins
    import builtins

    builtins.exit, builtins.quit = _sitebuiltins.Quitter("exit", "Ctrl-D"), _sitebuiltins.Quitter("quit", "Ctrl-D")  # type: ignore[assignment]
    for name in (*_PRELOADED, *settings["modules"]):
        __import__(name)


class Zygote:
    """Serves requests; several runs may be under way at once."""

    def __init__(self, control: socket.socket, jail: proofs.Jail) -> None:
        self._control = control
        self._jail = jail
        self._runs: dict[int, Run] = {}
        self._caller = os.getppid()
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)

    def serve(self) -> None:
        """Until the control channel closes; then everything that runs is killed."""
        try:
            while self._serve_once():
                pass
        finally:
            for run in self._runs.values():
                os.kill(run.pid, signal.SIGKILL)

    def _serve_once(self) -> bool:
        now = time.monotonic()
        wait_s = min((run.deadline - now for run in self._runs.values()), default=_LOOK_S)
        for descriptor, _ in self._poll.poll(min(max(0.0, wait_s), _LOOK_S) * 1000):
            if descriptor == self._control.fileno():
                data, descriptors, _, _ = socket.recv_fds(self._control, _MAX_REQUEST_BYTES, _MAX_DESCRIPTORS)
                if not data:
                    return False
                self._request(json.loads(data), descriptors)
            else:
                self._ended(next(run for run in self._runs.values() if run.pidfd == descriptor))
        for run in self._runs.values():
            if time.monotonic() > run.deadline:
                run.deadline = float("inf")
                os.kill(run.pid, signal.SIGKILL)
        # The channel closes when the caller dies, unless something that it forked still holds it.
        return os.getppid() == self._caller

    def _request(self, request: dict, descriptors: list[int]) -> None:
        if "kill" in request:
            run = self._runs.get(request["kill"])
            if run is not None:
                os.kill(run.pid, signal.SIGTERM)
                run.deadline = min(run.deadline, time.monotonic() + _GRACE_S)
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
        plan = Plan(
            kind=request["kind"],
            limits=confine.Limits(**request["limits"]),
            wall_s=request["wall_s"],
            scratch=request["scratch"] or jail.scratch,
            has_mounts=jail.has_mounts,
            source=descriptors[0],
            descriptors=tuple(descriptors[1:]),
            settings=request["settings"],
        )
        ours, theirs = os.pipe()
        pid = confine.fork_into_namespaces(pids=jail.has_pids, mounts=jail.has_mounts)
        if pid == 0:
            os.close(ours)
            be_first(plan, jail.layers, theirs)
        os.close(theirs)
        deadline = time.monotonic() + plan.wall_s + _GRACE_S
        return Run(request["run"], pid, os.pidfd_open(pid), ours, deadline)

    def _ended(self, run: Run) -> None:
        self._poll.unregister(run.pidfd)
        del self._runs[run.number]
        _, status = os.waitpid(run.pid, 0)
        with open(run.report, "rb") as file:
            os.set_blocking(run.report, False)
            lines = (file.read() or b"").splitlines()
        os.close(run.pidfd)
        # The first line counts: a candidate that could not be confined says so before its first process reports.
        said = json.loads(lines[0]) if lines else {"lost": status}
        self._say({"run": run.number, **said})

    def _say(self, message: dict) -> None:
        self._control.send(json.dumps(message).encode())


main()
