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
from dataclasses import asdict
from functools import partial
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from .bubblewrap import NAMESPACES
from .jail import frames
from .pipes import Pipes
from .runs import Ended, JailError, Limits, Running

__all__ = ["Jail"]

_JAIL = str(Path(__file__).parent / "jail")
_START_S = 20.0
_LATE_S = 5.0
"""How much longer than its wall time a run may take to be reported before the zygote counts as broken."""
_LOOK_S = 0.1
"""How often a wait looks up, whatever happens."""
_STDERR_BYTES = 16 * 1024
_USUAL = Limits()
_UIDS = 61_184
"""Nobody's: systemd gives out users from here on, and only while they run."""


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
        self._pipes = Pipes()
        self._pipes.watch(self._control.fileno())
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
        self._pipes.close()

    def run(self, source: bytes, *, stdin: bytes = b"", limits: Limits = _USUAL) -> Running:
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
            self._pipes.feed(writes, feeds, running)
        floods = partial(self.kill, running, "output")
        for sink, limit, too_much in ((running.stdout, running.limit, floods), (running.stderr, _STDERR_BYTES, None)):
            reads, writes = os.pipe()
            given.append(writes)
            os.fchmod(writes, 0o666)
            self._pipes.drain(reads, sink, limit, running, too_much)
        if has_channel:
            ours, theirs = socket.socketpair()
            given.append(theirs.detach())
            self._pipes.carry(ours.detach(), running)

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
        self._pipes.send_soon(running)

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
            if self._pipes.poll(min(left, _LOOK_S)):
                self._report(self._hears(0.0))

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
        self._pipes.finish(running)

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
