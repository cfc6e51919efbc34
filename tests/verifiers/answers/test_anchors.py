from fractions import Fraction
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.answers.anchors import boxed_answer, same_answer, tag_answer


@given(st.fractions(max_denominator=99))
def test_a_fraction_is_the_same_answer_in_every_spelling(value: Fraction) -> None:
    spelled = f"{value.numerator}/{value.denominator}"
    assert same_answer(f"${spelled}$", spelled)
    assert not same_answer(spelled, f"{value.numerator + value.denominator}/{value.denominator}")


def test_an_anchor_knows_where_it_stands() -> None:
    text = r"so \boxed{5}, q.e.d."
    found = boxed_answer(text)
    assert found is not None
    assert text[found.start : found.end] == r"\boxed{5}"
    text = "so <answer> 5 </answer>."
    tag = tag_answer(text)
    assert tag is not None
    assert text[tag.start : tag.end] == "<answer> 5 </answer>"


def test_a_denial_of_the_very_answer_before_takes_it_back() -> None:
    denied = boxed_answer(r"\boxed{5}. No, it is not \boxed{5}.")
    assert denied is not None
    assert denied.answer.rule == "negated"
    other = boxed_answer(r"\boxed{5}, which is not \boxed{6}.")
    assert other is not None
    assert (other.answer.rule, other.answer.text) == ("", "5")


def test_labels_are_kept_when_every_box_has_one() -> None:
    found = boxed_answer(r"x = \boxed{1}, y = \boxed{2}")
    assert found is not None
    assert found.answer.alternatives == ("x = 1", "y = 2")
    found = boxed_answer(r"x = \boxed{1}, \boxed{2}")
    assert found is not None
    assert found.answer.alternatives == ("1", "2")


@pytest.mark.parametrize("pump", ["\n", "*", ",", "so ", "the answer is ", "answer "])
def test_what_stands_between_two_boxes_is_looked_at_once(pump: str) -> None:
    started = process_time()
    boxed_answer(r"\boxed{1}" + pump * 8_000 + r"no \boxed{2}")
    assert process_time() - started < 1  # 7 s and more where each newline starts a search to the end
