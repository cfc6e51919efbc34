import pytest
from completions import anchored_text
from hypothesis import given

from rewardgate.verifiers.answers.corrections import correction
from rewardgate.verifiers.extraction import auto

ANSWERED = (r"\boxed{41} ", "#### 41\n", "<answer>41</answer> ", "The answer is 41. ", r"so $\boxed{41}$. ")


def committed(text: str) -> str:
    found = auto().extract(text)
    assert found is not None
    assert found.outcome is None
    return found.text


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("Wait, no, it should be 42.", "42"),
        ("Actually, it's 42.", "42"),
        ("Oops, I meant 42.", "42"),
        ("Correction: 42.", "42"),
        ("Correction: the answer is 42.", "42"),
        ("Nope, it's $42$.", "42"),
        ("My mistake, it's 42.", "42"),
        ("I was wrong: 42.", "42"),
        ("On second thought, 42.", "42"),
        ("Actually, it's 42 cm.", "42 cm"),
        ("No, it's 42 instead.", "42"),
        ("Actually, it's 40. Wait, no, it's 42.", "42"),
        ("不对，应该是42。", "42"),
        ("But 42 is the correct answer.", "42"),
        ("Actually, the answer is B.", "B"),
    ],
)
def test_a_correction_replaces_an_answer(said: str, value: str) -> None:
    assert [committed(answered + said) for answered in ANSWERED] == [value] * len(ANSWERED)


@pytest.mark.parametrize(
    "said",
    [
        "Actually, it's easy to see that 3 + 4 = 7.",
        "Actually, it took me 3 tries.",
        "No, it's not 42.",
        "No, 42 is too large.",
        "No 42 here.",
        "Wait, is it 42?",
        "But note that 42 is even.",
        "I meant to show 3 steps.",
        "Hope this helps!",
        "Check: 40 + 1 = 41.",
        "It is 3 less than 44.",
        "Sorry for the 3 detours.",
        "Actually, it's a proof.",
        "But it was 42 yesterday.",
    ],
)
def test_what_is_no_correction_leaves_the_answer(said: str) -> None:
    assert [committed(answered + said) for answered in ANSWERED] == ["41"] * len(ANSWERED)


def test_what_follows_a_retraction_may_be_a_denial() -> None:
    found = auto().extract("The answer is 41. Wait, that is wrong. It is not 41.")
    assert found is not None
    assert found.rule == "negated"
    assert committed("The answer is 41. Wait, that is wrong. It is 42.") == "42"
    denied = auto().extract(r"The answer is 41. Wait. Corrected: The answer is **\text{not }41**.")
    assert denied is not None
    assert denied.rule == "negated"


def test_a_correction_follows_closely() -> None:
    assert correction("5" + " so" * 100 + ". Correction: 42.", 1) is None
    assert correction("5. Correction: 42.", 1) is not None


@given(anchored_text)
def test_a_corrected_value_lies_behind(text: str) -> None:
    for end in (0, len(text) // 2):
        found = correction(text, end)
        assert found is None or end <= found.start <= found.value_start < found.value_end <= len(text)
