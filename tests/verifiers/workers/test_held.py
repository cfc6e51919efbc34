import os
import pickle
import signal
import threading
import time

import pytest
from misbehaving import InItsProcess, Judge

import rewardgate.verifiers as verifiers
from rewardgate.errors import ArgumentError, UnavailableError
from rewardgate.verifiers.batch import verify_many
from rewardgate.verifiers.workers.held import CHUNK_ROWS, InHeldWorkers

MATH = verifiers.get("math")


def test_verdicts_are_those_of_the_verifier_in_order_over_many_chunks_and_batches() -> None:
    held = InHeldWorkers(MATH, workers=2, timeout_s=20.0)
    rows = [(rf"\boxed{{{number}}}", str(number % 7)) for number in range(5 * CHUNK_ROWS + 3)]
    expected = verify_many(MATH, rows)
    assert [verify_many(held, rows) for _ in range(2)] == [expected, expected]
    assert held.verify("4", "4") == MATH.verify("4", "4")
    assert held.version == MATH.version


def test_a_row_that_hangs_costs_no_other_and_the_next_batch_goes_on() -> None:
    held = InHeldWorkers(Judge(), workers=1, timeout_s=0.4)
    rows = [("a", "a"), ("hang", "a"), ("b", "a")]
    for _ in range(2):
        assert [verdict.reward for verdict in verify_many(held, rows)] == [1.0, 0.0, 0.0]


def test_what_the_machine_lacks_reaches_the_caller_as_it_does_in_this_process() -> None:
    held = InHeldWorkers(Judge(), workers=1, timeout_s=20.0)
    rows = [("a", "a"), ("demand", "a")]
    for judge in (Judge(), held):
        with pytest.raises(UnavailableError, match="require: expected user namespaces"):
            verify_many(judge, rows)
    with pytest.raises(UnavailableError, match="require: expected user namespaces"):
        verify_many(Judge(), rows, workers=1)
    assert [verdict.reward for verdict in verify_many(held, rows[:1])] == [1.0]
    held.close()


def test_what_cannot_be_shipped_is_refused_at_once() -> None:
    class Unshippable(Judge):
        def __reduce__(self) -> str:
            raise TypeError("bound to this process")

    with pytest.raises(ArgumentError, match="verifier: expected one that pickles"):
        InHeldWorkers(Unshippable(), workers=1, timeout_s=1.0)


def test_a_pickled_copy_has_processes_of_its_own() -> None:
    held = InHeldWorkers(MATH, workers=1, timeout_s=20.0)
    copy = pickle.loads(pickle.dumps(held))
    assert (copy.verify("4", "4").reward, held.verify("5", "4").reward) == (1.0, 0.0)


def test_a_caller_who_is_interrupted_waits_for_no_hanging_row_and_may_go_on() -> None:
    held = InHeldWorkers(Judge(), workers=1, timeout_s=100.0)
    interruption = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    interruption.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        held.verify_batch([("hang", "a", None)])
    assert time.monotonic() - started < 20
    assert held.verify("a", "a").reward == 1.0


def test_processes_are_held_from_batch_to_batch_and_only_one_that_was_killed_is_replaced() -> None:
    held = InHeldWorkers(InItsProcess(), workers=1, timeout_s=60.0)

    def process() -> str:
        return held.verify("a", "a").detail

    first = process()
    assert process() == first != str(os.getpid())
    assert held.verify("die", "a").rule == "crashed"
    second = process()
    assert second != first
    os.kill(int(second), signal.SIGKILL)  # by somebody else, between two batches
    third = process()
    assert third not in (first, second)
    assert process() == third


def test_closed_it_leaves_no_process_and_goes_on_with_new_ones_where_it_is_asked_again() -> None:
    held = InHeldWorkers(InItsProcess(), workers=1, timeout_s=20.0)
    first = int(held.verify("a", "a").detail)
    held.close()
    held.close()
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)
    assert int(held.verify("a", "a").detail) != first
    held.close()
