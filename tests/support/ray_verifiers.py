"""Verifiers that do to Ray's actors what can be done to them."""

import os
import signal
from pathlib import Path
from typing import Any

from rewardgate.errors import UnavailableError
from rewardgate.verifiers import Outcome, Verdict, get


class Exact:
    """Right where the response is the target."""

    version = "1"

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
        is_right = completion == target
        return Verdict(Outcome.CORRECT if is_right else Outcome.INCORRECT, float(is_right))


class KillsItsActor(Exact):
    """In the actor's own process: the row `poison` ends it, for as long as `lives` says.

    Args:
        folder: where each death leaves a file, named by the process that died.
        lives: deaths, after which it judges.
    """

    runs_in_workers = True

    def __init__(self, folder: Path, lives: int) -> None:
        self._folder, self._lives = folder, lives

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
        if completion == "poison" and len([*self._folder.iterdir()]) < self._lives:
            (self._folder / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().verify(completion, target, prompt=prompt)


class KillsTheActorAbove(Exact):
    """In a killable worker: the row `poison` ends the actor that started it, once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
        if completion == "poison" and not [*self._folder.iterdir()]:
            (self._folder / str(os.getpid())).touch()
            os.kill(os.getppid(), signal.SIGKILL)
        return super().verify(completion, target, prompt=prompt)


class Unavailable(Exact):
    """Wants what this machine does not have."""

    runs_in_workers = True

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
        raise UnavailableError("sandbox: expected a jail, got none")


class WaitsForAFile(Exact):
    """Judges as `numeric` does, and does not judge the row `wait` before a file is there."""

    runs_in_workers = True

    def __init__(self, file: Path) -> None:
        self._file, self._numeric = file, get("numeric")

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
        if completion == "wait":
            while not self._file.exists():
                os.sched_yield()
        return self._numeric.verify(completion, target)
