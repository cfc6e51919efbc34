import json
from pathlib import Path

import pytest

from rewardgate.errors import ArgumentError, InputError, UnavailableError, UnknownNameError
from rewardgate.prm import StepRow
from rewardgate.prm.functions import FunctionScorer, load_scorer
from rewardgate.prm.user_scorer import describe, score_rows

CODE = """
import os, time
from rewardgate.errors import UnavailableError
from rewardgate.prm import StepScore

def by_length(steps, prompt, target=None, scale=1):
    for step in steps:
        if step == "hang":
            time.sleep(1000)
        if step == "die":
            os._exit(1)
        if step == "demand":
            raise UnavailableError("require: expected user namespaces, got none")
    return [None if step == "?" else float(len(step) <= len(prompt)) for step in steps]

class Known:
    version = "7"
    def __init__(self, word="ok"):
        self.word = word
    def score(self, rows):
        return [[StepScore(float(step == self.word), "word", row.target) for step in row.steps] for row in rows]

known = Known()

def of_answers(answers):
    return []

def too_many(steps):
    return [1.0] * (len(steps) + 1)
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "my_scorer.py"
    path.write_text(CODE, encoding="utf-8")
    return str(path)


ASKED = [("12", ("1", "123", "?"), "t"), ("1", ("ok",), "t")]


def test_a_function_of_one_row_returns_a_number_or_none_a_step(file: str) -> None:
    assert describe(f"{file}:by_length", "{}") == ""
    # Right is a step no longer than its prompt.
    assert score_rows(f"{file}:by_length", "{}", ASKED) == [
        [[1.0, "returned", ""], [0.0, "returned", ""], [None, "returned", ""]],
        [[0.0, "returned", ""]],
    ]


@pytest.mark.parametrize(
    ("name", "options", "values"),
    [("Known", {}, [0.0, 1.0]), ("known", {}, [0.0, 1.0]), ("Known", {"word": "1"}, [1.0, 0.0])],
)
def test_a_class_or_an_object_is_a_scorer_of_many_rows(
    file: str, name: str, options: dict[str, str], values: list[float]
) -> None:
    spec, sent = f"{file}:{name}", json.dumps(options)
    assert describe(spec, sent) == "7"
    found = score_rows(spec, sent, ASKED)
    assert [row[0] for row in found] == [[value, "word", "t"] for value in values]


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("of_answers", "{}", "a function with the parameter answers; known: steps, prompt, target"),
        ("CODE", "{}", "no attribute 'CODE'"),
        ("os", "{}", "module, which is no function"),
        ("by_length", '{"scale": 2}', "options scale of what is no class"),
    ],
)
def test_what_is_no_scorer_says_what_it_is(file: str, name: str, options: str, problem: str) -> None:
    with pytest.raises((TypeError, AttributeError), match=problem):
        describe(f"{file}:{name}", options)


def test_a_row_that_hangs_or_kills_the_process_costs_no_other(file: str) -> None:
    scorer = FunctionScorer(f"{file}:by_length", timeout_s=2.0)
    try:
        asked = [StepRow("12", steps) for steps in (("1",), ("1", "die"), ("hang",), ("123",))]
        right, dead, hung, wrong = scorer.score(asked)
    finally:
        scorer.close()
    assert (right[0].value, wrong[0].value) == (1.0, 0.0)
    assert [score.rule for score in dead] == ["crashed"] * 2
    assert (hung[0].value, hung[0].rule) == (None, "timed_out")


def test_what_the_machine_lacks_reaches_the_caller(file: str) -> None:
    scorer = FunctionScorer(f"{file}:by_length")
    with pytest.raises(UnavailableError, match="require: expected user namespaces"):
        scorer.score([StepRow("prompt", ("ok",)), StepRow("prompt", ("demand",))])
    scorer.close()


def test_an_answer_that_is_no_score_a_step_is_unknown(file: str) -> None:
    scorer = load_scorer(f"{file}:too_many")
    (found,) = scorer.score([StepRow("12", ("1", "2"))])
    assert [score.value for score in found] == [None, None]
    assert "expected one score a step of row 0 (2), got 3" in found[0].detail


def test_a_scorer_that_cannot_be_had_is_named() -> None:
    with pytest.raises(UnknownNameError):
        load_scorer("arithmtic")
    with pytest.raises(InputError, match=r"expected an importable step scorer at nowhere.py:score, got .*no file"):
        load_scorer("nowhere.py:score")
    with pytest.raises(ArgumentError, match="timeout_s"):
        load_scorer("nowhere.py:score", timeout_s=0.0)
    assert load_scorer("arithmetic").score([StepRow("?", ("1 + 1 = 3",))])[0][0].value == 0.0
