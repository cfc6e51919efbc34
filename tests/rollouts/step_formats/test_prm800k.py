from typing import Any

import pytest

from rewardgate.rollouts.records import Source
from rewardgate.rollouts.refusals import RowRefusedError
from rewardgate.rollouts.step_formats.prm800k import is_prm800k, prm800k_traces
from rewardgate.rollouts.step_formats.records import StepTrace

PLACE = Source(file="prm.jsonl", line=1)


def tree(*steps: dict[str, Any], finish_reason: str = "found_error") -> dict[str, Any]:
    return {
        "question": {"problem": "2 + 3?", "ground_truth_answer": "5"},
        "label": {"steps": list(steps), "finish_reason": finish_reason},
    }


def step(*ratings: int | None, chosen: int | None = None, human: str | None = None) -> dict[str, Any]:
    return {
        "completions": [
            {"text": f"completion {n} rated {rating}", "rating": rating} for n, rating in enumerate(ratings)
        ],
        "chosen_completion": chosen,
        "human_completion": None if human is None else {"text": human, "rating": None},
    }


def only(row: dict[str, Any]) -> StepTrace:
    (trace,) = prm800k_traces(row, PLACE)
    return trace


def test_the_labeller_s_path_is_the_solution() -> None:
    found = only(tree(step(1, -1, chosen=0), step(-1, 0, chosen=1), step(-1, human="by hand"), step(0, -1)))
    assert found.steps == ("completion 0 rated 1", "completion 1 rated 0", "by hand", "completion 1 rated -1")
    # A neutral step and one by the labeller are right.
    assert (found.labels, found.first_error) == ((True, True, True, False), 3)
    assert (found.target, found.source) == ("5", "prm800k")


def test_a_solution_to_its_end_has_no_error() -> None:
    assert only(tree(step(1, chosen=0), step(1, chosen=0), finish_reason="solution")).first_error == -1


def test_a_chosen_completion_may_be_the_wrong_one() -> None:
    found = only(tree(step(1, chosen=0), step(-1, chosen=0), step(-1, chosen=0)))
    assert (found.first_error, found.labels) == (1, (True, False, False))


def test_a_step_that_nobody_rated_leaves_the_first_error_open() -> None:
    assert only(tree(step(None, chosen=0), step(-1, chosen=0))).first_error is None
    assert only(tree(step(1, chosen=0), step(None, chosen=0))).first_error is None
    # Behind the first error it may be what it likes.
    assert only(tree(step(-1, chosen=0), step(None, chosen=0))).first_error == 0


def test_the_path_ends_where_the_labeller_stopped_without_finding_fault() -> None:
    assert len(only(tree(step(1, chosen=0), step(0, 0), finish_reason="give_up")).steps) == 1


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (tree(finish_reason="bad_problem"), 'label.finish_reason: expected a labelled solution, got "bad_problem"'),
        (tree(), "label.steps: expected a step that was chosen or rated, got []"),
        (
            tree(step(1, chosen=1)),
            "label.steps[0].chosen_completion: expected null or a completion 0..0, got 1",
        ),
        (tree(step(2, chosen=0)), "label.steps[0].completions[0].rating: expected -1, 0, 1 or null, got 2"),
        (tree("a"), 'label.steps[0]: expected an object, got "a"'),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_used_is_refused_by_its_field(row: dict[str, Any], said: str) -> None:
    with pytest.raises(RowRefusedError) as refused:
        prm800k_traces(row, PLACE)
    assert f"{refused.value.field}: {refused.value.reason}" == said


def test_a_label_that_is_a_number_is_no_tree() -> None:
    assert is_prm800k(tree())
    assert not is_prm800k({"label": 1, "question": {}, "steps": []})
