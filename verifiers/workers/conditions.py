"""What runs inside a worker for a verifier under audit: it is asked on the main thread, in a thread, in an event loop.

It stands here and not beside the probes because a process that imports the audit takes twice as long to start.
"""

import asyncio
import threading
from base64 import b64decode
from collections.abc import Callable, Sequence
from typing import Any

from ..rows import Triple
from .rows import judge_rows as judge_shipped
from .user_function import describe
from .user_function import judge_rows as judge_function

__all__ = ["ONE_BY_ONE", "UNREACHED", "judged", "warmed"]

UNREACHED = 2.0**40
"""A threshold that no reward reaches: the number then comes back as a fraction of it, as it was returned. A power of
two, so that nothing is rounded on the way."""

ONE_BY_ONE = "one by one"

_FIRST_ROWS: tuple[Triple, ...] = (
    ("\\boxed{7}", "7", "What is 3 + 4?"),
    ("$\\boxed{2x-x+1}$", "x+1", "Simplify."),
    ("\\boxed{\\frac{}{}^{}_{}}", "\\frac{1}{2}", "Halve 1."),
)


def warmed(kind: str, subject: str) -> None:
    """Find the verifier, and have it judge a few rows, in a process that is otherwise new.

    Args:
        kind: `"str"`, a function's spec; `"bytes"`, a shipped verifier.
        subject: the spec, or the verifier in base64.

    Raises:
        TypeError: the function has parameters of no known shape.
    """
    if kind == "str":
        describe(subject)
    judged(b64decode(subject) if kind == "bytes" else subject, _FIRST_ROWS, ONE_BY_ONE)


def judged(subject: str | bytes, rows: Sequence[Triple], how: str) -> list[dict[str, Any]]:
    """One verdict a row, as plain data.

    Args:
        subject: the spec of a user's function, or a shipped verifier.
        rows: completion, target and prompt.
        how: `"batch"`, `"one by one"`, `"thread"` or `"event loop"`.
    """

    def judge(some: Sequence[Triple]) -> list[dict[str, Any]]:
        if isinstance(subject, bytes):
            return [dict(plain) for plain in judge_shipped(subject, list(some))]
        return judge_function(subject, some, UNREACHED)

    if how == "batch":
        return judge(rows)
    if how == ONE_BY_ONE:
        return [plain for row in rows for plain in judge([row])]
    return _in_thread(judge, rows) if how == "thread" else asyncio.run(_in_loop(judge, rows))


def _in_thread(judge: Callable[..., list[dict[str, Any]]], rows: Sequence[Triple]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: found.extend(judge(rows)), daemon=True)
    thread.start()
    thread.join()
    return found


async def _in_loop(judge: Callable[..., list[dict[str, Any]]], rows: Sequence[Triple]) -> list[dict[str, Any]]:
    return judge(rows)
