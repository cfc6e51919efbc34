"""How runs end, and what is said of it; programs that somebody else killed."""

import os
import signal
import sys
import threading
from collections.abc import Iterator

import pytest
from sandboxed import ADDS, descendants, until

from rewardgate.verifiers.sandbox.asserting import assert_results
from rewardgate.verifiers.sandbox.jailer import Jail
from rewardgate.verifiers.sandbox.judging import (
    CaseResult,
    bad_end,
    clipped,
    function_results,
    killed_by_another,
    stdin_results,
)
from rewardgate.verifiers.sandbox.runs import Ended, Limits, Running
from rewardgate.verifiers.sandbox.specification import AssertTests, FunctionCase, Specification, StdinCase

LIMITS = Limits(cpu_s=2.0)


def run_that_ended(
    *, code: int | None = None, by: int | None = None, killed: str | None = None, stderr: bytes = b""
) -> Running:
    running = Running(1, 100)
    running.ended = Ended(code, by, killed, 0.1, 0.2, 1_000)
    running.stderr += stderr
    return running


@pytest.mark.parametrize(
    ("running", "rule", "detail"),
    [
        (run_that_ended(code=0), None, None),
        (run_that_ended(code=3, stderr=b"oh\nno"), "exit_code", "exit code 3: 'no'"),
        (run_that_ended(code=1, stderr=b"Traceback\nMemoryError"), "memory", "needed more than 1073741824 bytes"),
        (run_that_ended(code=1, stderr=b"terminate: std::bad_alloc"), "memory", "needed more"),
        (run_that_ended(by=11), "signal", "ended by SIGSEGV"),
        (run_that_ended(by=9), "signal", "ended by SIGKILL"),
        (run_that_ended(by=40), "signal", "signal 40"),
        (run_that_ended(by=24), "timeout", "ran longer than 2 s (processor time)"),
        (run_that_ended(by=9, killed="cpu"), "timeout", "ran longer than 2 s (processor time)"),
        (run_that_ended(by=9, killed="wall"), "timeout", "ran longer than 5 s (clock time)"),
        (run_that_ended(by=9, killed="output"), "output_limit", "printed more than 16777216 bytes"),
    ],
)
def test_each_end_has_its_rule(running: Running, rule: str | None, detail: str | None) -> None:
    found = bad_end(running, LIMITS)
    assert (found and found[0]) == rule
    assert found is None or str(detail) in found[1]


def test_only_a_sigkill_that_is_not_ours_is_somebody_else_s() -> None:
    assert killed_by_another(run_that_ended(by=9))
    assert not killed_by_another(run_that_ended(by=9, killed="wall"))
    assert not killed_by_another(run_that_ended(by=11))
    assert not killed_by_another(run_that_ended(code=0))
    assert not killed_by_another(Running(1, 100))


def test_a_long_text_is_clipped_and_quoted() -> None:
    assert clipped("a\n" * 100) == repr("a\n" * 60 + "…")


SPECIFICATIONS = {
    "stdin": Specification(stdin=(StdinCase("", "1"),)),
    "function": Specification(function=(FunctionCase((1, 2), 3), FunctionCase((2, 2), 4)), entry_point="add"),
    "asserts": Specification(asserts=AssertTests("assert add(1, 2) == 3", calls_check=False), entry_point="add"),
}
WAITS = b"import time\ntime.sleep(0.4)\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT RUN: Linux alone has jails")
@pytest.mark.parametrize(
    "kind", ["stdin", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("function", "asserts"))]
)
def test_a_program_that_somebody_kills_is_tried_once_more(kind: str) -> None:
    with Jail() as jail:
        jail.run(b"")
        zygote = jail._process
        assert zygote is not None
        idle = {pid for pid, _ in descendants(zygote.pid)}
        killer = threading.Thread(target=kill_the_next, args=(zygote.pid, idle))
        killer.start()
        program = WAITS + (b"print(1)" if kind == "stdin" else ADDS.encode())
        results = list(results_of(jail, program, kind))
        killer.join()
    assert [result.passed for result in results] == [True] * len(results)
    assert results


def kill_the_next(zygote: int, idle: set[int]) -> None:
    """Kill the first process that comes below a zygote: the candidate, which waits."""

    def next_one() -> list[int]:
        return sorted(pid for pid, depth in descendants(zygote) if depth == 0 and pid not in idle)

    assert until(next_one, 5.0)
    os.kill(next_one()[0], signal.SIGKILL)


def results_of(jail: Jail, program: bytes, kind: str) -> Iterator[CaseResult]:
    specification = SPECIFICATIONS[kind]
    if kind == "stdin":
        return stdin_results(jail, program, specification, LIMITS, "lines")
    if kind == "function":
        return function_results(jail, program, specification, LIMITS, prelude=True)
    return assert_results(jail, program, specification, LIMITS, prelude=True, stops=True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT RUN: Linux alone has jails")
def test_a_program_that_kills_itself_gains_nothing() -> None:
    with Jail() as jail:
        for kind in SPECIFICATIONS:
            results = list(results_of(jail, b"import os\nos.kill(os.getpid(), 9)\n" + ADDS.encode(), kind))
            assert not any(result.passed for result in results)
            assert results[0].rule == "signal"
