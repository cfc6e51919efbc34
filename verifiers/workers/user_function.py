"""What runs inside the worker for a user's own reward function: finding it, reading its signature, calling it.

`functions` holds the caller's side. Everything that goes back is a verdict as plain data.
"""

import inspect
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import Any

from ...errors import UnavailableError
from ...rollouts.messages import completion_text
from ..base import Outcome, Verdict
from ..rows import Triple, error, plain_verdict
from .user_code import named_object
from .user_signature import TARGET_NAMES, Signature, read_signature

__all__ = ["UserFunction", "describe", "judge_rows", "verdicts"]


@dataclass(slots=True)
class UserFunction:
    """A reward function and how it is called; it remembers which form of completions it took."""

    function: Any
    signature: Signature
    form: str | None = field(default=None)  # the form of completions that a TRL function took: "text" or "chat"


def describe(spec: str) -> dict[str, str]:
    """How the function behind `spec` will be called.

    Raises:
        TypeError: its parameters are of none of the known shapes; the message says which it has.
    """
    found = _find(spec)
    return {"signature": found.signature.shape, "told": found.signature.told}


def judge_rows(spec: str, rows: Sequence[Triple], correct_at: float) -> list[dict[str, Any]]:
    """`verdicts` of the function behind `spec`, as plain data."""
    return [plain_verdict(verdict) for verdict in verdicts(_find(spec), rows, correct_at)]


def verdicts(found: UserFunction, rows: Sequence[Triple], correct_at: float) -> list[Verdict]:
    """One verdict a row.

    A row whose call raises says so in its own verdict; a batch function that raises is asked again row by
    row, so that one row never costs another.

    Raises:
        UnavailableError: the function's, which holds for every row.
    """
    if found.signature.shape == "trl":
        return _batch_verdicts(found, rows, correct_at)
    return [_verdict(lambda row=row: _single(found, row), correct_at) for row in rows]


@lru_cache(maxsize=8)
def _find(spec: str) -> UserFunction:
    function = named_object(spec)
    if inspect.isclass(function):
        function = function()
    return UserFunction(function, read_signature(function, spec.rpartition(":")[2]))


def _single(found: UserFunction, row: Triple) -> Any:
    completion, target, prompt = row
    if found.signature.shape == "verifier":
        return _awaited(found.function.verify(completion, target, prompt=prompt))
    values = {
        "completion": completion_text(completion or ""),
        "target": target,
        "prompt": prompt,
        "data_source": "",
        "extra_info": {},
    }
    positional = [values[role] for name, role in found.signature.roles if name in found.signature.positional_only]
    named = {name: values[role] for name, role in found.signature.roles if name not in found.signature.positional_only}
    return _awaited(found.function(*positional, **named))


def _batch_verdicts(found: UserFunction, rows: Sequence[Triple], correct_at: float) -> list[Verdict]:
    started = perf_counter()
    try:
        rewards = _batch(found, rows)
    except UnavailableError:
        raise
    except Exception as raised:
        if len(rows) == 1:
            return [_raised(raised, perf_counter() - started)]
        return [verdict for row in rows for verdict in _batch_verdicts(found, [row], correct_at)]
    seconds = (perf_counter() - started) / len(rows)
    return [_verdict(lambda reward=reward: reward, correct_at, seconds) for reward in rewards]


def _batch(found: UserFunction, rows: Sequence[Triple]) -> list[Any]:
    """The rewards of a TRL function, given texts or chat messages: whichever it takes, the rows' own form first."""
    if found.form is not None:
        return _rewards(found, rows, found.form)
    are_chats = all(not isinstance(completion, str) for completion, _, _ in rows)
    failures = []
    for form in ("chat", "text") if are_chats else ("text", "chat"):
        try:
            rewards = _rewards(found, rows, form)
        except (TypeError, KeyError, IndexError, AttributeError) as failure:
            failures.append((form, failure))
        else:
            found.form = form
            return rewards
    told = "; ".join(f"given {form}: {type(failure).__name__}: {failure}" for form, failure in failures)
    raise TypeError(told)


def _rewards(found: UserFunction, rows: Sequence[Triple], form: str) -> list[Any]:
    targets = [target for _, target, _ in rows]
    prompts = [_in_form(prompt or "", form, role="user") for _, _, prompt in rows]
    columns: dict[str, Any] = {
        "prompts": prompts,
        "completions": [_in_form(completion or "", form, role="assistant") for completion, _, _ in rows],
        "completion_ids": [[] for _ in rows],
        "trainer_state": None,
        "log_extra": _ignore,
        "log_metric": _ignore,
        **dict.fromkeys(TARGET_NAMES, targets),
    }
    roles = {"target": targets, "prompt": prompts}
    named = {name: columns[name] if role == "column" else roles[role] for name, role in found.signature.roles}
    returned = _awaited(found.function(**({**columns, **named} if found.signature.takes_all else named)))
    rewards = list(returned.tolist() if hasattr(returned, "tolist") else returned)
    if len(rewards) != len(rows):
        raise ValueError(f"returned {len(rewards)} rewards for {len(rows)} completions")
    return rewards


def _in_form(text: Any, form: str, *, role: str) -> Any:
    if form == "chat":
        return [{"role": role, "content": text}] if isinstance(text, str) else list(text)
    if isinstance(text, str):
        return text
    return completion_text([{**message, "role": "assistant"} for message in text] if role == "user" else text)


def _verdict(call: Callable[[], Any], correct_at: float, seconds: float | None = None) -> Verdict:
    started = perf_counter()
    try:
        returned = call()
        if isinstance(returned, Verdict):
            return returned
        if isinstance(returned, Mapping):
            if "score" not in returned:
                raise TypeError(f'returned a mapping without "score": {sorted(map(str, returned))[:5]}')
            returned = returned["score"]
        if isinstance(returned, str | bytes):
            raise TypeError(f"returned {returned[:80]!r}, not a number")
        reward = None if returned is None else float(returned)
    except UnavailableError:
        raise
    except Exception as raised:
        return _raised(raised, perf_counter() - started)
    spent = perf_counter() - started if seconds is None else seconds
    if reward is None:
        return error("returned_none", "the function returned None", spent)
    detail = f"the function returned {reward:g}"
    if not math.isfinite(reward):
        return error("returned_nan", detail, spent)
    # Where right is worth more than 1, parts of it are parts of 1: a reward of 1 means correct.
    scaled = reward / max(correct_at, 1.0)
    if reward >= correct_at:
        return Verdict(Outcome.CORRECT, 1.0, rule="returned", detail=detail, seconds=spent)
    return Verdict(Outcome.INCORRECT, scaled, rule="returned", detail=detail, seconds=spent)


def _raised(raised: Exception, seconds: float) -> Verdict:
    return error("raised", f"{type(raised).__name__}: {raised}", seconds)


def _awaited(value: Any) -> Any:
    if not inspect.isawaitable(value):
        return value
    outcome = _outcome(value)
    try:
        return _loop().run(outcome)
    finally:
        # Inside a running loop neither was begun: left to the collector, each would warn that it was never awaited.
        for one in (outcome, value):
            if inspect.iscoroutine(one):
                one.close()


async def _outcome(value: Awaitable[Any]) -> Any:
    return await value


@lru_cache(maxsize=1)
def _loop() -> Any:
    """One event loop for the worker's life: clients that a function keeps between calls belong to their loop."""
    import asyncio

    return asyncio.Runner()


def _ignore(*_: Any, **__: Any) -> None:
    """TRL's loggers: nothing is logged here."""
