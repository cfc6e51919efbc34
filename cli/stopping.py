"""Ctrl-C and SIGTERM as requests: what is under way is brought to a good end.

The library sets no signals: they are its caller's. A command is the caller, and owns its process.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["stop_requests"]


@contextmanager
def stop_requests(told: str) -> Iterator[Callable[[], bool]]:
    """Whether the user, or the machine, has asked for an end. The second time they get what they always got.

    Args:
        told: a line for stderr when the first request comes.
    """
    usual: dict[int, Any] = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    asked: list[int] = []

    def note(number: int, _: Any) -> None:
        asked.append(number)
        for one, handler in usual.items():
            signal.signal(one, handler)
        # Not print: the handler may have interrupted one.
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, f"{told}\n".encode())

    for number in usual:
        signal.signal(number, note)
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
