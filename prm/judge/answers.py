r"""The judge's words to the index of the first wrong step.

An answer that cannot be read for sure is no answer: two numbers in the box, a number of no step, a reply that was cut
off. The last box counts, as in ProcessBench: a critique may box an intermediate value on its way.
"""

import json
import re
from collections.abc import Callable
from typing import NamedTuple

from ...verifiers.answers.boxes import find_boxes
from ...verifiers.expression.results import shown
from .replies import Reply

__all__ = ["READERS", "Answer", "UnreadableError", "read_boxed", "read_json"]

_INDEX = re.compile(
    r"\$?\s*(?:\\(?:text|textbf|mathrm|mathbf)\s*\{)?\s*<?\s*(?:paragraph|step|index)?(?:\\?_|\s|~)*"
    r"(?P<index>[-−]?\d{1,9})\s*>?\s*\}?\s*\$?",
    re.IGNORECASE,
)
_THINKS = re.compile(r"<(?P<end>/?)think(?:ing)?>", re.IGNORECASE)
_LONGEST_INDEX = 60
"""Characters of a box that can hold one index; `_INDEX` is not asked about more, which could take long."""


_CUT_OFF = frozenset({"length", "max_tokens", "content_filter", "abort", "error"})


class Answer(NamedTuple):
    """What a judge holds.

    Args:
        first_error: 0-based; -1 where it holds every step right.
        reason: its own, where the form asks for one.
    """

    first_error: int
    reason: str = ""


class UnreadableError(Exception):
    """A reply that names no step, and not that there is none; the message says why."""


def read_boxed(reply: Reply, n_steps: int) -> Answer:
    r"""The index in the last `\boxed{}` of a reply, behind its thinking.

    Raises:
        UnreadableError: there is none, it was cut off, or the box holds anything but one index of the row.

    Example:
        >>> read_boxed(Reply(r"<think>\boxed{0}?</think> Paragraph 1 adds wrongly: \boxed{1}."), 3)
        Answer(first_error=1, reason='')
    """
    text = _said(reply)
    boxes = find_boxes(text).closed
    if not boxes:
        raise UnreadableError("no box")
    inside = text[boxes[-1].inner_start : boxes[-1].inner_end].strip()
    index = _INDEX.fullmatch(inside) if len(inside) <= _LONGEST_INDEX else None
    if index is None:
        raise UnreadableError(f"a box with {shown(inside)!r}")
    return Answer(_in_range(int(index["index"].replace("−", "-")), n_steps))


def read_json(reply: Reply, n_steps: int) -> Answer:
    """`first_error` of the object that a reply is, in a code fence or not.

    Raises:
        UnreadableError: it is no such object, it was cut off, or names no step of the row.

    Example:
        >>> read_json(Reply('{"first_error": -1, "reason": "all hold"}'), 3)
        Answer(first_error=-1, reason='all hold')
    """
    text = _said(reply).strip()
    if text.startswith("```") and text.endswith("```"):
        text = text.partition("\n")[2][:-3]
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        raise UnreadableError("no JSON") from None
    index = answer.get("first_error") if isinstance(answer, dict) else None
    if not isinstance(index, int) or isinstance(index, bool):
        raise UnreadableError("no whole number as first_error")
    reason = answer.get("reason")
    return Answer(_in_range(index, n_steps), " ".join(reason.split()) if isinstance(reason, str) else "")


READERS: dict[str, Callable[[Reply, int], Answer]] = {"boxed": read_boxed, "json": read_json}
"""Form of the answer -> what reads it."""


def _said(reply: Reply) -> str:
    """What the judge says behind its thinking."""
    if reply.instead:
        raise UnreadableError(reply.instead)
    if reply.stopped_by.lower() in _CUT_OFF:
        raise UnreadableError(f"a reply that was ended by {shown(reply.stopped_by)!r}")
    tags = list(_THINKS.finditer(reply.text))
    if not tags:
        return reply.text
    if not tags[-1]["end"]:
        raise UnreadableError("thinking that does not end")
    return reply.text[tags[-1].end() :]


def _in_range(index: int, n_steps: int) -> int:
    if not -1 <= index < n_steps:
        raise UnreadableError(f"the number {shown(index)}, of {n_steps} steps")
    return index
