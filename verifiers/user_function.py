"""What runs inside the worker for a user's own reward function: finding it, reading its signature, calling it.

Imported by the worker only; `functions` holds the caller's side. Everything that comes back is plain data.
"""

import asyncio
import importlib
import importlib.util
import inspect
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

TARGET_NAMES = (
    "solution", "answer", "target", "ground_truth", "gold", "gold_answer", "reference", "label", "expected", "gt",
)  # fmt: skip
RESPONSE_NAMES = ("completion", "response", "output", "prediction", "pred", "solution_str", "text", "generation")
PROMPT_NAMES = ("prompt", "question", "problem", "query")


class _Found(NamedTuple):
    function: Callable[..., Any]
    signature: str  # "trl", "verl", "verifier" or "plain"
    told: str
    parameters: Mapping[str, inspect.Parameter]


def describe(spec: str) -> dict[str, str]:
    """How the function behind `spec` will be called.

    Raises:
        TypeError: its parameters are of none of the known shapes; the message says which it has.
    """
    found = _find(spec)
    return {"signature": found.signature, "told": found.told}


def judge_rows(spec: str, rows: list[tuple[Any, Any, Any]]) -> list[dict[str, Any]]:
    """One result a row of (completion, target, prompt): `{"reward": float | None, "rule", "detail"}`.

    A row whose call raises says so in its own result; a batch function that raises is asked again row by
    row, so that one row never costs another.
    """
    found = _find(spec)
    if found.signature != "trl":
        return [_result(lambda row=row: _call_one(found, *row)) for row in rows]
    try:
        rewards = _call_trl(found, rows)
    except Exception as error:
        if len(rows) == 1:
            return [_raised(error)]
        return [judge_rows(spec, [row])[0] for row in rows]
    return [_result(lambda reward=reward: reward) for reward in rewards]


@lru_cache(maxsize=8)
def _find(spec: str) -> _Found:
    place, _, attribute = spec.rpartition(":")
    function: Any = _module(place)
    for name in attribute.split("."):
        function = getattr(function, name)
    if inspect.isclass(function):
        function = function()
    if hasattr(function, "verify") and not inspect.isfunction(function):
        return _Found(function.verify, "verifier", "a verifier: verify(completion, target, prompt=…)", {})
    parameters = inspect.signature(function).parameters
    names = list(parameters)
    if "completions" in parameters:
        return _Found(function, "trl", f"TRL's shape: {attribute}({', '.join(names)}), in batches", parameters)
    if "solution_str" in parameters:
        return _Found(
            function, "verl", f"verl's shape: {attribute}({', '.join(names)}), one response a call", parameters
        )
    positional = [
        name
        for name, parameter in parameters.items()
        if parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    ]
    if len(positional) < 2:
        raise TypeError(
            f"{attribute}: expected (completions, **columns), (data_source, solution_str, ground_truth, extra_info) "
            f"or (completion, target), got ({', '.join(names)})"
        )
    swapped = positional[0] in TARGET_NAMES and positional[1] in RESPONSE_NAMES
    order = "target, completion" if swapped else "completion, target"
    return _Found(function, "plain", f"a plain shape: {attribute}({order}), one response a call", parameters)


def _module(place: str) -> Any:
    if not place.endswith(".py"):
        return importlib.import_module(place)
    path = Path(place).resolve()
    if not path.is_file():
        raise FileNotFoundError(f"no file {place}")
    sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{place} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _call_trl(found: _Found, rows: Sequence[tuple[Any, Any, Any]]) -> list[Any]:
    completions = [completion for completion, _, _ in rows]
    try:
        return _trl_rewards(found, rows, completions)
    except (TypeError, KeyError, IndexError, AttributeError):
        if not all(isinstance(completion, str) for completion in completions):
            raise
        # Written for conversations: hand the same text over as a chat completion.
        chats = [[{"role": "assistant", "content": completion}] for completion in completions]
        return _trl_rewards(found, rows, chats)


def _trl_rewards(found: _Found, rows: Sequence[tuple[Any, Any, Any]], completions: list[Any]) -> list[Any]:
    targets = [target for _, target, _ in rows]
    columns = {
        "prompts": ["" if prompt is None else prompt for _, _, prompt in rows],
        "completions": completions,
        "completion_ids": [[] for _ in rows],
        "trainer_state": None,
        "log_extra": _ignore,
        "log_metric": _ignore,
        **dict.fromkeys(TARGET_NAMES, targets),
    }
    takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in found.parameters.values())
    passed = columns if takes_all else {name: columns[name] for name in found.parameters if name in columns}
    returned = _awaited(found.function(**passed))
    rewards = list(returned.tolist() if hasattr(returned, "tolist") else returned)
    if len(rewards) != len(rows):
        raise ValueError(f"returned {len(rewards)} rewards for {len(rows)} completions")
    return rewards


def _call_one(found: _Found, completion: Any, target: Any, prompt: Any) -> Any:
    if found.signature == "verifier":
        verdict = found.function(completion, target, prompt=prompt)
        return getattr(verdict, "reward", verdict)
    text = completion if isinstance(completion, str) else _last_text(completion)
    if found.signature == "verl":
        offered = {"data_source": "", "solution_str": text, "ground_truth": target, "extra_info": {}}
        takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in found.parameters.values())
        passed = {name: value for name, value in offered.items() if takes_all or name in found.parameters}
        return _awaited(found.function(**passed))
    first, second = list(found.parameters)[:2]
    swapped = first in TARGET_NAMES and second in RESPONSE_NAMES
    keywords = {name: prompt for name in PROMPT_NAMES if name in list(found.parameters)[2:]}
    arguments = (target, text) if swapped else (text, target)
    return _awaited(found.function(*arguments, **keywords))


def _result(call: Callable[[], Any]) -> dict[str, Any]:
    try:
        returned = call()
        if isinstance(returned, Mapping):
            if "score" not in returned:
                raise TypeError(f'returned a mapping without "score": {sorted(map(str, returned))[:5]}')
            returned = returned["score"]
        if returned is None:
            return {"reward": None, "rule": "returned_none", "detail": "the function returned None"}
        reward = float(returned)
    except Exception as error:
        return _raised(error)
    if not math.isfinite(reward):
        return {"reward": None, "rule": "returned_nan", "detail": f"the function returned {reward}"}
    return {"reward": reward, "rule": "returned", "detail": f"the function returned {reward:g}"}


def _raised(error: Exception) -> dict[str, Any]:
    return {"reward": None, "rule": "raised", "detail": f"{type(error).__name__}: {str(error)[:500]}"}


def _awaited(value: Any) -> Any:
    if not inspect.isawaitable(value):
        return value

    async def outcome() -> Any:
        return await value

    return asyncio.run(outcome())


def _last_text(messages: Any) -> str:
    from ..rollouts.messages import completion_text

    return completion_text(messages)


def _ignore(*_: Any, **__: Any) -> None:
    """TRL's loggers: nothing is logged here."""


os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
