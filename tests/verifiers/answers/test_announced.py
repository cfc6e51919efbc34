import pytest

from rewardgate.verifiers import Outcome
from rewardgate.verifiers.answers.announced import announced_answer
from rewardgate.verifiers.answers.statements import RANKED_METHODS


def test_an_announced_sentence_gives_up_its_answer() -> None:
    for text, answer in (
        ("Final Answer: The largest $n$ is 34.", "34"),
        ("The answer is 2 + 3 = 5.", "5"),
        ("Answer: Tom has 5 apples", "5 apples"),
        ("The answer is at most 5", "at most 5"),
        ("答案是5万", "5万"),
        ("The answer is probably 42.", "42"),
        ("The answer is most likely about 42.", "about 42"),
        ("The answer is 4, I think.", "4"),
        ("The answer is 4, 5", "4, 5"),
        ("The answer is not B, it's C.", "C"),
        ("The answer is not 41 but 42.", "42"),
        ("La respuesta es 41, sino 42", "41, sino 42"),
        ("The answer is B, it's blue", "B, it's blue"),
        ("The answer is 10**6.", "10**6"),
    ):
        found = announced_answer(text, methods=RANKED_METHODS)
        assert found is not None
        assert found.answer.text == answer


@pytest.mark.parametrize("text", ["Checking the answer: 2 + 3", "the answer is correct", "Answer: as above"])
def test_what_may_be_no_final_statement_is_not_firm(text: str) -> None:
    assert announced_answer(text, methods=RANKED_METHODS, firm=True) is None


def test_a_denied_announcement_gives_way_to_an_earlier_one() -> None:
    found = announced_answer("The answer is 5. The answer is not 6.", methods=RANKED_METHODS)
    assert found is not None
    assert found.answer.text == "5"


@pytest.mark.parametrize(
    ("text", "outcome", "rule"),
    [
        ("The answer is neither 41 nor 42.", Outcome.INCORRECT, "negated"),
        ("The answer is anything but 42.", Outcome.INCORRECT, "negated"),
        ("I don't think the answer is 42.", Outcome.INCORRECT, "negated"),
        ("Suppose the answer is 42.", Outcome.NO_ANSWER, "supposed"),
        ("#### 42 is wrong", Outcome.INCORRECT, "negated"),
        ("The answer is 42, which is wrong.", Outcome.INCORRECT, "negated"),
        ("La respuesta no es 42.", Outcome.INCORRECT, "negated"),
        ("A resposta não é 42.", Outcome.INCORRECT, "negated"),
        ("Đáp án không phải là 42.", Outcome.INCORRECT, "negated"),
        ("The answer is 42. The answer is not 42.", Outcome.INCORRECT, "negated"),
        (r"The answer is 42. The answer is **\text{not }42**.", Outcome.INCORRECT, "negated"),
    ],
)
def test_what_is_denied_or_only_supposed_is_no_answer(text: str, outcome: Outcome, rule: str) -> None:
    found = announced_answer(text, methods=RANKED_METHODS)
    assert found is not None
    assert (found.answer.outcome, found.answer.rule) == (outcome, rule)


@pytest.mark.parametrize(
    "text",
    [
        "La respuesta es 42.",
        "A resposta é 42.",
        "Đáp án là 42.",
        "A common mistake is to say the answer is 41. The answer is 42.",
        "The wrong answers are 3 and 4. The answer is 42.",
        "The answer to question no 3 is 42.",
    ],
)
def test_denials_of_something_else_leave_the_answer(text: str) -> None:
    found = announced_answer(text, methods=RANKED_METHODS)
    assert found is not None
    assert (found.answer.outcome, found.answer.text) == (None, "42")


def test_equal_values_in_two_forms_are_no_stack() -> None:
    found = announced_answer("Answer: 1/2\nAnswer: 0.5", methods=RANKED_METHODS)
    assert found is not None
    assert found.answer.outcome is None
    stacked = announced_answer("Answer: 1/2\nAnswer: 0.4", methods=RANKED_METHODS)
    assert stacked is not None
    assert stacked.answer.outcome is Outcome.HEDGED
