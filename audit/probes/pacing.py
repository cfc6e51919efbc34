"""How fast a verifier is, what it lost, and therefore what it is still asked: a slow one costs seconds, not minutes.

Of a slow verifier fewer cases of each probe are asked, spread evenly over its targets; of one that hangs or ends its
process, no more of that probe. Both are told in the report.
"""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import inf
from time import monotonic
from typing import Literal

from .model import ProbeCase

__all__ = ["LANES", "Pace"]

LANES = 2
"""Processes that are asked at once."""

_CHUNK_ROWS = 64
_LEAST_LIMIT_S = 1.0
_LEAST_CASES = 2  # of a probe, however slow
_MOST_LOST_A_PROBE = 1
_MOST_LOST = 6
_MOST_OF_A_STAGE = 1 / 8  # that one slow probe may take
_FAR_LONGER = 20
_OF_A_LIMIT = 1 / 4  # that a chunk is expected to take, so that a busy machine is not taken for a hang


class Pace:
    """The clock of one audit; safe from both of its threads.

    Args:
        timeout_s: seconds that one case may take.
        budget_s: seconds that all of them may take; None for no limit.

    Attributes:
        budget_s: likewise, infinite where there is no limit.
        n_asked: cases that were asked.
        lost: time-outs and crashes by probe.
        unasked: cases that were not asked, by reason: `"lost"` (their probe hung or crashed before), `"budget"`.
    """

    def __init__(self, *, timeout_s: float, budget_s: float | None) -> None:
        self.budget_s = inf if budget_s is None else budget_s
        self.n_asked = 0
        self.lost: Counter[str] = Counter()
        self.unasked: Counter[str] = Counter()
        self._timeout_s = timeout_s
        self._until = monotonic() + self.budget_s
        self._is_suspect = False
        self._slowest_s = 0.0
        self._spent: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0])
        self._all = [0.0, 0]
        self._lock = threading.Lock()

    def start(self) -> None:
        """The budget counts from now."""
        self._until = monotonic() + self.budget_s

    @property
    def is_spent(self) -> bool:
        """Whether the budget is."""
        return monotonic() >= self._until

    @property
    def usual_s(self) -> float:
        """Mean seconds of a call."""
        spent, n = self._all
        return spent / n if n else 0.0

    def note(self, cases: Sequence[ProbeCase], seconds: Sequence[float | None]) -> None:
        """These were asked, and took so long; None where a case did not come back."""
        with self._lock:
            self.n_asked += len(cases)
            for case, spent in zip(cases, seconds, strict=True):
                if spent is not None:
                    for total in (self._spent[case.probe], self._all):
                        total[0] += spent
                        total[1] += 1
                    self._slowest_s = max(self._slowest_s, spent)

    def lose(self, probe: str) -> None:
        """A case of this probe hung, or ended its process."""
        with self._lock:
            self.lost[probe] += 1

    def suspect(self) -> None:
        """Something hangs: from now on nobody waits for what takes far longer than all that came back."""
        self._is_suspect = True

    def reason(self, probe: str) -> Literal["", "lost", "budget"]:
        """Why a case of this probe is not asked; empty where it is."""
        if self.lost[probe] >= _MOST_LOST_A_PROBE or self.lost.total() >= _MOST_LOST:
            return "lost"
        return "budget" if self.is_spent else ""

    def leave_out(self, n: int, reason: str) -> None:
        """So many cases are not asked."""
        with self._lock:
            self.unasked[reason] += n

    def limit_s(self, cases: Sequence[ProbeCase]) -> float:
        """Seconds after which a call with these cases has taken too long."""
        limit = self._timeout_s
        if self._is_suspect:
            limit = min(limit, max(_LEAST_LIMIT_S, _FAR_LONGER * self._slowest_s))
        if len(cases) > 1:
            limit += 2 * sum(self._expected_s(case.probe) for case in cases)
        return max(0.1, min(limit, self._until - monotonic()))

    def chunks(self, cases: Sequence[ProbeCase]) -> Iterator[Sequence[ProbeCase]]:
        """`cases` in pieces that are expected to end long before the limit of one."""
        start, expected = 0, 0.0
        for place, case in enumerate(cases):
            expected += self._expected_s(case.probe)
            if place > start and (place - start >= _CHUNK_ROWS or expected > _OF_A_LIMIT * self._timeout_s):
                yield cases[start:place]
                start, expected = place, self._expected_s(case.probe)
        if start < len(cases):
            yield cases[start:]

    def sample(self, cases: Sequence[ProbeCase], share: float) -> list[ProbeCase]:
        """Those of `cases` for which there is time: all of them, or as many of each probe, spread evenly.

        Args:
            cases: in any order, which is kept.
            share: of the budget.
        """
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, case in enumerate(cases):
            places[case.probe].append(place)
        seconds = {probe: self._expected_s(probe) for probe in places}
        there_is = LANES * max(0.0, min(share * self.budget_s, self._until - monotonic()))
        if sum(seconds[probe] * len(some) for probe, some in places.items()) <= there_is:
            return list(cases)
        wanted = {
            probe: min(len(some), max(_LEAST_CASES, int(there_is * _MOST_OF_A_STAGE / (seconds[probe] or 1e-9))))
            for probe, some in places.items()
        }
        most = max(wanted.values())
        while most > _LEAST_CASES and sum(min(n, most) * seconds[probe] for probe, n in wanted.items()) > there_is:
            most -= 1
        kept: set[int] = set()
        for probe, some in places.items():
            n = min(wanted[probe], most)
            kept.update(some[place * len(some) // n] for place in range(n))
        return [case for place, case in enumerate(cases) if place in kept]

    def _expected_s(self, probe: str) -> float:
        spent, n = self._spent.get(probe, self._all)
        return spent / n if n else 0.0
