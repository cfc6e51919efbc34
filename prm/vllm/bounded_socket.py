"""A socket that gives up at a deadline, or when it is told to, whatever its other end does.

A socket's own time-out starts anew with every piece that moves: a server that sends a byte a second would be
listened to for ever.
"""

import io
import socket
from collections.abc import Callable
from threading import Event
from time import monotonic
from typing import Any, TypeVar

from ...verifiers.workers.frames import LOOK_UP_S

__all__ = ["BoundedSocket"]

Moved = TypeVar("Moved")


class BoundedSocket:
    """As much of a connected socket as `http.client` uses.

    Args:
        sock: the socket, plain or TLS; whoever made it closes it.
        deadline: in seconds of `time.monotonic()`.
        stop: set from another thread, it ends what is under way, with a `ConnectionAbortedError`.
    """

    def __init__(self, sock: socket.socket, deadline: float, stop: Event) -> None:
        self._sock, self._deadline, self._stop = sock, deadline, stop

    def sendall(self, data: Any) -> None:
        """Send all of it.

        Raises:
            TimeoutError: the deadline is over.
            OSError: the peer is gone.
        """
        left = memoryview(data)
        while left:
            left = left[self._moved(lambda: self._sock.send(left)) :]  # noqa: B023 (called at once)

    def makefile(self, mode: str) -> io.BufferedReader:
        """A reader of what comes."""
        return io.BufferedReader(_Reader(self._sock, self._moved))

    def close(self) -> None:
        """Nothing: a connection calls it once the headers are read, when the body is still to come."""

    def _moved(self, move: Callable[[], Moved]) -> Moved:
        while True:
            left_s = self._deadline - monotonic()
            if self._stop.is_set():
                raise ConnectionAbortedError("no longer wanted")
            if left_s <= 0:
                raise TimeoutError
            self._sock.settimeout(min(left_s, LOOK_UP_S))
            try:
                return move()
            except TimeoutError:
                continue


class _Reader(io.RawIOBase):
    def __init__(self, sock: socket.socket, moved: Callable[[Callable[[], int]], int]) -> None:
        self._sock, self._moved = sock, moved

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._moved(lambda: self._sock.recv_into(buffer))
