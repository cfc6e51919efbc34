"""Rows judged in killable workers: the one that hangs, crashes or eats memory is found, and costs no other.

Rows travel in chunks, which hides the cost of the trip. A chunk whose worker had to be killed is judged again
row by row, so that the verdict on each row is the one that it gets alone.
"""

import pickle
import threading
from collections.abc import Sequence
from functools import lru_cache
from time import perf_counter
from typing import Any

from ...errors import ArgumentError, WorkerDiedError, WorkerError, WorkerMemoryError, WorkerTimeoutError
from ..base import Outcome, Target, Verdict, Verifier
from ..isolation import Workers
from ..rows import Triple, error, plain_verdict, row_verdict, verdict_of_plain
from ..target_texts import target_texts
from .shipping import dilled

__all__ = ["RowsInWorkers", "judge_rows", "shipped"]

_JUDGE = "rewardgate.verifiers.workers.rows:judge_rows"
_UNBOUNDED_S = 365 * 24 * 3600.0


class RowsInWorkers:
    """A verifier on its way through workers.

    Args:
        verifier: the bytes that `shipped` made of it.
        workers: where it runs.
        budget_s: seconds that one row may take, and a chunk of several before it is taken apart; None for
            no limit.
    """

    def __init__(self, verifier: bytes, workers: Workers, *, budget_s: float | None) -> None:
        self._verifier = verifier
        self._workers = workers
        self._budget_s = budget_s
        self._timeout_s = _UNBOUNDED_S if budget_s is None else budget_s
        self._stopped = threading.Event()
        # A group's rollouts share their target: one that hangs is asked about once.
        self._is_unscored_alone_once = lru_cache(maxsize=256)(self._is_unscored_alone)

    def judge(self, rows: Sequence[Any]) -> list[Verdict]:
        """One verdict a row.

        Raises:
            UnavailableError: the verifier's, which holds for every row.
            WorkerDiedError: `stop` was called meanwhile.
        """
        if self._stopped.is_set():
            raise WorkerDiedError("worker: stopped")
        started = perf_counter()
        try:
            return self._asked(rows)
        except WorkerError as failure:
            if len(rows) > 1:
                return [verdict for row in rows for verdict in self.judge([row])]
            return [self._after(failure, rows[0], started)]

    def stop(self) -> None:
        """End the calls that are under way, and let none begin. The workers are closed for good."""
        self._stopped.set()
        self._workers.close(for_good=True)

    def _asked(self, rows: Sequence[Triple]) -> list[Verdict]:
        answer = self._workers.call(_JUDGE, self._verifier, list(rows), timeout_s=self._timeout_s)
        return [verdict_of_plain(data) for data in answer]

    def _after(self, failure: WorkerError, row: Triple, started: float) -> Verdict:
        """The verdict on the one row that failed its worker: whose fault was it?"""
        if isinstance(failure, WorkerDiedError) and not self._stopped.is_set():
            # Somebody else may have killed it (the kernel, short of memory); once more, then it is the row.
            try:
                return self._asked([row])[0]
            except WorkerError as again:
                failure = again
        if isinstance(failure, WorkerTimeoutError | WorkerMemoryError):
            rule = "timed_out" if isinstance(failure, WorkerTimeoutError) else "out_of_memory"
            reward = None if self._target_is_at_fault(row) else 0.0
            seconds = perf_counter() - started
            return Verdict(Outcome.BUDGET, reward, rule=rule, detail=str(failure), seconds=seconds)
        rule = "crashed" if isinstance(failure, WorkerDiedError) else "raised"
        return error(rule, str(failure), perf_counter() - started)

    def _target_is_at_fault(self, row: Triple) -> bool:
        try:
            return self._is_unscored_alone_once(pickle.dumps((row[1], row[2])))
        except WorkerError:
            return True  # of this row nothing is known; and a worker's death is no property of the target

    def _is_unscored_alone(self, pickled_target_and_prompt: bytes) -> bool:
        """Whether the target is not scored even where it is its own completion; else the completion is at fault."""
        target, prompt = pickle.loads(pickled_target_and_prompt)
        try:
            return self._asked([(_own_completion(target), target, prompt)])[0].reward is None
        except (WorkerTimeoutError, WorkerMemoryError):
            return True


def shipped(verifier: Verifier) -> bytes:
    """A verifier as bytes for a worker: pickled, or by dill where its class is the caller's script's own.

    Raises:
        ArgumentError: neither can ship it.
    """
    if type(verifier).__module__ != "__main__":
        try:
            return pickle.dumps(verifier)
        except Exception:  # whatever a foreign object raises where it does not pickle; dill may still do
            pass
    try:
        return dilled(verifier)
    except Exception as unshippable:
        raise ArgumentError(
            f"verifier: expected one that pickles, to run in workers, got {type(verifier).__name__} ({unshippable})"
        ) from None


def judge_rows(verifier: bytes, rows: Sequence[Triple]) -> list[dict[str, Any]]:
    """Verdicts as plain data; runs in the worker."""
    unpacked = _unpacked(verifier)
    return [plain_verdict(row_verdict(unpacked, row)) for row in rows]


@lru_cache(maxsize=4)
def _unpacked(verifier: bytes) -> Verifier:
    import dill

    return dill.loads(verifier)


def _own_completion(target: Target) -> str:
    # A specification is no completion; an empty one shows what the specification costs by itself.
    return next(iter(target_texts(target)), "")
