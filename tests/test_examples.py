import subprocess
import sys
from pathlib import Path

import pytest

import rewardgate

EXAMPLES = sorted((Path(rewardgate.__file__).parent / "examples").glob("[0-9]*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs_and_prints(example: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, example], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
