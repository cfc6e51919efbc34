"""Writers for other people's boards: each against its own package where that is installed, and told where it is not.

pip install tensorboard wandb trackio
"""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from rewardgate.errors import MissingExtraError
from rewardgate.training.monitor import Monitor, StepRecord


def run(folder: Path, writer: str) -> None:
    """Four steps, and a second start that repeats the last two with other numbers."""
    for start in (1, 3):
        monitor = Monitor(folder, writers=[writer])
        for step in range(start, start + (4 if start == 1 else 2)):
            monitor.step(StepRecord(step=step, rewards=[1.0, None], group_ids=["p", "p"], seconds={"update": start}))
        monitor.close()


def test_tensorboard_reads_every_step_once(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="NOT RUN: needs tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import (  # pyright: ignore[reportMissingImports]
        EventAccumulator,
    )

    run(tmp_path, "tensorboard")
    board = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    said = [(event.step, event.value) for event in board.Scalars("seconds/update")]
    assert said == [(1, 1), (2, 1), (3, 3), (4, 3)]
    assert "groups/acr" not in board.Tags()["scalars"]  # no group has two scored rollouts: never known


def test_trackio_goes_on_with_the_run_of_the_folder(tmp_path: Path) -> None:
    pytest.importorskip("trackio", reason="NOT RUN: needs trackio")
    # A process of its own: trackio keeps the current run in its module, and reads where to write when it is imported.
    done = subprocess.run(
        [sys.executable, "-c", _TRACKIO, str(tmp_path / "runs" / "first"), str(Path(__file__).parent)],
        env={"TRACKIO_DIR": str(tmp_path / "trackio"), "PATH": "", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    (said,) = (line for line in done.stdout.splitlines() if line.startswith("{"))
    assert json.loads(said) == {"runs": ["first"], "steps": [1, 2, 3, 3, 4, 4]}


_TRACKIO = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_writers import run
run(Path(sys.argv[1]), "trackio")
from trackio.sqlite_storage import SQLiteStorage
steps = sorted(row["step"] for row in SQLiteStorage.get_logs("rewardgate", "first"))
print(json.dumps({"runs": SQLiteStorage.get_runs("rewardgate"), "steps": steps}))
"""


def test_wandb_offline_keeps_one_run_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb", reason="NOT RUN: needs wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    run(tmp_path, "wandb")
    (known,) = (tmp_path / "wandb_id.txt").read_text().split()
    assert {path.stem for path in (tmp_path / "wandb").rglob("*.wandb")} == {f"run-{known}"}


@pytest.mark.parametrize("name", ["tensorboard", "trackio", "wandb"])
def test_a_package_that_is_absent_is_told_with_its_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name, *(known for known in sys.modules if known.startswith(f"{name}."))]:
        monkeypatch.setitem(sys.modules, module, None)  # as Python marks what cannot be imported
    monkeypatch.delitem(sys.modules, f"rewardgate.training.monitor.to_{name}", raising=False)
    with pytest.raises(MissingExtraError, match=rf"{name} is not installed; pip install 'rewardgate\[{name}\]'"):
        importlib.import_module(f"rewardgate.training.monitor.to_{name}")
