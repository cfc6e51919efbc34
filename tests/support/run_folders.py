"""Folders of training runs, written line by line as a run leaves them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardgate.rollouts.records import Group, Rollout
from rewardgate.rollouts.writing import write_rollouts


def alert(step: int, *, event: str = "raised", level: str = "fail", **known: Any) -> dict[str, Any]:
    """An event as the monitor logs it."""
    return {
        "time": 100.0 + step,
        "step": step,
        "event": event,
        "name": "cut_off",
        "layer": "exploration and bootstrap",
        "figure": "length/truncated",
        "level": level,
        "value": 0.3,
        "threshold": "warn from 5 % on, fail from 25 % on",
        "sentence": "30 % of the completions are cut off (length/truncated, mean of 5)",
        "change": "raise max_tokens",
    } | known


def metrics(step: int, **figures: float | None) -> dict[str, Any]:
    """A step's figures, two seconds after the step before."""
    return {"step": step, "time": 100.0 + 2 * step, **figures}


def write_log(path: Path, rows: Sequence[Mapping[str, Any]], *, torn: str = "") -> None:
    """`rows` as lines, and behind them the beginning of one that a kill tore."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + torn)


def write_state(folder: Path, status: str = "running", **known: Any) -> None:
    """`state.json` of a run at its second of nine steps."""
    state = {"schema": "rewardgate.run/1", "status": status, "step": 2, "steps": 9, "checkpoint": "step_000002"}
    (folder / "state.json").write_text(json.dumps({**state, "error": None, **known}))


def write_run(folder: Path, *, steps: int = 2, status: str = "running") -> Path:
    """A run of `steps` steps with a mixed and an all-wrong group each, an evaluation, and every log."""
    for name in ("rollouts", "evaluations", "checkpoints/step_000002"):
        (folder / name).mkdir(parents=True)
    for step in range(1, steps + 1):
        groups = [_group(f"{step}/{name}", name, step, right) for name, right in (("p", 1), ("q", 0))]
        write_rollouts(folder / "rollouts" / f"step_{step:06d}.jsonl", groups)
    write_rollouts(folder / "evaluations" / "step_000002.jsonl", [_group("2/h", "h", 2, 4)])
    write_rollouts(folder / "checkpoints" / "step_000002" / "ahead.jsonl", [_group("3/p", "p", 3, 4)])
    figures = {"success/mean": 0.125, "length/truncated": 0.3, "pools/hard": 3, "pools/frontier": 1, "groups/acr": None}
    write_log(folder / "metrics.jsonl", [metrics(step, **figures) for step in range(1, steps + 1)])
    cost = {"generated": 2, "kept_mixed": 1, "discarded_all_wrong": 1, "rollouts": 8, "rollouts_kept": 4, "overhead": 2}
    write_log(folder / "ledger.jsonl", [{"step": step, **cost} for step in range(1, steps + 1)])
    write_log(folder / "alerts.jsonl", [alert(2)])
    write_state(folder, status)
    return folder


def _group(group_id: str, prompt_id: str, step: int, right: int) -> Group:
    rollouts = [
        Rollout(
            prompt_id=prompt_id,
            prompt="2 + 2?",
            response=f"\\boxed{{{4 if place < right else 10 + place}}}",
            target="4",
            rewards={"reward": float(place < right)},
            n_tokens=5,
            truncated=False,
            policy_version=step - 1,
            step=step,
        )
        for place in range(4)
    ]
    return Group(group_id=group_id, rollouts=tuple(rollouts))
