"""Chat messages and plain strings, read the same way everywhere.

A prompt or a completion is a string or a list of messages in the OpenAI shape; a message's content is
a string, a list of parts, or None (a bare tool call).
"""

from collections.abc import Mapping, Sequence
from typing import Any

Message = Mapping[str, Any]
Prompt = str | Sequence[Message]
Completion = str | Sequence[Message]


def message_text(message: Message) -> str:
    """The text of one message; parts that are not text (images, audio) are left out.

    Example:
        >>> message_text({"role": "user", "content": [{"type": "text", "text": "2+2"}, {"type": "image"}]})
        '2+2'
    """
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        return "".join(_part_text(part) for part in content)
    return str(content)


def is_completion(value: object) -> bool:
    """Whether `value` is what `completion_text` reads: text, or a sequence of messages.

    Example:
        >>> is_completion("4"), is_completion([{"role": "assistant", "content": "4"}]), is_completion(["4"])
        (True, True, False)
    """
    if isinstance(value, str):
        return True
    if not isinstance(value, Sequence) or isinstance(value, bytes | bytearray):
        return False
    return all(isinstance(message, Mapping) for message in value)


def completion_text(completion: Completion) -> str:
    """The text that a verifier judges: the string itself, or the last assistant message.

    Tool results and user turns after it are somebody else's words and never an answer. With no
    assistant message there is no text to judge.

    Example:
        >>> completion_text([{"role": "assistant", "content": "4"}, {"role": "tool", "content": "5"}])
        '4'
    """
    if isinstance(completion, str):
        return completion
    for message in reversed(completion):
        if message.get("role") == "assistant":
            return message_text(message)
    return ""


def prompt_text(prompt: Prompt) -> str:
    """The prompt as one text: the string itself, or its messages as `role: text` lines.

    The same for a content string and for the same words in parts, so that it can identify a prompt.

    Example:
        >>> prompt_text([{"role": "user", "content": "2+2?"}])
        'user: 2+2?'
    """
    if isinstance(prompt, str):
        return prompt
    return "\n".join(f"{message.get('role', '')}: {message_text(message)}" for message in prompt)


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        text = part.get("text")
        if isinstance(text, str):
            return text
    return ""
