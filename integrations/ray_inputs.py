"""What a distributed run reads: the inputs that a call names, in their order."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

from ..errors import ArgumentError, InputError
from ..rollouts.folders import candidates
from ..rollouts.grouping import digest

__all__ = ["InputFile", "expanded", "state_of"]

_NUMBER = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file, or folder, of rollouts of a run.

    Args:
        number: its place among the inputs, in the order of which the parts stand.
        path: as it was given.
        state: what changes when the file does.
        done: numbers of its blocks that are there.
    """

    number: int
    path: str
    state: str
    done: frozenset[int] = frozenset()


def expanded(paths: str | Path | Sequence[str | Path]) -> list[str]:
    """The inputs that `paths` name: globs (`**` too) filled in, 9 before 10, each once.

    Raises:
        InputError: a glob matches nothing, or there is nothing at all.
        ArgumentError: one input is a folder in which another one lies: its rows would be judged twice.
    """
    found: dict[str, None] = {}
    for given in [paths] if isinstance(paths, str | Path) else paths:
        name = os.fspath(given)
        if not has_magic(name) or os.path.exists(name):
            found[name] = None
            continue
        matches = sorted(glob(name, recursive=True), key=_natural)
        if not matches:
            raise InputError(f"{name}: expected a pattern that matches a file, got none")
        found.update(dict.fromkeys(matches))
    if not found:
        raise InputError("paths: expected at least one file, got none")
    folders = {os.path.realpath(name) for name in found if os.path.isdir(name)}
    for name in found if folders else ():
        if inside := folders.intersection(map(str, Path(os.path.realpath(name)).parents)):
            raise ArgumentError(f"paths: expected inputs apart from each other, got {name} within {inside.pop()}")
    return list(found)


def state_of(path: str) -> str:
    """What changes when an input does: sizes and times of change; of a folder, of the files that may hold rollouts.

    Raises:
        InputError: there is no such input.
    """
    try:
        files = candidates(Path(path)) if os.path.isdir(path) else [Path(path)]
        states = [file.stat() for file in files]
    except OSError as error:
        raise InputError(f"{path}: expected a readable file, got: {error.strerror or error}") from error
    told = " ".join(
        f"{file.name} {state.st_size} {state.st_mtime_ns}" for file, state in zip(files, states, strict=True)
    )
    return f"{digest(told):016x}"


def _natural(name: str) -> list[tuple[int, int, str]]:
    parts = _NUMBER.split(name)
    return [(0, int(part), "") if place % 2 else (1, 0, part) for place, part in enumerate(parts)]
