"""Texts that ask for an answer instead of giving one: a task, a question, "write your final answer"."""

import re

from ..patterns import lazy_pattern

__all__ = ["ASKING", "is_asked_for", "is_task"]

ASKING = (
    "express", "write", "writing", "round", "simplif", "convert", "put", "stat", "giv", "check", "verify", "report",
    "submit", "box", "provid", "leav", "enter", "present", "format",
)  # fmt: skip
_ASKED_FOR = lazy_pattern(
    rf"\b(?:{'|'.join(ASKING)})\w*"
    r"\s+(?:down\s+|up\s+)?(?:the\s+|your\s+|our\s+|my\s+)?(?:final\s+|correct\s+)?a?\Z",
    re.IGNORECASE,
)
_TASK = lazy_pattern(
    r"(?:find|compute|calculate|evaluate|simplify|convert|express|solve|determine|factor|expand|what|how\s+(?:many|much|long"
    r"|far|old)|which|given\s+that)\s",
    re.IGNORECASE,
)
_ASKING_WORD = lazy_pattern(r"\b(?:what|how|which|who|when|where|find)\b", re.IGNORECASE)


def is_asked_for(text: str, at: int) -> bool:
    """Whether the words before `at` only ask for an answer there ("write your final answer: …")."""
    before = text[max(0, at - 48) : at]
    near = " ".join(before.split()[-5:]).lower()
    return any(verb in near for verb in ASKING) and _ASKED_FOR.search(before) is not None


def is_task(sentence: str, mark: str = "") -> bool:
    """Whether `sentence`, ended by `mark`, asks for an answer instead of giving one.

    Example:
        >>> is_task("Find $12+8$."), is_task("Find $12+8$ = 20."), is_task("the sum of $12+8$")
        (True, False, False)
    """
    if "=" in sentence or len(sentence) < 6:
        return False
    if _TASK.match(sentence) is not None:
        return True
    return (mark == "?" or sentence.endswith("?")) and _ASKING_WORD.search(sentence) is not None
