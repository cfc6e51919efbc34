"""One cell of a rollout file -> prompt or response: text, or chat messages in the OpenAI shape.

Tables hold messages as JSON text, ShareGPT calls them `from` and `value`, a log of a whole conversation
holds both prompt and response; all become the same here.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from .messages import Prompt, prompt_text
from .refusals import RowRefusedError, clip

Message = dict[str, Any]

_SHAREGPT_ROLES = {"human": "user", "gpt": "assistant"}


def messages_in(cell: object) -> list[Message] | None:
    """The chat messages in `cell` (a list of them, or one alone), with `role` and `content`; None if none.

    ShareGPT's `from` and `value` are renamed.

    Example:
        >>> messages_in([{"from": "human", "value": "2+2?"}])
        [{'role': 'user', 'content': '2+2?'}]
        >>> messages_in(["4", "5"]) is None
        True
    """
    if isinstance(cell, dict):
        cell = [cell]
    if not isinstance(cell, list) or not cell:
        return None
    messages = [_message(item) for item in cell]
    found = [message for message in messages if message is not None]
    return found if len(found) == len(cell) else None


def prompt_value(cell: object, field: str) -> str | list[Message] | None:
    """A prompt: text or messages; None for null and for empty text.

    Raises:
        RowRefusedError: anything else.
    """
    if cell is None or cell == "":
        return None
    if isinstance(cell, str):
        return messages_in(_json_list(cell)) or cell
    messages = messages_in(cell)
    if messages is None:
        raise RowRefusedError(field, f"expected a prompt as text or messages, got {clip(cell)}")
    return messages


def response_value(cell: object, field: str) -> str | list[Message] | None:
    """A response: text or messages; None for null and for no messages (an attempt that failed).

    Empty text is a response: the model said nothing.

    Raises:
        RowRefusedError: anything else.
    """
    if cell is None or cell == []:
        return None
    if isinstance(cell, str):
        return messages_in(_json_list(cell)) or cell
    if isinstance(cell, dict) and "role" not in cell and len(texts := _texts(cell)) == 1:
        return texts[0]
    messages = messages_in(cell)
    if messages is None:
        raise RowRefusedError(field, f"expected a response as text or messages, got {clip(cell)}")
    return messages


def only_text(response: str | list[Message] | None) -> str | list[Message] | None:
    """One plain message as its text; anything that would lose something by that as it is."""
    if isinstance(response, list) and len(response) == 1 and not response[0].get("tool_calls"):
        content = response[0].get("content")
        return content if isinstance(content, str) else response
    return response


def split_turns(messages: Sequence[Message], field: str) -> tuple[list[Message], str | list[Message]]:
    """Prompt and response of one conversation: what stands before its last assistant turn, and that turn.

    Raises:
        RowRefusedError: no turn is the assistant's.
    """
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message["role"] == "assistant":
            return list(messages[:place]), only_text([message]) or ""
    raise RowRefusedError(field, f"expected a turn of the assistant, got roles {clip([m['role'] for m in messages])}")


def prompt_identity(prompt: Prompt) -> str:
    """What makes two prompts the same: their text, and the parts of it that are not text (images).

    Example:
        >>> parts = [{"role": "user", "content": [{"type": "text", "text": "2+2?"}]}]
        >>> prompt_identity(parts) == prompt_identity([{"role": "user", "content": "2+2?"}])
        True
    """
    text = prompt_text(prompt)
    if isinstance(prompt, str):
        return text
    other = [
        part
        for message in prompt
        if isinstance(message.get("content"), list)
        for part in message["content"]
        if not isinstance(part, str) and not (isinstance(part, Mapping) and isinstance(part.get("text"), str))
    ]
    return f"{text}\n{json.dumps(other, sort_keys=True, default=str)}" if other else text


def prompt_digest_id(identity: str) -> str:
    """A prompt id for a file that has none: the same prompt has the same one in every file."""
    return f"prompt-{hashlib.blake2b(identity.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"


def _message(item: object) -> Message | None:
    if not isinstance(item, dict):
        return None
    if isinstance(item.get("role"), str):
        return item
    role = item.get("from")
    if isinstance(role, str) and "value" in item:
        return {"role": _SHAREGPT_ROLES.get(role, role), "content": item["value"]}
    return None


def _texts(cell: Mapping[str, Any]) -> list[str]:
    return [text for name in ("text", "content", "response") if isinstance(text := cell.get(name), str)]


def _json_list(cell: str) -> object:
    """The list of messages that a table's text cell holds, where it holds one."""
    if not cell.startswith("[{") or '"role"' not in cell[:200]:
        return None
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return None
