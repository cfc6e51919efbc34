"""Tool calls written in a response: are they there, and could a parser read them?

A call that the host cannot parse is never made; the model then answers without its result, and every
rollout of the prompt fails the same way. What counts as a call is what today's chat templates write:
`<tool_call>` (JSON, or XML parameters), `<function_call>`, `<function=name>`, `[TOOL_CALLS]`, `<|python_tag|>`, the
signs of DeepSeek, `<invoke name=…>`; and what only resembles them: a call in other markers, or in none.

What this cannot see: which parser the host ran. A well-formed XML call that a JSON parser missed is found
only by what is absent after it: no tool result, though the text ends there.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...rollouts.messages import Completion, message_text
from ...verifiers.patterns import lazy_pattern

__all__ = ["ToolCalls", "tool_calls"]

_MARKER = lazy_pattern(
    r"<(?P<tag>tool_call|function_call)>|<function=(?P<name>[\w.-]*)>|\[TOOL_CALLS\]|<\|python_tag\|>(?=\s*\{)|"
    r"<｜tool▁call▁begin｜>|<invoke name=[^>]*>|<(?P<other>tools?|function|action|tool_use)>(?=\s*\{)|"
    r"```(?:tool_call|tool|function_call)\b"
)
_MARKER_WORDS = (
    "<tool",
    "<function",
    "[TOOL_CALLS]",
    "<|python_tag|>",
    "<｜tool",
    "<invoke",
    "<action>",
    "```tool",
    "```function",
)
_CLOSINGS = {"[TOOL_CALLS]": "</s>", "<|python_tag|>": "<|e", "<｜tool▁call▁begin｜>": "<｜tool▁call▁end｜>"}
_CALL_KEYS = ("arguments", "parameters")
_RESULT = lazy_pattern(r"<tool_response>|<\|im_start\|>\s*(?:tool|user)|<function_results?>|\[TOOL_RESULTS\]|<\|tool")
_XML_CALL = lazy_pattern(r"\s*<function=[\w.-]+>.*</function>\s*\Z", re.DOTALL)
_PARAMETER = lazy_pattern(r"<parameter=[\w.-]+>|</parameter>")
_FENCE = lazy_pattern(r"\A```(?:json)?\s*|\s*```\Z")
_END_MARKS = lazy_pattern(r"<\|im_end\|>|</s>|</(?:antml:)?function_calls>|<\|e\w+_id\|>")
_NAME_KEYS = ("name", "function", "tool_name", "tool")
_LONGEST_CALL_CHARS = 200_000
_MOST_CALLS = 200


class ToolCalls(NamedTuple):
    """Calls found in a response, and the first fault among them.

    `fault` is empty where every call can be parsed; else `bad_json`, `not_a_call` (JSON without a name),
    `unclosed`, `bad_xml`, `unanswered_xml` (XML where the text ends without any result), `other_markers` (a call in
    markers that no template writes, or in none) or `not_parsed` (markers in a message whose `tool_calls` field is
    empty). `shown` is the faulty call's beginning.
    """

    found: int
    fault: str = ""
    shown: str = ""


_NONE = ToolCalls(0)


def tool_calls(completion: Completion) -> ToolCalls:
    """The tool calls of `completion`: those that its text spells out, and its messages' `tool_calls`.

    Example:
        >>> tool_calls('<tool_call>{"name": "add", "arguments": {"a": 1,}}</tool_call>').fault
        'bad_json'
        >>> tool_calls('<tool_call>{"name": "add", "arguments": {}}</tool_call> so 4')
        ToolCalls(found=1, fault='', shown='')
    """
    if isinstance(completion, str):
        return _in_text(completion)
    found, first = 0, _NONE
    for message in completion:
        if message.get("role") != "assistant":
            continue
        calls = _in_text(message_text(message), is_whole=False)
        if (unreadable := _unreadable_field(message.get("tool_calls"))) is not None:
            calls = ToolCalls(calls.found + 1, "bad_json", unreadable)
        if calls.found and not calls.fault and not message.get("tool_calls") and not _is_answered(completion, message):
            calls = calls._replace(fault="not_parsed", shown=calls.shown or message_text(message)[:200])
        found += calls.found
        if calls.fault and not first.fault:
            first = calls
    return first._replace(found=found)


def _in_text(text: str, *, is_whole: bool = True) -> ToolCalls:
    if not any(word in text for word in _MARKER_WORDS):
        return _bare_call(text) if is_whole and text.lstrip()[:1] == "{" else _NONE
    found, first, position = 0, _NONE, 0
    while found < _MOST_CALLS and (marker := _MARKER.search(text, position)) is not None:
        found += 1
        fault, position = _fault_of(text, marker, is_whole)
        if fault and not first.fault:
            first = ToolCalls(0, fault, text[marker.start() : marker.start() + 200])
    return first._replace(found=found)


def _fault_of(text: str, marker: re.Match[str], is_whole: bool) -> tuple[str, int]:
    """The fault of the call that `marker` opens, and where to go on."""
    start = marker.end()
    if (closing := _CLOSINGS.get(marker.group())) is not None:
        end = text.find(closing, start)
        end = len(text) if end < 0 else end
        body = text[start:end].strip()
        if marker.group().startswith("<｜"):
            # Kind and name stand before the arguments, which alone are JSON.
            return ("" if _is_json(_FENCE.sub("", body[body.find("{") :].strip())) else "bad_json"), end
        return _json_fault(body[: body.rfind("]") + 1] or body), end
    if marker.group("other") or marker.group().startswith("```"):
        return "other_markers", start
    if marker.group().startswith("<invoke"):
        end = text.find("</invoke>", start)
        return ("unclosed", start) if end < 0 else (_unanswered(text, end + 9, is_whole), end + 9)
    closing = "</function>" if marker.group("tag") is None else f"</{marker.group('tag')}>"
    end = text.find(closing, start)
    if end < 0:
        return "unclosed", start
    after = end + len(closing)
    body = text[start:end]
    if marker.group("tag") is None:
        fault = _xml_fault(text[marker.start() : after])
    elif body.lstrip().startswith("<"):
        fault = _xml_fault(body)
    else:
        return _json_fault(body.strip()), after
    return fault or _unanswered(text, after, is_whole), after


def _unanswered(text: str, after: int, is_whole: bool) -> str:
    """`unanswered_xml` where nothing but closing marks follows."""
    rest = _END_MARKS.sub("", text[after:]).strip()
    return "unanswered_xml" if is_whole and not rest else ""


def _bare_call(text: str) -> ToolCalls:
    """A response that is nothing but the JSON of a call."""
    body = _END_MARKS.sub("", text).strip()
    if len(body) > _LONGEST_CALL_CHARS or not _is_json(body):
        return _NONE
    call = json.loads(body)
    is_call = _names_a_function(call) and any(key in call for key in _CALL_KEYS)
    return ToolCalls(1, "other_markers", body[:200]) if is_call else _NONE


def _json_fault(body: str) -> str:
    body = _FENCE.sub("", body)
    if len(body) > _LONGEST_CALL_CHARS:
        return "bad_json"
    try:
        call = json.loads(body)
    except (ValueError, RecursionError):
        return "bad_json"
    calls = call if isinstance(call, list) else [call]
    return "" if calls and all(map(_names_a_function, calls)) else "not_a_call"


def _names_a_function(call: object) -> bool:
    return isinstance(call, Mapping) and any(isinstance(call.get(key), str | Mapping) for key in _NAME_KEYS)


def _xml_fault(body: str) -> str:
    if len(body) > _LONGEST_CALL_CHARS or _XML_CALL.match(body) is None:
        return "bad_xml"
    marks = [mark.group().startswith("</") for mark in _PARAMETER.finditer(body)]
    # Parameters do not nest: opening and closing marks must alternate.
    alternate = all(closes == bool(index % 2) for index, closes in enumerate(marks)) and len(marks) % 2 == 0
    return "" if alternate else "bad_xml"


def _unreadable_field(calls: object) -> str | None:
    """The arguments of the first call, in OpenAI's shape, that are a string and no JSON; None if there is none."""
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        arguments = function.get("arguments") if isinstance(function, Mapping) else None
        if isinstance(arguments, str) and arguments.strip() and not _is_json(arguments):
            return arguments[:200]
    return None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_answered(completion: Sequence[Mapping[str, object]], message: Mapping[str, object]) -> bool:
    """Whether a tool's message follows, or the text itself goes on with a result."""
    later = completion[list(map(id, completion)).index(id(message)) + 1 :]
    answered = any(other.get("role") in ("tool", "function") for other in later)
    return answered or _RESULT.search(message_text(message)) is not None
