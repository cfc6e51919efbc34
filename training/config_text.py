"""A run's configuration as TOML: read, changed from the command line, and written whole.

TOML has no null: `"none"` says it of what may be None.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from types import NoneType
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from ..errors import ArgumentError, InputError, RewardgateError
from ..rollouts.refusals import clip
from .config import RunConfig

__all__ = ["config_of", "config_text", "read_config"]

_TOLD_ELSEWHERE = {"update": {"loss": "loss", "temperature": "sampling.temperature", "seed": "seed"}}
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def read_config(path: str | Path, changes: Iterable[str] = ()) -> RunConfig:
    """The configuration of a file, with `section.name=value` changes; paths in it are seen from the current folder.

    Raises:
        InputError: no such file, no TOML, an unknown name, or a value outside its range: `run.toml: sampling.groups:
            expected …, got …`.
        ArgumentError: a change that is not `name=value`.
    """
    try:
        written = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: expected a readable file, got: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: expected TOML, got: {error}") from error
    for change in changes:
        _set(written, change)
    try:
        return config_of(written)
    except RewardgateError as error:
        raise InputError(f"{path}: {error}") from error


def config_of(values: Mapping[str, Any]) -> RunConfig:
    """The configuration of nested plain values.

    Raises:
        ArgumentError: an unknown name, with the nearest known one, or a value outside its range.

    Example:
        >>> config_of({"folder": "run", "sampling": {"grops": 4}})
        Traceback (most recent call last):
            ...
        rewardgate.errors.ArgumentError: sampling.grops: expected a name of this section, got an unknown one; \
did you mean groups?
    """
    cleaned = _known(RunConfig, values, ())
    try:
        return RunConfig.model_validate(cleaned)
    except ValidationError as error:
        raise ArgumentError("; ".join(map(_told, error.errors(include_url=False)))) from None


def config_text(config: RunConfig) -> str:
    """TOML that `read_config` makes the same of, with every option in it.

    Example:
        >>> config = RunConfig(folder="run", steps=3, model={"path": "policy"}, data={"prompts": "prompts.jsonl"})
        >>> config_text(config).splitlines()[:3]
        ['folder = "run"', 'steps = 3', 'seed = 0']
    """
    values = config.model_dump(mode="json")
    for section, names in _TOLD_ELSEWHERE.items():
        values[section] = {name: value for name, value in values[section].items() if name not in names}
    plain = {name: value for name, value in values.items() if not isinstance(value, dict)}  # sections come last
    parts = [_lines(plain)]
    parts += [f"[{name}]\n{_lines(value)}" for name, value in values.items() if isinstance(value, dict)]
    return "\n".join(parts)


def _set(values: dict[str, Any], change: str) -> None:
    name, equals, text = change.partition("=")
    *sections, last = name.strip().split(".")
    if not equals or not all(_BARE.fullmatch(part) for part in (*sections, last)):
        raise ArgumentError(f"{change!r}: expected name=value, such as sampling.groups=8")
    for section in sections:
        values = values.setdefault(section, {})
        if not isinstance(values, dict):
            raise ArgumentError(f"{name}: expected a section called {section}, got a value of that name")
    try:
        values[last] = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        values[last] = text


def _known(kind: Any, values: Mapping[str, Any], place: tuple[str, ...]) -> dict[str, Any]:
    """`values` of a section, "none" read; refuses what the section does not have."""
    annotations = _annotations(kind)
    elsewhere = _TOLD_ELSEWHERE.get(".".join(place), {})
    known = [name for name in annotations if name not in elsewhere]
    cleaned: dict[str, Any] = {}
    for name, value in values.items():
        at = ".".join((*place, name))
        if name in elsewhere:
            raise ArgumentError(f"{at}: expected it as {elsewhere[name]}, got it here")
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
            raise ArgumentError(f"{at}: expected a name of this section, got an unknown one; {hint}")
        section = _section(annotations[name])
        if value == "none" and NoneType in get_args(annotations[name]):
            cleaned[name] = None
        elif section is None:
            cleaned[name] = value
        elif isinstance(value, Mapping):
            cleaned[name] = _known(section, value, (*place, name))
        else:
            raise ArgumentError(f"{at}: expected a section, got {clip(value)}")
    return cleaned


def _annotations(kind: Any) -> dict[str, Any]:
    if is_dataclass(kind):
        return {entry.name: entry.type for entry in fields(kind)}
    return {name: entry.annotation for name, entry in kind.model_fields.items()}


def _section(annotation: Any) -> Any:
    """The kind of section that a field is, where it is one."""
    for kind in (annotation, *get_args(annotation)):
        if isinstance(kind, type) and (is_dataclass(kind) or issubclass(kind, BaseModel)):
            return kind
    return None


def _told(error: Any) -> str:
    place, message = ".".join(map(str, error["loc"])), error["msg"]
    if error["type"] == "value_error":  # a check of our own, which names what it is about
        own = message.removeprefix("Value error, ")
        return f"{place}.{own}" if place else own
    if error["type"] in ("missing", "missing_argument"):
        return f"{place}: expected a value, got none"
    rule = message.removeprefix("Input should be ").removeprefix("Value should be ")
    for words, ours in (("greater than or equal to", "at least"), ("less than or equal to", "at most")):
        rule = rule.replace(words, ours)
    return f"{place}: expected {rule}, got {clip(error['input'])}"


def _lines(values: Mapping[str, Any]) -> str:
    return "".join(f"{_key(name)} = {_value(value)}\n" for name, value in values.items())


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _value(value: Any) -> str:
    if value is None:
        return '"none"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(name)} = {_value(item)}' for name, item in value.items() if item is not None)}}}"
    if isinstance(value, Sequence):  # of a rung, what is None comes last
        return f"[{', '.join(_value(item) for item in value if item is not None)}]"
    return repr(value)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
