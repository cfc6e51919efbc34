"""A subject in a process that can be killed: what `laws.bounded_time` runs it in."""

import os
import sys
from functools import lru_cache
from types import TracebackType

from ...errors import ArgumentError, WorkerDiedError, WorkerError, WorkerMemoryError, WorkerTimeoutError
from ..isolation import Workers
from ..workers.shipping import dilled
from .subject import Subject

__all__ = ["Killable"]

_START_S = 60.0


class Killable:
    """One worker that judges with `subject`.

    Args:
        subject: what is under test.
        limit_s: seconds that a completion may take.

    Raises:
        ArgumentError: the subject cannot be sent there.
    """

    def __init__(self, subject: Subject, limit_s: float) -> None:
        self._limit_s = limit_s
        try:
            self._shipped = dilled(subject)
        except Exception as unshippable:  # whatever a foreign object raises where it does not pickle
            raise _unsent(subject, unshippable) from None
        # What could be imported here can be imported there, test modules too.
        self._workers = Workers(1, search_path=tuple({*sys.path, os.getcwd()} - {""}))
        try:
            self._warm_up()
        except WorkerError as failure:
            self._workers.close()
            raise _unsent(subject, failure) from None

    def failure(self, completion: str, target: str) -> str | None:
        """What went wrong with a completion, twice; None where it was judged in time."""
        told = self._failure(completion, target)
        return None if told is None else self._failure(completion, target)

    def __enter__(self) -> "Killable":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._workers.close()

    def _failure(self, completion: str, target: str) -> str | None:
        try:
            self._judge(completion, target, self._limit_s)
        except WorkerTimeoutError:
            told = f"took longer than {self._limit_s:g} s"
        except WorkerMemoryError:
            told = "ran out of memory"
        except WorkerDiedError:
            told = "ended its process"
        except WorkerError:
            return None  # it raised, in time: `never_raises` is about that
        else:
            return None
        # The process that replaces the killed one imports the subject anew; that is not this text's time.
        self._warm_up()
        return told

    def _warm_up(self) -> None:
        """Let the process import what it needs: an equality that no text shows may start others."""
        for completion, target in (("", "0"), (r"\boxed{x+x}", "2x")):
            self._judge(completion, target, _START_S)

    def _judge(self, completion: str, target: str, timeout_s: float) -> None:
        self._workers.call(f"{__name__}:judge", self._shipped, completion, target, timeout_s=timeout_s)


def judge(shipped: bytes, completion: str, target: str) -> None:
    """Judge one completion; runs in the worker."""
    _unpacked(shipped).judge(completion, target)


@lru_cache(maxsize=1)
def _unpacked(shipped: bytes) -> Subject:
    import dill

    return dill.loads(shipped)


def _unsent(subject: Subject, reason: Exception) -> ArgumentError:
    return ArgumentError(
        f"subject: expected one that another process can import or unpickle, got {subject.name}: {reason}"
    )
