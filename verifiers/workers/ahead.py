"""Questions to killable workers, asked ahead by threads that nobody ever has to wait for.

Not `concurrent.futures`: the interpreter joins the threads of its executor before it exits and before it lets
anybody close workers, so that a caller who breaks off, or presses Ctrl-C, would wait for the row that hangs.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from itertools import islice
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

from .frames import LOOK_UP_S

__all__ = ["asked_ahead"]

Question = TypeVar("Question")
Answer = TypeVar("Answer")


def asked_ahead(
    ask: Callable[[Question], Answer],
    questions: Iterable[Question],
    *,
    threads: int,
    stop: Callable[[], None],
) -> Iterator[tuple[Question, Answer]]:
    """Each question with its answer, in order; what `ask` raises comes out in the answer's place.

    Args:
        ask: called in a thread; may wait for long.
        questions: consumed lazily, at most two a thread ahead.
        threads: how many questions may wait for an answer at once.
        stop: makes every `ask` under way raise, and every later one; called, more than once, where the caller
            breaks off before the last answer.

    Example:
        >>> list(asked_ahead(len, ["a", "bcd"], threads=2, stop=list))
        [('a', 1), ('bcd', 3)]
    """
    waiting = SimpleQueue[tuple[Question, Future[Answer]] | None]()
    pending = deque[tuple[Question, Future[Answer]]]()
    remaining = iter(questions)
    asking = [Thread(target=_serve, args=(ask, waiting), daemon=True) for _ in range(threads)]
    is_whole = False
    try:
        for thread in asking:
            thread.start()
        while True:
            for question in islice(remaining, 2 * threads - len(pending)):
                pending.append((question, Future[Answer]()))
                waiting.put(pending[-1])
            if not pending:
                is_whole = True
                return
            question, answer = pending.popleft()
            while not wait([answer], LOOK_UP_S).done:
                pass
            yield question, answer.result()
    finally:
        for _ in asking:
            waiting.put(None)
        # Until all have ended: one may have been about to ask when it was told to stop. While the interpreter
        # ends, threads stand still and workers are closed by then.
        while any(thread.is_alive() for thread in asking) and not sys.is_finalizing():
            if not is_whole:
                stop()
            for thread in asking:
                thread.join(0.05)


def _serve(ask: Callable[[Question], Answer], waiting: "SimpleQueue[tuple[Question, Future[Answer]] | None]") -> None:
    while (next_one := waiting.get()) is not None:
        question, answer = next_one
        try:
            answer.set_result(ask(question))
        except BaseException as raised:
            answer.set_exception(raised)
