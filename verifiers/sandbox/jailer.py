"""The supervisor: starts a zygote, hands it programs, moves their bytes, and learns how each ended.

It stands in the caller's process, in any thread, and never forks it. A run's bytes go over pipes of its own; nothing
that comes from the untrusted side is unpickled, and nothing is waited for without an end.
"""

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from ...errors import RewardgateError
from .bubblewrap import NAMESPACES
from .jail import frames

__all__ = ["Ended", "Jail", "JailError", "Limits", "Running"]

_JAIL = str(Path(__file__).parent / "jail")
_START_S = 20.0
_LATE_S = 5.0
"""How much longer than its wall time a run may take to be reported before the zygote counts as broken."""
_LOOK_S = 0.1
"""How often a wait looks up, whatever happens."""
_CHUNK = 1 << 18
_CHANNEL_BYTES = frames.MAX_BYTES + _CHUNK
_STDERR_BYTES = 16 * 1024
_UIDS = 61_184
"""Nobody's: systemd gives out users from here on, and only while they run."""


class JailError(RewardgateError):
    """The machinery failed, not the program: there is no verdict to be had from this run."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use.

    Args:
        cpu_s: processor seconds.
        memory_bytes: address space of one process; where a run may start others, also what all hold together.
        file_bytes: of one file and, where the scratch folder is a tmpfs, of all files together.
        output_bytes: of standard output.
        processes: beside the first; 0 refuses them all.
    """

    cpu_s: float = 4.0
    memory_bytes: int = 1 << 30
    file_bytes: int = 64 << 20
    output_bytes: int = 16 << 20
    processes: int = 0

    @property
    def wall_s(self) -> float:
        """Seconds on the clock: a program that only sleeps ends, and one on a busy machine is not cut short."""
        return 2 * self.cpu_s + 1


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended.

    Args:
        exit_code: None where a signal ended it.
        signal: None where it exited.
        killed: why we killed it: `cpu`, `wall`, `memory`, `processes`, `output` or `asked`; None where we did not.
        cpu_s, wall_s: what it took.
        peak_bytes: of resident memory.
    """

    exit_code: int | None
    signal: int | None
    killed: str | None
    cpu_s: float
    wall_s: float
    peak_bytes: int


@dataclass(eq=False)
class Running:
    """One run under way, and the bytes that came of it. `channel` carries frames, where it was asked for."""

    number: int
    limit: int
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    channel: bytearray = field(default_factory=bytearray)
    to_send: bytearray = field(default_factory=bytearray)
    wire: int | None = None
    ended: Ended | None = None
    killed: str | None = None


class Jail:
    """A zygote and what it proved. Runs programs, one caller at a time; close it, or use it in a `with` statement.

    Args:
        modules: imported once, beforehand, so that programs that need them pay nothing (`numpy`).
        without: layers to leave out, for tests and for telling what each is worth.
        slot: tells concurrent jails of root apart: each gets a user of its own.
        wall: puts the zygote's command, which needs to read some paths, behind a wall of somebody else's.

    Raises:
        JailError: the zygote does not start.
    """

    def __init__(
        self,
        *,
        modules: Sequence[str] = (),
        without: Sequence[str] = (),
        slot: int = 0,
        wall: Callable[[Sequence[str], Sequence[str]], list[str]] | None = None,
    ) -> None:
        self._lock = Lock()
        self._numbers = 0
        self._owner = os.getpid()
        try:
            self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        except OSError as error:
            raise JailError(f"sandbox: expected a zygote that starts, got: {error}") from error
        self._running: dict[int, Running] = {}
        self._moves: dict[int, tuple[Callable[[], None], Running]] = {}
        self._poll = select.poll()
        self._poll.register(self._control, select.POLLIN)
        settings = {
            "paths": [path for path in sys.path if "site-packages" in path] if modules else [],
            "modules": list(modules),
            "without": list(without),
            "uid": _UIDS + slot % 1024,
            "outside": _namespaces() if wall is not None else {},
        }
        command = [sys.executable, "-I", "-S", "-B", "-X", "utf8", _JAIL, json.dumps(settings)]
        self._process: subprocess.Popen[bytes] | None = None
        try:
            with theirs:
                if wall is not None:
                    command = wall(command, (_JAIL, *settings["paths"]))
                self._process = subprocess.Popen(
                    command,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env={},
                    start_new_session=True,
                )
            ready = self._hears(_START_S)
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise JailError(f"sandbox: expected a zygote that starts, got: {error}") from error
            raise
        if "error" in ready:
            self.close()
            raise JailError(f"sandbox: expected a zygote that starts, got: {ready['error']}")
        self.layers: tuple[str, ...] = tuple(ready["layers"])
        self.reasons: Mapping[str, str] = ready["reasons"]

    def __enter__(self) -> "Jail":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        """Whether it can run programs still."""
        return self._control.fileno() >= 0

    @property
    def is_well(self) -> bool:
        """Whether it is open, and the zygote, which has nothing to say between runs, has not gone."""
        if not self.is_open:
            return False
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        return not poll.poll(0)

    def close(self) -> None:
        """End the zygote and, with it, every run. A fork of the caller lets go of it and leaves it to its parent."""
        self._control.close()
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.wait()
        for descriptor in list(self._moves):
            self._closes(descriptor)

    def run(self, source: bytes, *, stdin: bytes = b"", limits: Limits = Limits()) -> Running:
        """Run `source` as a program from its start to its end.

        Raises:
            JailError: the machinery failed; the jail is closed then and must be replaced.
        """
        with self._lock:
            running = self.start("program", source, stdin=stdin, limits=limits)
            # Twice: the zygote gives a run back what it stood in line for.
            self.pump(lambda: running.ended is not None, 2 * limits.wall_s)
        return running

    def start(
        self,
        kind: str,
        source: bytes,
        *,
        stdin: bytes = b"",
        limits: Limits,
        wall_s: float | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Running:
        """Start a run; whoever calls this holds the jail for itself and pumps.

        Raises:
            JailError: the zygote is gone, or this process may open no more files; the jail is closed then.
        """
        self._numbers += 1
        running = Running(self._numbers, limits.output_bytes)
        request = {
            "run": running.number,
            "kind": kind,
            "limits": {key: value for key, value in asdict(limits).items() if key != "output_bytes"},
            "wall_s": limits.wall_s if wall_s is None else wall_s,
            "settings": dict(settings or {}),
        }
        given: list[int] = []
        try:
            self._opens(running, source, stdin, given, has_channel=kind != "program")
            socket.send_fds(self._control, [json.dumps(request).encode()], given)
        except OSError as error:
            raise self._broken(f"no run that starts ({error})") from error
        finally:
            for descriptor in given:
                os.close(descriptor)
        self._running[running.number] = running
        return running

    def _opens(self, running: Running, source: bytes, stdin: bytes, given: list[int], *, has_channel: bool) -> None:
        """Open the pipes of a run: our ends are moved while somebody pumps, theirs are added to `given`."""
        for feeds in (source, stdin):
            reads, writes = os.pipe()
            given.append(reads)
            os.fchmod(reads, 0o666)  # /dev/stdin opens it once more, as another user
            self._feeds(writes, feeds, running)
        for sink, limit in ((running.stdout, running.limit), (running.stderr, _STDERR_BYTES)):
            reads, writes = os.pipe()
            given.append(writes)
            os.fchmod(writes, 0o666)
            self._drains(reads, sink, limit, running)
        if has_channel:
            ours, theirs = socket.socketpair()
            given.append(theirs.detach())
            self._carries(ours.detach(), running)

    def kill(self, running: Running, why: str = "asked") -> None:
        """Kill a run; its end still has to be pumped for."""
        if running.ended is None and running.killed is None:
            running.killed = why
            with contextlib.suppress(OSError):  # the zygote is gone; whoever pumps hears of it
                self._control.send(json.dumps({"kill": running.number}).encode())

    def end(self, *runs: Running) -> None:
        """Kill runs and wait until they have ended. Where that fails, the jail is closed, and what was said stands."""
        for running in runs:
            self.kill(running)
        with contextlib.suppress(JailError):
            self.pump(lambda: all(running.ended is not None for running in runs), 1.0)

    def tell(self, running: Running, message: object) -> None:
        """Send one frame to a run that is called; it leaves while somebody pumps.

        Raises:
            FrameError: it is too long, or too much waits already for a run that does not read.
        """
        frame = frames.packed(message)
        if running.to_send and len(running.to_send) + len(frame) > frames.MAX_BYTES:
            raise frames.FrameError(f"frame: expected at most {frames.MAX_BYTES} bytes that wait to be read")
        running.to_send += frame
        if running.wire is not None:
            self._poll.modify(running.wire, select.POLLIN | select.POLLOUT)

    def hear(self, running: Running, wall_s: float) -> tuple[object] | None:
        """The next frame of a run that is called; None where it ended first, or said nothing for `wall_s`.

        Raises:
            FrameError: what came is no frame.
            JailError: the machinery failed.
        """
        message: tuple[object] | None = None
        until = monotonic() + wall_s

        def is_done() -> bool:
            nonlocal message
            if message is None:
                message = frames.unpacked(running.channel)
            return message is not None or running.ended is not None or monotonic() > until

        self.pump(is_done, wall_s)
        return message

    def pump(self, is_done: Callable[[], bool], wall_s: float) -> None:
        """Move bytes and hear reports until `is_done`.

        Raises:
            JailError: that took far longer than `wall_s`, or the zygote is gone.
        """
        deadline = monotonic() + wall_s + _LATE_S
        while not is_done():
            if not self.is_open:
                raise JailError("sandbox: expected an open jail, got one that is closed")
            left = deadline - monotonic()
            if left <= 0:
                raise self._broken("a run did not end in time")
            for descriptor, _ in self._poll.poll(min(left, _LOOK_S) * 1000):
                if descriptor == self._control.fileno():
                    self._report(self._hears(0.0))
                elif descriptor in self._moves:
                    self._moves[descriptor][0]()

    def _report(self, said: dict[str, Any]) -> None:
        running = self._running.pop(said.get("run", -1), None)
        if running is None:
            raise self._broken(said.get("error", "it spoke of a run that was not asked for"))
        if "status" not in said:
            raise self._broken(said.get("error", "a run ended without a status"))
        status = said["status"]
        code = os.waitstatus_to_exitcode(status)
        running.ended = Ended(
            exit_code=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            killed=running.killed or said["killed"],
            cpu_s=said["cpu_s"],
            wall_s=said["wall_s"],
            peak_bytes=said["peak_kb"] * 1024,
        )
        # What was written before the end lies in the pipes; whoever holds them open now is not waited for.
        for descriptor in [number for number, (_, owner) in self._moves.items() if owner is running]:
            self._moves[descriptor][0]()
            self._closes(descriptor)
        running.wire = None

    def _feeds(self, descriptor: int, data: bytes, running: Running) -> None:
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

    def _drains(self, descriptor: int, sink: bytearray, limit: int, running: Running) -> None:
        """Read a pipe into `sink` up to `limit`; a standard output beyond it is the end of the run."""
        os.set_blocking(descriptor, False)

        def move() -> None:
            try:
                while chunk := os.read(descriptor, _CHUNK):
                    sink.extend(chunk[: max(0, limit + 1 - len(sink))])
                    if sink is running.stdout and len(sink) > limit:
                        self.kill(running, "output")
                        break
                    if len(chunk) < _CHUNK:
                        return
                else:
                    self._closes(descriptor)
            except BlockingIOError:
                return

        self._watches(descriptor, select.POLLIN, move, running)

    def _carries(self, wire: int, running: Running) -> None:
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

    def _hears(self, timeout_s: float) -> dict[str, Any]:
        """The zygote's next message; it is trusted, but may be gone."""
        self._control.settimeout(max(timeout_s, 0.001))
        try:
            data = self._control.recv(1 << 16)
        except OSError as error:
            return {"error": f"no word from the zygote ({error})"}
        return json.loads(data) if data else {"error": "the zygote is gone"}

    def _broken(self, why: str) -> JailError:
        self.close()
        return JailError(f"sandbox: expected a run that is reported, got: {why}")


def _namespaces() -> dict[str, str]:
    """Those of this process, by which a zygote knows that a wall stands between."""
    return {name: os.readlink(f"/proc/self/ns/{name}") for name in NAMESPACES}
