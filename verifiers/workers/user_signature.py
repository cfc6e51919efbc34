"""Which shape a user's reward function has, and what each of its parameters is given.

Names decide where they are known; position decides where they are not. A shape that would have to be guessed
is refused: a function called with its arguments swapped returns plausible numbers.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["TARGET_NAMES", "Signature", "read_signature"]

# `answer` and `solution` each name the model's text in some code and the target in other.
_SURE_TARGET_NAMES = (
    "target", "ground_truth", "gold", "gold_answer", "reference", "reference_answer", "label", "expected", "gt",
)  # fmt: skip
TARGET_NAMES = ("solution", "answer", *_SURE_TARGET_NAMES)
_COMPLETION_NAMES = (
    "completion", "response", "output", "prediction", "pred", "predicted", "solution_str", "generation", "model_output",
)  # fmt: skip
_PROMPT_NAMES = ("prompt", "question", "problem", "query", "prompt_str")
_TRL_COLUMNS = ("prompts", "completions", "completion_ids", "trainer_state", "log_extra", "log_metric", *TARGET_NAMES)
_VERL_NAMES = {
    "data_source": "data_source", "solution_str": "completion", "ground_truth": "target", "extra_info": "extra_info",
}  # fmt: skip

_SHAPES = "(completions, **columns), (data_source, solution_str, ground_truth, extra_info) or (completion, target)"


@dataclass(frozen=True, slots=True)
class Signature:
    """How to call a function.

    Args:
        shape: `"trl"` (batches), `"verl"`, `"plain"` (one response a call) or `"verifier"`.
        told: one sentence for a person.
        roles: each parameter that is given something, and what.
        positional_only: those among them that cannot be given by name.
        takes_all: whether it has `**kwargs`.
    """

    shape: str
    told: str
    roles: tuple[tuple[str, str], ...] = ()
    positional_only: frozenset[str] = frozenset()
    takes_all: bool = False


def read_signature(function: Any, name: str) -> Signature:
    """The signature of a callable, or of an object with `verify`.

    Raises:
        TypeError: it has none of the known shapes.

    Example:
        >>> def reward(gold, response, strict=True): ...
        >>> read_signature(reward, "reward").told
        'a plain shape, one response a call: reward(gold=target, response=completion)'
    """
    if hasattr(function, "verify") and not inspect.isfunction(function):
        return Signature("verifier", f"a verifier: {name}.verify(completion, target, prompt=…)")
    if not callable(function):
        raise TypeError(f"{name}: expected a function, got {type(function).__name__}")
    parameters = inspect.signature(function).parameters
    if "completions" in parameters:
        shape, roles = "trl", _trl_roles(parameters, name)
        told = f"TRL's shape, in batches: {name}({_shown(roles)})"
    elif "solution_str" in parameters and "ground_truth" in parameters:
        shape, roles = "verl", _verl_roles(parameters, name)
        told = f"verl's shape, one response a call: {name}({_shown(roles)})"
    else:
        shape, roles = "plain", _plain_roles(parameters, name)
        told = f"a plain shape, one response a call: {name}({_shown(roles)})"
    by_position = frozenset(key for key, value in parameters.items() if value.kind is value.POSITIONAL_ONLY)
    takes_all = any(value.kind is value.VAR_KEYWORD for value in parameters.values())
    return Signature(shape, told, tuple(roles.items()), by_position, takes_all)


def _trl_roles(parameters: Mapping[str, inspect.Parameter], name: str) -> dict[str, str]:
    roles = {key: "column" for key in parameters if key in _TRL_COLUMNS}
    roles |= {key: "prompt" for key in parameters if key in _PROMPT_NAMES}
    missing = [key for key in _required(parameters) if key not in roles]
    # One column of an unknown name, where no other holds the target: that is the target.
    if len(missing) == 1 and not roles.keys() & set(TARGET_NAMES):
        roles[missing.pop()] = "target"
    return _complete(roles, missing, parameters, name)


def _verl_roles(parameters: Mapping[str, inspect.Parameter], name: str) -> dict[str, str]:
    roles = {key: role for key, role in _VERL_NAMES.items() if key in parameters or _has_all(parameters)}
    roles |= {key: "prompt" for key in parameters if key in _PROMPT_NAMES}
    return _complete(roles, [key for key in _required(parameters) if key not in roles], parameters, name)


def _plain_roles(parameters: Mapping[str, inspect.Parameter], name: str) -> dict[str, str]:
    usable = [key for key, value in parameters.items() if value.kind not in (value.VAR_POSITIONAL, value.VAR_KEYWORD)]
    if any(key in parameters for key in ("queries", "prompts", "labels")):
        raise _unknown(parameters, name)
    prompts = [key for key in usable if key in _PROMPT_NAMES]
    # Options with a default are the function's own business, unless they are named for what we have.
    known = {*_COMPLETION_NAMES, *TARGET_NAMES}
    free = [key for key in usable if key not in prompts and (key in known or not _is_optional(parameters[key]))]
    if len(free) < 2:
        free = [key for key in usable if key not in prompts][:2]
    if len(free) < 2:
        raise _unknown(parameters, name)
    completion = (
        next((key for key in free if key in _COMPLETION_NAMES), None)
        or next((key for key in free if key not in TARGET_NAMES), None)
        or next((key for key in free if key not in _SURE_TARGET_NAMES), None)
        or free[0]
    )
    others = [key for key in free if key != completion]
    target = next((key for key in others if key in TARGET_NAMES), others[0])
    roles = dict.fromkeys(prompts, "prompt") | {completion: "completion", target: "target"}
    roles = {key: roles[key] for key in usable if key in roles}
    return _complete(roles, [key for key in _required(parameters) if key not in roles], parameters, name)


def _complete(
    roles: dict[str, str], missing: list[str], parameters: Mapping[str, inspect.Parameter], name: str
) -> dict[str, str]:
    if missing:
        raise TypeError(f"{name}: nothing is known to give for {', '.join(missing)} of ({', '.join(parameters)})")
    return roles


def _unknown(parameters: Mapping[str, inspect.Parameter], name: str) -> TypeError:
    return TypeError(f"{name}: expected {_SHAPES}, got ({', '.join(parameters)})")


def _required(parameters: Mapping[str, inspect.Parameter]) -> list[str]:
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [key for key, value in parameters.items() if value.kind not in variable and not _is_optional(value)]


def _is_optional(parameter: inspect.Parameter) -> bool:
    return parameter.default is not inspect.Parameter.empty


def _has_all(parameters: Mapping[str, inspect.Parameter]) -> bool:
    return any(value.kind is value.VAR_KEYWORD for value in parameters.values())


def _shown(roles: Mapping[str, str]) -> str:
    return ", ".join(key if role in ("column", key) else f"{key}={role}" for key, role in roles.items())
