"""A user's own reward function as a verifier, run in killable workers.

Its hang, crash or exception is *unknown* (ERROR, reward None) and counted, never a 0: the completion is not
at fault when the verifier under audit is.
"""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from time import perf_counter
from typing import Any

from ..errors import ArgumentError, InputError, WorkerDiedError, WorkerError, WorkerMemoryError, WorkerTimeoutError
from ..rollouts.messages import Completion, Prompt
from .base import Outcome, Target, Verdict, Verifier, get, verifiers
from .isolation import Workers

_DESCRIBE = "rewardgate.verifiers.user_function:describe"
_JUDGE = "rewardgate.verifiers.user_function:judge_rows"

Row = tuple[Completion, Target, Prompt | None]


def load_verifier(spec: str, *, workers: int = 2, timeout_s: float = 30.0) -> Verifier:
    """The verifier that a user named.

    Args:
        spec: a registered name, `pkg.mod:fn` or `path/file.py:fn`. A function has TRL's, verl's or a plain
            `(completion, target)` signature; an object or class with `verify` is called as a verifier. The
            current folder is importable in the workers only.
        workers: processes that run a function.
        timeout_s: seconds that one call of it may take.

    Raises:
        UnknownNameError: no verifier is registered under that name.
        InputError: the function cannot be found, imported or called.
    """
    if ":" not in spec or spec in verifiers:
        return get(spec)
    return FunctionVerifier(spec, workers=workers, timeout_s=timeout_s)


class FunctionVerifier:
    """A user's reward function behind the verifier's contract.

    Args:
        spec: `pkg.mod:fn` or `path/file.py:fn`.
        workers: processes that run it.
        timeout_s: seconds that one call (of a batch, for TRL's shape) may take.
        correct_at: returned number from which a completion is CORRECT (its reward is then 1.0; the number
            itself stands in the detail). Anything below is INCORRECT with the number as its reward.
        batch_size: rows handed to a worker at once.

    Raises:
        InputError: the function cannot be found, imported or called.
    """

    runs_in_workers = True

    def __init__(
        self, spec: str, *, workers: int = 2, timeout_s: float = 30.0, correct_at: float = 1.0, batch_size: int = 16
    ) -> None:
        if timeout_s <= 0:
            raise ArgumentError(f"timeout_s: expected a positive number of seconds, got {timeout_s}")
        if correct_at > 1:
            raise ArgumentError(f"correct_at: expected at most 1, got {correct_at}")
        self.spec = spec
        self.version = "user function"
        self._timeout_s = timeout_s
        self._correct_at = correct_at
        self._batch_size = batch_size
        self._workers = Workers(workers, preload=("rewardgate.verifiers.user_function",), search_path=(os.getcwd(),))
        try:
            told = self._workers.call(_DESCRIBE, spec, timeout_s=max(timeout_s, 60.0))
        except WorkerError as error:
            self._workers.close()
            raise InputError(f"verifier: expected an importable function at {spec}, got {error}") from None
        self.signature: str = told["signature"]
        self.told: str = told["told"]

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The function's verdict on one completion."""
        return self.verify_batch([(completion, target, prompt)])[0]

    def verify_batch(self, rows: Sequence[Row]) -> list[Verdict]:
        """One verdict a row, in order; a row that hangs or crashes the function never costs another."""
        remaining = iter(rows)
        batches = list(iter(lambda: list(islice(remaining, self._batch_size)), []))
        if len(batches) == 1:
            return self._judge(batches[0])
        with ThreadPoolExecutor(self._workers.size) as threads:
            return [verdict for verdicts in threads.map(self._judge, batches) for verdict in verdicts]

    def close(self) -> None:
        """End the worker processes."""
        self._workers.close()

    def _judge(self, rows: list[Row]) -> list[Verdict]:
        started = perf_counter()
        try:
            results = self._workers.call(_JUDGE, self.spec, rows, timeout_s=self._timeout_s)
            if len(results) != len(rows):
                raise WorkerError(f"answered {len(results)} rows of {len(rows)}")
        except WorkerError as error:
            if len(rows) > 1:
                return [verdict for row in rows for verdict in self._judge([row])]
            return [self._failed(error, perf_counter() - started)]
        seconds = (perf_counter() - started) / len(rows)
        return [self._verdict(result, seconds) for result in results]

    def _verdict(self, result: dict[str, Any], seconds: float) -> Verdict:
        reward, rule, detail = result["reward"], result["rule"], result["detail"]
        if reward is None:
            return Verdict(Outcome.ERROR, None, rule=rule, detail=detail, seconds=seconds)
        if reward >= self._correct_at:
            return Verdict(Outcome.CORRECT, 1.0, rule=rule, detail=detail, seconds=seconds)
        return Verdict(Outcome.INCORRECT, reward, rule=rule, detail=detail, seconds=seconds)

    def _failed(self, error: WorkerError, seconds: float) -> Verdict:
        rules: Iterable[tuple[type[WorkerError], str]] = (
            (WorkerTimeoutError, "timed_out"),
            (WorkerMemoryError, "out_of_memory"),
            (WorkerDiedError, "crashed"),
        )
        rule = next((name for kind, name in rules if isinstance(error, kind)), "raised")
        return Verdict(Outcome.ERROR, None, rule=rule, detail=str(error), seconds=seconds)
