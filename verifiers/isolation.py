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
import contextlib
import os
import pickle
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from types import TracebackType
from typing import Any

from ..errors import RewardgateError, UnavailableError, WorkerDiedError, WorkerError, WorkerMemoryError
from .arguments import positive, whole
from .workers.frames import LOOK_UP_S
from .workers.process import WorkerProcess, WorkerSettings
from .workers.shipping import dilled

__all__ = ["Workers", "shared_workers"]


class Workers:
    """A set of reusable killable worker processes, started when first needed.

    A forked child of the caller gets processes of its own, and so does whoever unpickles a copy of the set.

    Args:
        size: how many processes, hence how many calls at once.
        memory_bytes: private memory each may allocate (Linux, RLIMIT_DATA; macOS enforces none); None for
            no limit.
        start_timeout_s: seconds that a process may take to start, import `preload` and warm up.
        preload: modules imported before the first call, so that their import counts against no call.
        search_path: folders appended to `sys.path` in the workers only.
        warm_up: ("module:attribute", *arguments), called in each new process before its first call; the
            arguments and the result are plain data. Where it raises, so do the calls that needed the process.

    Attributes:
        start_seconds: the longest that a process took to start so far; no call's time contains it.

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
        warm_up: Sequence[Any] = (),
    ) -> None:
        self.size = whole("size", size, at_least=1)
        self.start_seconds = 0.0
        self._settings = WorkerSettings(
            memory_bytes=memory_bytes,
            start_timeout_s=start_timeout_s,
            preload=tuple(preload),
            search_path=tuple(search_path),
            warm_up=tuple(warm_up),
        )
        self._forget()
        _instances.add(self)

    def call(self, function: str | Callable[..., Any], *arguments: Any, timeout_s: float) -> Any:
        """What `function(*arguments)` returns in a worker; safe from any number of threads.

        Waits for a free worker first, however long that takes: the time limit counts from when the worker
        has the request.

        Args:
            function: `"module:attribute"`, imported in the worker, or a callable, shipped by dill. A
                coroutine is run to its end.
            arguments: anything that pickles; a `pickle.PickleBuffer` travels beside the pickle, uncopied.
            timeout_s: seconds that the call may take.

        Returns:
            Plain data: None, bool, int, float, str, and lists and string-keyed dicts of these.

        Raises:
            ArgumentError: `timeout_s` is not a positive finite number.
            WorkerTimeoutError: the call ran past `timeout_s`; its worker was killed.
            WorkerMemoryError: it ran past the memory limit and lived to say so.
            WorkerDiedError: the worker ended during the call (it crashed, was killed, or called `os._exit`),
                could not start, or was closed.
            UnavailableError: the function raised it: what it demands, the machine has not, whatever it is asked.
            WorkerError: the function raised something else, or returned what is not plain data; the message says what.
        """
        timeout_s = positive("timeout_s", timeout_s, what="number of seconds")
        generation = self._generation
        shipped = function if isinstance(function, str) else dilled(function)
        call_id = next(self._call_ids)
        beside: list[pickle.PickleBuffer] = []
        request = pickle.dumps((call_id, shipped, arguments), protocol=5, buffer_callback=beside.append)
        worker = self._take(generation)
        try:
            answer = worker.ask([request, *(buffer.raw() for buffer in beside)], call_id, timeout_s)
        except BaseException as error:
            self._discard(worker, replace=isinstance(error, WorkerError))
            raise
        self._give_back(worker)
        if "error" in answer:
            message = f"{answer['error']}: {answer['message']}" if answer["message"] else str(answer["error"])
            raise _FAILURES.get(str(answer.get("kind")), WorkerError)(message)
        return answer.get("result")

    def start(self) -> None:
        """Start every process now, without waiting for it: a later call finds it warm."""
        with self._free:
            while self._running < self.size:
                self._idle.append(self._spawn())
                self._running += 1
                self._free.notify()

    def close(self, *, for_good: bool = False) -> None:
        """Kill every process; each call that began before, running or waiting, raises `WorkerDiedError`.

        The set can be used again unless this is `for_good`; then later calls raise it too.
        """
        with self._free:
            self._generation += 1
            self._is_closed = self._is_closed or for_good
            idle, self._idle = self._idle, []
            self._running -= len(idle)
            self._free.notify_all()
            busy = [worker for worker in self._processes if worker not in idle]
        for worker in idle:
            worker.kill()
        for worker in busy:
            worker.interrupt()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # Nobody can call any more; without this, life lines, hence processes, would outlive a forgotten set.
        for worker in getattr(self, "_idle", ()):
            worker.kill()

    def __reduce__(self) -> tuple[Callable[[], "Workers"], tuple[()]]:
        options = {name: getattr(self._settings, name) for name in WorkerSettings.__slots__}
        return partial(Workers, self.size, **options), ()

    def _take(self, generation: int) -> WorkerProcess:
        with self._free:
            while self._is_open_for(generation) and not self._idle and self._running >= self.size:
                self._free.wait(LOOK_UP_S)
            if not self._is_open_for(generation):
                raise WorkerDiedError("worker: closed before the call")
            worker = self._idle.pop() if self._idle else None
            if worker is None:
                self._running += 1
        try:
            if worker is not None and not worker.is_usable():
                worker.kill()
                worker = None
            if worker is None:
                worker = self._spawn()
                # Closed between the two: `close` did not see this process and cannot have killed it.
                if worker.generation != generation:
                    raise WorkerDiedError("worker: closed before the call")
            self.start_seconds = max(self.start_seconds, worker.await_start())
        except BaseException:
            self._discard(worker, replace=False)
            raise
        return worker

    def _is_open_for(self, generation: int) -> bool:
        return generation == self._generation and not self._is_closed

    def _give_back(self, worker: WorkerProcess) -> None:
        with self._free:
            if worker.generation == self._generation:
                self._idle.append(worker)
                self._free.notify()
                return
        self._discard(worker, replace=False)

    def _discard(self, worker: WorkerProcess | None, *, replace: bool) -> None:
        """Kill a worker; its place goes to a new one, which starts while the caller goes on, or stays empty."""
        if worker is not None:
            worker.kill()
        with self._free:
            if replace and worker is not None and worker.generation == self._generation:
                # Where no process can be started, the next call says so: here it would hide why this one failed.
                with contextlib.suppress(OSError):
                    self._idle.append(self._spawn())
                    self._running += 1
            self._running -= 1
            self._free.notify()

    def _spawn(self) -> WorkerProcess:
        worker = WorkerProcess(self._settings)
        with self._free:
            # Numbered as it becomes visible to `close`: either that kills it, or it belongs to the time after.
            worker.generation = self._generation
            self._processes.add(worker)
        return worker

    def _forget(self) -> None:
        self._free = threading.Condition()
        self._processes: weakref.WeakSet[WorkerProcess] = weakref.WeakSet()
        self._idle: list[WorkerProcess] = []
        self._running = 0
        self._generation = 0
        self._is_closed = False
        self._call_ids = count()

    def _after_fork_in_child(self) -> None:
        # Our copies of the caller's lines would keep its workers alive after it, and mix up its answers.
        for worker in list(self._processes):
            worker.close_channels()
        self._forget()


def shared_workers() -> Workers:
    """The process-wide set for symbolic comparison: two workers, or one on a single core, math-verify preloaded."""
    return _shared


_FAILURES: dict[str, type[RewardgateError]] = {"memory": WorkerMemoryError, "unavailable": UnavailableError}
"""What a call raises by the kind of failure that its worker told of; of any other, `WorkerError`."""

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
