"""The verifier under audit as the probes see it: cases in, what it said of each out, whatever it does meanwhile.

It runs in two killable processes ("lanes"), each started fresh for one audit, so that the two can be compared. A case
that hangs or crashes is told as such and costs no other; the rest of its probe is then not asked. See `pacing` for
what is asked of a slow one.
"""

import json
import os
from base64 import b64encode
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ...errors import InputError, WorkerDiedError, WorkerError, WorkerMemoryError, WorkerTimeoutError
from ...verifiers.base import Verifier, get, verifiers
from ...verifiers.isolation import Workers
from ...verifiers.rows import Triple
from ...verifiers.workers.conditions import ONE_BY_ONE
from ...verifiers.workers.rows import shipped
from .answers import LOST, NOT_ASKED, answer_of, not_asked, verdict_of
from .model import CaseVerdict, ProbeCase
from .pacing import LANES, Pace

__all__ = ["LANES", "LOST", "NOT_ASKED", "Asker"]

Part = TypeVar("Part")
Said = TypeVar("Said")

_DESCRIBE = "rewardgate.verifiers.workers.user_function:describe"
_JUDGED = "rewardgate.verifiers.workers.conditions:judged"
_WARMED = "rewardgate.verifiers.workers.conditions:warmed"
_MOST_SHIPPED = 64_000  # characters; what starts a process travels as an argument of its command


class Asker:
    """A verifier in its two lanes; a context manager.

    Args:
        subject: a registered name, `pkg.mod:fn`, `path/file.py:fn`, or a verifier that pickles.
        timeout_s: seconds that one case may take.
        budget_s: seconds that all cases may take, the start of the processes left out; None for no limit.
        start_timeout_s: seconds that a process may take to start and import a function.
        memory_bytes: memory that each process may allocate.

    Attributes:
        name: how reports call it.
        told: how it is called, in a sentence.
        pace: how fast it is, and what was left out.
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
        budget_s: float | None = None,
        start_timeout_s: float = 60.0,
        memory_bytes: int | None = 4 * 1024**3,
    ) -> None:
        self.correct_at = 1.0
        self.pace = Pace(timeout_s=timeout_s, budget_s=budget_s)
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
        self.pace.start()

    def ask(self, cases: Sequence[ProbeCase], *, share: float = 1.0) -> list[CaseVerdict]:
        """What it says of each case, in order; over both lanes.

        Args:
            cases: as many of them are asked as there is time for; the others' outcome is `NOT_ASKED`.
            share: of the budget that they may take.
        """
        kept = self.pace.sample(cases, share)
        self.pace.leave_out(len(cases) - len(kept), "budget")
        chunks = list(self.pace.chunks(kept))
        if len(chunks) == 1 and len(kept) > 1:
            half = (len(kept) + 1) // 2
            chunks = [kept[:half], kept[half:]]
        said = self._in_lanes(chunks, lambda lane, chunk: self._ask_chunk(lane, chunk, "batch"))
        found = dict(zip(map(id, kept), (verdict for chunk in said for verdict in chunk), strict=True))
        return [found[id(case)] if id(case) in found else not_asked(case) for case in cases]

    def ask_ahead(self, cases: Sequence[ProbeCase], *, share: float = 1.0) -> list[CaseVerdict]:
        """The same; one case of each probe goes ahead alone, which tells how long the others will take."""
        ahead = list({case.probe: case for case in reversed(cases)}.values())
        said = self._in_lanes(ahead, lambda lane, case: self._ask_chunk(lane, [case], ONE_BY_ONE)[0])
        first = dict(zip(map(id, ahead), said, strict=True))
        rest = [case for case in cases if id(case) not in first]
        found = first | dict(zip(map(id, rest), self.ask(rest, share=share), strict=True))
        return [found[id(case)] for case in cases]

    def ask_in(self, lane: int, cases: Sequence[ProbeCase], how: str = "batch") -> list[CaseVerdict]:
        """The same in one lane: as a `"batch"`, `"one by one"`, in a `"thread"` or an `"event loop"`."""
        return self._ask_chunk(lane, cases, how) if cases else []

    @property
    def n_asked(self) -> int:
        """Cases that were asked so far."""
        return self.pace.n_asked

    @property
    def has_lost(self) -> bool:
        """Whether a case hung, or ended its process."""
        return bool(self.pace.lost)

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

    def _in_lanes(self, parts: Sequence[Part], ask: Callable[[int, Part], Said]) -> list[Said]:
        """`ask(lane, part)` for each part, in order."""

        # A part belongs to a lane by its place, so that the same audit asks the same process the same things.
        def all_of(lane: int) -> list[Said]:
            return [ask(lane, part) for part in parts[lane::LANES]]

        with ThreadPoolExecutor(LANES) as threads:
            said = list(threads.map(all_of, range(LANES)))
        return [said[place % LANES][place // LANES] for place in range(len(parts))]

    def _ask_chunk(self, lane: int, cases: Sequence[ProbeCase], how: str) -> list[CaseVerdict]:
        reasons = [self.pace.reason(case.probe) for case in cases]
        asked = [case for case, reason in zip(cases, reasons, strict=True) if not reason]
        try:
            answers = self._answers(lane, asked, how, self.pace.limit_s(asked)) if asked else []
        except WorkerError as failure:
            if isinstance(failure, WorkerTimeoutError):
                self.pace.suspect()
            if len(asked) > 1:
                half = len(cases) // 2
                return [one for part in (cases[:half], cases[half:]) for one in self._ask_chunk(lane, part, how)]
            answers = [self._after(failure, lane, asked[0], how)]
        for reason in filter(None, reasons):
            self.pace.leave_out(1, reason)
        self.pace.note(asked, [one["seconds"] for one in answers])
        found = dict(zip(map(id, asked), answers, strict=True))
        return [
            verdict_of(case, found[id(case)], correct_at=self.correct_at) if id(case) in found else not_asked(case)
            for case in cases
        ]

    def _answers(self, lane: int, cases: Sequence[ProbeCase], how: str, limit_s: float) -> list[dict[str, Any]]:
        return self._lanes[lane].call(_JUDGED, self._subject, self._rows(cases), how, timeout_s=limit_s)

    @staticmethod
    def _rows(cases: Sequence[ProbeCase]) -> list[Triple]:
        """Completion, target and prompt of each."""
        return [
            (case.response, json.loads(case.target) if case.is_specification else case.target, case.prompt)
            for case in cases
        ]

    def _after(self, failure: WorkerError, lane: int, case: ProbeCase, how: str) -> dict[str, Any]:
        """What is said of the one case that failed its process; asked twice, so that no busy machine is held against
        a verifier."""
        if not self.has_lost and not self.pace.is_spent:
            try:
                return self._answers(lane, [case], how, self.pace.limit_s([case]))[0]
            except WorkerError as again:
                failure = again
        if isinstance(failure, WorkerTimeoutError) and self.pace.is_spent:
            # The budget ended it, not its own limit.
            self.pace.leave_out(1, "budget")
            return answer_of(NOT_ASKED, "")
        outcome = "error"
        if isinstance(failure, WorkerTimeoutError):
            outcome = "timeout"
        elif isinstance(failure, WorkerDiedError | WorkerMemoryError):
            outcome = "crash"
        if outcome in LOST:
            self.pace.lose(case.probe)
        return answer_of(outcome, str(failure))


def _warm_up(subject: str | bytes) -> tuple[str, ...]:
    """What each new process does before its first case: what a verifier loads late counts against no case."""
    encoded = subject if isinstance(subject, str) else b64encode(subject).decode("ascii")
    return (_WARMED, type(subject).__name__, encoded) if len(encoded) <= _MOST_SHIPPED else ()
