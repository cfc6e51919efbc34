"""The stage before the worker: what is never sent, and what becomes of failures."""

from typing import Any

import pytest

from rewardgate.errors import ArgumentError, WorkerDiedError, WorkerError, WorkerMemoryError, WorkerTimeoutError
from rewardgate.verifiers.base import Outcome
from rewardgate.verifiers.expression.results import SymbolicError
from rewardgate.verifiers.symbolic import MAX_CALLS, SymbolicStage, SymbolicStages


class Recorded:
    """Workers that keep what they are asked and answer, or raise, what they are told to."""

    def __init__(self, *answers: dict[str, Any] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str]] = []

    def call(self, function: str, target: str, answer: str, *, timeout_s: float) -> dict[str, Any]:
        self.asked.append((target, answer))
        found = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(found, Exception):
            raise found
        return found


EQUAL: dict[str, Any] = {"equal": True, "target_value": "1.5", "answer_value": None, "rule": "constant"}


def stage(*answers: dict[str, Any] | Exception, timeout_s: float = 5.0) -> tuple[SymbolicStage, Recorded]:
    workers = Recorded(*answers)
    return SymbolicStages(workers, True, timeout_s)(), workers  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("x" * 3000, Outcome.BUDGET),
        ("x^{x^{x^{x}}}", Outcome.BUDGET),
        ("x+100000!", Outcome.BUDGET),
        ("(" * 60 + "x" + ")" * 60, Outcome.BUDGET),
        ("len('aaaaa')", Outcome.UNSUPPORTED),
        ("x.__class__", Outcome.UNSUPPORTED),
        ("lambda: x", Outcome.UNSUPPORTED),
        (r"x+\text{something}", Outcome.UNSUPPORTED),
        ("х+1", Outcome.UNSUPPORTED),  # Cyrillic
    ],
)
def test_unfit_answers_are_never_sent(answer: str, outcome: Outcome):
    asked, workers = stage(EQUAL)
    with pytest.raises(SymbolicError) as raised:
        asked("x+1", answer)
    assert raised.value.outcome is outcome
    assert not raised.value.target_alone
    assert workers.asked == []


def test_a_costly_target_is_the_targets_fault():
    asked, _ = stage(EQUAL)
    with pytest.raises(SymbolicError) as raised:
        asked("x^{x^{x^{x}}}", "x")
    assert raised.value.target_alone


def test_primes_degrees_and_products_are_spelled_for_the_worker():
    asked, workers = stage(EQUAL)
    asked("f'", r"2*\sin30^\circ")
    assert workers.asked == [("f_{p}", r"2\cdot \sin{(\frac{30\pi}{180})}")]


def test_values_come_back_as_decimals():
    asked, _ = stage(EQUAL)
    result = asked("x", "y")
    assert result.equal
    assert str(result.target_value) == "1.5"
    assert result.answer_value is None


@pytest.mark.parametrize(("side", "alone"), [("target", True), ("answer", False), ("pair", False)])
def test_unreadable_sides_are_unsupported(side: str, alone: bool):
    asked, _ = stage({"unreadable": side})
    with pytest.raises(SymbolicError) as raised:
        asked("x", "y")
    assert (raised.value.outcome, raised.value.target_alone) == (Outcome.UNSUPPORTED, alone)


@pytest.mark.parametrize("error", [WorkerTimeoutError("late"), WorkerMemoryError("large")])
def test_a_budget_is_the_answers_fault_where_the_target_stands_alone(error: Exception):
    asked, _ = stage(error, EQUAL)
    with pytest.raises(SymbolicError) as raised:
        asked("x", "y")
    assert (raised.value.outcome, raised.value.target_alone) == (Outcome.BUDGET, False)


def test_a_dead_worker_is_replaced_once():
    asked, workers = stage(WorkerDiedError("gone"), EQUAL)
    assert asked("x", "y").equal
    assert len(workers.asked) == 2


def test_any_other_failure_is_ours():
    asked, _ = stage(WorkerError("unpicklable"))
    with pytest.raises(SymbolicError) as raised:
        asked("x", "y")
    assert raised.value.outcome is Outcome.ERROR
    assert raised.value.target_alone


def test_one_verdict_asks_only_so_often():
    asked, _ = stage(EQUAL)
    for _ in range(MAX_CALLS):
        asked("x", "y")
    with pytest.raises(SymbolicError, match="symbolic comparisons"):
        asked("x", "y")


def test_a_limit_that_is_not_positive_is_refused():
    with pytest.raises(ArgumentError, match="timeout_s"):
        SymbolicStages(None, True, 0)
