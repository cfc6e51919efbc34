"""Jails that are shared: one a thread at a time, made when first needed, replaced when one breaks."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, LifoQueue
from threading import BoundedSemaphore
from typing import Any, Literal

from ...errors import UnavailableError
from .bubblewrap import bubblewrap_wall, why_no_bubblewrap
from .jailer import Jail
from .runs import JailError

__all__ = ["TIERS", "JailPool", "SandboxUnavailable", "Tier", "missing_layers"]

Tier = Literal["strict", "standard", "basic"]

TIERS: dict[Tier, frozenset[str]] = {
    "strict": frozenset({"userns", "netns", "ipcns", "pidns", "mountns", "landlock", "seccomp", "rlimits"}),
    "standard": frozenset({"landlock", "seccomp", "rlimits"}),
    "basic": frozenset({"seccomp", "rlimits"}),
}
"""Which layers each tier needs; a caller who is root needs `uid` in all of them."""


class SandboxUnavailable(UnavailableError):  # noqa: N818 - the name of DESIGN's contract
    """This machine has fewer layers than the caller demands; raised before anything runs."""


def missing_layers(jail: Jail, tier: Tier) -> list[str]:
    """The layers of `tier` that `jail` does not have."""
    needed = TIERS[tier] | ({"uid"} if os.geteuid() == 0 else set())
    return sorted(needed - set(jail.layers))


class JailPool:
    """Up to `size` jails for any number of threads.

    Args:
        size: how many programs run at once.
        require: the tier that every jail must have.
        modules: imported beforehand in every jail.
        without: layers to leave out.
        needs: layers that are needed beside those of the tier.
        bubblewrap: whether jails stand within bubblewrap.

    Raises:
        SandboxUnavailable: when the first jail is made, where the machine has less than `require`.
    """

    def __init__(
        self,
        size: int,
        *,
        require: Tier = "standard",
        modules: Sequence[str] = (),
        without: Sequence[str] = (),
        needs: Sequence[str] = (),
        bubblewrap: bool = False,
    ) -> None:
        self._size = size
        self._require: Tier = require
        self._modules, self._without, self._needs = tuple(modules), tuple(without), tuple(needs)
        self._bubblewrap = bubblewrap
        self._reset()

    def __getstate__(self) -> dict[str, Any]:
        """What makes another pool like it: jails do not travel to a worker, they are made there."""
        return {
            "size": self._size,
            "require": self._require,
            "modules": self._modules,
            "without": self._without,
            "needs": self._needs,
            "bubblewrap": self._bubblewrap,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._idle: LifoQueue[Jail] = LifoQueue()
        self._free = BoundedSemaphore(self._size)
        self._made = 0

    @contextmanager
    def jail(self) -> Iterator[Jail]:
        """A jail for this thread alone; one that breaks in its hands is not given out again."""
        if self._pid != os.getpid():
            self._reset()  # after a fork: the jails are the parent's
        with self._free:
            jail = self._lent()
            try:
                yield jail
            except BaseException:
                # Whatever happened, what the jail still has to say belongs to nobody now.
                jail.close()
                raise
            if jail.is_open:
                self._idle.put(jail)

    def _lent(self) -> Jail:
        """An idle jail that nobody killed meanwhile, else a new one."""
        while True:
            try:
                jail = self._idle.get_nowait()
            except Empty:
                return self._new()
            if jail.is_well:
                return jail
            jail.close()

    def close(self) -> None:
        """End all jails that are not in use. Those of a process that forked this one are its own."""
        if self._pid != os.getpid():
            self._reset()
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

    def _new(self) -> Jail:
        self._made += 1
        wall = bubblewrap_wall if self._bubblewrap else None
        try:
            jail = Jail(modules=self._modules, without=self._without, slot=os.getpid() * 8 + self._made, wall=wall)
        except JailError as error:
            reason = why_no_bubblewrap() if self._bubblewrap else ""
            if not reason:
                raise
            raise SandboxUnavailable(f"backend: expected bubblewrap that starts, got: {reason}") from error
        missing = sorted({*missing_layers(jail, self._require), *(set(self._needs) - set(jail.layers))})
        if missing:
            jail.close()
            reasons = "; ".join(f"{name}: {jail.reasons.get(name, 'not tried')}" for name in missing)
            raise SandboxUnavailable(f"require: expected the layers of {self._require!r}, this machine lacks {reasons}")
        return jail
