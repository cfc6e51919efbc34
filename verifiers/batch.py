"""Many verdicts: aligned with their rows, in bounded memory, and no row ever costs another.

`iter_verdicts` for loops, `verify_many` for lists, `averify` for event loops.
"""

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from pickle import PickleBuffer
from typing import Any

from ..errors import ArgumentError, UnavailableError
from ..rollouts.messages import Completion, Prompt, completion_text
from .arguments import as_verifier, positive, whole
from .base import Target, Verdict, Verifier
from .isolation import Workers
from .rows import Row, Triple, as_triple, error, row_verdict
from .target_texts import target_texts
from .workers.ahead import asked_ahead
from .workers.rows import RowsInWorkers, shipped

__all__ = ["averify", "iter_verdicts", "verify_many"]

CHUNK_ROWS = 16
"""Rows that go to a worker together: enough to hide the cost of the trip, few enough to run again singly."""

BATCH_ROWS = 256
"""Rows that a verifier with a `verify_batch` of its own is asked about together."""

THREAD_CHARACTERS = 2_000
"""`averify` judges texts up to this length in a thread. A longer one could hold the interpreter's lock for
milliseconds (a regular expression never lets go of it), so it goes to a worker process."""


def iter_verdicts(
    verifier: str | Verifier,
    rows: Iterable[Row],
    *,
    workers: int = 0,
    budget_s: float | None = None,
    progress: bool = False,
) -> Iterator[Verdict]:
    """One verdict a row, in the rows' order.

    A row without a response is ERROR (rule `no_response`), one without a target BAD_TARGET (`no_target`), one
    that is no row ERROR (`unreadable_row`); a verifier that raises gives ERROR (`raised`). All leave the
    reward None.

    Args:
        verifier: or a registered name. A user's function (`functions.FunctionVerifier`) brings workers and a
            time limit of its own, and `workers` and `budget_s` say nothing to it.
        rows: (completion, target), (completion, target, prompt) or objects with `response`, `target` and
            `prompt`; consumed lazily, a few hundred ahead at most.
        workers: 0 judges in this process, which our own verifiers are made for: they bound themselves. Any
            more judge in as many killable processes; `verifier` must pickle, or dill.
        budget_s: seconds that one row may take; needs a killable process, so it sets `workers` to at least
            1. A row that runs past it is BUDGET: reward 0, or None if its target alone runs past it too. One
            that ends its worker is tried once more, then ERROR (`crashed`).
        progress: show a bar on stderr.

    Raises:
        ArgumentError: `workers` is negative, `budget_s` is not positive, or `verifier` is none or cannot be shipped.
        UnknownNameError: no verifier has that name.
        UnavailableError: with the first verdict: the machine lacks what the verifier was told to require.

    Example:
        >>> [verdict.reward for verdict in iter_verdicts("math", [("4", "4"), ("5", "4"), ("4", None)])]
        [1.0, 0.0, None]
    """
    verifier = as_verifier(verifier)
    workers = whole("workers", workers, at_least=0)
    if budget_s is not None:
        budget_s = positive("budget_s", budget_s, what="number of seconds")
    triples = (as_triple(row) for row in rows)
    is_in_process = workers == 0 and budget_s is None
    if hasattr(verifier, "verify_batch") and (is_in_process or _has_workers(verifier)):
        verdicts = _by_batch(verifier, triples)
    elif is_in_process:
        verdicts = (item if isinstance(item, Verdict) else row_verdict(verifier, item) for item in triples)
    else:
        verdicts = _by_workers(shipped(verifier), triples, max(1, workers), budget_s)
    return _shown(verdicts, len(rows) if isinstance(rows, Sized) else None) if progress else verdicts


def verify_many(
    verifier: str | Verifier,
    rows: Iterable[Row],
    *,
    workers: int = 0,
    budget_s: float | None = None,
    progress: bool = False,
) -> list[Verdict]:
    """`iter_verdicts`, as a list."""
    return list(iter_verdicts(verifier, rows, workers=workers, budget_s=budget_s, progress=progress))


async def averify(
    verifier: str | Verifier, completion: Completion, target: Target, *, prompt: Prompt | None = None
) -> Verdict:
    """A verdict asked from an event loop, which goes on meanwhile.

    A short text is judged in a thread; a long one in a worker process, since a thread that computes holds
    the interpreter's lock and would stall the loop. A verifier that cannot be shipped to a worker is judged
    in a thread whatever the length.
    """
    import asyncio  # whoever awaits has it already; a command that does not starts sooner without it

    verifier = as_verifier(verifier)
    triple = (completion, target, prompt)
    is_short = len(completion_text(completion)) + _characters(target) <= THREAD_CHARACTERS
    if is_short or _has_workers(verifier):
        return await asyncio.to_thread(row_verdict, verifier, triple)
    return await asyncio.to_thread(_judged_in_worker, verifier, triple)


def _judged_in_worker(verifier: Verifier, triple: Triple) -> Verdict:
    try:
        there = RowsInWorkers(shipped(verifier), _loop_workers, budget_s=None)
    except ArgumentError:
        return row_verdict(verifier, triple)
    completion, target, prompt = triple
    return there.judge([(_LongText(completion) if isinstance(completion, str) else completion, target, prompt)])[0]


class _LongText:
    """A text that reaches the worker beside the pickle: pickling megabytes holds the lock for milliseconds."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _decoded, (PickleBuffer(self._text.encode("utf-8", "surrogatepass")),)


def _decoded(encoded: bytes) -> str:
    return bytes(encoded).decode("utf-8", "surrogatepass")


def _characters(target: Target) -> int:
    return sum(map(len, target_texts(target)))


def _has_workers(verifier: Verifier) -> bool:
    return bool(getattr(verifier, "runs_in_workers", False))


def _by_batch(verifier: Any, items: Iterable[Triple | Verdict]) -> Iterator[Verdict]:
    for chunk in _chunks(items, BATCH_ROWS):
        judged = iter(_batch_verdicts(verifier, [item for item in chunk if not isinstance(item, Verdict)]))
        for item in chunk:
            yield item if isinstance(item, Verdict) else next(judged)


def _batch_verdicts(verifier: Any, rows: Sequence[Triple]) -> list[Verdict]:
    try:
        verdicts = list(verifier.verify_batch(rows)) if rows else []
        if len(verdicts) == len(rows) and all(isinstance(verdict, Verdict) for verdict in verdicts):
            return verdicts
    except UnavailableError:
        raise
    except Exception as raised:  # a foreign verifier's, of any kind; its rows are asked about one by one
        if len(rows) == 1:
            return [error("raised", f"{type(raised).__name__}: {raised}")]
    return [row_verdict(verifier, row) for row in rows]


def _by_workers(
    verifier: bytes, items: Iterable[Triple | Verdict], size: int, budget_s: float | None
) -> Iterator[Verdict]:
    there = RowsInWorkers(verifier, Workers(size), budget_s=budget_s)
    try:
        for chunk, verdicts in asked_ahead(
            lambda chunk: there.judge([item for item in chunk if not isinstance(item, Verdict)]),
            _chunks(items, CHUNK_ROWS),
            threads=size,
            stop=there.stop,
        ):
            judged = iter(verdicts)
            for item in chunk:
                yield item if isinstance(item, Verdict) else next(judged)
    finally:
        there.stop()


def _chunks(items: Iterable[Triple | Verdict], size: int) -> Iterator[list[Triple | Verdict]]:
    remaining = iter(items)
    while chunk := list(islice(remaining, size)):
        yield chunk


def _shown(verdicts: Iterator[Verdict], total: int | None) -> Iterator[Verdict]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("verdicts"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("verdicts", total=total)
        for verdict in verdicts:
            bar.advance(task)
            yield verdict


_loop_workers = Workers(2)
