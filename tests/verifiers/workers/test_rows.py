"""Whose fault it is that a row's worker had to be killed."""

from typing import Any, cast

import pytest

from rewardgate.errors import WorkerDiedError, WorkerError, WorkerMemoryError, WorkerTimeoutError
from rewardgate.verifiers import Outcome, Verdict
from rewardgate.verifiers.rows import plain_verdict
from rewardgate.verifiers.workers.rows import RowsInWorkers

LATE, LARGE, GONE = WorkerTimeoutError("late"), WorkerMemoryError("large"), WorkerDiedError("gone")
RIGHT = Verdict(Outcome.CORRECT, 1.0)


class Scripted:
    """Workers that answer each call by the next of their lines: a verdict, or a failure to raise."""

    def __init__(self, *lines: Verdict | WorkerError) -> None:
        self.lines = list(lines)
        self.asked: list[Any] = []

    def call(self, function: str, verifier: bytes, rows: list[Any], *, timeout_s: float) -> list[dict[str, Any]]:
        self.asked.append(rows)
        line = self.lines.pop(0)
        if isinstance(line, Exception):
            raise line
        return [plain_verdict(line)] * len(rows)


def judged(target: Any, *lines: Verdict | WorkerError, rows: int = 1) -> list[tuple[Outcome, float | None, str]]:
    there = RowsInWorkers(b"", cast("Any", Scripted(*lines)), budget_s=1.0)
    verdicts = [there.judge([("x", target, None)])[0] for _ in range(rows)]
    return [(verdict.outcome, verdict.reward, verdict.rule) for verdict in verdicts]


@pytest.mark.parametrize(("failure", "rule"), [(LATE, "timed_out"), (LARGE, "out_of_memory")])
def test_a_spent_budget_is_the_completions_fault_unless_the_target_alone_spends_it(
    failure: WorkerError, rule: str
) -> None:
    assert judged("5", failure, RIGHT) == [(Outcome.BUDGET, 0.0, rule)]
    assert judged("5", failure, failure) == [(Outcome.BUDGET, None, rule)]


def test_a_row_that_ends_its_worker_twice_is_an_error() -> None:
    assert judged("5", GONE, RIGHT) == [(Outcome.CORRECT, 1.0, "")]
    assert judged("5", GONE, GONE) == [(Outcome.ERROR, None, "crashed")]


def test_a_target_that_costs_too_much_is_asked_about_once() -> None:
    assert judged("5", LATE, LATE, LATE, rows=2) == [(Outcome.BUDGET, None, "timed_out")] * 2


def test_a_worker_that_died_is_not_remembered_as_the_targets_cost() -> None:
    unknown, known = judged("5", LATE, GONE, LATE, RIGHT, rows=2)
    assert (unknown[1], known[1]) == (None, 0.0)


@pytest.mark.parametrize("target", [5, [5], [5, "6"], {"tests": []}, {1: 2}, [], 0.0])
def test_a_target_of_any_kind_can_be_asked_about_alone(target: Any) -> None:
    assert judged(target, LATE, RIGHT) == [(Outcome.BUDGET, 0.0, "timed_out")]


def test_a_chunk_that_failed_is_judged_row_by_row() -> None:
    workers = Scripted(LATE, RIGHT, RIGHT)
    there = RowsInWorkers(b"", cast("Any", workers), budget_s=1.0)
    assert there.judge([("a", "5", None), ("b", "5", None)]) == [RIGHT, RIGHT]
    assert [len(rows) for rows in workers.asked] == [2, 1, 1]
