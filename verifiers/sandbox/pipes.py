"""The pipes of the runs under way: their bytes move while somebody polls, and none is waited for."""

import os
import select
from collections.abc import Callable

from .jail import frames
from .runs import Running

__all__ = ["Pipes"]

_CHUNK = 1 << 18
_CHANNEL_BYTES = frames.MAX_BYTES + _CHUNK


class Pipes:
    """Our ends of the pipes of any number of runs. They belong to it: what it is given, it closes."""

    def __init__(self) -> None:
        self._moves: dict[int, tuple[Callable[[], None], Running]] = {}
        self._poll = select.poll()

    def watch(self, descriptor: int) -> None:
        """Have `poll` look at a descriptor that is somebody else's, too."""
        self._poll.register(descriptor, select.POLLIN)

    def poll(self, wait_s: float) -> list[int]:
        """Move what can be moved within `wait_s`; the watched descriptors that have something to say."""
        others = []
        for descriptor, _ in self._poll.poll(wait_s * 1000):
            if descriptor in self._moves:
                self._moves[descriptor][0]()
            else:
                others.append(descriptor)
        return others

    def finish(self, running: Running) -> None:
        """Take what lies in the pipes of a run that has ended; whoever holds them open now is not waited for."""
        for descriptor in [number for number, (_, owner) in self._moves.items() if owner is running]:
            self._moves[descriptor][0]()
            self._closes(descriptor)
        running.wire = None

    def close(self) -> None:
        """Close them all."""
        for descriptor in list(self._moves):
            self._closes(descriptor)

    def send_soon(self, running: Running) -> None:
        """Have what waits in `running.to_send` leave with the next poll."""
        if running.wire is not None:
            self._poll.modify(running.wire, select.POLLIN | select.POLLOUT)

    def feed(self, descriptor: int, data: bytes, running: Running) -> None:
        """Write all of `data` to a pipe as it takes it."""
        os.set_blocking(descriptor, False)
        view = memoryview(data)

        def move() -> None:
            nonlocal view
            try:
                while view:
                    view = view[os.write(descriptor, view[:_CHUNK]) :]
            except BlockingIOError:
                return
            except BrokenPipeError:
                pass  # the program did not want the rest
            self._closes(descriptor)

        self._watches(descriptor, select.POLLOUT, move, running)
        move()

    def drain(
        self,
        descriptor: int,
        sink: bytearray,
        limit: int,
        running: Running,
        too_much: Callable[[], None] | None = None,
    ) -> None:
        """Read a pipe into `sink` up to `limit` and a byte; `too_much` is called where there is more."""
        os.set_blocking(descriptor, False)

        def move() -> None:
            try:
                while chunk := os.read(descriptor, _CHUNK):
                    sink.extend(chunk[: max(0, limit + 1 - len(sink))])
                    if too_much is not None and len(sink) > limit:
                        too_much()
                        break
                    if len(chunk) < _CHUNK:
                        return
                else:
                    self._closes(descriptor)
            except BlockingIOError:
                return

        self._watches(descriptor, select.POLLIN, move, running)

    def carry(self, wire: int, running: Running) -> None:
        """Move frames both ways over a socket; what the other side writes is bounded by what a frame may be."""
        os.set_blocking(wire, False)
        running.wire = wire

        def move() -> None:
            try:
                while running.to_send:
                    del running.to_send[: os.write(wire, running.to_send[:_CHUNK])]
                self._poll.modify(wire, select.POLLIN)
            except BlockingIOError:
                pass
            except OSError:
                running.to_send.clear()
            try:
                while len(running.channel) < _CHANNEL_BYTES and (chunk := os.read(wire, _CHUNK)):
                    running.channel += chunk
                    if len(chunk) < _CHUNK:
                        return
            except BlockingIOError:
                return
            except OSError:
                pass
            # Closed on the other side, or fuller than anything that waits for an answer would make it.
            self._closes(wire)
            running.wire = None

        self._watches(wire, select.POLLIN, move, running)

    def _watches(self, descriptor: int, events: int, move: Callable[[], None], running: Running) -> None:
        self._moves[descriptor] = move, running
        self._poll.register(descriptor, events)

    def _closes(self, descriptor: int) -> None:
        if self._moves.pop(descriptor, None) is not None:
            self._poll.unregister(descriptor)
            os.close(descriptor)
