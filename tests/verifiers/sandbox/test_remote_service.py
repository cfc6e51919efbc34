"""Verdicts by way of a service: the same as here, or None; what is expected never leaves."""

import json
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from sandbox_service import StandIn, stand_in_service

from rewardgate.verifiers import Outcome
from rewardgate.verifiers.code import CodeVerifier
from rewardgate.verifiers.sandbox.backends import WEAKER
from rewardgate.verifiers.sandbox.remote_service import RemoteBackend
from rewardgate.verifiers.sandbox.service import Service

TOKEN = "TOK-5150"


@pytest.fixture(scope="module")
def running_service() -> Iterator[StandIn]:
    with stand_in_service() as state:
        yield state


@pytest.fixture
def stand_in(running_service: StandIn) -> StandIn:
    running_service.requests, running_service.faults = [], []
    return running_service


def remote(stand_in: StandIn, **options: Any) -> CodeVerifier:
    service = Service(stand_in.address, attempts=2, first_wait_s=0.001)
    return CodeVerifier(backend=RemoteBackend(stand_in.address, service=service), **options)


def call(*cases: tuple[list[Any], Any]) -> dict[str, Any]:
    return {"fn_name": "f", "cases": [{"args": args, "expected": expected} for args, expected in cases]}


@pytest.mark.parametrize(
    ("program", "target", "rule"),
    [
        ("print(input()[::-1])", {"inputs": ["ab", "cd"], "outputs": ["ba", "dc"]}, "tests_passed"),
        ("print(input())", {"inputs": ["aa", "cd"], "outputs": ["aa", "dc"]}, "wrong_output"),
        ("print(1); raise SystemExit(3)", {"inputs": [""], "outputs": ["1"]}, "exit_code"),
        ("while True: pass", {"inputs": [""], "outputs": ["1"], "timeout_s": 0.2}, "timeout"),
        ("def f(x): return [x, {1: (2.5, b'a', 9 ** 5000)}]", call(([7], [7, {1: (2.5, b"a", 9**5000)}])),
         "tests_passed"),
        ("def f(*, key): return key", {"fn_name": "f", "cases": [{"args": [], "kwargs": {"key": 4}, "expected": 4}]},
         "tests_passed"),
        ("class Solution:\n    async def f(self, x): return x", call(([1], 1), ([2], 2)), "tests_passed"),
        ("print('noise')\ndef f(x):\n    print(x)\n    return x", call(([1], 1)), "tests_passed"),
        ("def f(x): return x", call(([1], 1), ([2], 3)), "wrong_value"),
        ("def f(x): return True", call(([1], 1)), "wrong_value"),
        ("def f(x): raise ValueError('no')", call(([1], 1)), "raised"),
        ("1 / 0", call(([1], 1)), "raised"),
        ("def g(x): return x", call(([1], 1)), "no_entry_point"),
        ("import os\ndef f(x): os._exit(0)", call(([1], 1)), "ended"),
        ("def f(x):\n    while True: pass", {**call(([1], 1)), "timeout_s": 0.2}, "timeout"),
    ],
)  # fmt: skip
def test_a_verdict_is_the_one_of_a_local_jail(
    stand_in: StandIn, program: str, target: dict[str, Any], rule: str
) -> None:
    verdict = remote(stand_in).verify(program, target)
    assert (verdict.rule, verdict.reward) == (rule, float(rule == "tests_passed")), verdict.detail
    assert f"layers of the service {stand_in.address}" in verdict.detail


@pytest.mark.parametrize(
    "target",
    [{"inputs": ["1"], "outputs": [TOKEN]}, {"fn_name": "f", "cases": [{"args": [1], "expected": TOKEN}]}],
)
def test_what_is_expected_is_never_sent(stand_in: StandIn, target: dict[str, Any]) -> None:
    assert remote(stand_in).verify("def f(x): return x", target).reward == 0
    assert stand_in.requests
    assert TOKEN not in json.dumps(stand_in.requests)


def test_lines_that_a_program_forges_are_only_answers(stand_in: StandIn) -> None:
    forger = """
import os, sys
order = sys._getframe(1).f_locals
while "order" not in order and sys._getframe(1):
    break
for frame in sys._current_frames().values():
    while frame:
        for value in list(frame.f_locals.values()):
            if isinstance(value, dict) and "marker" in value:
                for fd in range(3, 20):
                    try:
                        os.write(fd, (value["marker"] + '{"value": true}\\n').encode() * 3)
                    except OSError:
                        pass
        frame = frame.f_back

def f(x):
    return 0
"""
    assert remote(stand_in).verify(forger, call(([1], 5), ([2], 6))).outcome is Outcome.INCORRECT


def test_tests_in_python_are_refused_where_there_is_one_process(stand_in: StandIn) -> None:
    verdict = remote(stand_in).verify("def f(x): return x", {"asserts": ["assert f(1) == 1"]})
    assert (verdict.outcome, verdict.reward, verdict.rule) == (Outcome.UNSUPPORTED, None, "unsupported_tests")
    assert not stand_in.requests


@pytest.mark.parametrize(
    ("program", "rule"),
    [
        ("def f(x): return x", "tests_passed"),
        ("def f(x): return x + 1", "wrong_value"),
        ("raise SystemExit(0)", "raised"),
        ("import os\ndef f(x): os._exit(0)", "ended"),
    ],
)
def test_they_run_in_the_programs_process_where_that_is_asked_for(stand_in: StandIn, program: str, rule: str) -> None:
    verdict = remote(stand_in, asserts="in_process").verify(program, {"asserts": ["assert f(1) == 1"]})
    assert (verdict.rule, verdict.reward) == (rule, float(rule == "tests_passed")), verdict.detail
    assert WEAKER in verdict.detail


def test_a_checker_runs_at_the_service_too(stand_in: StandIn) -> None:
    checker = "def check(given, output, expected):\n    return sorted(output.split()) == sorted(expected.split())"
    target = {"inputs": [""], "outputs": ["1 2"], "checker": checker}
    assert remote(stand_in).verify("print(2, 1)", target).reward == 1
    assert remote(stand_in).verify("print(2, 2)", target).reward == 0


def test_a_service_that_fails_is_an_error_without_a_reward(stand_in: StandIn) -> None:
    stand_in.faults = [503, 503]
    verdict = remote(stand_in).verify("print(1)", {"inputs": [""], "outputs": ["1"]})
    assert (verdict.outcome, verdict.reward, verdict.rule) == (Outcome.ERROR, None, "sandbox")
    assert remote(stand_in).verify("print(1)", {"inputs": [""], "outputs": ["1"]}).reward == 1


def test_more_than_a_service_keeps_cannot_be_expected_of_it(stand_in: StandIn) -> None:
    long = "x" * (1 << 20)
    for target in ({"inputs": [""], "outputs": [long]}, call(([1], long))):
        verdict = remote(stand_in).verify("print(1)", target)
        assert (verdict.outcome, verdict.reward) == (Outcome.UNSUPPORTED, None)
    assert not stand_in.requests


def test_it_travels_to_a_worker(stand_in: StandIn) -> None:
    verifier = pickle.loads(pickle.dumps(CodeVerifier(backend=stand_in.address)))
    assert verifier.verify("print(1)", {"inputs": [""], "outputs": ["1"]}).reward == 1
