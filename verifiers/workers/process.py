"""One killable worker process as its caller sees it, and the two lines that lead to it.

The channel carries requests and answers. The life line carries nothing: the kernel kills the process, and
whatever it started in its process group, when the caller's end of it closes, however the caller went.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from ...errors import WorkerDiedError, WorkerError, WorkerTimeoutError
from .frames import receive_frame, send_frame

__all__ = ["WorkerProcess", "WorkerSettings"]

_BOOT = (
    "import json, sys; settings = json.loads(sys.argv[1]); sys.path[:] = settings.pop('path'); "
    "from rewardgate.verifiers.workers.worker import main; main(**settings)"
)


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a process is started with; `isolation.Workers` says what each means."""

    memory_bytes: int | None
    start_timeout_s: float
    preload: tuple[str, ...]
    search_path: tuple[str, ...]
    warm_up: tuple[Any, ...]


class WorkerProcess:
    """A process that is starting, idle or in a call; a call belongs to one thread, `kill` to any."""

    def __init__(self, settings: WorkerSettings) -> None:
        self.generation = -1
        self._start_timeout_s = settings.start_timeout_s
        self._started_at = monotonic()
        self._start_seconds: float | None = None
        self._owner = os.getpid()
        self._killing = threading.Lock()
        self._channel, theirs = socket.socketpair()
        their_life_line, self._life_line = os.pipe()
        config = {
            "channel_fd": theirs.fileno(),
            "life_line_fd": their_life_line,
            "memory_bytes": settings.memory_bytes,
            "preload": settings.preload,
            "warm_up": settings.warm_up,
            "path": _search_path(settings.search_path),
        }
        self._process: subprocess.Popen[bytes] | None = None
        try:
            # -P: a json.py in the current folder must not be the one that the first line imports.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _BOOT, json.dumps(config)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), their_life_line),
                start_new_session=True,
            )
        except BaseException:
            self.close_channels()
            raise
        finally:
            theirs.close()
            os.close(their_life_line)

    def await_start(self) -> float:
        """Seconds that the process took to start.

        Raises:
            WorkerDiedError: it did not start, or not in time. Not a `WorkerTimeoutError`: no call is to blame.
            WorkerError: its warm-up raised.
        """
        if self._start_seconds is None:
            try:
                started = json.loads(receive_frame(self._channel, deadline=self._started_at + self._start_timeout_s))
            except TimeoutError:
                raise WorkerDiedError(f"worker: expected to start within {self._start_timeout_s:g} s, killed") from None
            except (EOFError, OSError, ValueError):
                raise WorkerDiedError(f"worker: ended while it started ({self._end()})") from None
            if not isinstance(started, dict) or started.get("error") is not None:
                raise WorkerError(f"worker: did not start: {started['error']}: {started['message']}")
            self._start_seconds = monotonic() - self._started_at
        return self._start_seconds

    def ask(self, frames: Sequence[bytes | memoryview], call_id: int, timeout_s: float) -> dict[str, Any]:
        """The answer to one request: its pickle, and the buffers that travel beside it.

        Raises:
            WorkerTimeoutError: there was none in time.
            WorkerDiedError: the process ended.
            WorkerError: the answer is not one to this request.
        """
        deadline = monotonic() + timeout_s
        try:
            send_frame(self._channel, len(frames).to_bytes(4, "big"), deadline=deadline)
            for frame in frames:
                send_frame(self._channel, frame, deadline=deadline)
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

    def is_usable(self) -> bool:
        """Whether it lives, as far as the channel tells, and has said nothing unasked; true while it starts."""
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

    def interrupt(self) -> None:
        """Send SIGKILL to the process and its group, and leave the rest to the thread whose call this ends."""
        with self._killing:
            if self._process is None or self._process.returncode is not None or self._owner != os.getpid():
                return
            # The group goes before its leader is waited for, while the number cannot be somebody else's.
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                self._process.kill()

    def kill(self) -> None:
        """Kill the process and its group, wait for it, and close the lines to it. May be called again."""
        self.interrupt()
        if self._process is not None and self._owner == os.getpid():
            with self._killing:
                self._process.wait()
        self.close_channels()

    def close_channels(self) -> None:
        """Close this process's ends of both lines; in a fork of the caller, they are copies of the caller's."""
        self._channel.close()
        if self._life_line >= 0:
            os.close(self._life_line)
            self._life_line = -1

    def _end(self) -> str:
        self.kill()
        code = self._process.returncode if self._process is not None else 0
        return f"exit code {code}" if code >= 0 else f"signal {-code}"


def _search_path(added: Sequence[str]) -> list[str]:
    # "" is the caller's current folder, whatever that will be when the worker imports something.
    return [os.fspath(entry) for entry in (*sys.path, *added) if entry]
