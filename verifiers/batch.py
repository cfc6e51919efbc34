"""Many verdicts: aligned with their rows, in bounded memory, and no row ever costs another.

`iter_verdicts` for loops, `verify_many` for lists, `averify` for event loops.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from time import perf_counter
from typing import Any, Protocol, runtime_checkable

from ..errors import ArgumentError, WorkerDiedError, WorkerError, WorkerTimeoutError
from ..rollouts.messages import Completion, Prompt, completion_text
from .base import Outcome, Target, Verdict, Verifier
from .isolation import Workers

CHUNK_ROWS = 16
"""Rows that go to a worker together: enough to hide the cost of the trip, few enough to run again singly."""

INLINE_CHARACTERS = 2_000
"""`averify` judges shorter texts in a thread. Longer ones could hold the interpreter's lock for milliseconds,
so they go to a worker process."""

_UNBOUNDED_S = 365 * 24 * 3600.0


@runtime_checkable
class RolloutLike(Protocol):
    """What a row may be besides a tuple; `rollouts.Rollout` is one."""

    @property
    def response(self) -> Completion | None: ...
    @property
    def target(self) -> Target | None: ...
    @property
    def prompt(self) -> Prompt | None: ...


Row = tuple[Completion | None, Target | None] | tuple[Completion | None, Target | None, Prompt | None] | RolloutLike
_Triple = tuple[Completion | None, Target | None, Prompt | None]


def iter_verdicts(
    verifier: Verifier, rows: Iterable[Row], *, workers: int = 0, budget_s: float | None = None, progress: bool = False
) -> Iterator[Verdict]:
    """One verdict a row, in the rows' order.

    A row without a response is ERROR (rule `no_response`), one without a target BAD_TARGET (`no_target`);
    a verifier that raises gives ERROR (`raised`). All three leave the reward None.

    Args:
        verifier: one with a `verify_batch` of its own (a user's function in its workers) is asked in
            batches; any other is asked row by row.
        rows: (completion, target), (completion, target, prompt) or objects with `response`, `target` and
            `prompt`; consumed lazily, a few hundred ahead at most.
        workers: 0 judges in this process, which our own verifiers are made for: they bound themselves. Any
            more judge in as many killable processes; `verifier` must pickle (dill).
        budget_s: seconds that one row may take; needs a killable process, so it sets `workers` to at least
            1. A row that runs past it is BUDGET: reward 0, or None if its target alone runs past it too.
        progress: show a bar on stderr.

    Raises:
        ArgumentError: `workers` is negative or `budget_s` is not positive.

    Example:
        >>> import rewardgate.verifiers as verifiers
        >>> [verdict.reward for verdict in iter_verdicts(verifiers.get("math"), [("4", "4"), ("5", "4"), ("4", None)])]
        [1.0, 0.0, None]
    """
    if workers < 0:
        raise ArgumentError(f"workers: expected 0 or more, got {workers}")
    if budget_s is not None and not budget_s > 0:
        raise ArgumentError(f"budget_s: expected a positive number of seconds, got {budget_s}")
    triples = (_triple(row) for row in rows)
    if hasattr(verifier, "verify_batch"):
        verdicts = _by_batch(verifier, triples)
    elif workers == 0 and budget_s is None:
        verdicts = (_judged(verifier, triple) for triple in triples)
    else:
        verdicts = _by_workers(verifier, triples, max(1, workers), budget_s)
    return _shown(verdicts) if progress else verdicts


def verify_many(
    verifier: Verifier, rows: Iterable[Row], *, workers: int = 0, budget_s: float | None = None, progress: bool = False
) -> list[Verdict]:
    """`iter_verdicts`, as a list."""
    return list(iter_verdicts(verifier, rows, workers=workers, budget_s=budget_s, progress=progress))


async def averify(
    verifier: Verifier, completion: Completion, target: Target, *, prompt: Prompt | None = None
) -> Verdict:
    """A verdict asked from an event loop, which goes on meanwhile.

    A short text is judged in a thread; a long one in a worker process, since a thread that computes holds
    the interpreter's lock and would stall the loop.
    """
    triple = (completion, target, prompt)
    is_short = len(completion_text(completion)) + len(target if isinstance(target, str) else "") <= INLINE_CHARACTERS
    if is_short or getattr(verifier, "runs_in_workers", False):
        return await asyncio.to_thread(_judged, verifier, triple)
    verdicts = await asyncio.to_thread(_ask, _loop_workers, verifier, [triple], None)
    return verdicts[0]


def judge_rows(verifier: Verifier, triples: Sequence[_Triple]) -> list[dict[str, Any]]:
    """Verdicts as plain data; what `iter_verdicts` runs inside a worker."""
    return [_plain(_judged(verifier, triple)) for triple in triples]


def _triple(row: Row) -> _Triple:
    if isinstance(row, tuple):
        return (row[0], row[1], row[2] if len(row) > 2 else None)
    return (row.response, row.target, row.prompt)


def _judged(verifier: Verifier, triple: _Triple) -> Verdict:
    completion, target, prompt = triple
    if (unusable := _unusable(triple)) is not None:
        return unusable
    assert completion is not None
    assert target is not None
    started = perf_counter()
    try:
        return verifier.verify(completion, target, prompt=prompt)
    except Exception as error:
        return _error("raised", f"{type(error).__name__}: {str(error)[:500]}", perf_counter() - started)


def _unusable(triple: _Triple) -> Verdict | None:
    if triple[1] is None:
        return Verdict(Outcome.BAD_TARGET, None, rule="no_target", detail="the row has no target")
    if triple[0] is None:
        return _error("no_response", "the row has no response")
    return None


def _error(rule: str, detail: str, seconds: float = 0.0) -> Verdict:
    return Verdict(Outcome.ERROR, None, rule=rule, detail=detail, seconds=seconds)


def _by_batch(verifier: Any, triples: Iterable[_Triple]) -> Iterator[Verdict]:
    remaining = iter(triples)
    while chunk := list(islice(remaining, CHUNK_ROWS * 16)):
        usable = [triple for triple in chunk if _unusable(triple) is None]
        judged = iter(verifier.verify_batch(usable) if usable else [])
        for triple in chunk:
            yield _unusable(triple) or next(judged)


def _by_workers(verifier: Verifier, triples: Iterable[_Triple], size: int, budget_s: float | None) -> Iterator[Verdict]:
    remaining = iter(triples)
    pending: deque[Future[list[Verdict]]] = deque()
    with Workers(size) as workers, ThreadPoolExecutor(size) as threads:
        while True:
            while len(pending) < 2 * size and (chunk := list(islice(remaining, CHUNK_ROWS))):
                pending.append(threads.submit(_ask, workers, verifier, chunk, budget_s))
            if not pending:
                return
            yield from pending.popleft().result()


def _ask(workers: Workers, verifier: Verifier, chunk: Sequence[_Triple], budget_s: float | None) -> list[Verdict]:
    started = perf_counter()
    timeout_s = _UNBOUNDED_S if budget_s is None else budget_s * len(chunk)
    try:
        return [_verdict(data) for data in workers.call(judge_rows, verifier, chunk, timeout_s=timeout_s)]
    except WorkerError as error:
        if len(chunk) > 1:
            return [verdict for triple in chunk for verdict in _ask(workers, verifier, [triple], budget_s)]
        return [_after_failure(workers, verifier, chunk[0], budget_s, error, perf_counter() - started)]


def _after_failure(
    workers: Workers,
    verifier: Verifier,
    triple: _Triple,
    budget_s: float | None,
    error: WorkerError,
    seconds: float,
) -> Verdict:
    """The verdict on the one row that failed its worker: whose fault was it?"""
    if isinstance(error, WorkerTimeoutError):
        target = triple[1]
        reward = None
        # The target is the completion here: if it alone is affordable, the completion is at fault.
        if isinstance(target, str) and _is_affordable(workers, verifier, (target, target, triple[2]), budget_s):
            reward = 0.0
        return Verdict(Outcome.BUDGET, reward, rule="timed_out", detail=str(error), seconds=seconds)
    if isinstance(error, WorkerDiedError):
        # Somebody else may have killed it (the kernel, short of memory); once more, then it is the row.
        try:
            return _verdict(workers.call(judge_rows, verifier, [triple], timeout_s=budget_s or _UNBOUNDED_S)[0])
        except WorkerError as again:
            return _error("crashed", str(again), seconds)
    return _error("raised", str(error), seconds)


def _is_affordable(workers: Workers, verifier: Verifier, triple: _Triple, budget_s: float | None) -> bool:
    try:
        workers.call(judge_rows, verifier, [triple], timeout_s=budget_s or _UNBOUNDED_S)
    except WorkerError:
        return False
    return True


def _plain(verdict: Verdict) -> dict[str, Any]:
    span = None if verdict.span is None else list(verdict.span)
    return {
        "outcome": verdict.outcome.value,
        "reward": verdict.reward,
        "extracted": verdict.extracted,
        "span": span,
        "rule": verdict.rule,
        "detail": verdict.detail,
        "seconds": verdict.seconds,
    }


def _verdict(data: dict[str, Any]) -> Verdict:
    verdict = Verdict(**{**data, "outcome": Outcome(data["outcome"])})
    return verdict if verdict.span is None else replace(verdict, span=(verdict.span[0], verdict.span[1]))


def _shown(verdicts: Iterator[Verdict]) -> Iterator[Verdict]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("verdicts"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("verdicts", total=None)
        for verdict in verdicts:
            bar.advance(task)
            yield verdict


_loop_workers = Workers(2)
