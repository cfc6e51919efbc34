"""The last fenced code block of a text: where its inside is, or that its fence is never closed."""

import re

from ..base import Extracted, Outcome

FENCE = re.compile(r"^[ \t]{0,8}(?P<ticks>`{3,8}|~{3,8})[ \t]*(?P<language>[\w+#.-]*)[^\n`]*$", re.MULTILINE)


def code_block_answer(language: str | None, text: str) -> Extracted | None:
    """The inside of the last block marked with `language` or with nothing; of any block when it is None.

    A fence that is opened and never closed is code that was cut off: NO_ANSWER, even after complete blocks.
    """
    if "```" not in text and "~~~" not in text:
        return None
    opening: re.Match[str] | None = None
    last: tuple[int, int] | None = None
    for fence in FENCE.finditer(text):
        if opening is None:
            opening = fence
        elif fence.group("ticks").startswith(opening.group("ticks")) and not fence.group("language"):
            if language is None or opening.group("language").casefold() in (language, ""):
                last = (opening.end() + 1, max(opening.end() + 1, fence.start() - 1))
            opening = None
    if opening is not None and (language is None or opening.group("language").casefold() in (language, "")):
        return Extracted("", None, "code_block", Outcome.NO_ANSWER, "unclosed_code_block")
    if last is None:
        return None
    code = text[last[0] : last[1]]
    if not code.strip():
        return Extracted("", None, "code_block", Outcome.NO_ANSWER, "empty_code_block")
    return Extracted(code, last, "code_block")
