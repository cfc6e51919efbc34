from rewardgate.rollouts.messages import completion_text, message_text, prompt_text


def test_a_content_string_and_the_same_words_in_parts_are_one_prompt() -> None:
    string = [{"role": "user", "content": "What is 2+2?"}]
    parts = [{"role": "user", "content": [{"type": "text", "text": "What is "}, {"type": "text", "text": "2+2?"}]}]
    assert prompt_text(string) == prompt_text(parts) == "user: What is 2+2?"


def test_a_tool_result_behind_the_answer_is_not_the_answer() -> None:
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "I say 4"},
        {"role": "tool", "content": "5"},
    ]
    assert completion_text(messages) == "I say 4"


def test_without_an_assistant_turn_there_is_no_text_to_judge() -> None:
    assert completion_text([{"role": "user", "content": "4"}]) == ""


def test_a_bare_tool_call_and_an_image_have_no_text() -> None:
    assert message_text({"role": "assistant", "content": None, "tool_calls": [{}]}) == ""
    assert message_text({"role": "user", "content": [{"type": "image_url", "image_url": {}}]}) == ""
