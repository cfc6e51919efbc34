"""What the files of a training run are called: `training` writes them, `audit` and the format `native` read them."""

from pathlib import Path

__all__ = [
    "ALERTS_FILE",
    "CHECKPOINTS",
    "CONFIG_FILE",
    "EVALUATIONS",
    "LEDGER_FILE",
    "LOCK_FILE",
    "LOGS",
    "METRICS_FILE",
    "ROLLOUTS",
    "STATE_FILE",
    "STATE_SCHEMA",
    "step_name",
    "step_of",
]

CONFIG_FILE = "config.toml"
STATE_FILE = "state.json"
LOCK_FILE = "lock"
METRICS_FILE, LEDGER_FILE, ALERTS_FILE = "metrics.jsonl", "ledger.jsonl", "alerts.jsonl"
LOGS = (LEDGER_FILE, METRICS_FILE, ALERTS_FILE)
"""Files that grow by a line at a time."""

ROLLOUTS, EVALUATIONS, CHECKPOINTS = "rollouts", "evaluations", "checkpoints"
"""Folders, with a file or a folder a step."""

STATE_SCHEMA = "rewardgate.run/1"
"""Stands under `schema` in `state.json`."""


def step_name(step: int) -> str:
    """As files and folders of a step are called."""
    return f"step_{step:06d}"


def step_of(path: Path) -> int | None:
    """The step that a file or a folder is of; None where its name says none.

    Example:
        >>> step_of(Path("run/rollouts/step_000012.jsonl")), step_of(Path("step_000012.part"))
        (12, None)
    """
    name = path.name.removesuffix(".jsonl")
    digits = name.removeprefix("step_")
    return int(digits) if name.startswith("step_") and digits.isdecimal() else None
