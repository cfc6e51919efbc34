"""PID namespaces: each has a keeper, its first process, which does nothing but be there; when it dies, all in it die.

A candidate is started inside a keeper's namespace by `setns` and fork. After a run that could start no process the
namespace is empty again and serves the next; after any other it is ended with all that the run left behind.
"""

import os
import select
import signal
import socket
from dataclasses import dataclass
from typing import NoReturn

from confine import die_with_parent, enter_pid_namespace_of, fork_into_pid_namespace

_CHANNEL = 3
_PID_BYTES = 4
_END_MS = 5_000
"""How long the processes of a namespace may take to be gone after SIGKILL."""


@dataclass(frozen=True)
class Keeper:
    """The first process of a PID namespace."""

    pid: int
    pidfd: int


class Keepers:
    """Makes keepers and lends them, one a run.

    They are forked by a maker, a process of its own: whoever has entered a PID namespace by `setns` can make no
    other. Maker and keepers end with the process that holds this.

    Raises:
        OSError: no PID namespace is to be had here.
    """

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair()
        self._idle: list[Keeper] = []
        self._entered: Keeper | None = None
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            _make(theirs.fileno(), parent)
        theirs.close()
        self._idle.append(self._made())

    def fileno(self) -> int:
        """Of the channel to the maker, which hangs up when it dies: then no keeper lives, and none can be made."""
        return self._channel.fileno()

    def enter(self) -> Keeper:
        """A keeper whose namespace is empty; children of this process are born in it until the next is entered."""
        keeper = self._idle.pop() if self._idle else self._made()
        while _has_ended(keeper.pidfd):  # somebody killed it
            os.close(keeper.pidfd)
            keeper = self._idle.pop() if self._idle else self._made()
        if keeper is not self._entered:
            enter_pid_namespace_of(keeper.pidfd)
            self._entered = keeper
        return keeper

    def leave(self, keeper: Keeper, *, is_empty: bool) -> None:
        """Give `keeper` back; what still runs beside it is ended, and waited for."""
        if is_empty:
            self._idle.append(keeper)
            return
        signal.pidfd_send_signal(keeper.pidfd, signal.SIGKILL)
        poll = select.poll()
        poll.register(keeper.pidfd, select.POLLIN)
        gone = poll.poll(_END_MS)
        os.close(keeper.pidfd)
        if self._entered is keeper:
            self._entered = None
            self._idle.append(self.enter())  # nothing can be forked into a namespace that has ended
        if not gone:
            raise OSError("pidns: expected its processes to end, got some that do not")

    def _made(self) -> Keeper:
        self._channel.send(b"+")
        answer = self._channel.recv(_PID_BYTES)
        if not answer or not any(answer):
            raise OSError("pidns: the kernel makes none here")
        pid = int.from_bytes(answer, "little")
        return Keeper(pid, os.pidfd_open(pid))


def _has_ended(pidfd: int) -> bool:
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(0))


def _make(channel: int, parent: int) -> NoReturn:
    """The maker: a keeper for each byte that comes, its number for an answer, 0 for none."""
    try:
        die_with_parent()
        os.dup2(channel, _CHANNEL)
        os.closerange(_CHANNEL + 1, 1 << 16)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for keepers, nor they for orphans
        while os.getppid() == parent and os.read(_CHANNEL, 1):
            try:
                pid = fork_into_pid_namespace()
            except OSError:
                pid = 0
            else:
                if pid == 0:
                    _keep()
            os.write(_CHANNEL, pid.to_bytes(_PID_BYTES, "little"))
    finally:
        os._exit(0)


def _keep() -> NoReturn:
    try:
        die_with_parent()
        os.setsid()
        poll = select.poll()
        poll.register(_CHANNEL, 0)
        poll.poll()  # until the other end is closed
    finally:
        os._exit(0)
