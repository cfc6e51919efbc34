"""`probe` without processes: dozens of graders are probed in the time that starting them would take."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import probed_graders
import pytest

from rewardgate.audit.probes import ProbeReport, fixing, probing
from rewardgate.audit.probes.asking import LANES, Asker
from rewardgate.audit.probes.model import ProbeCase
from rewardgate.verifiers import verifiers
from rewardgate.verifiers.workers import user_function
from rewardgate.verifiers.workers.conditions import judged

__all__ = ["Here", "patched_to_here", "probe_here", "report_here", "spec"]


class Here(Asker):
    """The same asker in this process, one case after another; `patched_to_here` keeps its processes from starting."""

    def _in_lanes(self, parts: Sequence[Any], ask: Callable[[int, Any], Any]) -> list[Any]:
        return [ask(place % LANES, part) for place, part in enumerate(parts)]

    def _answers(self, lane: int, cases: Sequence[ProbeCase], how: str, limit_s: float) -> list[dict[str, Any]]:
        return judged(self._subject, self._rows(cases), how)


def patched_to_here(patch: pytest.MonkeyPatch) -> None:
    """Probes and repros are asked here from now on."""
    patch.setattr(probing, "Asker", Here)
    patch.setattr(fixing, "Asker", Here)
    patch.setattr("rewardgate.audit.probes.asking.Workers", NoWorkers)


class NoWorkers:
    """In place of `isolation.Workers`."""

    def __init__(self, **options: Any) -> None:
        # A fresh process imports a function anew.
        user_function._find.cache_clear()

    def start(self) -> None:
        """Nothing starts."""

    def close(self) -> None:
        """Nothing ends."""

    def call(self, *_: Any, **__: Any) -> dict[str, str]:
        """How a function is called, the one thing that is still asked."""
        return {"told": "called in this process"}


def spec(name: str) -> str:
    """A grader of `probed_graders`, as the command line names it."""
    return f"{Path(probed_graders.__file__)}:{name}"


def probe_here(name: str, targets: Iterable[Any] | None = None, **options: Any) -> ProbeReport:
    """`probe` of a grader of `probed_graders`, or of a registered verifier."""
    with pytest.MonkeyPatch.context() as patch:
        patched_to_here(patch)
        return probing.probe(name if name in verifiers else spec(name), targets, **options)


@cache
def report_here(name: str) -> ProbeReport:
    """The report on the shipped targets, asked for once."""
    return probe_here(name)
