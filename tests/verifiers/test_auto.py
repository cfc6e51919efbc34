"""The verifier that looks at the target first."""

import pytest

from rewardgate.errors import UnknownNameError
from rewardgate.verifiers.auto import AutoVerifier
from rewardgate.verifiers.base import Outcome

VERIFIER = AutoVerifier()


@pytest.mark.parametrize(
    ("completion", "target", "name"),
    [
        ("The answer is 5.", "5", "math"),
        (r"\boxed{\frac12}", "0.5", "math"),
        ("Answer: (B)", "B", "choice"),
        (r"\boxed{\text{(E)}}", r"\text{(E)}", "choice"),
        (r"\boxed{Evelyn}", r"\text{Evelyn}", "exact"),
        ("The answer is 5.", ["4", "5"], "math"),
        ("The answer is 5.", {"answer": "5"}, "math"),
        ("The answer is 5.", {"ground_truth": {"answer": "5"}}, "math"),
        ("The answer is 18.", "9*2=18\n#### 18", "math"),
        ("<think>a</think><answer>5</answer>", {"required_tags": ["think", "answer"]}, "format"),
    ],
)
def test_each_kind_of_target_finds_its_verifier(completion: str, target: object, name: str):
    verdict = VERIFIER.verify(completion, target)
    assert verdict.detail.startswith(f"{name}, because the target")
    assert verdict.reward == 1


ADD = "def add(a, b):\n    return a + b\n"
PRINT = "print(int(input()) + 1)"
RECORDS = [{"input": "1\n", "output": "2\n", "testtype": "stdin"}]


@pytest.mark.parametrize(
    ("program", "target"),
    [
        (ADD, {"entry_point": "add", "cases": [{"args": [1, 2], "expected": 3}]}),
        (ADD, {"entry_point": "add", "prompt": "", "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n"}),
        (ADD, {"test_list": ["assert add(1, 2) == 3"], "text": "Write a function"}),
        (ADD, {"asserts": ["assert add(1, 2) == 3"]}),
        (ADD, {"assertions": ["assert add(1, 2) == 3"]}),
        (ADD, {"test_code": "assert add(1, 2) == 3"}),
        (ADD, {"input_output": '{"fn_name": "add", "inputs": [[1, 2]], "outputs": [3]}'}),
        (PRINT, {"inputs": ["1\n"], "outputs": ["2\n"]}),
        (PRINT, {"test_cases": RECORDS}),
        (PRINT, {"unit_tests": RECORDS}),
        (PRINT, {"tests": {"inputs": ["1\n"], "outputs": ["2\n"]}, "answer": "2"}),
        (PRINT, {"public_test_cases": RECORDS, "private_test_cases": []}),
        (PRINT, {"public_tests": {"input": ["1\n"], "output": ["2\n"]}, "private_tests": None}),
        (PRINT, {"ground_truth": {"inputs": ["1\n"], "outputs": ["2\n"]}}),
        (PRINT, '{"inputs": ["1\\n"], "outputs": ["2\\n"]}'),
        (PRINT, {"ground_truth": '{"inputs": ["1\\n"], "outputs": ["2\\n"]}'}),
    ],
)
def test_tests_of_every_shape_go_to_the_code_verifier(program: str, target: object):
    verdict = VERIFIER.verify(program, target)
    assert (verdict.reward, verdict.rule) == (1, "tests_passed")
    assert verdict.detail.startswith("code, because the target holds tests: 1 of 1 cases passed")


def test_text_that_only_looks_like_tests_stays_text():
    for target in ('{"a": 1}', "{1, 2}", '{"tests": ', "{" * 2_000):
        assert not VERIFIER.verify("The answer is 5.", target).detail.startswith("code")


@pytest.mark.parametrize("target", [{}, {"foo": 1}, [], True, None, [None, 5], {"answer": None}])
def test_a_target_of_no_known_kind_is_bad(target: object):
    verdict = VERIFIER.verify("The answer is 5.", target)
    assert (verdict.outcome, verdict.reward) == (Outcome.BAD_TARGET, None)


def test_an_extractor_is_handed_on_and_checked_when_built():
    assert AutoVerifier(extractor="hash").verify("It is 4, no: \n#### 5", "5").reward == 1
    with pytest.raises(UnknownNameError):
        AutoVerifier(extractor="nothing_of_the_kind")
