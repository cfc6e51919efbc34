"""Frozen cases as tests: one a line of a file that `rewardgate audit --freeze` wrote.

Collecting reads the lines as JSON and no more, so that `--collect-only` and `-k` load nothing of the library.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..errors import InputError
from .pytest_check import Check

if TYPE_CHECKING:
    from ..audit.replaying import FrozenCase
    from .pytest_rewards import Reward

__all__ = ["FrozenLine", "collect_frozen", "frozen_lines", "replay_line"]

_UNNAMEABLE = re.compile(r"[^\w.:-]+|::+")
_MOST_CHARS = 80
_READ = pytest.StashKey[dict[Path, "list[FrozenCase]"]]()


@dataclass(frozen=True, slots=True)
class FrozenLine:
    """Where a case stands: `place` among the cases of the file, `number` among its lines; and what it is about."""

    path: Path
    place: int
    number: int
    expected: str
    cause: str

    @property
    def name(self) -> str:
        """Of the test: `3-accept-false_negative:format`. The words are a file's, and become part of a command."""
        return f"{self.number}-{_UNNAMEABLE.sub('_', f'{self.expected}-{self.cause}')[:_MOST_CHARS]}"


def frozen_lines(path: Path) -> list[FrozenLine]:
    """The cases of a file, in order.

    Raises:
        InputError: it cannot be read, a line is no JSON object, or there is none.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(f"{path}: expected a readable file, got: {error.strerror}") from None
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    found = [_line(path, place, number, line) for place, (number, line) in enumerate(numbered)]
    if not found:
        raise InputError(f"{path}: expected at least one frozen case, got none")
    return found


def _line(path: Path, place: int, number: int, line: bytes) -> FrozenLine:
    try:
        case = json.loads(line.decode("utf-8-sig"))
        return FrozenLine(path, place, number, str(case["expected"]), str(case["cause"]))
    except (ValueError, TypeError, LookupError, RecursionError):
        raise InputError(f"{path}:{number}: expected a frozen case of rewardgate audit --freeze") from None


def replay_line(line: FrozenLine, reward: "Reward", config: pytest.Config) -> None:
    """Fail the test where the reward does not keep the case.

    Raises:
        RewardgateError: the file or the reward cannot be used.
    """
    from ..audit.replaying import read_cases, replay
    from .pytest_failures import fault_text

    read = config.stash.setdefault(_READ, {})
    if line.path not in read:
        read[line.path] = read_cases(line.path)
    broken = replay([read[line.path][line.place]], reward.verifier(config), correct_at=reward.correct_at).broken
    for one in broken:
        at = f"{_short(line.path, config)}:{line.number}"
        pytest.fail(fault_text(one, at=at, name=reward.name, correct_at=reward.correct_at), pytrace=False)


def collect_frozen(config: pytest.Config, given: Sequence[Path], settled: Sequence[Path]) -> None:
    """Let pytest collect these files.

    Args:
        config: of the session.
        given: named on the command line: collected whatever else is.
        settled: named in the settings: collected where no path was named, or where a named folder holds them.

    Raises:
        UsageError: no such file; no reward function to replay it on; a threshold that is no positive number.
    """
    for path in (*given, *settled):
        if not path.is_file():
            raise pytest.UsageError(f"--rewardgate-faults: expected a file, got {path}")
    named = config.getoption("--rewardgate-reward")
    folder = config.invocation_params.dir if named else (config.inipath or config.rootpath / "_").parent
    reward = named or config.getini("rewardgate_reward")
    if not reward:
        raise pytest.UsageError("--rewardgate-faults: expected --rewardgate-reward X to go with it, got none")
    correct_at = _threshold(config.getoption("--rewardgate-correct-at") or config.getini("rewardgate_correct_at"))
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        given = [*given, *settled]
    # pytest 8.0 forgets a folder that is named beside one of its files.
    there = [Path(os.path.abspath(config.invocation_params.dir / argument)) for argument in config.args]
    config.args += [str(path) for path in given if not any(path.is_relative_to(folder) for folder in there)]
    files = _FrozenFiles(frozenset((*given, *settled)), frozenset(given), lambda: _found(reward, folder, correct_at))
    config.pluginmanager.register(files, "rewardgate-faults")


class _FrozenFiles:
    """The hook that takes these files and no others; registered only where there are any."""

    def __init__(self, files: frozenset[Path], wanted: frozenset[Path], find: "Callable[[], Reward]") -> None:
        self._files = files
        self._wanted = set(wanted)
        self._find = find

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> "_FrozenFile | None":
        if file_path not in self._files:
            return None
        self._wanted.discard(file_path)
        return _FrozenFile.from_parent(parent, path=file_path, find=self._find)

    def pytest_collection_finish(self) -> None:
        if self._wanted:  # in a folder that pytest does not go into
            path = min(self._wanted)
            raise pytest.UsageError(
                f"--rewardgate-faults: expected a file that is collected, got {path}; name it alone"
            )


class _FrozenFile(pytest.File):
    def __init__(self, *, find: "Callable[[], Reward]", **options: Any) -> None:
        super().__init__(**options)
        self._find = find

    def collect(self) -> Iterator["_FrozenTest"]:
        try:
            lines = frozen_lines(self.path)
        except InputError as error:
            raise self.CollectError(str(error)) from None
        for line in lines:
            yield _FrozenTest.from_parent(self, name=line.name, line=line, find=self._find)


class _FrozenTest(pytest.Item):
    def __init__(self, *, line: FrozenLine, find: "Callable[[], Reward]", **options: Any) -> None:
        super().__init__(**options)
        self._line = line
        self._find = find

    def runtest(self) -> None:
        Check(self.name, lambda: replay_line(self._line, self._find(), self.config)).run()

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self._line.number - 1, self.name


def _found(reward: str, folder: Path, correct_at: float) -> "Reward":
    from .pytest_rewards import TIMEOUT_S, find_reward

    return find_reward(reward, [folder], correct_at=correct_at, timeout_s=TIMEOUT_S)


def _threshold(text: str) -> float:
    try:
        threshold = float(text or 1.0)
    except ValueError:
        threshold = nan
    if not 0 < threshold < inf:
        raise pytest.UsageError(f"--rewardgate-correct-at: expected a positive number, got {text}")
    return threshold


def _short(path: Path, config: pytest.Config) -> str:
    """`path` as one would type it where pytest was called."""
    here = config.invocation_params.dir
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
