"""What runs inside the worker: the verifier under audit, asked on the main thread, in a thread, in an event loop."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ...verifiers.rows import Triple
from ...verifiers.rows_in_workers import judge_rows as judge_shipped
from ...verifiers.user_function import judge_rows as judge_function

__all__ = ["ONE_BY_ONE", "UNREACHED", "judged"]

UNREACHED = 2.0**40
"""A threshold that no reward reaches: the number then comes back as a fraction of it, as it was returned. A power of
two, so that nothing is rounded on the way."""

ONE_BY_ONE = "one by one"


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
