"""A verifier in killable processes that are held from one batch to the next.

`batch.iter_verdicts(workers=…)` starts processes for one stream of rows and ends them with it. A trainer asks for a few
hundred verdicts every step, and would pay that start every time.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ...rollouts.messages import Completion, Prompt
from ..base import Target, Verdict, Verifier
from ..isolation import Workers
from .ahead import asked_ahead
from .rows import RowsInWorkers, shipped

__all__ = ["InHeldWorkers"]

CHUNK_ROWS = 16
"""Rows that go to a process together: enough to hide the cost of the trip, few enough to run again singly."""


class InHeldWorkers:
    """`verifier`, judged in processes of its own, started at the first batch and kept until `close`.

    A row that hangs, crashes or eats memory is found and costs no other, as `iter_verdicts` says; the process that it
    had is replaced. A forked or unpickled copy starts processes of its own.

    Args:
        verifier: one that pickles, or dills.
        workers: how many processes.
        timeout_s: seconds that one row may take; None for no limit.

    Raises:
        ArgumentError: `workers` is below 1, or `verifier` cannot be shipped.
    """

    runs_in_workers = True

    def __init__(self, verifier: Verifier, *, workers: int, timeout_s: float | None) -> None:
        self.version = verifier.version
        self._verifier = verifier
        self._size = workers
        self._timeout_s = timeout_s
        self._shipped = shipped(verifier)
        self._there = self._started()

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The verdict on one completion."""
        return self.verify_batch([(completion, target, prompt)])[0]

    def verify_batch(self, rows: Sequence[Any]) -> list[Verdict]:
        """One verdict a row, in order.

        Raises:
            UnavailableError: the verifier's, which holds for every row.
        """
        chunks = [rows[start : start + CHUNK_ROWS] for start in range(0, len(rows), CHUNK_ROWS)]
        there = self._there
        try:
            asked = asked_ahead(there.judge, chunks, threads=self._size, stop=there.stop)
            return [verdict for _, verdicts in asked for verdict in verdicts]
        except BaseException:
            self._there = self._started()  # those that were stopped, by Ctrl-C or a fault of ours, stay so
            raise

    def close(self) -> None:
        """End the processes, and the calls that are under way; a later batch has new ones."""
        ended, self._there = self._there, self._started()
        ended.stop()

    def _started(self) -> RowsInWorkers:
        return RowsInWorkers(self._shipped, Workers(self._size), budget_s=self._timeout_s)

    def __reduce__(self) -> tuple[Callable[[], "InHeldWorkers"], tuple[()]]:
        return partial(InHeldWorkers, self._verifier, workers=self._size, timeout_s=self._timeout_s), ()
