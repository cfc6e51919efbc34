from collections.abc import Sequence
from typing import Any

import pytest
from probing_here import Here, patched_to_here, spec

from rewardgate.audit.probes.asking import NOT_ASKED
from rewardgate.audit.probes.model import ProbeCase
from rewardgate.errors import WorkerDiedError, WorkerError, WorkerTimeoutError


class Failing(Here):
    """Fails as a worker does that is asked for a case named in `fails`; `calls` counts the cases of each call."""

    def __init__(self, fails: dict[str, type[WorkerError]], **options: Any) -> None:
        super().__init__(spec("boxes_only"), **options)
        self.fails = fails
        self.calls: list[int] = []

    def _answers(self, lane: int, cases: Sequence[ProbeCase], how: str, limit_s: float) -> list[dict[str, Any]]:
        self.calls.append(len(cases))
        for case in cases:
            if case.target in self.fails:
                raise self.fails[case.target]("worker: gone")
        return super()._answers(lane, cases, how, limit_s)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    patched_to_here(monkeypatch)


def cases(n: int, *, probes: int = 1) -> list[ProbeCase]:
    return [ProbeCase(f"p{place % probes}", "accept", str(place), f"\\boxed{{{place}}}") for place in range(n)]


def test_a_case_that_hangs_is_found_by_halving_and_the_others_keep_their_verdicts() -> None:
    with Failing({"20": WorkerTimeoutError}) as asker:
        said = asker.ask_in(0, cases(64, probes=64))
    assert [one.outcome for one in said] == ["accepted"] * 20 + ["timeout"] + ["accepted"] * 43
    # 64, and at each of six levels both halves; the one that hangs is asked once more.
    assert len(asker.calls) == 1 + 2 * 6 + 1


def test_the_rest_of_a_probe_that_hung_is_not_asked_and_is_counted() -> None:
    with Failing({"0": WorkerTimeoutError}) as asker:
        said = asker.ask_ahead(cases(10, probes=2))
    outcomes = [one.outcome for one in said]
    assert outcomes[0::2] == ["timeout"] + [NOT_ASKED] * 4
    assert outcomes[1::2] == ["accepted"] * 5
    assert +asker.pace.unasked == {"lost": 4}
    assert asker.n_asked == 6


def test_a_crash_that_does_not_repeat_is_no_crash_of_the_verifiers() -> None:
    class Once(dict[str, type[WorkerError]]):
        def __getitem__(self, key: str) -> type[WorkerError]:
            return self.pop(key)

    with Failing(Once({"0": WorkerDiedError})) as asker:
        (said,) = asker.ask_in(0, cases(1))
    assert said.outcome == "accepted"
    assert not asker.has_lost


def test_a_call_that_the_budget_ended_is_not_held_against_the_verifier() -> None:
    with Failing({"0": WorkerTimeoutError}, budget_s=1e-9) as asker:
        said = asker.ask(cases(3, probes=3))
    assert {one.outcome for one in said} == {NOT_ASKED}
    assert asker.pace.unasked["budget"] == 3
    assert not asker.has_lost
