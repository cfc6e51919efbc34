"""The reward function under test: found by what the user wrote, and run where it can be killed.

One process for each function and threshold, kept for the whole session: a test of one row costs a trip, not a start.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from ..errors import ArgumentError, InputError
from ..verifiers.base import Verifier, verifiers
from ..verifiers.functions import FunctionVerifier

__all__ = ["Reward", "file_in", "find_reward"]

TIMEOUT_S = 5.0
_STARTED = pytest.StashKey[dict[tuple[str, float, float], "NamedFunction | InputError"]]()


class NamedFunction(FunctionVerifier):
    """A user's function in one killable worker, under the name that the user knows it by."""

    def __init__(self, spec: str, name: str, *, correct_at: float, timeout_s: float) -> None:
        super().__init__(spec, workers=1, correct_at=correct_at, timeout_s=timeout_s)
        self.name = name


@dataclass(frozen=True)
class Reward:
    """What is under test.

    Args:
        name: for messages.
        places: ways to say it to `load_verifier`, the first that can be imported counts; or the verifier itself.
        correct_at: what a function returns for a right answer, at least.
        timeout_s: seconds that one call of a function may take.
    """

    name: str
    places: tuple[str, ...] | Verifier
    correct_at: float
    timeout_s: float

    def verifier(self, config: pytest.Config) -> str | Verifier:
        """A registered name, an object with `verify`, or the function in its worker.

        Raises:
            InputError: the function cannot be imported or called.
        """
        if not isinstance(self.places, tuple):
            return self.places
        if self.places[0] in verifiers:
            return self.places[0]
        return self._started(config, self.places)

    def spec(self, config: pytest.Config) -> str | Verifier:
        """The same for who starts processes of their own: the function by its place."""
        found = self.verifier(config)
        return found.spec if isinstance(found, NamedFunction) else found

    def _started(self, config: pytest.Config, places: Sequence[str]) -> NamedFunction:
        if _STARTED not in config.stash:
            config.stash[_STARTED] = {}
            config.add_cleanup(lambda: _close(config.stash[_STARTED]))
        started = config.stash[_STARTED]
        key = (places[0], self.correct_at, self.timeout_s)
        if key not in started:
            started[key] = self._start(places)
        found = started[key]
        if isinstance(found, InputError):
            raise InputError(str(found))
        return found

    def _start(self, places: Sequence[str]) -> "NamedFunction | InputError":
        """The function in its process, or why not: what cannot be imported is tried once, not for every test."""
        failure = InputError(f"reward: expected one that can be imported, got {self.name}")
        for place in places:
            try:
                return NamedFunction(place, self.name, correct_at=self.correct_at, timeout_s=self.timeout_s)
            except InputError as error:
                failure = error
        return failure


def find_reward(reward: Any, folders: Sequence[Path], *, correct_at: float, timeout_s: float) -> Reward:
    """What a user meant by `reward`.

    Args:
        reward: a registered name, `pkg.mod:fn`, `path/file.py:fn`, a function of a module, or an object with `verify`.
        folders: where a relative path is looked for, in this order.
        correct_at: see `Reward`.
        timeout_s: see `Reward`.

    Raises:
        ArgumentError: none of these, or no such file.
        UnknownNameError: nobody registered that name.
    """
    if isinstance(reward, str):
        if ":" not in reward:
            verifiers.factory(reward)
        return Reward(reward, (_with_whole_path(reward, folders),), correct_at, timeout_s)
    if isinstance(reward, Verifier) and not isinstance(reward, type):
        return Reward(str(getattr(reward, "name", None) or type(reward).__name__), reward, correct_at, timeout_s)
    if callable(reward):
        return Reward(getattr(reward, "__qualname__", repr(reward)), _places(reward), correct_at, timeout_s)
    raise ArgumentError(f"reward: expected a name, a place, a function or a verifier, got {reward!r}")


def file_in(path: str | Path, folders: Sequence[Path], *, name: str) -> Path:
    """The file at `path`, looked for in `folders` where that is relative.

    Raises:
        ArgumentError: it is in none.
    """
    found = next((folder / path for folder in folders if (folder / path).is_file()), None)
    if found is None:
        where = "" if Path(path).is_absolute() else f" in {' or '.join(dict.fromkeys(map(str, folders)))}"
        raise ArgumentError(f"{name}: expected a file{where}, got {path}")
    return found


def _close(started: Mapping[Any, NamedFunction | InputError]) -> None:
    for one in started.values():
        if isinstance(one, NamedFunction):
            one.close()


def _with_whole_path(spec: str, folders: Sequence[Path]) -> str:
    place, _, attribute = spec.rpartition(":")
    if spec in verifiers or not place.endswith(".py"):
        return spec
    return f"{file_in(place, folders, name='reward')}:{attribute}"


def _places(function: Callable[..., Any]) -> tuple[str, ...]:
    """Where another process finds a function: in its package, else in its file."""
    name, module = getattr(function, "__qualname__", ""), sys.modules.get(getattr(function, "__module__", ""))
    file = getattr(module, "__file__", None)
    if module is None or file is None or _attribute(module, name) is not function:
        raise ArgumentError(
            f"reward: expected a function that another process can import, got {function!r}; "
            "name it as path/file.py:fn, or give its module a name for it"
        )
    in_file = f"{file}:{name}"
    # Of a package's module the relative imports work only by its name; a test's module may have a name of pytest's.
    return (f"{module.__name__}:{name}", in_file) if module.__package__ else (in_file,)


def _attribute(module: object, name: str) -> object:
    return reduce(lambda found, part: getattr(found, part, None), name.split("."), module)
