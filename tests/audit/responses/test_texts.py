import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.responses.texts import breaks_off, clipped, text_facts
from rewardgate.rollouts.records import Rollout


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is 4.", False),
        ("It is 42", False),
        (r"so \boxed{4}", False),
        (r"so \boxed{4}<|im_end|>", False),
        (r"so \(x = 4\)", False),
        ("because the", True),
        ("4, 6, 8,", True),
        ("x =", True),
        (r"so \boxed{\frac{1}{2}", True),
        ("<think>All of it is thought.", True),
        ("<think>No.</think> It is 4.", False),
        ("", False),
    ],
)
def test_whether_a_text_breaks_off(text: str, expected: bool) -> None:
    assert breaks_off(text) is expected


@pytest.mark.parametrize(
    ("flag", "reason", "expected"),
    [
        (None, None, None),
        (True, None, True),
        (False, None, False),
        (None, "stop", False),
        (None, "length", True),
        (None, "MAX_TOKENS", True),
        (None, "abort", None),  # cut off by somebody, not by the limit
        (False, "length", False),  # the flag is the file's own word, as the reader takes it
        (True, "stop", True),
    ],
)
def test_a_flag_or_else_a_finish_reason_says_that_a_response_was_cut(
    flag: bool | None, reason: str | None, expected: bool | None
) -> None:
    facts = text_facts(Rollout(prompt_id="a", response="It is 4.", truncated=flag, finish_reason=reason))
    assert facts is not None
    assert facts.is_truncated is expected


def test_the_facts_of_a_response() -> None:
    facts = text_facts(Rollout(prompt_id="a", response="x" * 500 + r" so \boxed{4}. Bye."))
    assert facts is not None
    assert (facts.place, facts.n_characters, facts.calls.found) == ("boxed", 519, 0)
    assert facts.excerpt.startswith("…")
    assert r"\boxed{4}" in facts.excerpt
    assert len(facts.excerpt) <= 242
    assert text_facts(Rollout(prompt_id="a")) is None


def test_of_messages_the_last_assistants_text_is_read() -> None:
    response = [{"role": "assistant", "content": r"\boxed{4}"}, {"role": "user", "content": "thanks"}]
    facts = text_facts(Rollout(prompt_id="a", response=response))
    assert facts is not None
    assert (facts.place, facts.n_characters) == ("boxed", 9)


@given(st.text(max_size=200))
def test_facts_of_any_text_can_be_read(text: str) -> None:
    facts = text_facts(Rollout(prompt_id="a", response=text))
    assert facts is not None
    assert facts.n_characters == len(text)


def test_what_is_clipped_says_how_long_it_was() -> None:
    assert clipped("x" * 400, 5) == "xxxxx… (400 characters)"
    assert clipped("x" * 5, 5) == "xxxxx"
