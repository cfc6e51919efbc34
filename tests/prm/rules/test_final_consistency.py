import json
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from step_texts import responses

from rewardgate.errors import UnknownNameError
from rewardgate.prm import StepRow, StepScore, get
from rewardgate.prm.rules.final_consistency import FinalConsistencyScorer

OPTIONS = "How many are left?\nA) 24\nB) 42\nC) 60"


def scores(*steps: str, prompt: str = "How many?") -> list[StepScore]:
    return FinalConsistencyScorer().score([StepRow(prompt, steps)])[0]


def last(*steps: str, prompt: str = "How many?") -> float | None:
    return scores(*steps, prompt=prompt)[-1].value


def test_only_the_step_of_the_answer_is_judged() -> None:
    found = scores("6 * 7 = 42.", "That is all.", r"The answer is \boxed{42}.")
    assert [score[:2] for score in found] == [(None, "not_final"), (None, "not_final"), (1.0, "answer_follows")]
    assert found[-1].detail == "the last result is 42, the answer 42"


@pytest.mark.parametrize(
    "answer", [r"\boxed{24}", "#### 24", "The answer is 24.", "<answer>24</answer>", "Answer: 24 pens"]
)
def test_another_number_than_the_one_computed_is_wrong(answer: str) -> None:
    assert last("6 * 7 = 42 pens.", answer) == 0
    assert last(f"6 * 7 = 42 pens. {answer}") == 0
    assert last("6 * 7 = 42 pens.", answer.replace("24", "42")) == 1


@pytest.mark.parametrize(
    ("result", "answer", "prompt"),
    [
        ("10 / 3 = 3.33", "3", "?"),  # rounded
        ("38 * 52 = 1976", "2000", "?"),  # rounded to a round number
        ("30 * 4 = 120 minutes", "2", "?"),  # hours
        ("3 * 15 = 45", "0.45", "?"),  # a percentage
        ("5 - 12 = -7", "7", "?"),  # the amount of a loss
        ("6 * 7 = 42", "41", "He loses one pen of them."),  # one step in the head: 42 - 1
        ("6 * 7 = 42", "24", "Of 66 pens some are sold."),  # 66 - 42
        ("6 * 7 = 42", "24", "He has 24 pens."),  # a number that is given
        ("6 * 7 = 42", "24", "We count in base 20: 6 * 7?"),  # another arithmetic
        ("6 * 7 = 42. Wait, that is wrong", "24", "?"),  # taken back
        ("x = 42", "24", "?"),  # solved, not computed
        ("1.1 * 1.1 = 1.21", "21%", "?"),  # what is above one
        ("2 + 3 = 5, 5 * 8 = 40. For y we find 3 more", "17", "?"),  # numbers stand between
    ],
)
def test_what_a_reader_could_get_from_the_result_is_not_refuted(result: str, answer: str, prompt: str) -> None:
    assert scores(result + ".", rf"So \boxed{{{answer}}}.", prompt=prompt)[-1].value is None


@pytest.mark.parametrize(
    ("steps", "rule"),
    [
        (("So we think.", r"\boxed{24}"), "no_result"),
        (("6 * 7 = 42.", "So we are done, perhaps"), "no_answer"),
        (("6 * 7 = 42.", r"\boxed{x + 1}"), "not_a_number"),
        (("6 * 7 = 42.", r"\boxed{1} or \boxed{2}"), "no_answer"),
        (("6 * 7 = 42.", r"not \boxed{24}"), "no_answer"),
        (("",), "no_answer"),
    ],
)
def test_what_cannot_be_compared_is_unknown(steps: tuple[str, ...], rule: str) -> None:
    assert {score.value for score in scores(*steps)} == {None}
    assert scores(*steps)[-1].rule == rule


def test_the_letter_of_the_option_that_was_computed_is_right_and_that_of_another_is_wrong() -> None:
    assert last("6 * 7 = 42.", r"So \boxed{B}.", prompt=OPTIONS) == 1
    assert scores("6 * 7 = 42.", r"So \boxed{C}.", prompt=OPTIONS)[-1] == StepScore(
        0.0, "other_option", "the last result is 42, which is option B; the answer is C"
    )
    assert last("6 * 8 = 48.", r"So \boxed{C}.", prompt=OPTIONS) is None
    assert last("6 * 7 = 42.", r"So \boxed{C}.") is None


def test_steps_that_nothing_sets_apart_are_read_line_by_line() -> None:
    assert last("6 * 7 = 42", "24 is no part of it", r"\boxed{42}") == 1


@given(st.lists(responses, max_size=5), responses)
def test_any_text_has_one_score_a_step(steps: list[str], prompt: str) -> None:
    assert len(scores(*steps, prompt=prompt)) == len(steps)


@pytest.mark.parametrize(
    "text", ["1 = " * 50_000, "1+1=2 " * 20_000, "9" * 200_000, r"\boxed{" * 20_000, "2^9999999 = 3 ", "= " * 100_000]
)
def test_a_hostile_text_costs_seconds(text: str) -> None:
    started = perf_counter()
    scores(text, text, r"\boxed{7}", prompt=text)
    assert perf_counter() - started < 20


def test_it_is_known_by_name_and_takes_an_extractor() -> None:
    scorer = get("final_consistency", extractor="boxed")
    assert scorer.score([StepRow("", ("6 * 7 = 42", "#### 24"))])[0][1].rule == "no_answer"
    with pytest.raises(UnknownNameError):
        get("final_consistency", extractor="nobody")


def test_no_human_solution_is_refuted(shared: Path) -> None:
    lines = (shared / "data" / "gsm8k_test.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[:400]]
    found = FinalConsistencyScorer().score(
        [StepRow(row["question"], tuple(row["answer"].splitlines())) for row in rows]
    )
    assert [score for row in found for score in row if score.value == 0] == []
    assert sum(row[-1].value == 1 for row in found) > 380
