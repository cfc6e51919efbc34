import pytest
from completions import anchored_text
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers import Outcome, get
from rewardgate.verifiers.choice import ChoiceVerifier

LETTERS = "ABCDEFGHIJ"
WRAPPERS = (
    "%s",
    "(%s)",
    "**%s**",
    "Answer: (%s)",
    r"\boxed{%s}",
    r"so $\boxed{\text{(%s)}}$",
    r"\boxed{\textbf{%s}}",
    "The answer is %s.",
    "<answer>%s</answer>",
    "Selected option: **%s**",
    r"\boxed{%s: some words}",
    "<think>A, B or C?</think>\n%s",
    "答案：%s",
    "#### %s",
)
TARGETS = ("%s", "(%s)", r"\text{(%s)}", "%s.", "%s) some words")


@given(st.sampled_from(LETTERS), st.sampled_from(LETTERS), st.sampled_from(WRAPPERS), st.sampled_from(TARGETS))
def test_a_letter_equals_itself_in_every_wrapper_and_no_other(
    given_letter: str, letter: str, wrapper: str, target: str
) -> None:
    verdict = ChoiceVerifier().verify(wrapper % given_letter, target % letter)
    assert verdict.outcome is (Outcome.CORRECT if given_letter == letter else Outcome.INCORRECT)


@pytest.mark.parametrize(
    ("completion", "target", "outcome"),
    [
        ("The answer is B. Not C.", "C", Outcome.INCORRECT),
        ("A reasonable person would pick option D", "A", Outcome.INCORRECT),
        ("B。 不是 A", "B", Outcome.CORRECT),
        ("Option Ａ is right. Answer: Ａ", "A", Outcome.CORRECT),
        ("A, B, C, D", "A", Outcome.HEDGED),
        ("The answer is A or B.", "B", Outcome.HEDGED),
        ("\\boxed{A}\n\\boxed{B}", "B", Outcome.HEDGED),
        ("Answer: A\nAnswer: B", "B", Outcome.HEDGED),
        ("The answer is not A.", "A", Outcome.INCORRECT),
        ("I think so.", "I", Outcome.NO_ANSWER),
        ("A and C", "AC", Outcome.CORRECT),
        ("A", "A, C", Outcome.INCORRECT),
        ("A", ["B", "A"], Outcome.CORRECT),
        ("A", {"answer": "A"}, Outcome.CORRECT),
        ("A", "Paris", Outcome.BAD_TARGET),
        ("A", {"x": "A"}, Outcome.BAD_TARGET),
        ("<think>A", "A", Outcome.NO_ANSWER),
    ],
)
def test_sprays_rejections_and_sets_are_told_apart(completion: str, target: str, outcome: Outcome) -> None:
    assert ChoiceVerifier().verify(completion, target).outcome is outcome


def test_an_option_spelt_out_counts_as_its_letter() -> None:
    prompt = "Which is the capital?\nA) Paris\nB) London"
    assert get("choice").verify("The answer is London.", "B", prompt=prompt).reward == 1
    assert get("choice").verify("The answer is London.", "B").reward == 0


@given(anchored_text, anchored_text)
def test_the_verdict_never_raises(completion: str, target: str) -> None:
    ChoiceVerifier().verify(completion, target)
