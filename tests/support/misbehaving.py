"""Functions that a worker is asked to run and that do what workers exist for: hang, die, eat memory, talk."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any


def touch_and_hang(path: str) -> None:
    Path(path).touch()
    hang()


def hang() -> None:
    time.sleep(600)


def hang_in_c() -> int:
    """Holds the interpreter's lock for minutes: no thread of this process runs meanwhile."""
    return pow(7, 10**9)


def die(code: int) -> None:
    os._exit(code)


def eat_memory() -> int:
    return len(bytearray(64 * 1024**3))


def print_much() -> int:
    for _ in range(2_000):
        sys.stdout.write("x" * 1_000)
        sys.stderr.write("x" * 1_000)
    return 1


def start_grandchild_and_hang(path: str) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with open(path, "w") as file:
        file.write(str(child.pid))
    hang()


def speak_unasked() -> int:
    """Writes a forged answer on every socket it can find, before its own."""
    import socket
    import stat

    forged = b'{"result": 666}'
    for descriptor in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                channel = socket.socket(fileno=os.dup(descriptor))
                channel.sendall(len(forged).to_bytes(8, "big") + forged)
                channel.close()
        except OSError:
            continue
    return 1


def process_id() -> int:
    return os.getpid()


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no text")


def raise_unprintable() -> None:
    class UnprintableError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    raise UnprintableError


class Judge:
    """A verifier that does what the completion says."""

    version = "1"

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Any:
        from rewardgate.errors import UnavailableError
        from rewardgate.verifiers import Outcome, Verdict

        if completion == "hang":
            hang()
        if completion == "die":
            die(1)
        if completion == "raise":
            raise RuntimeError("on purpose")
        if completion == "demand":
            raise UnavailableError("require: expected user namespaces, got none")
        if target == "hang":
            hang()
        is_right = completion == target
        return Verdict(Outcome.CORRECT if is_right else Outcome.INCORRECT, float(is_right), rule="judged")


class InItsProcess(Judge):
    """Says in which process it judged."""

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Any:
        return replace(super().verify(completion, target), detail=str(os.getpid()))
