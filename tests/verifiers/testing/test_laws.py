from collections.abc import Callable
from typing import Any

import judged_answers as judges
import pytest

from rewardgate.errors import ArgumentError
from rewardgate.verifiers.testing import LawBrokenError, laws

BOXED = {"anchors": ["boxed"]}
FAULTS: list[tuple[Callable[..., Any], str, dict[str, Any]]] = [
    (judges.first_box, "target_accepts_itself", BOXED),
    (judges.first_box, "rejects_mutants", BOXED),
    (judges.up_to_a_brace, "target_accepts_itself", BOXED),
    (judges.close_enough, "rejects_mutants", {**BOXED, "kinds": ["integer"]}),
    (judges.close_enough, "rejects_mutants", {**BOXED, "kinds": ["decimal"]}),
    (judges.without_its_sign, "rejects_mutants", {**BOXED, "kinds": ["integer"]}),
    (judges.in_lower_case, "target_accepts_itself", {**BOXED, "kinds": ["choice"]}),
    (judges.last_word, "never_raises", {}),
    (judges.text_against_number, "target_accepts_itself", {**BOXED, "kinds": ["integer"]}),
    (judges.mentions_it, "rejects_mutants", {"kinds": ["integer"]}),
    (judges.nan_for_none, "never_raises", {}),
    (judges.right_reward, "accepts_rewrites", {**BOXED, "kinds": ["fraction"]}),
    (judges.any_brackets, "rejects_mutants", {**BOXED, "kinds": ["interval"]}),
    (judges.in_any_order, "rejects_mutants", {**BOXED, "kinds": ["tuple"]}),
    (judges.centred, "order_independent", {"kinds": ["integer"]}),
    (judges.backtracking, "bounded_time", {"limit_s": 0.5, "max_examples": 1}),
]


@pytest.mark.parametrize(("subject", "law", "options"), FAULTS, ids=lambda one: getattr(one, "__name__", None))
def test_a_faulty_subject_breaks_a_law(subject: Callable[..., Any], law: str, options: dict[str, Any]) -> None:
    with pytest.raises(LawBrokenError, match=f"^{law}: {subject.__name__} "):
        getattr(laws, law)(subject, **options)


@pytest.mark.parametrize("max_examples", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_a_right_reward_function_keeps_the_laws_that_it_is_asked_about(max_examples: int) -> None:
    options: dict[str, Any] = {"kinds": ["integer"], "anchors": ["boxed", "boxed_in_dollars", "boxed_in_display"]}
    options["max_examples"] = max_examples
    laws.never_raises(judges.right_reward, max_examples=max_examples)
    laws.target_accepts_itself(judges.right_reward, **options)
    laws.accepts_rewrites(judges.right_reward, **options, without=["scientific", "unicode_minus"])
    laws.rejects_mutants(judges.right_reward, **options)
    laws.order_independent(judges.right_reward, max_examples=max_examples)
    laws.bounded_time(judges.right_reward, limit_s=20, max_examples=2)


def test_a_failure_shows_the_smallest_example_and_nothing_else() -> None:
    with pytest.raises(LawBrokenError) as caught:
        laws.rejects_mutants(judges.without_its_sign, targets=["7"], anchors=["boxed"])
    assert str(caught.value).splitlines() == [
        "rejects_mutants: without_its_sign accepted a wrong answer",
        "  target:     7",
        "  mutant:     -7  (negated)",
        "  written:    boxed, alone",
        r"  completion: '\\boxed{-7}'",
        "  returned:   it found '7'",
    ]
    assert not getattr(caught.value, "__notes__", [])
    assert isinstance(caught.value, AssertionError)


def test_a_failure_in_a_batch_shows_the_row_in_each_company() -> None:
    with pytest.raises(LawBrokenError) as caught:
        laws.order_independent(judges.centred, targets=["7"])
    shown = str(caught.value)
    assert "order_independent: centred judged row 0 by the company that it is in\n" in shown
    assert "\n    alone:          the function returned 0\n" in shown


def test_a_text_that_takes_too_long_is_told_by_what_it_repeats() -> None:
    told = r"took longer than 0.5 s(.|\n)*spaces, 50,010 characters: 'answer' \+ ' ' \* 50000 \+ 'is 5'"
    with pytest.raises(LawBrokenError, match=told):
        laws.bounded_time(judges.backtracking, limit_s=0.5, max_examples=1)


def test_what_another_process_cannot_have_is_refused() -> None:
    running = (number for number in range(3))

    def holds_a_generator(completion: str, target: str) -> float:
        return float(next(running))

    with pytest.raises(ArgumentError, match="subject: expected one that another process can import or unpickle"):
        laws.bounded_time(holds_a_generator)


def test_a_subject_that_ends_its_process_is_told_and_costs_the_caller_nothing() -> None:
    with pytest.raises(LawBrokenError, match="ends_its_process ended its process"):
        laws.bounded_time(judges.ends_its_process, max_examples=1)


def test_a_subject_that_changes_its_mind_is_told_so() -> None:
    calls: list[str] = []

    def moody(completion: str, target: str) -> float:
        calls.append(completion)
        return float(len(calls) % 3 > 0)

    with pytest.raises(LawBrokenError, match="not every time"):
        laws.target_accepts_itself(moody)


def test_targets_of_ones_own_are_drawn() -> None:
    seen = set()

    def note(completion: str, target: str) -> float:
        seen.add(target)
        return 1.0

    laws.target_accepts_itself(note, targets=["18", "3.5"])
    assert seen == {"18", "3.5"}


def test_a_rewrite_that_is_left_out_is_not_asked_for() -> None:
    laws.accepts_rewrites(
        judges.right_reward, targets=["1500"], anchors=["boxed"], without=["scientific"], max_examples=500
    )
    with pytest.raises(LawBrokenError, match=r"1.5\\times10\^\{3\}  \(scientific\)"):
        laws.accepts_rewrites(judges.right_reward, targets=["1500"], anchors=["boxed"], max_examples=500)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": ["integers"]}, "kinds: expected names among integer, .*, got integers"),
        ({"anchors": ["box"]}, "anchors: expected names among boxed, .*, got box"),
        ({"anchors": "boxed"}, "anchors: expected names among boxed"),
        ({"anchors": []}, "anchors: expected names among boxed"),
        ({"surroundings": ["nowhere"]}, "surroundings: expected names among alone"),
        ({"max_examples": 0}, "max_examples: expected a whole number >= 1, got 0"),
    ],
)
def test_an_option_that_breaks_its_rule_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        laws.target_accepts_itself("math", **options)
