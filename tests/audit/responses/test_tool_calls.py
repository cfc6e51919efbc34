import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.responses.tool_calls import tool_calls

GOOD = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'
XML = "<tool_call>\n<function=add>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>"


@pytest.mark.parametrize(
    ("text", "found", "fault"),
    [
        ("no call at all, only {json: 1}", 0, ""),
        (GOOD + "\n<tool_response>3</tool_response> So 3.", 1, ""),
        (GOOD + GOOD, 2, ""),
        (GOOD.replace("1}}", "1,}}"), 1, "bad_json"),
        (GOOD.replace('"', "'"), 1, "bad_json"),
        (GOOD.replace("</tool_call>", ""), 1, "unclosed"),
        ('<tool_call>{"arguments": {}}</tool_call>', 1, "not_a_call"),
        ("<tool_call>42</tool_call>", 1, "not_a_call"),
        ("<tool_call>```json\n" + '{"name": "add"}' + "\n```</tool_call>", 1, ""),
        (XML + "\n<tool_response>3</tool_response> It is 3.", 1, ""),
        (XML, 1, "unanswered_xml"),
        (XML + "<|im_end|>", 1, "unanswered_xml"),
        (XML.replace("</parameter>\n", ""), 1, "bad_xml"),
        (XML.replace("</function>\n", ""), 1, "bad_xml"),
        ("<function=add><parameter=a>1</parameter></function> then 3.", 1, ""),
        ('<function_call>{"name": "add"}</function_call>', 1, ""),
        ('[TOOL_CALLS] [{"name": "add", "arguments": {}}]</s>', 1, ""),
        ('[TOOL_CALLS] [{"name": "add", "arguments": {]</s>', 1, "bad_json"),
        (GOOD + GOOD.replace("}}", "}"), 2, "bad_json"),
    ],
)
def test_calls_in_a_text_and_their_first_fault(text: str, found: int, fault: str) -> None:
    calls = tool_calls(text)
    assert (calls.found, calls.fault) == (found, fault)
    assert bool(calls.shown) == bool(fault)


def test_markers_in_a_message_that_made_no_call_were_not_parsed() -> None:
    message = {"role": "assistant", "content": GOOD}
    assert tool_calls([message]).fault == "not_parsed"
    assert tool_calls([{**message, "tool_calls": [{"function": {"name": "add", "arguments": "{}"}}]}]).fault == ""
    assert tool_calls([message, {"role": "tool", "content": "3"}]).fault == ""
    assert tool_calls([{"role": "user", "content": GOOD}]).found == 0


def test_a_calls_field_whose_arguments_are_no_json_cannot_be_parsed() -> None:
    call = {"function": {"name": "add", "arguments": '{"a": 1'}}
    assert tool_calls([{"role": "assistant", "content": None, "tool_calls": [call]}]).fault == "bad_json"


@given(st.text(alphabet="<>/tool_cal{}\"'[]TOLSCA=fun x", max_size=80))
def test_no_text_is_ever_refused(text: str) -> None:
    calls = tool_calls("<tool_call>" + text)
    assert calls.found >= 1


def test_many_calls_end() -> None:
    assert tool_calls("<tool_call>" * 10_000).found == 200


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"name": "python", "arguments": {"code": "1+1"}}', "other_markers"),
        ('<tool>{"name": "python", "arguments": {}}</tool>', "other_markers"),
        ('```tool_call\n{"name": "python"}\n```', "other_markers"),
        ('<|python_tag|>{"name": "python", "parameters": {"code": "1+1"}<|eom_id|>', "bad_json"),
        ('<|python_tag|>{"name": "python", "parameters": {}}<|eom_id|>', ""),
        ('<function_calls><invoke name="python"><parameter name="code">1</parameter></invoke>', "unanswered_xml"),
        ('<invoke name="python">', "unclosed"),
        ('<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a": 1\n```<｜tool▁call▁end｜>', "bad_json"),
        ('<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a": 1}\n```<｜tool▁call▁end｜>', ""),
        ('{"answer": 4}', ""),  # an answer as JSON calls nothing
        ("a <tool> is any device", ""),
        ("The <action> was {quick}", ""),
    ],
)
def test_calls_in_other_templates_markers_and_in_none(text: str, fault: str) -> None:
    assert tool_calls(text).fault == fault
