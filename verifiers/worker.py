"""The life of a killable worker: what runs in the fresh process behind `isolation.Workers`.

It reads a request (pickled by our own side), calls a function, answers in JSON, and ends when the channel or
the caller's end of the life line closes.
"""

import asyncio
import contextlib
import fcntl
import inspect
import json
import os
import pickle
import socket
import sys
import threading
from importlib import import_module
from typing import Any

from .frames import receive_frame, send_frame

_MAX_MESSAGE_CHARACTERS = 2_000


def main(channel_fd: int, life_line_fd: int, memory_bytes: int | None, preload: list[str]) -> None:
    """Serve requests until the caller is gone."""
    _end_with_the_caller(life_line_fd)
    _limit_memory(memory_bytes)
    channel = socket.socket(fileno=channel_fd)
    failures = {}
    for module in preload:
        try:
            import_module(module)
        except ImportError as error:
            failures[module] = str(error)
    send_frame(channel, json.dumps({"started": True, "not_preloaded": failures}).encode())
    with contextlib.suppress(EOFError, OSError):
        while True:
            request = receive_frame(channel)
            send_frame(channel, _answer(request))


def _answer(request: bytes) -> bytes:
    call_id = None
    try:
        call_id, function, arguments = pickle.loads(request)
        del request
        result = _resolved(function)(*arguments)
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        return json.dumps({"call_id": call_id, "result": result}).encode()
    except KeyboardInterrupt:
        raise
    except MemoryError as error:
        return _failure(call_id, error, memory=True)
    # SystemExit is a user's function calling sys.exit: its failure, not our order to stop.
    except BaseException as error:
        return _failure(call_id, error, memory=False)


def _resolved(function: Any) -> Any:
    if isinstance(function, bytes):
        import dill

        return dill.loads(function)
    module, _, attribute = function.partition(":")
    found = import_module(module)
    for name in attribute.split("."):
        found = getattr(found, name)
    return found


def _failure(call_id: int | None, error: BaseException, *, memory: bool) -> bytes:
    try:
        message = str(error)[:_MAX_MESSAGE_CHARACTERS]
    except Exception as unprintable:
        message = f"(its message cannot be printed: {type(unprintable).__name__})"
    failure = {"call_id": call_id, "error": type(error).__name__, "message": message, "memory": memory}
    return json.dumps(failure).encode()


def _end_with_the_caller(life_line_fd: int) -> None:
    """Die when the caller's end of the life line closes, busy in C code or not.

    PR_SET_PDEATHSIG would fire when the *thread* that started us ends. On Linux the kernel sends SIGIO, whose
    default is to end the process, when the pipe's other end closes: that needs no interpreter lock. The thread
    is for systems where a pipe sends no SIGIO.
    """
    fcntl.fcntl(life_line_fd, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life_line_fd, fcntl.F_SETFL, fcntl.fcntl(life_line_fd, fcntl.F_GETFL) | os.O_ASYNC)

    def watch() -> None:
        os.read(life_line_fd, 1)
        os._exit(0)

    threading.Thread(target=watch, daemon=True, name="rewardgate-life-line").start()


def _limit_memory(memory_bytes: int | None) -> None:
    if memory_bytes is None or sys.platform == "darwin":
        # macOS accepts RLIMIT_AS and does not enforce it.
        return
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
