import pytest
from hypothesis import given
from rollout_records import any_text, messages

from rewardgate.rollouts.refusals import RowRefusedError
from rewardgate.rollouts.turns import (
    messages_in,
    only_text,
    prompt_digest_id,
    prompt_identity,
    prompt_value,
    response_value,
    split_turns,
)

USER = {"role": "user", "content": "2+2?"}
ASSISTANT = {"role": "assistant", "content": "4"}
CALL = {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]}
TOOL = {"role": "tool", "content": "4"}


def test_messages_are_known_by_their_roles() -> None:
    assert messages_in([USER, ASSISTANT]) == [USER, ASSISTANT]
    assert messages_in(ASSISTANT) == [ASSISTANT]
    assert messages_in([{"from": "gpt", "value": "4"}]) == [ASSISTANT]
    for cell in ("text", [], ["4"], [USER, "4"], {"text": "4"}, [{"text": "4"}], None, 4):
        assert messages_in(cell) is None


def test_a_table_may_hold_messages_as_json_text() -> None:
    assert prompt_value('[{"role": "user", "content": "2+2?"}]', "prompt") == [USER]
    assert prompt_value('[{"role": broken', "prompt") == '[{"role": broken'
    assert response_value('[{"a": 1}]', "response") == '[{"a": 1}]'  # a model may answer with JSON


@pytest.mark.parametrize("cell", [5, True, {"a": 1}, ["a"], 1.5])
def test_a_prompt_or_response_of_another_type_is_refused_with_its_value(cell: object) -> None:
    with pytest.raises(RowRefusedError) as refused:
        prompt_value(cell, "question")
    assert refused.value.field == "question"
    with pytest.raises(RowRefusedError) as refused:
        response_value(cell, "output")
    assert refused.value.reason.startswith("expected a response as text or messages, got ")


def test_no_response_is_none_and_an_empty_one_is_a_response() -> None:
    assert response_value(None, "response") is None
    assert response_value([], "response") is None  # no message: the attempt failed
    assert response_value("", "response") == ""
    assert response_value({"text": "4", "tokens": 1}, "response") == "4"
    assert prompt_value("", "prompt") is None


def test_a_conversation_splits_before_its_last_assistant_turn() -> None:
    assert split_turns([USER, CALL, TOOL, ASSISTANT], "messages") == ([USER, CALL, TOOL], "4")
    # What a tool says after the last turn is nobody's answer.
    assert split_turns([USER, CALL, TOOL], "messages") == ([USER], [CALL])
    with pytest.raises(RowRefusedError, match="expected a turn of the assistant"):
        split_turns([USER], "messages")


def test_only_a_plain_message_becomes_its_text() -> None:
    parts = {"role": "assistant", "content": [{"type": "text", "text": "4"}]}
    assert only_text([ASSISTANT]) == "4"
    for response in ([CALL], [parts], [ASSISTANT, ASSISTANT], "4", None):
        assert only_text(response) == response


def test_two_prompts_that_differ_in_an_image_alone_are_two() -> None:
    def prompt(url: str) -> list[dict[str, object]]:
        return [{"role": "user", "content": [{"type": "image", "url": url}, {"type": "text", "text": "what?"}]}]

    assert prompt_identity(prompt("a")) == prompt_identity(prompt("a"))
    assert prompt_identity(prompt("a")) != prompt_identity(prompt("b"))


@given(any_text)
def test_the_same_words_in_parts_are_the_same_prompt(text: str) -> None:
    plain = [{"role": "user", "content": text}]
    parts = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    assert prompt_identity(plain) == prompt_identity(parts)
    assert prompt_digest_id(prompt_identity(plain)) == prompt_digest_id(prompt_identity(parts))


@given(messages)
def test_any_messages_are_read_as_they_are(found: list[dict[str, str]]) -> None:
    assert prompt_value(found, "prompt") == found
    assert response_value(found, "response") == found
