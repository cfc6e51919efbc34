from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from step_texts import responses

from rewardgate.prm import StepRow, StepScore, get
from rewardgate.prm.rules.milestone_targets import MAX_MILESTONES
from rewardgate.prm.rules.milestones import MilestonesScorer

TARGET: dict[str, Any] = {
    "answer": "24",
    "milestones": [
        {"name": "pens left", "value": "12"},
        {"value": "1/2"},
        {"name": "speed", "value": 60, "unit": "km/h"},
        {"name": "x", "value": 3},
    ],
}


def scored(step: str, target: Any = TARGET, following: str = "") -> StepScore:
    return MilestonesScorer().score([StepRow("", (step, following), target)])[0][0]


@pytest.mark.parametrize(
    "step",
    [
        "15 - 3 = 12",
        "So there are 15 - 3 = 12 pens.",
        "There are 12 pens left.",
        "pens left: 12",
        "The number of pens left is 15 - 3 = 12 pens, so the cost = 24",
        "pens_left = 12",
        "It gives 3/6 = 0.5",
        "the speed is 60 km/h",
        "speed = distance / time = 120/2 = 60",
        "x = 3",
        "so $x = 3$",
        "pens left = 13. No, pens left = 12.",
    ],
)
def test_a_step_that_states_a_milestone_is_right(step: str) -> None:
    assert scored(step)[:2] == (1.0, "states_milestone")


@pytest.mark.parametrize(
    "step",
    [
        "So pens left = 15 - 2 = 13.",
        "pens left: 13",
        "**Pens left:** 13",
        "Hence the total number of pens left is 13.",
        "There are 13 pens left.",
        "So 15 - 2 = 13 pens left.",
        "x = 4",
        "Then $x = 4$, so y = 3.",
        "the speed is 50 km/h",
    ],
)
def test_a_step_that_contradicts_a_named_milestone_is_wrong(step: str) -> None:
    assert scored(step)[:2] == (0.0, "contradicts_milestone")


@pytest.mark.parametrize(
    "step",
    [
        "15 - 2 = 13",  # unnamed: another way, perhaps
        "Tom's pens left = 13",
        "The blue pens left are 13",
        "If pens left = 13, we stop.",
        "Let x = 4.",
        "pens left = 13? No.",
        "pens left = 13. Wait, that is wrong.",
        "x = 4 or x = 5",
        "He needs at least 13 pens left.",
        "13 pens left over",
        "After Monday, pens left: 15.",
        "On day 2, pens left = 20.",
        "pens left (on Monday) = 15",
        "pens left = 10\n+ 2 = 12.4",
        "pens left ≈ 10",
        "pens left was 20 last week",
        "20 - 13 pens left",
        "x^2 = 4",
        "3x = 4",
        "f(x) = 4",
        "x = 4y",
        "x = 4 + y",
        "x != 4",
        "max = 4",
        "pens left = 12.4",
        "the speed is 1 km/min",
        "",
    ],
)
def test_what_does_not_speak_of_the_very_milestone_is_not_refuted(step: str) -> None:
    assert scored(step).value is None


@pytest.mark.parametrize(
    ("value", "step", "is_right"),
    [
        (r"2\pi", r"So $A = \pi r^2 = 2\pi$.", True),
        (r"2\pi", r"So $A = \pi r^2 = 3\pi$.", False),
        ("x + 1", "y = 1 + x", True),
        ("(1, 2)", "The point is P = (1, 2).", True),
        (r"\sqrt{2}", r"\[ a = \sqrt{2} \]", True),
    ],
)
def test_a_milestone_may_be_an_expression_which_can_be_stated_and_not_contradicted(
    value: str, step: str, is_right: bool
) -> None:
    assert scored(step, {"milestones": [{"name": "A", "value": value}]}).value == (1.0 if is_right else None)


def test_a_row_that_gives_a_name_its_value_too_speaks_of_two_cases() -> None:
    rows = [StepRow("", ("Case 1: so x = 4", "Case 2: so x = 3"), TARGET), StepRow("", ("x = 4", "x = 5"), TARGET)]
    found = [[score.value for score in row] for row in MilestonesScorer().score(rows)]
    assert found == [[None, 1.0], [0.0, 0.0]]


def test_the_next_step_may_take_it_back() -> None:
    assert scored("x = 4").value == 0
    assert scored("x = 4.", following="Wait, that is not right.").value is None


def test_the_detail_names_the_value_and_the_milestone() -> None:
    assert scored("There are 13 pens left.").detail == "states 13 (milestone pens left = 12)"
    assert scored("the speed is 50 km/h").detail == "states 50 (milestone speed = 60 km/h)"


@pytest.mark.parametrize(
    "target",
    [
        {"milestones": {"pens left": 12}},
        {"milestones": {"pens left": "12"}, "answer": "x"},
        {"milestones": [{"name": "pens left", "value": 12.0}]},
        [{"name": "pens left", "value": "12"}],
        [{"name": "Pens  Left:", "value": "12", "unit": "pens"}],
    ],
)
def test_a_target_may_be_a_mapping_or_a_list(target: Any) -> None:
    assert scored("pens left = 13", target).value == 0
    assert scored("pens left = 12", target).value == 1


@pytest.mark.parametrize("target", [None, "12", 12, ["12", "13"], {"answer": "12"}, {"milestones": []}, []])
def test_a_target_without_milestones_says_nothing(target: Any) -> None:
    assert scored("pens left = 13", target)[:2] == (None, "no_milestones")


@pytest.mark.parametrize(
    ("milestones", "detail"),
    [
        (5, "milestones: expected a list or a mapping of names to values, got 5"),
        ("12", "milestones: expected a list or a mapping of names to values, got 12"),
        (["some pens"], "milestones: expected a number or an expression as value, got 'some pens'"),
        ([{"name": "x"}], "milestones: expected a value in each, got {'name': 'x'}"),
        ([{"value": None}], "milestones: expected a number or an expression as value, got 'None'"),
        ([{"value": True}], "milestones: expected a number or an expression as value, got 'True'"),
        ([{"value": 1, "name": "§"}], "milestones: expected a name of words, at most 100 characters, got '§'"),
        (["1"] * (MAX_MILESTONES + 1), "milestones: expected at most 100, got 101"),
    ],
)
def test_an_unreadable_target_is_the_callers_fault_and_leaves_every_step_unknown(milestones: Any, detail: str) -> None:
    assert scored("x = 4", {"milestones": milestones}) == StepScore(None, "bad_target", detail)


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6))
def test_a_stated_value_is_right_and_any_other_whole_number_wrong_or_unknown(value: int, off: int) -> None:
    target = {"milestones": [{"name": "total cost", "value": value}]}
    assert scored(f"So the total cost is {value}.", target).value == 1
    assert scored(f"So the total cost is {value + off}.", target).value != 1


@given(st.lists(responses, max_size=5), st.recursive(st.none() | st.text(max_size=5) | st.integers(), st.lists))
def test_any_text_and_any_target_have_one_score_a_step(steps: list[str], milestones: Any) -> None:
    for target in (TARGET, {"milestones": milestones}, milestones):
        assert len(MilestonesScorer().score([StepRow("", tuple(steps), target)])[0]) == len(steps)


@pytest.mark.parametrize(
    "text", ["x = " * 50_000, "pens left " * 50_000, "= 1" * 50_000, "x" * 500_000, "x = 4, " * 20_000]
)
def test_a_hostile_text_costs_seconds(text: str) -> None:
    started = perf_counter()
    target = {
        "milestones": [{"name": f"pens {'left ' * 10}", "value": n} for n in range(90)] + [{"name": "x", "value": 1}]
    }
    scored(text, target)
    assert perf_counter() - started < 20


def test_it_is_known_by_name() -> None:
    assert isinstance(get("milestones"), MilestonesScorer)
