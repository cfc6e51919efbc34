"""A run that is killed again and again: `python killed_run.py FOLDER KILLS`, which writes what was found as JSON.

One process loads the libraries and forks for every life of the run: torch takes seconds to import, a life less.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

import torch
from safetensors.torch import load_file
from tiny_prms import plain_tokenizer
from tiny_runs import lines_of, tiny_config, tiny_parts

from rewardgate.rollouts.run_files import LOGS
from rewardgate.training.folder.checkpoint import latest_checkpoint
from rewardgate.training.loop import Trainer

EVERY, STEPS = 2, 9
SECTIONS = {
    "checkpoint": {"every": EVERY},
    "generation": {"asynchronous": True},
    "signal": {"scorer": "arithmetic", "estimator": "ema"},
    "evaluation": {"every": 4},
}


def life(folder: Path) -> int:
    """Start, or go on; the process that does."""
    pid = os.fork()
    if pid:
        return pid
    try:
        parts = tiny_parts()
        Trainer(tiny_config(folder, steps=STEPS, **SECTIONS), held_out=parts["prompts"][:1], **parts).run(resume=True)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def whole_lines(path: Path) -> tuple[list[int], int]:
    """Steps of the lines that can be read, and how many cannot."""
    steps, torn = [], 0
    for line in path.read_text(encoding="utf-8").split("\n"):
        try:
            row = json.loads(line) if line else {}
        except ValueError:
            torn += 1
        else:
            steps += [row["step"]] if "step" in row and "event" not in row else []
    return steps, torn


def after_a_kill(folder: Path) -> None:
    """What must hold whenever the run dies."""
    for name in LOGS:
        if (folder / name).exists():
            steps, torn = whole_lines(folder / name)
            assert torn <= 1, f"{name}: {torn} torn lines"
            assert name == "alerts.jsonl" or len(set(steps)) == len(steps), f"{name}: {steps}"
    for kind in ("rollouts", "evaluations"):
        for path in (folder / kind).glob("step_*"):
            lines_of(path)
    done = max((whole_lines(folder / "metrics.jsonl")[0] or [0]) if (folder / "metrics.jsonl").exists() else [0])
    kept = latest_checkpoint(folder / "checkpoints")
    at = 0 if kept is None else kept.state["step"]
    # The line of a step is written before its checkpoint.
    assert at >= done - EVERY, f"step {done} was done, and the newest checkpoint is of step {at}"


def differences(one: Path, other: Path) -> list[str]:
    """Files that two finished runs should have alike, and have not."""
    found = []
    for path in sorted(path for path in other.rglob("*") if path.is_file()):
        name = path.relative_to(other)
        if name.parts[0] in ("rollouts", "evaluations") or path.name == "optimizer.pt":
            is_same = path.read_bytes() == (one / name).read_bytes()
        elif path.name == "model.safetensors":  # the order of its metadata is another in every process
            tensors, others = load_file(one / name), load_file(path)
            is_same = tensors.keys() == others.keys() and all(torch.equal(tensors[key], others[key]) for key in others)
        else:
            continue
        found += [] if is_same else [str(name)]
    steps = [[row["step"] for row in lines_of(run / "metrics.jsonl")] for run in (one, other)]
    return found + ([] if steps[0] == steps[1] else [f"metrics of steps {steps}"])


def main() -> None:
    folder, wanted = Path(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(1)
    plain_tokenizer()
    random.seed(0)
    began = time.monotonic()
    assert os.waitpid(life(folder / "whole"), 0)[1] == 0
    duration = time.monotonic() - began
    kills, lives, runs, found = 0, 0, 0, []
    run = folder / "killed"
    while kills < wanted or run.exists():
        lives += 1
        pid = life(run)
        until = time.monotonic() + (random.uniform(0, duration) if kills < wanted else 1e9)
        status = None
        while status is None and time.monotonic() < until:
            ended, code = os.waitpid(pid, os.WNOHANG)
            status = code if ended else None
            time.sleep(0.001)
        if status is None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            kills += 1
            if run.exists():
                after_a_kill(run)
        elif status != 0:
            raise SystemExit(f"a life of the run failed: {status}")
        else:
            runs += 1
            found += differences(run, folder / "whole")
            shutil.rmtree(run)
    json.dump({"kills": kills, "lives": lives, "finished": runs, "differences": found}, sys.stdout)


if __name__ == "__main__":
    main()
