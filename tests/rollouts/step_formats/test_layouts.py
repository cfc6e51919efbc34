from pathlib import Path
from typing import Any

import pytest

from rewardgate.rollouts.records import Source
from rewardgate.rollouts.refusals import RowRefusedError
from rewardgate.rollouts.step_formats import LAYOUTS, StepTrace

PLACE = Source(file="steps.jsonl", line=3)
BY_NAME = {layout.name: layout for layout in LAYOUTS}

PROCESSBENCH = {
    "id": "olympiadbench-17",
    "generator": "Qwen2-7B-Instruct",
    "problem": "2 + 3, doubled?",
    "steps": ["2 + 3 = 5", "5 * 2 = 11", "So 11."],
    "final_answer_correct": False,
    "label": 1,
}
MISTAKE = {"input": "((1 + 2))", "steps": ["1 + 2 = 3", "So 4"], "answer": "4", "target": " 3", "mistake_index": 1}
CASES = {
    "id": "c-1",
    "source": "gsm8k-calc",
    "problem": "2 + 3?",
    "steps": ["2 + 3 = 5", "So 5."],
    "first_error": -1,
    "gold": "5",
    "final_correct": True,
    "meta": {"level": 4},
}
PRMBENCH = {
    "idx": "p1_7",
    "classification": "confidence",
    "original_question": "2 + 3?",
    "modified_question": "2 + 3, surely?",
    "original_process": ["2 + 3 = 5"],
    "modified_process": ["Surely 6.", "So 6.", "Done.", "6."],
    "error_steps": [4, 2],
}
MR_GSM8K = {
    "uuid": "u-1",
    "question": "2 + 3?",
    "ground_truth_answer": "5",
    "model_output_steps": ["Step 1: 2 + 3 = 6", "Step 2: 6"],
    "model_output_answer_correctness": "wrong",
    "model_output_solution_correctness": "wrong",
    "model_output_solution_first_error_step": 1,
    "question_type": "reversed",
}


def only(layout: str, row: dict[str, Any]) -> StepTrace:
    (trace,) = BY_NAME[layout].traces(row, PLACE)
    return trace


@pytest.mark.parametrize(
    ("layout", "row"),
    [
        ("processbench", PROCESSBENCH),
        ("mistake", MISTAKE),
        ("cases", CASES),
        ("prmbench", PRMBENCH),
        ("mr_gsm8k", MR_GSM8K),
        ("scored", {"problem": "?", "steps": ["a"], "step_scores": [0.5]}),
        ("scored", {"problem": "?", "steps": ["a"], "final_correct": True}),
    ],
)
def test_a_layout_is_known_by_its_fields_and_no_earlier_one_takes_it(layout: str, row: dict[str, Any]) -> None:
    assert next(one.name for one in LAYOUTS if one.fits(row)) == layout


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "2 + 3?", "response": "5", "target": "5", "reward": 1.0},
        {"prompt": "2 + 3?", "responses": ["5", "6"], "label": "5", "score": [1, 0]},
        {"row": 0, "group_id": "g", "steps": [{"start": 0, "end": 3, "score": 0.5}], "advantages": [0.0]},
        {"global_step": 3, "steps": 17},
    ],
)
def test_a_row_of_rollouts_is_of_no_layout(row: dict[str, Any]) -> None:
    assert not any(layout.fits(row) for layout in LAYOUTS)


def test_processbench_counts_from_0_and_names_its_part_in_the_id() -> None:
    found = only("processbench", PROCESSBENCH)
    assert (found.first_error, found.labels) == (1, (True, False, None))
    assert (found.source, found.final_correct, found.id) == ("olympiadbench", False, "olympiadbench-17")
    assert only("processbench", {**PROCESSBENCH, "label": -1}).labels == (True, True, True)


def test_solutions_of_one_problem_share_its_id_and_others_do_not() -> None:
    one, other = only("processbench", PROCESSBENCH), only("processbench", {**PROCESSBENCH, "id": "math-3"})
    assert one.problem_id == other.problem_id
    assert one.problem_id != only("processbench", {**PROCESSBENCH, "problem": "2 + 4?"}).problem_id
    assert only("cases", {**CASES, "problem_id": "q7"}).problem_id == "q7"
    # Without a problem to tell by, each stands alone.
    assert only("cases", {**CASES, "problem": None}).problem_id == "c-1"


def test_a_mistake_of_null_is_none_also_where_a_table_made_it_nan() -> None:
    found = only("mistake", MISTAKE)
    assert (found.first_error, found.final_correct, found.target) == (1, False, " 3")
    for absent in (None, float("nan")):
        assert only("mistake", {**MISTAKE, "mistake_index": absent}).first_error == -1
    assert only("mistake", {**MISTAKE, "mistake_index": 1.0}).first_error == 1
    assert only("mistake", {**MISTAKE, "answer": "3 "}).final_correct is True


def test_cases_carry_their_source_difficulty_and_answer() -> None:
    found = only("cases", CASES)
    assert (found.first_error, found.source, found.difficulty, found.target) == (-1, "gsm8k-calc", "4", "5")


def test_prmbench_counts_from_1_and_marks_every_wrong_step() -> None:
    found = only("prmbench", PRMBENCH)
    assert (found.first_error, found.labels) == (1, (True, False, True, False))
    assert (found.source, found.problem) == ("prmbench-confidence", "2 + 3, surely?")
    right = only("prmbench", {**PRMBENCH, "classification": "multi_solutions", "error_steps": []})
    assert (right.first_error, set(right.labels)) == (-1, {True})


def test_mr_gsm8k_counts_from_1() -> None:
    found = only("mr_gsm8k", MR_GSM8K)
    assert (found.first_error, found.final_correct, found.source) == (0, False, "reversed")
    right = {**MR_GSM8K, "model_output_solution_correctness": "correct"}
    right["model_output_solution_first_error_step"] = "N/A"
    assert only("mr_gsm8k", right).first_error == -1


def test_scores_may_stand_beside_the_steps_or_in_them() -> None:
    assert only("cases", {**CASES, "step_scores": [0.5, None]}).scores == (0.5, None)
    assert only("cases", {**CASES, "step_scores": [{"value": 1, "rule": "x"}, {"value": None}]}).scores == (1.0, None)
    # As `rewardgate score` writes them, with the label that somebody added.
    steps = [{"start": 0, "end": 9, "score": 0.25, "rule": "r", "detail": ""}, {"start": 9, "end": 12, "score": None}]
    found = only("cases", {**CASES, "steps": steps})
    assert (found.scores, found.steps) == ((0.25, None), ("", ""))
    assert only("cases", CASES).scores is None


def test_scores_without_labels_may_still_have_a_final_answer() -> None:
    found = only("scored", {"problem": "?", "steps": ["a", "b"], "step_scores": [0.5, 1], "final_correct": "true"})
    assert (found.first_error, found.labels, found.final_correct) == (None, (None, None), True)


@pytest.mark.parametrize(
    ("layout", "row", "said"),
    [
        ("processbench", {**PROCESSBENCH, "label": 3}, "label: expected a step 0..2, got 3"),
        ("processbench", {**PROCESSBENCH, "label": -2}, "label: expected a step 0..2, got -2"),
        ("processbench", {**PROCESSBENCH, "label": None}, "label: expected a step 0..2, got null"),
        ("processbench", {**PROCESSBENCH, "label": True}, "label: expected a step 0..2, got true"),
        ("processbench", {**PROCESSBENCH, "label": 0.5}, "label: expected a step 0..2, got 0.5"),
        ("processbench", {**PROCESSBENCH, "steps": []}, "steps: expected a list of step texts, got []"),
        ("processbench", {**PROCESSBENCH, "steps": "a\nb"}, 'steps: expected a list of step texts, got "a\\nb"'),
        ("processbench", {**PROCESSBENCH, "steps": ["a", 2]}, "steps[1]: expected text, got 2"),
        (
            "processbench",
            {**PROCESSBENCH, "final_answer_correct": "maybe"},
            'final_answer_correct: expected true, false or null, got "maybe"',
        ),
        ("cases", {**CASES, "step_scores": [0.5]}, "step_scores: expected a list of one score a step (2), got [0.5]"),
        (
            "cases",
            {**CASES, "step_scores": [0.5, 1.2]},
            "step_scores[1]: expected a number in [0, 1] or null, got 1.2",
        ),
        (
            "cases",
            {**CASES, "step_scores": [True, 1.0]},
            "step_scores[0]: expected a number in [0, 1] or null, got true",
        ),
        ("mistake", {**MISTAKE, "input": None}, "input: expected text, got null"),
        ("mistake", {**MISTAKE, "mistake_index": 2}, "mistake_index: expected a step 0..1, got 2"),
        ("prmbench", {**PRMBENCH, "error_steps": [2, 5]}, "error_steps[1]: expected a step 1..4, got 5"),
        ("prmbench", {**PRMBENCH, "error_steps": [0]}, "error_steps[0]: expected a step 1..4, got 0"),
        ("prmbench", {**PRMBENCH, "error_steps": 2}, "error_steps: expected a list of steps, got 2"),
        (
            "prmbench",
            {**PRMBENCH, "error_steps": []},
            'error_steps: expected at least one step for "confidence", got []',
        ),
        (
            "prmbench",
            {**PRMBENCH, "classification": "redundency"},
            'classification: expected an error that makes a step wrong, got "redundency"',
        ),
        (
            "mr_gsm8k",
            {**MR_GSM8K, "model_output_solution_first_error_step": 3},
            "model_output_solution_first_error_step: expected a step 1..2, got 3",
        ),
        (
            "mr_gsm8k",
            {**MR_GSM8K, "model_output_solution_correctness": "correct"},
            'model_output_solution_first_error_step: expected "N/A" in a correct solution, got 1',
        ),
        (
            "mr_gsm8k",
            {**MR_GSM8K, "model_output_solution_correctness": None},
            "model_output_solution_correctness: expected correct or wrong, got null",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_field(layout: str, row: dict[str, Any], said: str) -> None:
    with pytest.raises(RowRefusedError) as refused:
        BY_NAME[layout].traces(row, PLACE)
    assert f"{refused.value.field}: {refused.value.reason}" == said


def test_every_layout_is_in_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "calibration.md").read_text(encoding="utf-8")
    assert [layout.name for layout in LAYOUTS if f"`{layout.name}`" not in page] == []
