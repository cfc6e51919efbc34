import pytest
from completions import anchored_text
from hypothesis import given

from rewardgate.verifiers.answers.regions import TAIL_CHARS, answer_region


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("<think>a</think> b", " b"),
        ("a</think>b", "b"),
        ("<Thinking>a</Thinking>b</s> c", "b"),
        ("[THINK]a[/THINK]b", "b"),
        ("◁think▷a◁/think▷b", "b"),
        ("<|im_start|>assistant\nb<|im_end|>", "b"),
        ("b\n\nHuman: c", "b\n\nHuman: c"),  # nothing was answered before
        ("Answer: b\nHuman: c", "Answer: b"),
        (r"a\phantom{b}c", r"a           c"),
        ("a<!-- b -->c", "a          c"),
        (r"a{\color{white}b}c", r"a{              }c"),
    ],
)
def test_what_is_no_answer_is_cut_or_blanked(completion: str, text: str) -> None:
    assert answer_region(completion).text == text


@pytest.mark.parametrize(
    ("completion", "rule"),
    [
        ("<think>a", "unclosed_think"),
        ("<think>a</think> b <think>c", "unclosed_think"),
        ("<think>a</think> \n", "nothing_after_think"),
        ("<|channel|>analysis<|message|>a<|end|>", "unclosed_think"),
        (" \n", "empty_completion"),
        ([{"role": "user", "content": "a"}], "empty_completion"),
    ],
)
def test_a_text_without_a_region_says_why(completion: str, rule: str) -> None:
    assert answer_region(completion).rule == rule


def test_an_echoed_prompt_is_blanked_wherever_it_stands() -> None:
    prompt = "What is 2 + 2?"
    region = answer_region(f"You ask: {prompt} 4", prompt)
    assert region.text == "You ask: " + " " * len(prompt) + " 4"


def test_only_the_tail_of_a_long_text_is_read() -> None:
    text = "a" * (3 * TAIL_CHARS)
    region = answer_region(text)
    assert (region.start, len(region.text)) == (2 * TAIL_CHARS, TAIL_CHARS)


def test_a_thought_opened_long_ago_is_still_open() -> None:
    assert answer_region("<think>" + "a" * (3 * TAIL_CHARS)).rule == "unclosed_think"
    assert answer_region("<think>b</think>" + "a" * (3 * TAIL_CHARS)).rule == ""


@given(anchored_text)
def test_offsets_stay_true(completion: str) -> None:
    region = answer_region(completion)
    there = completion[region.start : region.start + len(region.text)]
    assert len(there) == len(region.text)
    if completion.isascii():
        assert all(kept in (" ", was) for kept, was in zip(region.text, there, strict=True))
