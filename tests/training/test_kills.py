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
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(SCRIPT.parent)}
    command = [sys.executable, str(SCRIPT), str(tmp_path), "50"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert (found["kills"], found["differences"]) == (50, [])
    assert found["finished"] >= 1
