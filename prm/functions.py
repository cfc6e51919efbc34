"""A user's own step scorer, run in a killable worker.

Its hang, crash or exception leaves the steps of its row unknown, and costs no other row.
"""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError, WorkerError
from ..verifiers.arguments import positive
from ..verifiers.isolation import Workers
from .base import StepRow, StepScore, StepScorer, get, step_scorers
from .failing import FAULT_RULES, scores_despite_faults

__all__ = ["NO_VERSION", "FunctionScorer", "load_scorer"]

_DESCRIBE = "rewardgate.prm.user_scorer:describe"
_SCORE = "rewardgate.prm.user_scorer:score_rows"

NO_VERSION = "user function"
"""The version of a scorer that has none of its own."""

CHUNK_ROWS = 16
"""Rows that go to the process together: enough to hide the cost of the trip, few enough to ask again singly."""


def load_scorer(spec: str, options: Mapping[str, Any] | None = None, *, timeout_s: float = 30.0) -> StepScorer:
    """The step scorer that a user named.

    Args:
        spec: a registered name, `pkg.mod:name` or `path/file.py:name`.
        options: of a registered scorer, or of a class.
        timeout_s: of a `FunctionScorer`; a registered scorer's own is among its options.

    Raises:
        UnknownNameError: no step scorer is registered under that name.
        InputError: it cannot be found, imported or called.
        ArgumentError: an option that the scorer does not have.
    """
    if ":" not in spec or spec in step_scorers:
        return get(spec, **(options or {}))
    return FunctionScorer(spec, timeout_s=timeout_s, options=options)


class FunctionScorer:
    """A user's scorer behind the contract of a `StepScorer`, in a process of its own.

    Args:
        spec: `pkg.mod:name` or `path/file.py:name`: a class or an object with `score(rows)`; or a function of one row
            with parameters named `steps`, `prompt`, `target` (those it wants), which returns for each step a number in
            [0, 1], None or a `StepScore`. The current folder is importable in the process only.
        timeout_s: seconds that one call may take, of up to 16 rows; rows of a call that took longer are asked about
            one by one.
        start_timeout_s: seconds that the process may take to start and import it; in no call's time.
        memory_bytes: memory that the process may allocate.
        options: of a class; they are sent as JSON.

    Raises:
        ArgumentError: a number is out of its range.
        InputError: it cannot be found, imported or called.
    """

    transient_rules = FAULT_RULES

    def __init__(
        self,
        spec: str,
        *,
        timeout_s: float = 30.0,
        start_timeout_s: float = 60.0,
        memory_bytes: int | None = 16 * 1024**3,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        for name, value in (("timeout_s", timeout_s), ("start_timeout_s", start_timeout_s)):
            positive(name, value)
        self.spec = spec
        known = json.dumps(dict(options or {}))
        self._workers = Workers(
            memory_bytes=memory_bytes,
            start_timeout_s=start_timeout_s,
            search_path=(os.getcwd(),),
            # A slow import counts against no row, in a process that replaces a killed one neither.
            warm_up=(_DESCRIBE, spec, known),
        )
        try:
            self.version: str = self._workers.call(_DESCRIBE, spec, known, timeout_s=start_timeout_s) or NO_VERSION
        except WorkerError as failure:
            self._workers.close()
            raise InputError(f"scorer: expected an importable step scorer at {spec}, got {failure}") from None
        self._there = _There(self._workers, spec, known, self.version, timeout_s)

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One score a step of every row, in order.

        Raises:
            UnavailableError: the scorer's, which holds for every row.
        """
        chunks = [rows[start : start + CHUNK_ROWS] for start in range(0, len(rows), CHUNK_ROWS)]
        return [scores for chunk in chunks for scores in scores_despite_faults(self._there, chunk)]

    def close(self) -> None:
        """End the process; a later call starts another."""
        self._workers.close()


class _There:
    """The scorer on the other side; raises what goes wrong."""

    def __init__(self, workers: Workers, spec: str, options: str, version: str, timeout_s: float) -> None:
        self._workers, self._spec, self._options, self._timeout_s = workers, spec, options, timeout_s
        self.version = version

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        asked = [(row.prompt, row.steps, row.target) for row in rows]
        answer = self._workers.call(_SCORE, self._spec, self._options, asked, timeout_s=self._timeout_s)
        return [[StepScore(*score) for score in scores] for scores in answer]
