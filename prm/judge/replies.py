"""What an endpoint's JSON says: the judge's words, why there are none, and what they cost."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...rollouts.messages import message_text

__all__ = ["BrokenReplyError", "Reply", "error_message", "read_reply"]


_MOST_TOKENS = 10**9
"""A count beyond is none of one completion, and too large a number cannot be multiplied by a price."""


class BrokenReplyError(Exception):
    """A body that is no chat completion."""


class Reply(NamedTuple):
    """One completion.

    Args:
        text: what the judge answers, without its reasoning where the endpoint gives that apart.
        stopped_by: the endpoint's `finish_reason`, "" where it gives none.
        instead: what stands in the place of a text: "a tool call", "a refusal", "reasoning alone", "nothing"; "" where
            there is a text.
        prompt_tokens, completion_tokens: as the endpoint counts them; None where it does not.
        cached_tokens: of the prompt, those that it took from its own cache.
    """

    text: str
    stopped_by: str = ""
    instead: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0


def read_reply(body: bytes) -> Reply:
    """The first choice of a chat completion.

    Raises:
        BrokenReplyError: not JSON, an error instead of an answer, no choices, or a choice without a message.

    Example:
        >>> reply = read_reply(b'{"choices": [{"message": {"content": "4"}}], "usage": {"prompt_tokens": 9}}')
        >>> reply.text, reply.prompt_tokens, reply.completion_tokens
        ('4', 9, None)
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise BrokenReplyError("an answer that is not JSON") from None
    choices = _inside(answer, "choices")
    if not isinstance(choices, list):
        raise BrokenReplyError(f"no completion: {error_message(body)}")
    message = _inside(choices[0] if choices else None, "message")
    if not isinstance(message, dict):
        raise BrokenReplyError("a completion without a choice")
    text = message_text(message)
    usage = _inside(answer, "usage")
    return Reply(
        text=text,
        stopped_by=str(_inside(choices[0], "finish_reason") or ""),
        instead="" if text.strip() else _instead(message),
        prompt_tokens=_count(_inside(usage, "prompt_tokens")),
        completion_tokens=_count(_inside(usage, "completion_tokens")),
        cached_tokens=_count(_inside(_inside(usage, "prompt_tokens_details"), "cached_tokens")) or 0,
    )


def error_message(body: bytes) -> str:
    """What the body of an error says, in whichever of the usual places; else its beginning.

    Example:
        >>> error_message(b'{"error": {"message": "no such model"}}'), error_message(b"<h1>Bad Gateway</h1>")
        ('no such model', '<h1>Bad Gateway</h1>')
    """
    text = body[:4_000].decode("utf-8", "replace")
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return text
    error = _inside(answer, "error")
    said = (_inside(error, "message"), error, _inside(answer, "message"), _inside(answer, "detail"))
    return next((one for one in said if isinstance(one, str) and one), text)


def _instead(message: Mapping[str, Any]) -> str:
    if message.get("tool_calls") or message.get("function_call"):
        return "a tool call"
    if message.get("refusal"):
        return "a refusal"
    if message.get("reasoning_content") or message.get("reasoning"):
        return "reasoning alone"
    return "nothing"


def _inside(value: object, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _count(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _MOST_TOKENS else None
