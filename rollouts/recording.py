"""`record`: a reward function that writes down what it was given and what it returned, and changes nothing else.

Two lines in any trainer. What is logged is what the function saw: prompt, response and target before a trainer's own
dump decodes, strips or drops them. The file is read by `rewardgate audit` and by `rollouts.read`.
"""

import inspect
import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from functools import lru_cache, update_wrapper
from itertools import count
from pathlib import Path
from secrets import token_hex
from time import perf_counter, time
from typing import Any, Generic, ParamSpec, TypeVar

from ..errors import ArgumentError
from .appending import Appender
from .formats.native import SCHEMA
from .given import Call, GivenRow, given
from .refusals import clip
from .returned import RewardsOfRow, rewards_returned
from .turns import prompt_digest_id, prompt_identity
from .writing import row_text

__all__ = ["Recorded", "record"]

P = ParamSpec("P")
R = TypeVar("R")

# What `inspect` goes by where it asks whether something is a coroutine function, which hosts do.
_OF_CODE = ("__code__", "__defaults__", "__kwdefaults__")

_log = logging.getLogger(__name__)


def record(
    reward_fn: Callable[P, R], path: str | Path, *, step: Callable[[], int | None] | None = None
) -> "Recorded[P, R]":
    """`reward_fn`, which from now on appends one row for every response that it scores to `path`.

    The rewards are handed on untouched, and nothing that goes wrong with the log reaches the trainer: it is said once,
    as a warning of the logger `rewardgate.rollouts.recording`, and the run goes on. A None or NaN reward is logged as
    null, with what was returned under `meta`; an exception likewise, and raised on. Rows are appended by any number of
    threads and processes; after a kill at most a last line is torn, which reading reports.

    The signature is worked out as `rollouts.given` says: TRL's, verl's, OpenRLHF's or a plain one, sync or async. The
    step is what `step()` says, else TRL's `trainer_state`, else a column of that name. Where the step is not known, the
    rows of one call that share a prompt are a group; without a prompt or its id each row stands alone.

    Args:
        reward_fn: any callable. The result has its name, signature and attributes, and pickles where it does.
        path: JSON lines, made where missing, never truncated. One file for each reward function and each run.
        step: asked at every call for the training step.

    Raises:
        ArgumentError: `reward_fn` is not callable.

    Example:
        >>> import tempfile
        >>> from rewardgate.rollouts import read
        >>> def accuracy(completions, answer, **columns):
        ...     return [float(text == gold) for text, gold in zip(completions, answer)]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = f"{folder}/rollouts.jsonl"
        ...     reward = record(accuracy, path)
        ...     rewards = reward(prompts=["2+2?"] * 2, completions=["4", "5"], answer=["4", "4"])
        ...     [(one.response, one.target, one.reward) for group in read(path) for one in group.rollouts]
        [('4', '4', 1.0), ('5', '4', 0.0)]
        >>> rewards, reward.__name__
        ([1.0, 0.0], 'accuracy')
    """
    if not callable(reward_fn):
        raise ArgumentError(f"reward_fn: expected a callable, got {type(reward_fn).__name__}")
    return Recorded(reward_fn, Path(path).absolute(), step)


class Recorded(Generic[P, R]):
    """What `record` returns: a callable with the name, the signature and the attributes of the function it wraps."""

    __wrapped__: Callable[P, R]
    __name__: str
    __qualname__: str

    def __init__(self, reward_fn: Callable[P, R], path: Path, step: Callable[[], int | None] | None) -> None:
        update_wrapper(self, reward_fn)
        for name in _OF_CODE:
            if hasattr(reward_fn, name):
                setattr(self, name, getattr(reward_fn, name))
        self._name = getattr(reward_fn, "__name__", type(reward_fn).__name__)
        self._parameters = _parameters(reward_fn)
        self._path = path
        self._step = step
        self._appender = Appender(path)
        self._calls = count()
        self._run = token_hex(4)
        self._has_complained = False

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        entry = self._entry(args, kwargs)
        try:
            returned = self.__wrapped__(*args, **kwargs)
        except BaseException as raised:
            self._write_raised(entry, raised)
            raise
        if inspect.isawaitable(returned):
            return self._awaited(entry, returned)  # type: ignore[return-value]
        self._write(entry, returned)
        return returned

    async def _awaited(self, entry: "_Entry | None", returned: Awaitable[Any]) -> Any:
        try:
            value = await returned
        except BaseException as raised:
            self._write_raised(entry, raised)
            raise
        self._write(entry, value)
        return value

    def __reduce__(self) -> str | tuple[Any, ...]:
        # Under the name of the function that it wraps, it pickles as that function would: by name. Not from a script,
        # whose functions Ray ships by value and cannot look up on the other side.
        found: Any = None if self.__module__ == "__main__" else sys.modules.get(self.__module__)
        for part in getattr(self, "__qualname__", "").split("."):
            found = getattr(found, part, None)
        return self.__qualname__ if found is self else (Recorded, (self.__wrapped__, self._path, self._step))

    def _entry(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> "_Entry | None":
        """What the call was given, as JSON already: the function may change its arguments."""
        try:
            call = given(self._parameters, args, kwargs)
            step = None if self._step is None else self._step()
            if step is not None:
                call = Call([row._replace(step=int(step)) for row in call.rows], call.is_batch)
            number = f"{self._run}-{os.getpid()}-{next(self._calls)}"
            return _Entry(_heads(call, number), call.is_batch)
        except Exception as problem:
            self._complain(problem)
            return None

    def _write(self, entry: "_Entry | None", returned: Any) -> None:
        if entry is None:
            return
        try:
            rows = rewards_returned(returned, len(entry.heads), is_batch=entry.is_batch, name=self._name)
            self._append(entry, rows, {})
        except Exception as problem:
            self._complain(problem)

    def _write_raised(self, entry: "_Entry | None", raised: BaseException) -> None:
        if entry is None:
            return
        try:
            row = RewardsOfRow({self._name: None}, self._name)
            self._append(entry, [row] * len(entry.heads), {"raised": clip(f"{type(raised).__name__}: {raised}")})
        except Exception as problem:
            self._complain(problem)

    def _append(self, entry: "_Entry", rows: list[RewardsOfRow], meta: dict[str, Any]) -> None:
        now, seconds, process = round(time(), 3), round(perf_counter() - entry.started, 6), os.getpid()
        for head, row in zip(entry.heads, rows, strict=True):
            told = {"returned": row.returned} if row.returned is not None else {}
            tail = row_text(
                {
                    "rewards": row.rewards,
                    "reward_name": row.reward_name,
                    "meta": {"time": now, "seconds": seconds, "process": process, **meta, **told},
                }
            )
            self._appender.append(f"{head[:-1]}, {tail[1:]}".encode("ascii"))

    def _complain(self, problem: Exception) -> None:
        if self._has_complained:
            return
        self._has_complained = True
        reason = getattr(problem, "strerror", None) or f"{type(problem).__name__}: {problem}"
        _log.warning("%s: expected to log the rewards of %s, got: %s; the run goes on", self._path, self._name, reason)


class _Entry:
    """One call that was begun: what stands in its rows already, and when it began."""

    __slots__ = ("heads", "is_batch", "started")

    def __init__(self, heads: list[str], is_batch: bool) -> None:
        self.heads = heads
        self.is_batch = is_batch
        self.started = perf_counter()


def _heads(call: Call, number: str) -> list[str]:
    """The first half of each row: an object that is not empty."""
    ids = [row.prompt_id or _prompt_id(row) for row in call.rows]
    shares_prompts = len(set(ids)) < len(ids)
    heads = []
    for place, (row, prompt_id) in enumerate(zip(call.rows, ids, strict=True)):
        group = row.group
        if group is None and row.step is None and shares_prompts:
            group = number
        head = {
            "schema": SCHEMA,
            "group_id": group,
            "prompt_id": prompt_id or f"row-{number}-{place}",
            "step": row.step,
            "prompt": row.prompt,
            "response": row.response,
            "target": row.target,
            "n_tokens": row.n_tokens,
        }
        known = {key: value for key, value in head.items() if value is not None or key in ("response", "target")}
        heads.append(_json(known))
    return heads


def _prompt_id(row: GivenRow) -> str | None:
    if isinstance(row.prompt, str):
        return _id_of_text(row.prompt)
    return None if row.prompt is None else prompt_digest_id(prompt_identity(row.prompt))


@lru_cache(maxsize=256)
def _id_of_text(prompt: str) -> str:
    """Of a prompt that comes once for each rollout of its group."""
    return prompt_digest_id(prompt_identity(prompt))


def _json(row: dict[str, Any]) -> str:
    try:
        return row_text(row)
    except TypeError:  # something in a message or a specification that JSON does not know
        return row_text(json.loads(json.dumps(row, default=_as_json)))


def _as_json(value: Any) -> Any:
    to_list = getattr(value, "tolist", None)
    return to_list() if callable(to_list) else str(value)


def _parameters(reward_fn: Callable[..., Any]) -> tuple[str, ...]:
    """Names of its parameters in order; none where it does not tell."""
    try:
        parameters = inspect.signature(reward_fn).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(one.name for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD))
