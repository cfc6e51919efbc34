import gc
import json
import logging
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rewardgate.errors import ArgumentError
from rewardgate.rollouts.watching import watch

TRAINER = """
import sys
from types import SimpleNamespace
from rewardgate.rollouts.watching import watch

def reward(completions, answer, **columns):
    return [0.0 for _ in completions]

reward = watch(reward, sys.argv[1])
for step in range(1, 7):
    reward(prompts=["2+2?"] * 2, completions=["the answer is 4"] * 2, answer=["4"] * 2,
           trainer_state=SimpleNamespace(global_step=step))
print("trained", flush=True)
sys.stdin.read()
"""


def plain(completion: str, target: str) -> float:
    return 1.0


def test_it_warns_while_the_run_goes_on_and_is_gone_when_the_run_is_killed(tmp_path: Path) -> None:
    log = tmp_path / "rollouts.jsonl"
    log.write_text('{"an earlier": "run"}\n')
    trainer = subprocess.Popen(
        [sys.executable, "-c", TRAINER, str(log)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert trainer.stderr is not None
    warning = trainer.stderr.readline().decode()
    assert warning.startswith("rewardgate: rollouts.jsonl, step 1 to 5: FAIL: 10 right answers scored wrong")
    trainer.kill()
    # Both hold the other end of stderr: this ends when the last of them does.
    _, rest = trainer.communicate(timeout=60)
    assert b"Traceback" not in rest
    report = json.loads((tmp_path / "rollouts.jsonl.watch.json").read_text())
    assert [(one["first_step"], one["last_step"], one["n_rows"]) for one in report["looks"]] == [(1, 5, 10)]


def test_letting_go_of_the_function_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    reward = watch(plain, tmp_path / "rollouts.jsonl")
    copy = pickle.loads(pickle.dumps(reward))  # it only records
    del reward
    gc.collect()
    assert [process.wait(60) for process in started] == [0]
    assert copy("4", "4") == 1.0


def test_an_audit_that_cannot_be_started_costs_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with caplog.at_level(logging.WARNING):
        assert watch(plain, tmp_path / "rollouts.jsonl")("4", "4") == 1.0
    assert "expected to start its audit" in caplog.text
    assert len((tmp_path / "rollouts.jsonl").read_text().splitlines()) == 1


def test_arguments_are_checked_at_the_door(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="every: expected a whole number >= 1, got 0"):
        watch(plain, tmp_path / "rollouts.jsonl", every=0)
