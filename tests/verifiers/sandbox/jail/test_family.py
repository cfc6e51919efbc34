"""What a run has started is counted from outside, with the memory of all."""

import os
import signal
import subprocess

from jail_modules import loaded
from sandboxed import until

NOBODY = 2**22 + 1
"""Above the highest number that a process can have."""


def test_children_of_children_count_and_their_memory_adds_up() -> None:
    command = ["sh", "-c", "(sleep 60; true) & sleep 60; true"]
    with subprocess.Popen(command, start_new_session=True) as shell, loaded("family") as module:
        try:
            # The shell's own child, its subshell, and that one's child.
            assert until(lambda: module.family(shell.pid, NOBODY)[0] == 3)
            assert module.family(shell.pid, NOBODY)[1] > 4 * 100_000
            # Orphans belong to the keeper: seen from ours, the shell's children are found beside it.
            assert module.family(NOBODY, shell.pid)[0] == 3
        finally:
            os.killpg(shell.pid, signal.SIGKILL)


def test_who_has_ended_counts_nothing() -> None:
    with loaded("family") as module:
        assert module.family(NOBODY, NOBODY + 1) == (0, 0)
