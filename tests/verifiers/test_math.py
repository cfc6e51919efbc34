"""The maths verifier: policies pair by pair, hostile text, targets of every form, and the development corpus."""

import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from math_pairs import PAIRS

from rewardgate.errors import ArgumentError, WorkerDiedError, WorkerTimeoutError
from rewardgate.verifiers.base import Outcome, Verdict
from rewardgate.verifiers.math import MathVerifier

VERIFIER = MathVerifier()


def judged(answer: str, target: str) -> Verdict:
    return VERIFIER.verify(rf"So the result is \boxed{{{answer}}}.", target)


def test_each_pair_is_judged_as_a_reader_would() -> None:
    judgements = [(target, answer, judged(answer, target), right) for target, answer, right in PAIRS]
    assert [one for one in judgements if (one[2].reward == 1) != bool(one[3])] == []


@pytest.mark.parametrize(
    ("target", "answer", "rule"),
    [
        ("5", "5", "exact_number"),
        ("0.5", r"\frac12", "exact_number"),
        (r"\text{Evelyn}", "Evelyn", "text"),
        ("35 cm", r"35\text{ hours}", "unit_conflict"),
        ("2 hours", "120 minutes", "unit_conversion"),
        ("5", "5 or 6", "hedged"),
        ("5", r"\pm5", "plus_minus"),
        ("420", "421=420", "equation_for_value"),
        ("5", "x>3", "inequality_for_value"),
        ("(1,2)", r"\{1,2\}", "brackets"),
        ("[0,1)", "[0,1]", "brackets"),
        ("0.33", r"\frac13", "rounds_to_target"),
        (r"\frac13", "0.333333", "six_digits"),
        ("x=5", "y=5", "label_conflict"),
        ("12", r"12\%", "percent_for_number"),
        (r"\sqrt{8}", r"2\sqrt{2}", "equal_expression"),
        (r"\sqrt{8}", r"2\sqrt{3}", "different_expression"),
        ("y=2x+3", "4x-2y=-6", "equal_relation"),
        ("AB=CD", "CD=AB", "equal_relation"),
        ("x<y", "y>x", "equal_relation"),
        ("x<y", "y<x", "different_relation"),
        ("2x+3y=6", "2x-3y=6", "different_relation"),
        (r"\begin{vmatrix}1&2\\3&4\end{vmatrix}", "-2", "exact_number"),
        (r"\int_0^12x\,dx", "1", "math_verify"),
        (r"x\equiv5\pmod{12}", r"17\pmod{12}", "residues"),
        (r"\sum_{k=1}^nk", r"\sum_{j=1}^{n}j", "equal_expression"),
        (r"\sum_{k=1}^nk", r"\sum_{k=1}^{n-1}k", "different_expression"),
        ("(-2,2)", "x^2<4", "solution_set"),
        ("1,2,...,10", r"1,2,3,\ldots,10", "progression"),
        ("101_2", "101_3", "base_conflict"),
    ],
)
def test_the_rule_that_decided_is_named(target: str, answer: str, rule: str):
    assert judged(answer, target).rule == rule


HOSTILE = {
    "power tower": "10^{10^{10^{10}}}",
    "symbolic tower": "x^{x^{x^{x^{x}}}}",
    "factorial": "100000!",
    "iterated factorial": "((3!)!)!",
    "big sine": r"\sin(10^{10^{5}})",
    "digits": "7" * 200_000,
    "parentheses": "(" * 3000 + "1" + ")" * 3000,
    "sum": "+".join("1" * 6000),
    "list": ",".join("1" * 4000),
    "roots": r"\sqrt{" * 200 + "2" + "}" * 200,
    "fractions": r"\frac{1}{1+" * 200 + "1" + "}" * 200,
    "carets": "^" * 900,
    "signs": "-" * 50_000,
    "code": "__import__('os').system('true')",
    "words": r"x = \text{one} + " * 20_000,
    "big exponent of ten": "1e999999999",
    "lone surrogate": "\ud800",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers_cost_no_time_and_earn_nothing(name: str):
    started = perf_counter()
    verdict = judged(HOSTILE[name], "5")
    assert verdict.reward == 0
    assert perf_counter() - started < 1.0  # none of them reaches a worker


@pytest.mark.parametrize("text", ["7" * 200_000, "100000!", "2^{1000000}", "10^{10^{10^{10}}}", "x^{x^{x^{x}}}"])
def test_identical_text_is_right_without_evaluation(text: str):
    assert judged(text, text).reward == 1


def test_big_powers_are_compared_unexpanded():
    assert judged("2^{1000001}", "2^{1000000}").reward == 0
    assert judged("4^{500000}", "2^{1000000}").reward == 1  # 4 = 2^2, so 4^500000 = 2^1000000


def test_a_target_that_alone_is_too_costly_says_nothing_of_the_answer():
    verdict = judged("5", "100000!")
    assert (verdict.outcome, verdict.reward) == (Outcome.BUDGET, None)


@pytest.mark.parametrize("target", ["", "   ", "$$", "???", r"\boxed{}", {"other": "5"}, {}, [], [""]])
def test_an_unusable_target_is_bad_target_without_reward(target: object):
    verdict = VERIFIER.verify(r"\boxed{5}", target)
    assert (verdict.outcome, verdict.reward) == (Outcome.BAD_TARGET, None)


@pytest.mark.parametrize(
    "target",
    [
        "18",
        "9 * 2 = <<9*2=18>>18\n#### 18",
        "Doubling gives 18.\nA: 18",
        r"hence $\boxed{18}$",
        {"answer": "18"},
        ["17", "18"],
    ],
)
def test_a_target_is_read_in_every_form(target: object):
    verdict = VERIFIER.verify("The answer is 18.", target)
    assert verdict.reward == 1


def test_a_worked_solution_as_target_is_said_in_the_detail():
    assert "worked solution" in VERIFIER.verify(r"\boxed{18}", "9 * 2 = 18\n#### 18").detail


def test_no_answer_and_an_empty_one_are_not_wrong_answers():
    assert VERIFIER.verify("", "5").outcome is Outcome.NO_ANSWER
    assert VERIFIER.verify(r"\boxed{}", "5").outcome is Outcome.NO_ANSWER


def test_without_fallback_what_our_parser_does_not_read_is_unsupported_and_the_rest_is_judged():
    verifier = MathVerifier(fallback=False)
    assert verifier.verify(r"\boxed{\int_0^2x}", r"\int_0^2t").outcome is Outcome.UNSUPPORTED
    assert verifier.verify(r"\boxed{2\sqrt{2}}", r"\sqrt{8}").reward == 1
    assert verifier.verify(r"\boxed{1/2}", "0.5").reward == 1


INTEGRAL = r"\int_0^12x\,dx"
"""A target that no stage before the worker decides."""


class FailingWorkers:
    """Stands for workers that fail on every answer but may manage the target against itself."""

    def __init__(self, error: Exception, *, target_too: bool) -> None:
        self.error = error
        self.target_too = target_too
        self.calls = 0

    def call(self, function: str, target: str, answer: str, *, timeout_s: float) -> dict[str, object]:
        self.calls += 1
        if target == answer and not self.target_too:
            return {"equal": True, "target_value": None, "answer_value": None, "rule": ""}
        raise self.error


@pytest.mark.parametrize(("target_too", "reward"), [(False, 0.0), (True, None)])
def test_a_time_out_is_the_answers_fault_unless_the_target_alone_times_out(target_too: bool, reward: float | None):
    workers = FailingWorkers(WorkerTimeoutError("late"), target_too=target_too)
    verdict = MathVerifier(workers=workers).verify(r"\boxed{-2}", INTEGRAL)
    assert (verdict.outcome, verdict.reward) == (Outcome.BUDGET, reward)


def test_a_worker_that_dies_is_tried_once_more_and_then_an_error_without_reward():
    workers = FailingWorkers(WorkerDiedError("gone"), target_too=True)
    verdict = MathVerifier(workers=workers).verify(r"\boxed{-2}", INTEGRAL)
    assert (verdict.outcome, verdict.reward, workers.calls) == (Outcome.ERROR, None, 2)


def test_a_timeout_that_is_not_positive_is_refused():
    with pytest.raises(ArgumentError, match="timeout_s: expected a positive number"):
        MathVerifier(timeout_s=0)


WRAPPERS = [r"\boxed{%s}", "The final answer is $%s$.", "<answer>%s</answer>", "#### %s"]
NUMBERS = st.one_of(
    st.integers(-(10**30), 10**30).map(str),
    st.tuples(st.integers(-999, 999), st.integers(2, 999)).map(lambda pair: rf"\frac{{{pair[0]}}}{{{pair[1]}}}"),
    st.decimals(-(10**6), 10**6, allow_nan=False, places=3).map(str),
)


@given(NUMBERS, st.sampled_from(WRAPPERS))
def test_a_number_verifies_against_itself_in_every_wrapper(number: str, wrapper: str):
    assert VERIFIER.verify(wrapper % number, number).reward == 1


@given(st.integers(-(10**30), 10**30), st.integers(1, 9), st.sampled_from(WRAPPERS))
def test_a_mutated_integer_never_verifies(number: int, change: int, wrapper: str):
    for mutant in (number + change, number - change, 10 * number + change):
        assert VERIFIER.verify(wrapper % mutant, str(number)).reward == 0


@given(st.lists(st.integers(-99, 99), min_size=2, max_size=6, unique=True), st.randoms(use_true_random=False))
def test_a_bare_list_is_unordered_and_a_tuple_is_not(values: list[int], random):
    shuffled = random.sample(values, len(values))
    one, other = (",".join(map(str, items)) for items in (values, shuffled))
    assert judged(other, one).reward == 1
    assert judged(f"({other})", f"({one})").reward == (1 if shuffled == values else 0)


@settings(max_examples=300)
@given(st.text(alphabet="0123456789xyabe.,;:+-*/^_=<>(){}[]|!'%$\\ √½²π≤∞\n", max_size=40))
def test_no_text_raises_or_is_internally_at_fault(text: str):
    verdict = MathVerifier(fallback=False).verify(rf"\boxed{{{text}}}", "5")
    assert verdict.outcome is not Outcome.ERROR, verdict
    assert MathVerifier(fallback=False).verify("The answer is 5.", text).outcome is not Outcome.ERROR


def test_the_calling_process_never_imports_sympy():
    program = (
        "import sys; from rewardgate.verifiers.math import MathVerifier as M;"
        r"assert M().verify(r'\boxed{2\sqrt{2}}', r'\sqrt{8}').reward == 1;"
        "print([m for m in ('sympy', 'numpy', 'math_verify') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_development_corpus_is_judged_almost_without_fault(shared: Path):
    rows = [json.loads(line) for line in (shared / "cases/math_dev.jsonl").read_text().splitlines()]
    counted = [row for row in rows if row["kind"] != "policy"]
    right = {row["id"]: VERIFIER.verify(row["response"], row["gold"]).reward == 1 for row in counted}
    accepted = [row for row in counted if right[row["id"]]]
    wanted = [row for row in counted if row["expected"]]
    precision = sum(row["expected"] for row in accepted) / len(accepted)
    recall = sum(right[row["id"]] for row in wanted) / len(wanted)
    assert precision >= 0.99
    assert recall >= 0.97


@pytest.mark.parametrize(
    ("completion", "target", "right"),
    [
        (r"\boxed{12{,}75}", "12.75", True),
        (r"\boxed{5^{2}0}", "5^{20}", False),
        (r"\boxed{\frac{1}{\infty}}", "0", False),
        (r"\boxed{\text{The hall seats } 84}", "84", True),
        (r"\boxed{\text{The hall does not seat } 84}", "84", False),
        (r"I retract my answer of $\boxed{11}$; the problem has no solution.", "11", False),
        (r"\boxed{11 \text{ is wrong}}", "11", False),
        (r"\boxed{2x+1=19 \Rightarrow x=9}", "9", True),
        (r"\boxed{9 \text{ because } 2 \cdot 9 + 1 = 19}", "9", True),
        ("```python\nprint(5)\n```", "5", False),
        (r"\boxed{2\hat{i}-\hat{j}}", "2i-j", True),
    ],
)
def test_what_is_said_around_a_value_is_heard(completion: str, target: str, right: bool) -> None:
    assert (MathVerifier().verify(completion, target).reward == 1) is right
