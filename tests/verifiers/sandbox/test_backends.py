"""Backends: what a user can name, and what runs behind it."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from sandboxed import shared_verifier

from rewardgate.errors import ArgumentError
from rewardgate.verifiers import Outcome
from rewardgate.verifiers.code import CodeVerifier
from rewardgate.verifiers.sandbox.backends import WEAKER, JailBackend, Judged, Trial, backend_of
from rewardgate.verifiers.sandbox.judging import CaseResult
from rewardgate.verifiers.sandbox.pool import SandboxUnavailable
from rewardgate.verifiers.sandbox.runs import UnsupportedTestsError

ADD = {"inputs": ["1 2"], "outputs": ["3"]}
PATCHED = """
import unittest
from unittest.mock import patch

class T(unittest.TestCase):
    @patch("solution.clock", return_value=5)
    def test_patched(self, clock):
        self.assertIsInstance(now(), Moment)
        self.assertEqual(now().value, 5)
"""
MOMENT = """
def clock():
    return 4

class Moment:
    def __init__(self, value):
        self.value = value

def now():
    return Moment(clock())
"""


@cache
def in_process() -> CodeVerifier:
    return CodeVerifier(asserts="in_process", timeout_s=0.5)


class Recording:
    """A user's own backend: it runs nothing."""

    def __init__(self, *results: CaseResult) -> None:
        self.trials: list[Trial] = []
        self.results, self.is_closed = results, False

    def judged(self, trial: Trial) -> Judged:
        self.trials.append(trial)
        if not self.results:
            raise UnsupportedTestsError("not here")
        return Judged(self.results, "layers of my own")

    def close(self) -> None:
        self.is_closed = True


def test_a_users_own_backend_is_given_the_trial_and_decides_nothing_but_the_cases() -> None:
    backend = Recording(CaseResult(True, 3.0), CaseResult(False, 1.0, "wrong_output", "case 2: no"))
    verifier = CodeVerifier(backend=backend, reward="share", timeout_s=2)
    verdict = verifier.verify("```py\nprint(1)\n```", {**ADD, "setup_code": "import math", "timeout_s": 7})
    assert (verdict.reward, verdict.rule) == (0.75, "wrong_output")  # 3 of 3 + 1
    assert verdict.detail == "case 2: no; layers of my own"
    trial = backend.trials[0]
    assert (trial.program, trial.stops, trial.in_process) == (b"import math\nprint(1)", False, False)
    assert trial.limits.cpu_s == 7
    verifier.close()
    assert backend.is_closed


def test_tests_that_a_backend_cannot_run_are_unsupported() -> None:
    verdict = CodeVerifier(backend=Recording()).verify("print(1)", ADD)
    assert (verdict.outcome, verdict.reward, verdict.detail) == (Outcome.UNSUPPORTED, None, "not here")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"backend": "docker"}, "expected 'local', 'bwrap' or an address"),
        ({"backend": "http://"}, "expected an address"),
        ({"backend": "http://h", "modules": ("numpy",)}, "expected no modules"),
        ({"backend": "http://h", "processes": 2}, "expected no modules, layers or processes"),
        ({"asserts": "inside"}, "expected 'apart' or 'in_process'"),
        ({"processes": -1}, "whole number >= 0"),
        ({"workers": 0}, "whole number >= 1"),
        ({"timeout_s": float("nan")}, "positive number"),
    ],
)
def test_an_option_that_means_nothing_is_refused_at_once(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        CodeVerifier(**options)


def test_asserts_run_apart_unless_they_are_asked_to_run_in_process() -> None:
    target = {"test": PATCHED, "entry_point": "now"}
    apart = shared_verifier().verify(MOMENT, target)
    assert (apart.rule, apart.reward) == ("unsupported_tests", None)  # it patches a module that is not there
    verdict = in_process().verify(MOMENT, target)
    assert verdict.reward == 1, verdict.detail
    assert WEAKER in verdict.detail
    assert WEAKER not in in_process().verify("print(3)", ADD).detail


@pytest.mark.parametrize(
    ("program", "rule"),
    [
        ("def now(): return 4", "wrong_value"),
        ("1 / 0", "raised"),
        ("raise SystemExit(0)", "raised"),
        ("import os\nos._exit(0)", "ended"),
        ("import os\ndef now(): os._exit(0)", "ended"),
        ("def now(): raise SystemExit(0)", "raised"),
        ("def now():\n    while True: pass", "timeout"),
        ("import os, time\nos.write(3, b'\\x02\\x00\\x00\\x00[]')\ntime.sleep(9)", "garbage"),
        (
            "import json, os\nfor m in ({'loaded': True}, {'op': 'done', 'results': [{'passed': True}]}):\n"
            "    b = json.dumps(m).encode()\n    os.write(3, len(b).to_bytes(4, 'little') + b)\nimport time\n"
            "time.sleep(9)",
            "garbage",
        ),
    ],
)
def test_in_process_an_exit_or_an_early_answer_does_not_pass(program: str, rule: str) -> None:
    verdict = in_process().verify(program, {"asserts": ["assert now() == 5"]})
    assert (verdict.reward, verdict.rule) == (0.0, rule), verdict.detail


def test_in_process_tests_that_test_nothing_pass_nobody() -> None:
    verdict = in_process().verify("x = 1", {"test": "y = 2", "entry_point": "x"})
    assert (verdict.reward, verdict.rule) == (0.0, "no_tests")


def test_processes_need_a_namespace_that_ends_them() -> None:
    verifier = CodeVerifier(processes=2, without=("pidns",), require="basic")
    with pytest.raises(SandboxUnavailable, match="pidns"):
        verifier.verify("print(3)", ADD)


def test_a_jail_backend_says_the_layers() -> None:
    backend = backend_of("local", workers=1, require="basic", modules=(), without=())
    assert isinstance(backend, JailBackend)
    verifier = CodeVerifier(backend=backend)
    assert "seccomp,rlimits" in verifier.verify("print(3)", ADD).detail
    verifier.close()


def test_the_first_failure_ends_a_trial_that_wants_all() -> None:
    target = {"inputs": ["", "", ""], "outputs": ["1", "2", "3"], "weights": [1, 2, 5]}
    assert CodeVerifier(reward="share").verify("print(3)", target).reward == 5 / 8
    recorded: list[int] = []

    class Counting(JailBackend):
        def judged(self, trial: Trial) -> Judged:
            found = super().judged(replace(trial))
            recorded.append(len(found.results))
            return found

    inner = backend_of("local", workers=1, require="basic", modules=(), without=())
    assert isinstance(inner, JailBackend)
    CodeVerifier(backend=Counting(inner._pool)).verify("print(3)", target)
    assert recorded == [1]
