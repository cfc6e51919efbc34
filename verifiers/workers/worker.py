"""The life of a killable worker: what runs in the fresh process behind `isolation.Workers`.

It reads a request (pickled by our own side), calls a function, answers in JSON, and ends when the channel or
the caller's end of the life line closes. It imports little, so that it starts fast.
"""

import asyncio
import contextlib
import fcntl
import inspect
import json
import os
import pickle
import signal
import socket
import sys
import threading
from importlib import import_module
from typing import Any

from ...errors import UnavailableError
from .frames import receive_frame, send_frame

_MAX_MESSAGE_CHARACTERS = 2_000


def main(
    channel_fd: int, life_line_fd: int, memory_bytes: int | None, preload: list[str], warm_up: list[Any] | None = None
) -> None:
    """Serve requests until the caller is gone."""
    # What a function starts must not hold our lines open once we are gone.
    os.set_inheritable(channel_fd, False)
    os.set_inheritable(life_line_fd, False)
    _end_with_the_caller(life_line_fd)
    _limit_memory(memory_bytes)
    channel = socket.socket(fileno=channel_fd)
    for module in preload:
        # A module that is missing is missed by the call that needs it, which says so.
        with contextlib.suppress(ImportError):
            import_module(module)
    if warm_up:
        send_frame(channel, _answer([pickle.dumps((None, warm_up[0], warm_up[1:]))]))
    else:
        send_frame(channel, b"{}")
    with contextlib.suppress(EOFError, OSError):
        while True:
            n_frames = int.from_bytes(receive_frame(channel), "big")
            frames = [receive_frame(channel) for _ in range(n_frames)]
            send_frame(channel, _answer(frames))


def _answer(frames: list[bytes]) -> bytes:
    call_id = None
    try:
        call_id, function, arguments = pickle.loads(frames[0], buffers=frames[1:])
        frames.clear()
        result = _resolved(function)(*arguments)
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        return json.dumps({"call_id": call_id, "result": result}).encode()
    except KeyboardInterrupt:
        raise
    except MemoryError as error:
        return _failure(call_id, error, kind="memory")
    except UnavailableError as error:
        return _failure(call_id, error, kind="unavailable")
    # SystemExit is a user's function calling sys.exit: its failure, not our order to stop.
    except BaseException as error:
        return _failure(call_id, error, kind="raised")


def _resolved(function: Any) -> Any:
    if isinstance(function, bytes):
        import dill

        return dill.loads(function)
    module, _, attribute = function.partition(":")
    found = import_module(module)
    for name in attribute.split("."):
        found = getattr(found, name)
    return found


def _failure(call_id: int | None, error: BaseException, *, kind: str) -> bytes:
    try:
        message = str(error)[:_MAX_MESSAGE_CHARACTERS]
    except Exception as unprintable:
        message = f"(its message cannot be printed: {type(unprintable).__name__})"
    failure = {"call_id": call_id, "error": type(error).__name__, "message": message, "kind": kind}
    return json.dumps(failure).encode()


def _end_with_the_caller(life_line_fd: int) -> None:
    """Die when the caller's end of the life line closes, busy in C code or not.

    PR_SET_PDEATHSIG would fire when the *thread* that started us ends. On Linux the kernel itself can be asked
    to send SIGKILL to our process group when the pipe's other end closes: that needs no interpreter lock and
    reaches what we started. The thread is for systems whose pipes send nothing, and for a caller that was gone
    before we asked.
    """
    if sys.platform == "linux":
        fcntl.fcntl(life_line_fd, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(life_line_fd, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(life_line_fd, fcntl.F_SETFL, fcntl.fcntl(life_line_fd, fcntl.F_GETFL) | os.O_ASYNC)

    def watch() -> None:
        os.read(life_line_fd, 1)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True, name="rewardgate-life-line").start()


def _limit_memory(memory_bytes: int | None) -> None:
    if memory_bytes is None or sys.platform == "darwin":
        # macOS accepts these limits and does not enforce them.
        return
    import resource

    # Not RLIMIT_AS: threads and GPU drivers reserve far more address space than they ever write to.
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
