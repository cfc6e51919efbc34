"""SIGKILL at any moment costs a run the steps since its last checkpoint, and one line of each log."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "support" / "killed_run.py"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_run_that_is_killed_fifty_times_ends_as_if_it_had_never_been(tmp_path: Path) -> None:
    assert killed(tmp_path, kills=50)["kills"] == 50


@pytest.mark.timeout(300)
def test_a_run_that_is_killed_ends_as_if_it_had_never_been(tmp_path: Path) -> None:
    assert killed(tmp_path, kills=1)["lives"] > 1


def killed(folder: Path, *, kills: int) -> dict[str, int]:
    """What the script found; its lives are deterministic but for when they end."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(SCRIPT.parent)}
    command = [sys.executable, str(SCRIPT), str(folder), str(kills)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["differences"] == []
    assert found["finished"] >= 1
    return found
