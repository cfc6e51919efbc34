import pytest
from completions import anchored_text
from hypothesis import given

from rewardgate.verifiers import Outcome
from rewardgate.verifiers.exact import ExactVerifier


@pytest.mark.parametrize(
    ("completion", "target", "outcome"),
    [
        (r"\boxed{Evelyn}", r"\text{Evelyn}", Outcome.CORRECT),
        (r"\boxed{\text{Briana}}", r"\text{Evelyn}", Outcome.INCORRECT),
        ("The answer is East.", "east", Outcome.CORRECT),
        ("Ｅａｓｔ", "east", Outcome.CORRECT),
        (r"\boxed{\text{oddd}}", "odd", Outcome.INCORRECT),
        ("The answer is the Pacific Ocean.", "Pacific Ocean", Outcome.CORRECT),
        (r"\boxed{\text{blue} \text{ whale}}", "blue whale", Outcome.CORRECT),
        (r"\boxed{\text{4:30 p.m.}}", "4:30 pm", Outcome.CORRECT),
        (r"\boxed{1.5}", "15", Outcome.INCORRECT),
        (r"\boxed{-5}", "5", Outcome.INCORRECT),
        ("The answer is Paris or London.", "Paris", Outcome.HEDGED),
        ("Paris", ["London", "Paris"], Outcome.CORRECT),
        (r"\boxed{\text{None}}", "None", Outcome.CORRECT),
        (r"\boxed{\text{None}}", "Some", Outcome.NO_ANSWER),
        ("Yes, because 2 is prime.", "yes", Outcome.CORRECT),
        ("Answer: No.", "yes", Outcome.INCORRECT),
        ("No one knows; I think 5.", "no", Outcome.INCORRECT),
        ("", "x", Outcome.NO_ANSWER),
        ("x", "", Outcome.BAD_TARGET),
        ("x", "$$", Outcome.BAD_TARGET),
        ("x", {"answer": "x"}, Outcome.CORRECT),
    ],
)
def test_what_does_not_matter_is_folded_and_the_rest_is_not(completion: str, target: str, outcome: Outcome) -> None:
    assert ExactVerifier().verify(completion, target).outcome is outcome


def test_each_folding_can_be_turned_off() -> None:
    assert ExactVerifier(ignore_case=False).verify("The answer is East.", "east").reward == 0
    assert ExactVerifier(ignore_punctuation=False).verify(r"\boxed{\text{Dr. Who}}", "Dr Who").reward == 0
    assert ExactVerifier(ignore_article=False).verify(r"\boxed{\text{the ellipse}}", "ellipse").reward == 0


def test_the_span_is_where_the_answer_stands() -> None:
    verdict = ExactVerifier().verify(r"so \boxed{\text{Evelyn}}", "Evelyn")
    assert verdict.span is not None
    assert r"so \boxed{\text{Evelyn}}"[slice(*verdict.span)] == "Evelyn"


@given(anchored_text, anchored_text)
def test_the_verdict_never_raises(completion: str, target: str) -> None:
    ExactVerifier().verify(completion, target)


@pytest.mark.parametrize(("answer", "right"), [("III and I", True), ("I and II", False), ("I", False)])
def test_what_words_join_by_and_has_no_order(answer: str, right: bool) -> None:
    assert (ExactVerifier().verify(rf"\boxed{{\text{{{answer}}}}}", r"\text{I and III}").reward == 1) is right


def test_words_with_a_comma_keep_their_order() -> None:
    assert ExactVerifier().verify(r"\boxed{\text{France, Paris}}", "Paris, France").reward == 0
