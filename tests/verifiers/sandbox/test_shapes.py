"""Tests as datasets give them: each shape with its literal example, and what is no shape at all."""

import base64
import json
import pickle
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.sandbox.shapes import SpecificationError, read_specification
from rewardgate.verifiers.sandbox.specification import AssertTests, FunctionCase, StdinCase

TWO = (StdinCase("1 2\n", "3\n"), StdinCase("10 20\n", "30\n"))
CALLS = (FunctionCase((1, 2), 3), FunctionCase((10, 20), 30))
RECORDS = [
    {"input": "1 2\n", "output": "3\n", "testtype": "stdin"},
    {"input": "10 20\n", "output": "30\n", "testtype": "stdin"},
]
FUNCTIONAL = [
    {"input": "1\n2", "output": "3", "testtype": "functional"},
    {"input": "10\n20", "output": "30", "testtype": "functional"},
]


def packed(held: Any, *, pickled: bool = False) -> str:
    data = pickle.dumps(json.dumps(held)) if pickled else json.dumps(held).encode()
    return base64.b64encode(zlib.compress(data)).decode()


@pytest.mark.parametrize(
    "target",
    [
        {"inputs": ["1 2\n", "10 20\n"], "outputs": ["3\n", "30\n"]},
        {"inputs": [["1 2"], ["10 20"]], "outputs": [["3"], ["30"]]},  # lines
        {"input_output": {"inputs": ["1 2\n", "10 20\n"], "outputs": ["3\n", "30\n"]}},  # APPS
        {"input_output": json.dumps({"inputs": ["1 2\n", "10 20\n"], "outputs": ["3\n", "30\n"]})},  # TACO
        {"public_test_cases": RECORDS[:1], "private_test_cases": RECORDS[1:]},  # LiveCodeBench
        {"public_test_cases": json.dumps(RECORDS[:1]), "private_test_cases": packed(RECORDS[1:], pickled=True)},
        {"public_test_cases": json.dumps(RECORDS[:1]), "private_test_cases": packed(RECORDS[1:])},
        {
            "public_tests": {"input": ["1 2\n"], "output": ["3\n"]},
            "private_tests": {"input": ["10 20\n"], "output": ["30\n"]},
        },  # CodeContests
        {"test": [{"input": {"stdin": "1 2\n"}, "output": {"stdout": "3\n"}}, *RECORDS[1:]]},  # SandboxFusion
        {"test": json.dumps(RECORDS)},
        {"tests": RECORDS},
        {"test_cases": RECORDS, "prompt": "Add."},
    ],
)  # fmt: skip
def test_programs_that_read_and_print(target: dict[str, Any]) -> None:
    assert read_specification(target).stdin == TWO


@pytest.mark.parametrize(
    "target",
    [
        {"fn_name": "add", "cases": [{"args": [1, 2], "expected": 3}, {"args": [10, 20], "expected": 30}]},
        {"fn_name": "add", "cases": [{"args": [1, 2], "expected_repr": "3"}, {"args": [10, 20], "expected": 30}]},
        {"entry_point": "add", "tests": [{"args": [1, 2], "expected": 3}, {"args": [10, 20], "expected": 30}]},
        {"fn_name": "add", "inputs": [[1, 2], [10, 20]], "outputs": [3, 30]},
        {"fn_name": "add", "inputs": [[1, 2], [10, 20]], "outputs": [[3], [30]]},  # APPS wraps what is returned
        {"input_output": json.dumps({"fn_name": "add", "inputs": [[1, 2], [10, 20]], "outputs": [[3], [30]]})},
        {"fn_name": "add", "inputs": ["1\n2", "10\n20"], "outputs": ["3", "30"]},
        {"public_test_cases": FUNCTIONAL, "metadata": json.dumps({"func_name": "add"})},
        {"private_test_cases": packed(FUNCTIONAL, pickled=True), "metadata": {"func_name": "add"}},
    ],
)
def test_functions_that_are_called(target: dict[str, Any]) -> None:
    found = read_specification(target)
    assert (found.entry_point, found.function) == ("add", CALLS)


ONE, CHECK = "assert f(1) == 2", "def check(candidate):\n    assert candidate(1) == 2\n"
BOTH = "assert f(1) == 2\nassert f(2) == 3"


@pytest.mark.parametrize(
    ("target", "code", "entry_point"),
    [
        ({"prompt": "def f(x):\n", "entry_point": "f", "test": CHECK}, CHECK, "f"),  # HumanEval
        ({"test_list": BOTH.split("\n")}, BOTH, ""),  # MBPP
        ({"test_list": json.dumps([ONE])}, ONE, ""),
        ({"test_list": [ONE], "challenge_test_list": ["assert f(2) == 3"]}, BOTH, ""),
        ({"asserts": [ONE], "entry_point": "f"}, ONE, "f"),
        ({"test": ONE}, ONE, ""),
        ({"test_code": ONE}, ONE, ""),
        ({"labels": {"test_list": [ONE], "entry_point": "f"}, "test": [ONE]}, ONE, "f"),
    ],
)
def test_tests_that_are_code(target: dict[str, Any], code: str, entry_point: str) -> None:
    found = read_specification(target)
    assert found.asserts == AssertTests(code, calls_check=code == CHECK)
    assert found.entry_point == entry_point


def test_what_stands_beside_the_cases_is_read_too() -> None:
    found = read_specification(
        {
            "inputs": ["1"], "outputs": ["2"], "checker": "def check(i, o, e): return True", "float_tol": 1e-6,
            "timeout_s": 3, "setup_code": "import math", "test_imports": ["import re"],
        }
    )  # fmt: skip
    assert (found.checker, found.float_tolerance, found.timeout_s) == ("def check(i, o, e): return True", 1e-6, 3.0)
    assert found.setup == "import math\nimport re"
    assert read_specification({"labels": '{"test_setup_code": "x = 1"}', "test_list": ["assert x"]}).setup == "x = 1"


def test_weights_are_read() -> None:
    cases = [{"args": [1], "expected": 1, "weight": 3}, {"args": [2], "expected": 2}]
    assert [case.weight for case in read_specification({"fn_name": "f", "cases": cases}).function] == [3.0, 1.0]


def test_huge_inputs_are_written_short() -> None:
    found = read_specification(
        {"inputs": [{"gen": "repeat", "s": "ab", "n": 3}, {"gen": "range", "start": 1, "stop": 4}], "outputs": ["", ""]}
    )
    assert [case.stdin for case in found.stdin] == ["ababab", "1\n2\n3\n"]


class Evil:
    def __reduce__(self) -> Any:
        return print, ("executed",)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ({}, "known shape"),
        ({"prompt": "x"}, "known shape"),
        ({"inputs": [], "outputs": []}, "at least one case"),
        ({"fn_name": "f", "cases": []}, "at least one case"),
        ({"asserts": []}, "at least one"),
        ({"asserts": ["", "  "]}, "at least one"),
        ({"test_list": []}, "at least one"),
        ({"test": "", "entry_point": "f"}, "expected code"),
        ({"public_test_cases": []}, "at least one case"),
        ({"public_tests": {}}, "at least one case"),
        ({"tests": []}, "at least one case"),
        ({"inputs": ["1"], "outputs": []}, "as many as inputs"),
        ({"inputs": "1", "outputs": "2"}, "two lists"),
        ({"inputs": [None], "outputs": ["2"]}, "expected text, got NoneType"),
        ({"inputs": [{"gen": "repeat", "s": "a" * 1_000, "n": 10**9}], "outputs": [""]}, "at most"),
        ({"cases": 3}, "expected a list"),
        ({"cases": [{"expected": 3}]}, "case 1"),
        ({"cases": [{"args": [1]}]}, "case 1"),
        ({"cases": [{"args": [object()], "expected": 1}]}, "plain data, got object"),
        ({"inputs": ["\ud800"], "outputs": [""]}, "case 1.*UnicodeEncodeError"),
        ({"inputs": [""], "outputs": [""], "checker": "\ud800"}, "checker"),
        ({"inputs": [""], "outputs": [""], "timeout_s": -1}, "timeout_s"),
        ({"inputs": [""], "outputs": [""], "timeout_s": "3"}, "timeout_s"),
        ({"inputs": [""], "outputs": [""], "float_tol": float("nan")}, "float_tol"),
        ({"tests": [1, 2]}, "mapping or a list"),
        ({"tests": 3}, "mapping or a list"),
        ({"tests": [{"input": ""}]}, "input and output"),
        ({"public_test_cases": [*RECORDS, *FUNCTIONAL], "fn_name": "add"}, "one kind"),
        ({"public_test_cases": FUNCTIONAL}, "entry_point"),
        ({"public_test_cases": "no JSON"}, "expected a list"),
        ({"asserts": [1]}, "list of strings"),
        ({"tests": {"tests": {"tests": {"tests": {"tests": {"tests": {}}}}}}}, "nested too deep"),
        ({"private_test_cases": base64.b64encode(zlib.compress(pickle.dumps(Evil()))).decode()}, "plain data"),
        ({"entry_point": "f", "inputs": ["[" * 100_000], "outputs": ["1"]}, "nested too deep"),
    ],
)  # fmt: skip
def test_what_holds_no_tests_says_why(target: dict[str, Any], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SpecificationError, match=why):
        read_specification(target)
    assert "executed" not in capsys.readouterr().out


def test_a_bomb_of_compressed_tests_is_not_blown_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rewardgate.verifiers.sandbox.shapes._MAX_BYTES", 1_000)
    bomb = base64.b64encode(zlib.compress(b"0" * 10_000_000)).decode()
    with pytest.raises(SpecificationError, match="at most 1000 bytes"):
        read_specification({"private_test_cases": bomb})


BAD_TARGET = (SpecificationError, ValueError, TypeError, KeyError, OverflowError)
"""What the verifier takes for one."""

FIELDS = (
    "inputs", "outputs", "fn_name", "entry_point", "cases", "asserts", "test_list", "test", "tests", "test_code",
    "prompt", "public_test_cases", "private_test_cases", "public_tests", "input_output", "labels", "metadata",
    "checker", "weights", "kwargs", "timeout_s", "setup_code", "args", "expected", "expected_repr", "input", "output",
    "testtype", "weight", "gen", "s", "n", "start", "stop", "test_imports",
)  # fmt: skip
TEXTS = ("functional", "repeat", "range", "[1]", '{"a": 1}', "float('inf')", "def check(c): pass", packed([1]))
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=8) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(FIELDS), anything, max_size=7))
def test_any_target_has_tests_or_says_why_not(target: dict[str, Any]) -> None:
    try:
        found = read_specification(target)
    except BAD_TARGET:
        return
    assert found.n_cases or (found.asserts is not None and found.asserts.code.strip())
