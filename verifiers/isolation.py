"""Killable workers: processes that run what may hang, crash or eat memory, and that can be killed for it.

A worker is a fresh Python process (exec'd, never a fork of the caller; the caller's `__main__` is not imported
again). Requests go to it pickled; it answers in JSON, so that nothing a worker says is ever unpickled here. It
leads a session of its own, killed as a whole process group, and ends by itself when the caller is gone, however
the caller went. No signal handler and no timer of the caller is touched: all this works from any thread and
under any event loop.

What this is not: a sandbox. A worker may read files and open sockets as its caller may, and a process that it
starts in yet another session outlives it.
"""

import atexit
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from itertools import count
from time import monotonic
from types import TracebackType
from typing import Any

from ..errors import ArgumentError, WorkerDiedError, WorkerError, WorkerMemoryError, WorkerTimeoutError
from .frames import receive_frame, send_frame

__all__ = ["Workers", "shared_workers"]

_BOOT = (
    "import json, sys; channel, life_line, memory, preload, path = json.loads(sys.argv[1]); sys.path[:] = path; "
    "from rewardgate.verifiers.worker import main; main(channel, life_line, memory, preload)"
)


class Workers:
    """A set of reusable killable worker processes, started when first needed.

    Args:
        size: how many processes, hence how many calls at once.
        memory_bytes: address space each may use (Linux; macOS does not enforce it); None for no limit.
        start_timeout_s: seconds that a process may take to start and import `preload`.
        preload: modules imported before the first call, so that their import counts against no call.
        search_path: folders appended to `sys.path` in the workers only.

    Example:
        >>> with Workers() as workers:
        ...     workers.call("math:factorial", 5, timeout_s=10.0)
        120
    """

    def __init__(
        self,
        size: int = 1,
        *,
        memory_bytes: int | None = 4 * 1024**3,
        start_timeout_s: float = 60.0,
        preload: Sequence[str] = (),
        search_path: Sequence[str] = (),
    ) -> None:
        if size < 1:
            raise ArgumentError(f"size: expected at least 1, got {size}")
        self.size = size
        self.start_seconds = 0.0
        self._memory_bytes = memory_bytes
        self._start_timeout_s = start_timeout_s
        self._preload = tuple(preload)
        self._search_path = tuple(search_path)
        self._forget()
        _instances.add(self)

    def call(self, function: str | Callable[..., Any], *arguments: Any, timeout_s: float) -> Any:
        """What `function(*arguments)` returns in a worker; safe from any number of threads.

        Waits for a free worker first, however long that takes: the time limit counts from when the worker
        has the request.

        Args:
            function: `"module:attribute"`, imported in the worker, or a callable, shipped by dill. A
                coroutine is run to its end.
            arguments: anything that pickles.
            timeout_s: seconds that the call may take.

        Returns:
            Plain data: None, bool, int, float, str, and lists and string-keyed dicts of these.

        Raises:
            WorkerTimeoutError: the call ran past `timeout_s`; its worker was killed.
            WorkerMemoryError: it ran past the memory limit and lived to say so.
            WorkerDiedError: the worker ended during the call (it crashed, was killed, or called `os._exit`).
            WorkerError: the function raised, or returned what is not plain data; the message says what.
        """
        shipped = function if isinstance(function, str) else _dilled(function)
        call_id = next(self._call_ids)
        request = pickle.dumps((call_id, shipped, arguments), protocol=pickle.HIGHEST_PROTOCOL)
        worker = self._take()
        try:
            answer = worker.ask(request, call_id, timeout_s)
        except BaseException:
            worker.kill()
            self._give_back(None)
            raise
        self._give_back(worker)
        if "error" in answer:
            message = f"{answer['error']}: {answer['message']}" if answer["message"] else str(answer["error"])
            raise WorkerMemoryError(message) if answer["memory"] else WorkerError(message)
        return answer.get("result")

    def start(self) -> None:
        """Start every process now, without waiting for it: a later call finds it warm."""
        with self._free:
            while self._running < self.size:
                self._running += 1
                self._idle.append(self._spawn())
                self._free.notify()

    def close(self) -> None:
        """Kill the idle processes; those in a call are killed when it ends. The set can be used again."""
        with self._free:
            idle, self._idle = self._idle, []
            self._running -= len(idle)
            self._generation += 1
        for worker in idle:
            worker.kill()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _take(self) -> "_Worker":
        with self._free:
            while not self._idle and self._running >= self.size:
                self._free.wait()
            if self._idle:
                worker = self._idle.pop()
            else:
                self._running += 1
                worker = None
        try:
            if worker is None or not worker.is_ready():
                if worker is not None:
                    worker.kill()
                worker = self._spawn()
            self.start_seconds = max(self.start_seconds, worker.await_start(self._start_timeout_s))
        except BaseException:
            if worker is not None:
                worker.kill()
            self._give_back(None)
            raise
        return worker

    def _give_back(self, worker: "_Worker | None") -> None:
        with self._free:
            if worker is not None and worker.generation == self._generation:
                self._idle.append(worker)
                worker = None
            else:
                self._running -= 1
            self._free.notify()
        if worker is not None:
            worker.kill()

    def _spawn(self) -> "_Worker":
        path = [entry for entry in sys.path if entry] + list(self._search_path)
        return _Worker(self._memory_bytes, self._preload, path, generation=self._generation)

    def _forget(self) -> None:
        self._free = threading.Condition()
        self._idle: list[_Worker] = []
        self._running = 0
        self._generation = 0
        self._call_ids = count()

    def _after_fork_in_child(self) -> None:
        # Our copies of the parent's channels would keep its workers alive after it, and mix up its answers.
        for worker in self._idle:
            worker.close_channels()
        self._forget()


class _Worker:
    """One process and the two lines to it: requests and answers, and the life line that tells it when we are gone."""

    def __init__(self, memory_bytes: int | None, preload: Sequence[str], path: list[str], *, generation: int) -> None:
        self.generation = generation
        self._channel, theirs = socket.socketpair()
        life_line, self._life_line = os.pipe()
        config = json.dumps([theirs.fileno(), life_line, memory_bytes, list(preload), path])
        self._started_at = monotonic()
        self._start_seconds: float | None = None
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _BOOT, config],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), life_line),
                start_new_session=True,
            )
        except BaseException:
            self.close_channels()
            raise
        finally:
            theirs.close()
            os.close(life_line)

    def await_start(self, timeout_s: float) -> float:
        """Seconds that the process took to start."""
        if self._start_seconds is None:
            try:
                receive_frame(self._channel, deadline=monotonic() + timeout_s)
            except TimeoutError:
                raise WorkerTimeoutError(f"worker: expected to start within {timeout_s:g} s") from None
            except (EOFError, OSError, ValueError):
                raise WorkerDiedError(f"worker: ended while it started ({self._end()})") from None
            self._start_seconds = monotonic() - self._started_at
        return self._start_seconds

    def ask(self, request: bytes, call_id: int, timeout_s: float) -> dict[str, Any]:
        deadline = monotonic() + timeout_s
        try:
            send_frame(self._channel, request, deadline=deadline)
            answer = json.loads(receive_frame(self._channel, deadline=deadline))
        except TimeoutError:
            raise WorkerTimeoutError(f"worker: call ran past {timeout_s:g} s and was killed") from None
        except (EOFError, OSError):
            raise WorkerDiedError(f"worker: ended during the call ({self._end()})") from None
        except (ValueError, RecursionError) as error:
            raise WorkerError(f"worker: sent an answer that cannot be read ({type(error).__name__})") from None
        # A function that writes on the channel itself must not have its words taken for another call's answer.
        if not isinstance(answer, dict) or answer.get("call_id") != call_id:
            raise WorkerError("worker: sent an answer to no question")
        return answer

    def is_ready(self) -> bool:
        """Whether it lives and has said nothing unasked (a function that wrote on its channel could forge answers)."""
        # The channel is asked, not the process: waiting for a dead leader would free its group's number.
        if self._start_seconds is None:
            return True
        try:
            self._channel.settimeout(0.0)
            self._channel.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def kill(self) -> None:
        if self._process.returncode is None:
            # The group goes before its leader is waited for, while the number cannot be somebody else's.
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                self._process.kill()
            self._process.wait()
        self.close_channels()

    def close_channels(self) -> None:
        self._channel.close()
        if self._life_line >= 0:
            os.close(self._life_line)
            self._life_line = -1

    def _end(self) -> str:
        self.kill()
        code = self._process.returncode
        return f"exit code {code}" if code >= 0 else f"signal {-code}"


def shared_workers() -> Workers:
    """The process-wide set for symbolic comparison: two workers, or one on a single core, math-verify preloaded."""
    return _shared


def _dilled(function: Callable[..., Any]) -> bytes:
    import dill

    return dill.dumps(function, recurse=True)


_instances: "weakref.WeakSet[Workers]" = weakref.WeakSet()
_shared = Workers(min(2, os.cpu_count() or 1), preload=("math_verify",))


def _after_fork_in_child() -> None:
    for workers in list(_instances):
        workers._after_fork_in_child()


def _close_all() -> None:
    for workers in list(_instances):
        workers.close()


os.register_at_fork(after_in_child=_after_fork_in_child)
atexit.register(_close_all)
