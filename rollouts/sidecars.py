"""Files that stand beside rollouts and hold none: recognised, so that they are told apart from an empty dump."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .fields import PROMPT_NAMES


class Sidecar(NamedTuple):
    """What kind of file has these keys, and what to give instead."""

    keys: frozenset[str]
    what: str
    instead: str


_TRACES = "give traces.jsonl"
_RESULTS = "give results.jsonl, which stands beside it"
SIDECARS = (
    Sidecar(
        frozenset({"log_history", "global_step"}),
        "the trainer's state: curves, no rollouts",
        "give the folder of the run, or a file of completions (TRL: log_completions=True)",
    ),
    Sidecar(frozenset({"env_id", "num_examples", "rollouts_per_example"}), "the metadata of an evaluation", _RESULTS),
    Sidecar(frozenset({"env", "num_examples", "rollouts_per_example"}), "the metadata of an evaluation", _RESULTS),
    Sidecar(frozenset({"env", "sampling", "num_rollouts"}), "the settings of an evaluation", _TRACES),
    Sidecar(frozenset({"task_key", "valid", "reason"}), "checks of golds and set-ups (validate)", _TRACES),
    Sidecar(frozenset({"checks", "outcomes", "valid_rate"}), "a summary of checks (validate)", _TRACES),
    Sidecar(
        frozenset({"results", "configs"}),
        "aggregated results of lm-eval",
        "give samples_*.jsonl (lm-eval: --log_samples)",
    ),
)


def sidecar_hint(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """What a file that begins with `rows` is, and what to give instead; None where it may hold rollouts.

    Example:
        >>> sidecar_hint([{"step": 1, "train/reward/mean": 0.5}])
        'got curves: numbers a step, no rollouts; give the file or the folder of rollouts'
    """
    if not rows:
        return None
    for sidecar in SIDECARS:
        if all(sidecar.keys <= row.keys() for row in rows):
            return f"got {sidecar.what}; {sidecar.instead}"
    if all(map(_is_curve, rows)):
        return "got curves: numbers a step, no rollouts; give the file or the folder of rollouts"
    return None


def _is_curve(row: Mapping[str, Any]) -> bool:
    names = {"step", "_step", "global_step", "iteration", "epoch"}
    is_numbers = all(value is None or isinstance(value, int | float) for value in row.values())
    return is_numbers and bool(names & row.keys()) and not PROMPT_NAMES & row.keys()
