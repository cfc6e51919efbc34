"""A user's own reward function as a verifier, run in killable workers.

Its hang, crash or exception is *unknown* (ERROR, reward None) and counted, never a 0: the completion is not
at fault when the verifier under audit is.
"""

import os
import threading
from collections.abc import Sequence
from functools import partial
from time import perf_counter

from ..errors import InputError, WorkerDiedError, WorkerError, WorkerMemoryError, WorkerTimeoutError
from ..rollouts.messages import Completion, Prompt
from .arguments import positive, whole
from .base import Target, Verdict, Verifier, get, verifiers
from .isolation import Workers
from .rows import Triple, as_triple, error, verdict_of_plain
from .workers.ahead import asked_ahead

__all__ = ["FunctionVerifier", "load_verifier"]

_DESCRIBE = "rewardgate.verifiers.workers.user_function:describe"
_JUDGE = "rewardgate.verifiers.workers.user_function:judge_rows"

_RULES: tuple[tuple[type[WorkerError], str], ...] = (
    (WorkerTimeoutError, "timed_out"),
    (WorkerMemoryError, "out_of_memory"),
    (WorkerDiedError, "crashed"),
)


def load_verifier(
    spec: str,
    *,
    workers: int = 2,
    timeout_s: float = 30.0,
    start_timeout_s: float = 60.0,
    batch_size: int = 16,
    correct_at: float = 1.0,
) -> Verifier:
    """The verifier that a user named.

    Args:
        spec: a registered name, `pkg.mod:fn` or `path/file.py:fn`. A function has TRL's, verl's or a plain
            `(completion, target)` signature; an object or class with `verify` is called as a verifier. The
            current folder is importable in the workers only.
        workers: processes that run a function.
        timeout_s: seconds that one call of it may take.
        start_timeout_s: seconds that a process may take to start and import it.
        batch_size: rows handed to a process at once.
        correct_at: what a function returns for a right answer, at least.

    Raises:
        UnknownNameError: no verifier is registered under that name.
        InputError: the function cannot be found, imported or called.

    Example:
        >>> load_verifier("math").verify("4", "4").outcome
        <Outcome.CORRECT: 'correct'>
    """
    if ":" not in spec or spec in verifiers:
        return get(spec)
    return FunctionVerifier(
        spec,
        workers=workers,
        timeout_s=timeout_s,
        start_timeout_s=start_timeout_s,
        batch_size=batch_size,
        correct_at=correct_at,
    )


class FunctionVerifier:
    """A user's reward function behind the verifier's contract.

    Args:
        spec: `pkg.mod:fn` or `path/file.py:fn`.
        workers: processes that run it.
        timeout_s: seconds that one call may take: of a batch, for TRL's shape; the rows of a batch that took
            longer are judged one by one.
        start_timeout_s: seconds that a process may take to start and import it; in no call's time.
        correct_at: returned number from which a completion is CORRECT (its reward is then 1.0; the number
            itself stands in the detail). Anything below is INCORRECT with the number as its reward, divided
            by `correct_at` where that is above 1.
        batch_size: rows handed to a process at once.
        memory_bytes: memory that each process may allocate.

    Attributes:
        signature: `"trl"`, `"verl"`, `"plain"` or `"verifier"`.
        told: a sentence that says which parameter is given what.

    Raises:
        ArgumentError: a number is out of its range.
        InputError: the function cannot be found, imported or called.
    """

    runs_in_workers = True

    def __init__(
        self,
        spec: str,
        *,
        workers: int = 2,
        timeout_s: float = 30.0,
        start_timeout_s: float = 60.0,
        correct_at: float = 1.0,
        batch_size: int = 16,
        memory_bytes: int | None = 16 * 1024**3,
    ) -> None:
        for name, value in (("timeout_s", timeout_s), ("start_timeout_s", start_timeout_s), ("correct_at", correct_at)):
            positive(name, value)
        whole("batch_size", batch_size, at_least=1)
        self.spec = spec
        self.version = "user function"
        self._timeout_s = timeout_s
        self._correct_at = correct_at
        self._batch_size = batch_size
        self._workers = Workers(
            workers,
            memory_bytes=memory_bytes,
            start_timeout_s=start_timeout_s,
            search_path=(os.getcwd(),),
            # A slow import counts against no row, in a process that replaces a killed one neither.
            warm_up=(_DESCRIBE, spec),
        )
        try:
            told = self._workers.call(_DESCRIBE, spec, timeout_s=start_timeout_s)
        except WorkerError as failure:
            self._workers.close()
            raise InputError(f"verifier: expected an importable function at {spec}, got {failure}") from None
        self.signature: str = told["signature"]
        self.told: str = told["told"]

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The function's verdict on one completion."""
        return self.verify_batch([(completion, target, prompt)])[0]

    def verify_batch(self, rows: Sequence[Triple]) -> list[Verdict]:
        """One verdict a row, in order; a row that hangs or crashes the function never costs another.

        Raises:
            UnavailableError: the function's, which holds for every row.
        """
        items = [as_triple(row) for row in rows]
        usable = [item for item in items if not isinstance(item, Verdict)]
        judged = iter(self._verdicts(usable))
        return [item if isinstance(item, Verdict) else next(judged) for item in items]

    def close(self) -> None:
        """End the worker processes."""
        self._workers.close()

    def _verdicts(self, rows: Sequence[Triple]) -> list[Verdict]:
        stopped = threading.Event()
        batches = [rows[start : start + self._batch_size] for start in range(0, len(rows), self._batch_size)]
        if len(batches) <= 1:
            return [verdict for batch in batches for verdict in self._judge(batch, stopped)]

        def stop() -> None:
            stopped.set()
            self._workers.close()

        asked = asked_ahead(partial(self._judge, stopped=stopped), batches, threads=self._workers.size, stop=stop)
        return [verdict for _, verdicts in asked for verdict in verdicts]

    def _judge(self, rows: Sequence[Triple], stopped: threading.Event) -> list[Verdict]:
        if stopped.is_set():
            raise WorkerDiedError("worker: stopped")
        started = perf_counter()
        try:
            answer = self._workers.call(_JUDGE, self.spec, list(rows), self._correct_at, timeout_s=self._timeout_s)
            return [verdict_of_plain(plain) for plain in answer]
        except WorkerError as failure:
            if len(rows) > 1:
                return [verdict for row in rows for verdict in self._judge([row], stopped)]
            rule = next((rule for kind, rule in _RULES if isinstance(failure, kind)), "raised")
            return [error(rule, str(failure), perf_counter() - started)]
