"""The verifier under audit as the probes see it: cases in, what it said of each out, whatever it does meanwhile.

It runs in two killable processes ("lanes"), each started fresh for one audit, so that the two can be compared. A case
that hangs or crashes is told as such and costs no other; the rest of its probe is then not asked.
"""

import os
import threading
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ...errors import InputError, WorkerDiedError, WorkerError, WorkerMemoryError, WorkerTimeoutError
from ...verifiers.base import Outcome, Verifier, get, verifiers
from ...verifiers.isolation import Workers
from ...verifiers.rows_in_workers import shipped
from .in_worker import UNREACHED
from .model import CaseVerdict, ProbeCase

__all__ = ["LANES", "LOST", "NOT_ASKED", "Asker"]

LANES = 2
LOST = ("timeout", "crash")
NOT_ASKED = "not asked"

_DESCRIBE = "rewardgate.verifiers.user_function:describe"
_JUDGED = "rewardgate.audit.probes.in_worker:judged"
_WARMED = "rewardgate.audit.probes.in_worker:warmed"
_MOST_SHIPPED = 64_000  # characters; what starts a process travels as an argument of its command
_CHUNK_ROWS = 64
_ROWS_A_LIMIT = 16  # a chunk may take the time limit of one case for each so many of it
_MOST_LOST_A_PROBE = 1
_MOST_LOST = 6
_LEAST_LIMIT_S = 1.0
_WITHOUT_VERDICT = {"returned_none": "none", "returned_nan": "nan"}


class Asker:
    """A verifier in its two lanes; a context manager.

    Args:
        subject: a registered name, `pkg.mod:fn`, `path/file.py:fn`, or a verifier that pickles.
        timeout_s: seconds that one case may take, and a chunk of cases before it is taken apart.
        start_timeout_s: seconds that a process may take to start and import a function.
        memory_bytes: memory that each process may allocate.

    Attributes:
        name: how reports call it.
        told: how it is called, in a sentence.
        correct_at: the reward from which a case counts as accepted; a verifier that returns verdicts says so itself.

    Raises:
        UnknownNameError: no verifier is registered under that name.
        InputError: the function cannot be found, imported or called.
        ArgumentError: a verifier that no process can unpickle.
    """

    def __init__(
        self,
        subject: str | Verifier,
        *,
        timeout_s: float = 5.0,
        start_timeout_s: float = 60.0,
        memory_bytes: int | None = 4 * 1024**3,
    ) -> None:
        self.correct_at = 1.0
        self.n_asked = 0
        self._timeout_s = timeout_s
        self._lost: Counter[str] = Counter()
        self._counting = threading.Lock()
        self._slowest_s = 0.0
        is_function = isinstance(subject, str) and ":" in subject and subject not in verifiers
        self._subject: str | bytes
        if isinstance(subject, str) and is_function:
            self.name, self._subject = subject, subject
        else:
            verifier = get(subject) if isinstance(subject, str) else subject
            self.name = subject if isinstance(subject, str) else type(verifier).__name__
            self._subject = shipped(verifier)
        self._lanes = [
            Workers(
                memory_bytes=memory_bytes,
                start_timeout_s=start_timeout_s,
                search_path=(os.getcwd(),),
                warm_up=_warm_up(self._subject),
            )
            for _ in range(LANES)
        ]
        for lane in self._lanes:
            lane.start()
        self.told = f"a verifier: {self.name}.verify(completion, target, prompt=…)"
        if is_function:
            try:
                self.told = str(self._lanes[0].call(_DESCRIBE, subject, timeout_s=start_timeout_s)["told"])
            except WorkerError as failure:
                self.close()
                raise InputError(f"verifier: expected an importable function at {subject}, got {failure}") from None

    def ask(self, cases: Sequence[ProbeCase]) -> list[CaseVerdict]:
        """What it says of each case, in order; over both lanes."""
        chunks = [cases[start : start + _CHUNK_ROWS] for start in range(0, len(cases), _CHUNK_ROWS)]
        if len(chunks) == 1 and len(cases) > 1:
            half = (len(cases) + 1) // 2
            chunks = [cases[:half], cases[half:]]
        # A chunk belongs to a lane by its place, so that the same audit asks the same process the same things.
        with ThreadPoolExecutor(LANES) as threads:
            lanes = [threads.submit(self._ask_all, lane, chunks[lane::LANES]) for lane in range(LANES)]
            answers = [lane.result() for lane in lanes]
        return [verdict for place in range(len(chunks)) for verdict in answers[place % LANES][place // LANES]]

    def ask_ahead(self, cases: Sequence[ProbeCase]) -> list[CaseVerdict]:
        """The same; one case of each probe goes ahead alone, so that one that hangs costs no chunk of others."""
        ahead = {case.probe: case for case in reversed(cases)}
        first = {id(case): verdict for case in ahead.values() for verdict in self.ask_in(0, [case])}
        rest = [case for case in cases if id(case) not in first]
        said = first | dict(zip(map(id, rest), self.ask(rest), strict=True))
        return [said[id(case)] for case in cases]

    def ask_in(self, lane: int, cases: Sequence[ProbeCase], how: str = "batch") -> list[CaseVerdict]:
        """The same in one lane: as a `"batch"`, `"one by one"`, in a `"thread"` or an `"event loop"`."""
        return self._ask_chunk(lane, cases, how) if cases else []

    @property
    def has_lost(self) -> bool:
        """Whether a case hung, or ended its process."""
        return bool(self._lost)

    def judged_again(self, verdict: CaseVerdict) -> CaseVerdict:
        """The same reward under the present `correct_at`."""
        if verdict.outcome not in ("accepted", "refused") or verdict.reward is None:
            return verdict
        accepted = verdict.reward >= self.correct_at
        return verdict.model_copy(update={"accepted": accepted, "outcome": "accepted" if accepted else "refused"})

    def close(self) -> None:
        """End the processes."""
        for lane in self._lanes:
            lane.close()

    def __enter__(self) -> "Asker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask_all(self, lane: int, chunks: Sequence[Sequence[ProbeCase]]) -> list[list[CaseVerdict]]:
        return [self._ask_chunk(lane, chunk, "batch") for chunk in chunks]

    def _ask_chunk(self, lane: int, cases: Sequence[ProbeCase], how: str) -> list[CaseVerdict]:
        asked = [case for case in cases if self._may_be_asked(case.probe)]
        try:
            answers = self._answers(lane, asked, how, self._timeout_s) if asked else []
        except WorkerError as failure:
            if len(asked) > 1:
                return [one for case in cases for one in self._ask_chunk(lane, [case], how)]
            answers = [self._after(failure, lane, asked[0], how)]
        with self._counting:
            self.n_asked += len(asked)
            self._slowest_s = max([self._slowest_s, *(one["seconds"] or 0.0 for one in answers)])
        found = iter(answers)
        is_asked = set(map(id, asked))
        return [
            self._verdict(case, next(found)) if id(case) in is_asked else _verdict(case, None, None, NOT_ASKED)
            for case in cases
        ]

    def _may_be_asked(self, probe: str) -> bool:
        return self._lost[probe] < _MOST_LOST_A_PROBE and self._lost.total() < _MOST_LOST

    def _answers(self, lane: int, cases: Sequence[ProbeCase], how: str, timeout_s: float) -> list[dict[str, Any]]:
        rows = [(case.response, case.target, case.prompt) for case in cases]
        if self.has_lost:
            # It is known to hang by now: what takes far longer than all that came back need not be waited for.
            limit_s = min(timeout_s, max(_LEAST_LIMIT_S, 100 * self._slowest_s))
        else:
            limit_s = timeout_s * max(1.0, len(rows) / _ROWS_A_LIMIT)
        return self._lanes[lane].call(_JUDGED, self._subject, rows, how, timeout_s=limit_s)

    def _after(self, failure: WorkerError, lane: int, case: ProbeCase, how: str) -> dict[str, Any]:
        """What is said of the one case that failed its process; asked twice, so that no busy machine is held against
        a verifier."""
        if not self.has_lost:
            try:
                return self._answers(lane, [case], how, self._timeout_s)[0]
            except WorkerError as again:
                failure = again
        outcome = "error"
        if isinstance(failure, WorkerTimeoutError):
            outcome = "timeout"
        elif isinstance(failure, WorkerDiedError | WorkerMemoryError):
            outcome = "crash"
        if outcome in LOST:
            with self._counting:
                self._lost[case.probe] += 1
        return {"outcome": outcome, "reward": None, "rule": "", "detail": str(failure), "seconds": None}

    def _verdict(self, case: ProbeCase, answer: dict[str, Any]) -> CaseVerdict:
        rule, outcome, reward, detail = (answer[key] for key in ("rule", "outcome", "reward", "detail"))
        if outcome in LOST or outcome == Outcome.ERROR:
            outcome = _WITHOUT_VERDICT.get(rule, outcome)
            return _verdict(case, None, None, str(outcome), detail, answer["seconds"])
        if rule == "returned":
            # A function's number, as a fraction of the threshold that it was judged with.
            reward = reward * UNREACHED
            detail, accepted = f"returned {reward:g}", reward >= self.correct_at
            outcome = "accepted" if accepted else "refused"
        else:
            # No verdict for the target's own sake pays nobody.
            accepted = outcome == Outcome.CORRECT
        return _verdict(case, accepted, reward, str(outcome), detail, answer["seconds"])


def _warm_up(subject: str | bytes) -> tuple[str, ...]:
    """What each new process does before its first case: what a verifier loads late counts against no case."""
    encoded = subject if isinstance(subject, str) else b64encode(subject).decode("ascii")
    return (_WARMED, type(subject).__name__, encoded) if len(encoded) <= _MOST_SHIPPED else ()


def _verdict(
    case: ProbeCase,
    accepted: bool | None,
    reward: float | None,
    outcome: str,
    detail: str = "",
    seconds: float | None = None,
) -> CaseVerdict:
    return CaseVerdict(
        probe=case.probe,
        expectation=case.expectation,
        target=case.target,
        response=case.response,
        prompt=case.prompt,
        recipe=case.recipe,
        accepted=accepted,
        reward=reward,
        outcome=outcome,
        detail=detail,
        seconds=seconds,
    )
