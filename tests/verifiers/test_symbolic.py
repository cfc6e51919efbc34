"""The stage before the worker: what is never sent, and what becomes of failures."""

import gc
import pickle
import weakref
from time import process_time
from typing import Any, cast

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
    return SymbolicStages(cast("Any", workers), True, timeout_s)(), workers


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


def test_many_digits_are_looked_at_once():
    asked, _ = stage(EQUAL)
    # Best of three: other work on the machine is not ours. 500 ms where each digit starts a search of its own.
    seconds = []
    for _ in range(3):
        started = process_time()
        asked("2", "7" * 1_990 + "x")
        seconds.append(process_time() - started)
    assert min(seconds) < 0.1


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


def budget_is_the_targets(stages: SymbolicStages, target: str = "x") -> bool:
    with pytest.raises(SymbolicError) as raised:
        stages()(target, "y")
    assert raised.value.outcome is Outcome.BUDGET
    return raised.value.target_alone


def test_a_target_that_times_out_alone_is_asked_about_once():
    workers = Recorded(WorkerTimeoutError("late"))
    stages = SymbolicStages(cast("Any", workers), True, 5.0)
    assert [budget_is_the_targets(stages) for _ in range(3)] == [True, True, True]
    assert workers.asked.count(("x", "x")) == 1


def test_a_worker_that_died_is_not_remembered_as_the_targets_cost():
    late, gone = WorkerTimeoutError("late"), WorkerDiedError("gone")
    workers = Recorded(late, gone, gone, late, EQUAL)
    stages = SymbolicStages(cast("Any", workers), True, 5.0)
    assert budget_is_the_targets(stages)  # nothing is known
    assert not budget_is_the_targets(stages)


def test_what_one_verifier_found_out_says_nothing_to_another():
    late = WorkerTimeoutError("late")
    workers = cast("Any", Recorded(late, late, late, EQUAL))
    assert budget_is_the_targets(SymbolicStages(workers, True, 5.0))
    assert not budget_is_the_targets(SymbolicStages(workers, True, 5.0))


def test_what_is_remembered_of_targets_is_bounded():
    stages = SymbolicStages(cast("Any", Recorded(WorkerTimeoutError("late"))), True, 5.0)
    for number in range(3_000):
        budget_is_the_targets(stages, f"x+{number}")
    assert len(stages._fits_alone) <= 1_024


def test_workers_end_with_the_verifier_that_holds_them():
    workers = Recorded(WorkerTimeoutError("late"))
    stages = SymbolicStages(cast("Any", workers), True, 5.0)
    assert budget_is_the_targets(stages)
    alive = weakref.ref(workers)
    del workers, stages
    gc.collect()
    assert alive() is None


def test_stages_travel_to_other_processes():
    assert pickle.loads(pickle.dumps(SymbolicStages(None, True, 5.0))) == SymbolicStages(None, True, 5.0)


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
