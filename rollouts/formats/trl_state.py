"""What TRL's `trainer_state.json` says of the completions beside it: reward names, their weights, the curves.

`rewards/{name}/mean` names the reward functions, which the completions do not tell from other columns of numbers.
`reward` is the mean of the weighted sum, so that the means of several steps settle the weights.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .weights import TOLERANCE, weights_of_totals

FILE_NAME = "trainer_state.json"
MAX_STATE_BYTES = 1 << 28

_REWARD_MEAN = re.compile(r"rewards/(.+)/mean")
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")


@dataclass(slots=True)
class TrainerState:
    """The logged numbers of each step; empty where no state was found."""

    metrics: dict[int, dict[str, float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def reward_names(self) -> list[str]:
        """The reward functions, in the order in which the steps first name them."""
        found = (_REWARD_MEAN.fullmatch(name) for numbers in self.metrics.values() for name in numbers)
        return list(dict.fromkeys(match.group(1) for match in found if match))

    def weights(self, names: Sequence[str]) -> list[float] | None:
        """The weights under which the rewards' means give the mean of their sum; None where the steps settle none."""
        means = [f"rewards/{name}/mean" for name in names]
        steps = [numbers for numbers in self.metrics.values() if {"reward", *means} <= numbers.keys()]
        if not names or not steps:
            return None
        parts = [[numbers[name] for name in means] for numbers in steps]
        totals = [numbers["reward"] for numbers in steps]
        if all(
            abs(sum(part) - total) <= TOLERANCE * max(1.0, abs(total))
            for part, total in zip(parts, totals, strict=True)
        ):
            return [1.0] * len(names)
        weights = weights_of_totals(parts, totals)
        # As many steps as weights can always be solved, also where a reward that was not given spoils the means.
        if weights is None or len(steps) <= len(names) or not all(weight.is_settled for weight in weights):
            return None
        return [round(weight.value, 5) for weight in weights]


def find_state(paths: Sequence[Path]) -> TrainerState:
    """The state beside the folder of these completions, or that of the run's last checkpoint."""
    state = TrainerState()
    for folder in dict.fromkeys(folder for path in paths for folder in (path.parent, path.parent.parent)):
        found = folder / FILE_NAME
        if not found.is_file():
            checkpoints = [
                (int(match.group(1)), path)
                for path in folder.glob(f"checkpoint-*/{FILE_NAME}")
                if (match := _CHECKPOINT.fullmatch(path.parent.name))
            ]
            if not checkpoints:
                continue
            found = max(checkpoints)[1]
        _add(state, found)
    return state


def _add(state: TrainerState, path: Path) -> None:
    try:
        if path.stat().st_size > MAX_STATE_BYTES:
            raise ValueError(f"more than {MAX_STATE_BYTES} bytes")
        log: Any = json.loads(path.read_bytes())["log_history"]
        entries = [(entry["step"], entry) for entry in log]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        state.notes.append(f"{path}: expected a trainer's state, got: {error}; read without it")
        return
    for step, entry in entries:
        if isinstance(step, int):
            numbers = state.metrics.setdefault(step, {})
            numbers.update(
                {name: float(value) for name, value in entry.items() if _is_number(value) and name != "step"}
            )
    evaluated = [step for step, numbers in state.metrics.items() if "eval_reward" in numbers]
    state.notes.append(f"{path.name} beside the completions: {len(state.metrics)} steps of curves")
    if evaluated:
        state.notes.append(
            f"evaluations at {len(evaluated)} steps (first: {evaluated[0]}) overwrite the completions of the same "
            "step: their rows are not marked, and mixed with what was left of a training batch"
        )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
