"""`watch`: a reward function that is recorded, and a process that audits the record while the run goes on."""

import json
import logging
import os
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from ..errors import ArgumentError
from .recording import Recorded, record

__all__ = ["watch"]

P = ParamSpec("P")
R = TypeVar("R")

# What is started is the command, as a user could start it: this room knows no audit.
_BOOT = (
    "import json, sys; path, arguments = json.loads(sys.argv[1]); sys.path[:] = path; "
    "sys.argv[:] = ['rewardgate', *arguments]; from rewardgate.cli import main; main()"
)

_log = logging.getLogger(__name__)


def watch(
    reward_fn: Callable[P, R],
    path: str | Path,
    *,
    step: Callable[[], int | None] | None = None,
    every: int = 5,
    referee: str = "auto",
) -> Recorded[P, R]:
    """`record(reward_fn, path, step=step)`, and `rewardgate watch` beside it in a process of low priority.

    The first look is at the first `every` steps of this run; rows that stood in the file before are left alone. What it
    finds anew (groups that are all wrong or all correct, targets that fail, right answers refused, rewards that are
    null) is a line on stderr; all looks stand in `<path>.watch.json`. The process ends with this one, however that
    ends, or when the function that is returned is let go of. It is started here and not in copies: unpickled elsewhere
    the function only records. Where several processes watch one path, one of them looks. If it cannot be started, that
    is a warning of the logger `rewardgate.rollouts.watching`, and the rewards are recorded nevertheless.

    Args:
        reward_fn, path, step: as in `record`. Where no step is known, a look comes every 512 rows.
        every: steps between two looks.
        referee: a registered verifier, `pkg.mod:fn` or `path/file.py:fn`; the logged rewards are compared with it.

    Raises:
        ArgumentError: `reward_fn` is not callable, or `every` is below 1.
    """
    if every < 1:
        raise ArgumentError(f"every: expected a whole number >= 1, got {every}")
    recorded = record(reward_fn, path, step=step)
    log = str(Path(path).absolute())
    start = os.path.getsize(log) if os.path.isfile(log) else 0
    about_us = ["--parent", str(os.getpid()), "--start", str(start)]
    arguments = ["watch", "--every", str(every), "--referee", referee, *about_us, log]
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BOOT, json.dumps([[entry for entry in sys.path if entry], arguments])],
            stdin=subprocess.PIPE,  # a line that carries nothing: it closes when this process ends, or wants no more
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the trainer
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
    except OSError as problem:
        _log.warning("%s: expected to start its audit, got: %s; rewards are recorded nevertheless", log, problem)
        return recorded
    weakref.finalize(recorded, _let_go, process)
    return recorded


def _let_go(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    process.stdin.close()
