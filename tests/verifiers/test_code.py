"""Every rule that a verdict on a program can have, by the least program that brings it about."""

import time
from math import nextafter
from typing import Any

import pytest
from sandboxed import ADD, ADDS, ASSERTS, PRINTS_SUM, SUM, shared_verifier, verdict

from rewardgate.errors import ArgumentError
from rewardgate.verifiers import Outcome, get
from rewardgate.verifiers.batch import averify, verify_many
from rewardgate.verifiers.code import CodeVerifier, program_in
from rewardgate.verifiers.sandbox.pool import SandboxUnavailable

pytestmark = pytest.mark.skipif(
    "not __import__('sys').platform.startswith('linux')", reason="NOT RUN: Linux alone has jails"
)

IN_CALL = "def add(a, b):\n    "


@pytest.mark.parametrize(
    ("code", "target", "rule", "detail"),
    [
        (PRINTS_SUM, SUM, "tests_passed", "2 of 2 cases passed"),
        (ADDS, ADD, "tests_passed", "2 of 2"),
        (ADDS, ASSERTS, "tests_passed", "2 of 2"),
        ("class Solution:\n    def add(self, a, b):\n        return a + b", ADD, "tests_passed", "2 of 2"),
        ("print(3)", SUM, "wrong_output", "case 2: line 1: expected '30', got '3'; input '10 20\\n'"),
        ("", SUM, "no_code", "no code found"),
        (IN_CALL + "return a - b", ADD, "wrong_value", "case 1: expected 3, got -1; arguments (1, 2)"),
        (IN_CALL + "return True", {**ADD, "cases": [{"args": [1, 0], "expected": 1}]}, "wrong_value", "got True"),
        (IN_CALL + "return a - b", ASSERTS, "wrong_value", "case 1: 'assert add(1, 2) == 3' failed: 'AssertionError'"),
        (IN_CALL + "raise ValueError('no ' * 3)", ADD, "raised", "'ValueError: no no no '"),
        (IN_CALL + "raise ValueError('no')", ASSERTS, "raised", "ValueError: no"),
        ("def add(:", ADD, "raised", "SyntaxError"),
        ("raise KeyError(1)", ASSERTS, "raised", "KeyError: 1"),
        ("def sub(a, b): return a", ADD, "no_entry_point", "no function named 'add'"),
        ("add = 3", ADD, "no_entry_point", "no function named 'add'"),
        ("raise SystemExit(3)", SUM, "exit_code", "exit code 3"),
        ("1 / 0", SUM, "exit_code", "ZeroDivisionError"),
        ("import os\nos.abort()", SUM, "signal", "SIGABRT"),
        ("import os\nos.kill(os.getpid(), 9)", SUM, "signal", "SIGKILL"),
        (IN_CALL + "import os; os.abort()", ADD, "signal", "SIGABRT"),
        ("x = bytearray(2 << 30)", SUM, "memory", "needed more than 1073741824 bytes"),
        ("print('x' * (17 << 20))", SUM, "output_limit", "printed more than 16777216 bytes"),
        ("while True: pass", {**SUM, "timeout_s": 0.1}, "timeout", "ran longer than 0.1 s (processor time)"),
        ("import time\ntime.sleep(60)", {**SUM, "timeout_s": 0.1}, "timeout", "ran longer than 1.2 s (clock time)"),
        (IN_CALL + "while True: pass", {**ADD, "timeout_s": 0.1}, "timeout", ""),
        (IN_CALL + "while True: pass", {**ASSERTS, "timeout_s": 0.1}, "timeout", ""),
        ("import os\nos.write(3, b'\\xff' * 8)\n" + ADDS, ADD, "garbage", "frame"),
        ("import os\nos.write(3, b'\\x02\\0\\0\\0[]')\n" + ADDS, ADD, "garbage", "no mapping"),
        ("import os\nos.write(3, b'\\xff' * 8)\n" + ADDS, ASSERTS, "garbage", "frame"),
        (IN_CALL + "import os; os._exit(0)", ADD, "ended", "ended before it answered"),
        (IN_CALL + "import os; os._exit(0)", ASSERTS, "ended", "ended before it answered"),
        (IN_CALL + "return object()", ASSERTS, "untrusted", "would be asked whether it is right"),
    ],
)  # fmt: skip
def test_each_rule(code: str, target: dict[str, Any], rule: str, detail: str) -> None:
    said = verdict(code, target)
    assert (said.rule, said.reward) == (rule, float(rule == "tests_passed"))
    assert detail in said.detail
    assert said.outcome is {"tests_passed": Outcome.CORRECT, "no_code": Outcome.NO_ANSWER}.get(rule, Outcome.INCORRECT)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("3", "expected a mapping with tests, got str"),
        (None, "got NoneType"),
        ({}, "known shape"),
        ({"inputs": [], "outputs": []}, "at least one case"),
        ({"fn_name": "f", "cases": []}, "at least one case"),
        ({"asserts": []}, "at least one"),
        ({"inputs": ["1"], "outputs": []}, "as many as inputs"),
    ],
)
def test_a_target_without_tests_is_a_bad_target_and_never_a_pass(target: Any, why: str) -> None:
    said = verdict("print(3)", target)
    assert (said.outcome, said.reward, said.rule) == (Outcome.BAD_TARGET, None, "bad_target")
    assert why in said.detail


@pytest.mark.parametrize("tests", [
    "for x in range(3):\n    assert add(x, 1) == x + 1",
    "def test_add():\n    assert add(1, 2) == 3",
    "def test_add():\n    assert add(1, 2) == 3\n\ntest_add()",
    "import unittest\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)",
    "import unittest\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n"
    "unittest.main()",
    "if add(1, 2) != 3:\n    raise ValueError",
    "def same(a, b):\n    assert a == b\n\nsame(add(1, 2), 3)",
])  # fmt: skip
def test_tests_come_in_many_forms_and_each_tells_right_from_wrong(tests: str) -> None:
    target = {"entry_point": "add", "test_code": tests}
    assert verdict(ADDS, target).reward == 1
    assert verdict(IN_CALL + "return a - b", target).reward == 0


def test_a_loop_of_the_tests_does_not_end_early_because_the_candidate_says_so() -> None:
    tests = "for x, y in zip(map(add, [1, 2], [1, 2]), [2, 4]):\n    assert x == y"
    target = {"entry_point": "add", "test_code": tests}
    assert verdict(ADDS, target).reward == 1
    assert verdict(IN_CALL + "raise StopIteration", target).reward == 0


def test_one_object_is_not_many_by_being_handed_over_twice() -> None:
    target = {"entry_point": "add", "asserts": ["assert len({add(i, i) for i in range(3)}) == 3"]}
    assert verdict(ADDS, target).reward == 1
    said = verdict("thing = object()\ndef add(a, b):\n    return thing", target)
    assert (said.rule, said.reward) == ("untrusted", 0)


def test_the_verdict_names_the_layers_it_was_made_behind() -> None:
    assert "; layers " in verdict(PRINTS_SUM, SUM).detail
    assert "rlimits" in verdict("print(0)", SUM).detail


def test_share_pays_for_the_cases_that_pass_by_their_weight() -> None:
    verifier = CodeVerifier(reward="share", timeout_s=1.0)
    cases = [{"args": [1, 2], "expected": 3, "weight": 3}, {"args": [1, 2], "expected": 4}]
    try:
        said = verifier.verify(ADDS, {"fn_name": "add", "cases": cases})
        assert (said.outcome, said.reward) == (Outcome.INCORRECT, 0.75)  # 3 of 3 + 1
        assert verifier.verify(PRINTS_SUM, SUM).reward == 1
        assert verifier.verify("print(3)", SUM).reward == 0.5
        # What was not run because the program had ended counts as failed.
        ends = "def add(a, b):\n    import os\n    os._exit(0)"
        assert verifier.verify(ends, ADD).reward == 0
    finally:
        verifier.close()


def test_each_case_has_a_process_and_a_scratch_folder_of_its_own() -> None:
    leaves = "import os\nprint(os.path.exists('left'))\nopen('left', 'w')"
    assert verdict(leaves, {"inputs": ["", ""], "outputs": ["False\n", "False\n"]}).reward == 1


def test_a_checker_decides_where_one_is_given() -> None:
    checker = "def check(given, output, expected):\n    return sorted(output.split()) == sorted(expected.split())"
    target = {"inputs": [""], "outputs": ["1 2\n"], "checker": checker}
    assert verdict("print('2 1')", target).reward == 1
    assert verdict("print('2 2')", target).rule == "wrong_output"
    assert verdict("print('2 1')", {**target, "checker": "def check(*_):\n    raise ValueError"}).reward == 0
    assert verdict("print('2 1')", {**target, "checker": "def check(*_):\n    return 'yes'"}).reward == 0


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ({"entry_point": "add", "test_code": "x = 1"}, "test nothing"),
        ({"entry_point": "add", "test_code": "assert 1 == 1"}, "test nothing"),
        ({"entry_point": "add", "test_code": "assert add(1, 2) =="}, "SyntaxError"),
        ({"entry_point": "add", "test_code": "import no_such_module\nassert add(1, 2) == 3"}, "ModuleNotFoundError"),
        ({**SUM, "checker": "x ="}, "SyntaxError"),
        ({**SUM, "checker": "import no_such_module"}, "ModuleNotFoundError"),
        ({**SUM, "checker": "x = 1"}, "a function named 'check'"),
    ],
)
def test_tests_that_nothing_could_pass_are_no_fault_of_the_program(target: Any, why: str) -> None:
    said = verdict(PRINTS_SUM if "checker" in target else ADDS, target)
    assert (said.outcome, said.reward, said.rule) == (Outcome.UNSUPPORTED, None, "unsupported_tests")
    assert why in said.detail


def test_by_share_what_weighs_nothing_decides_nothing_and_what_weighs_little_is_not_lost() -> None:
    verifier = CodeVerifier(reward="share", timeout_s=1.0)
    right = {"args": [1, 2], "expected": 3}
    try:
        for weight, outcome, reward in ((0, Outcome.CORRECT, 1.0), (1e-30, Outcome.INCORRECT, nextafter(1, 0))):
            cases = [right, {"args": [1, 2], "expected": 4, "weight": weight}]
            said = verifier.verify(ADDS, {"fn_name": "add", "cases": cases})
            assert (said.outcome, said.reward) == (outcome, reward)
        nothing = {"fn_name": "add", "cases": [{**right, "weight": 0}]}
        assert verifier.verify(ADDS, nothing).outcome is Outcome.BAD_TARGET
    finally:
        verifier.close()


@pytest.mark.parametrize(
    "imports", ["from __future__ import annotations", "from __future__ import (annotations,\n    division)", ""]
)
def test_what_a_task_sets_up_is_there_behind_imports_from_the_future(imports: str) -> None:
    code = f'"""Adds."""\n{imports}\ndef add(a, b):\n    return int(math.fsum([a, b]))\n'
    assert verdict(code, {**ASSERTS, "setup_code": "import math"}).reward == 1


def test_a_prompt_that_the_completion_continues_is_put_before_it() -> None:
    target = {"prompt": "def add(a, b):\n", "entry_point": "add", "test": "def check(c):\n    assert c(1, 2) == 3\n"}
    assert verdict("    return a + b\n", target).reward == 1
    assert verdict(ADDS, target).reward == 1


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("print(1)", "print(1)"),
        ("Sure:\n```python\nprint(1)\n```\nDone.", "print(1)"),
        ("```\nprint(1)\n```", "print(1)"),
        ("```py\nprint(0)\n```\nBetter:\n```python3\nprint(1)\n```", "print(1)"),
        ("```python\nprint(1)", "print(1)"),
        ("<think>```python\nprint(0)\n```</think>\n```python\nprint(1)\n```", "print(1)"),
        ("<think>never ends ```python\nprint(0)\n```", None),
        ("   \n", None),
    ],
)
def test_the_program_of_a_reply(text: str, program: str | None) -> None:
    found = program_in(text)
    assert (found and found[0].strip()) == program
    if found and found[1]:
        assert text[slice(*found[1])] == found[0]


@pytest.mark.parametrize(
    "options",
    [
        {"reward": "most"}, {"comparison": "near"}, {"timeout_s": 0}, {"timeout_s": float("nan")}, {"memory_mb": -1},
        {"output_mb": 0}, {"workers": 0}, {"require": "all"},
    ],
)  # fmt: skip
def test_an_option_out_of_range_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match=f"{next(iter(options))}: expected"):
        CodeVerifier(**options)


def test_a_machine_that_has_less_than_is_required_runs_nothing() -> None:
    verifier = CodeVerifier(require="strict", without=("seccomp",))
    with pytest.raises(SandboxUnavailable, match=r"'strict', this machine lacks .*seccomp: left out on purpose"):
        verifier.verify(PRINTS_SUM, SUM)


@pytest.mark.parametrize("n_rows", [1, 3])
def test_a_batch_on_a_machine_that_has_less_than_is_required_raises_instead_of_erring_row_by_row(n_rows: int) -> None:
    verifier = CodeVerifier(require="strict", without=("seccomp",))
    with pytest.raises(SandboxUnavailable, match="this machine lacks"):
        verify_many(verifier, [(PRINTS_SUM, SUM)] * n_rows)


def test_it_is_registered_and_judges_many() -> None:
    verifier = get("code", timeout_s=1.0)
    said = verify_many(verifier, [(PRINTS_SUM, SUM), ("print(0)", SUM), (PRINTS_SUM, None), ("", SUM)])
    assert [one.reward for one in said] == [1.0, 0.0, None, 0.0]


def test_a_batch_is_judged_by_as_many_programs_at_once_as_there_are_workers() -> None:
    sleeps = "import time\ntime.sleep(0.5)\n" + PRINTS_SUM
    one_case = {"inputs": ["1 2\n"], "outputs": ["3\n"]}
    verifier = CodeVerifier(workers=4)
    verify_many(verifier, [(PRINTS_SUM, one_case)] * 4)
    started = time.monotonic()
    said = verify_many(verifier, [(sleeps, one_case)] * 8)
    assert [one.reward for one in said] == [1.0] * 8
    assert time.monotonic() - started < 8 * 0.5  # one after the other they would sleep that long


def test_it_judges_in_the_workers_of_a_batch() -> None:
    said = verify_many(CodeVerifier(timeout_s=1.0), [(PRINTS_SUM, SUM), ("print(0)", SUM)] * 3, workers=2)
    assert [one.reward for one in said] == [1.0, 0.0] * 3


def test_an_event_loop_goes_on_meanwhile() -> None:
    import asyncio

    async def several() -> list[float | None]:
        asked = (
            averify(shared_verifier(), code, SUM) for code in (PRINTS_SUM, "print(0)", "#" * 3_000 + "\n" + PRINTS_SUM)
        )
        return [one.reward for one in await asyncio.gather(*asked)]

    assert asyncio.run(several()) == [1.0, 0.0, 1.0]


def test_messages_are_read_as_a_completion_is() -> None:
    said = verdict([{"role": "user", "content": "Add."}, {"role": "assistant", "content": PRINTS_SUM}], SUM)  # type: ignore[arg-type]
    assert said.reward == 1
    assert verdict(3, SUM).reward is None  # type: ignore[arg-type]
