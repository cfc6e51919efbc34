"""What tests of the sandbox share: targets, a verifier that is made once, and a look at what is left behind."""

import contextlib
import os
import threading
from functools import cache
from pathlib import Path
from typing import Any

from rewardgate.verifiers import Verdict
from rewardgate.verifiers.code import CodeVerifier

SUM = {"inputs": ["1 2\n", "10 20\n"], "outputs": ["3\n", "30\n"]}
ADD = {"fn_name": "add", "cases": [{"args": [1, 2], "expected": 3}, {"args": [10, 20], "expected": 30}]}
ASSERTS = {"entry_point": "add", "asserts": ["assert add(1, 2) == 3", "assert add(10, 20) == 30"]}

PRINTS_SUM = "a, b = map(int, input().split())\nprint(a + b)\n"
ADDS = "def add(a, b):\n    return a + b\n"


@cache
def shared_verifier() -> CodeVerifier:
    """One for all tests that only want a verdict: its zygote is started once a process."""
    return CodeVerifier(timeout_s=1.0)


def verdict(code: str, target: Any) -> Verdict:
    """The shared verifier's."""
    return shared_verifier().verify(code, target)


def descendants(pid: int, depth: int = 0) -> list[tuple[int, int]]:
    """(pid, depth) of every child, grandchild and so on: 0 zygotes, 1 first processes, 2 candidates."""
    found = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split():
                found += [(int(child), depth), *descendants(int(child), depth + 1)]
    return found


def is_alive(pid: int) -> bool:
    """Whether it is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def segments() -> int:
    """SysV shared memory of this machine that is ours: from the key that proofs use, and from the corpus."""
    lines = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return len(lines)


class Wait:
    """Wait for a condition with an end: `wait(lambda: …)`; an event of threading, so that nothing sleeps blindly."""

    def __call__(self, is_true: Any, timeout_s: float = 10.0) -> bool:
        pause = threading.Event()
        for _ in range(int(timeout_s / 0.02)):
            if is_true():
                return True
            pause.wait(0.02)
        return bool(is_true())


until = Wait()
