"""What a row itself says of a reward that is no verdict: an error beside it, or an outcome that the sum hides."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ...rollouts.records import Rollout

__all__ = ["OUTCOME_NAMES", "outcome_component", "scoring_error"]

OUTCOME_NAMES = frozenset(
    {
        *("accuracy", "acc", "correct", "correctness", "is_correct", "outcome", "outcome_reward", "exact_match"),
        *("math_reward", "answer_reward", "verifier", "verified", "passed", "pass", "solved", "success"),
    }
)
"""Names of a reward that says whether the answer is right, without a leading `reward_` and a trailing `_reward`."""

_ERROR_WORDS = ("error", "exception", "traceback", "timed_out", "timeout")
_SHOWN_CHARS = 160


def outcome_component(rollout: Rollout) -> tuple[str, float | None] | None:
    """The reward that says whether the answer is right, beside the one that was learned from; None without one.

    Example:
        >>> outcome_component(Rollout(prompt_id="a", rewards={"reward": 0.5, "reward_accuracy": 1.0, "length": -0.5}))
        ('reward_accuracy', 1.0)
    """
    if len(rollout.rewards) < 2:
        return None
    main = rollout.reward_name
    for name, value in rollout.rewards.items():
        if name not in (main, "reward") and _bare(name) in OUTCOME_NAMES:
            return name, value
    return None


def scoring_error(rollout: Rollout) -> str:
    """The error that stands in the row beside the reward, clipped; empty where none does.

    Example:
        >>> scoring_error(Rollout(prompt_id="a", meta={"error": "TimeoutError: 5 s"}))
        'error: TimeoutError: 5 s'
    """
    for name, value in rollout.meta.items():
        if value and _names_an_error(name) and (said := _said(value)):
            return f"{name}: {said}"[:_SHOWN_CHARS]
    return ""


@lru_cache(maxsize=1024)
def _names_an_error(name: str) -> bool:
    """Whether a column of that name holds errors: asked of every row anew, and the columns are few."""
    return any(word in name.lower() for word in _ERROR_WORDS)


@lru_cache(maxsize=1024)
def _bare(name: str) -> str:
    name = name.lower().rpartition("/")[2]
    return name.removeprefix("rewards_").removeprefix("reward_").removeprefix("rewards.").removesuffix("_reward")


def _said(value: Any) -> str:
    """The error as text; empty for what only says that there was none (`"none"`, 0, `{"error": null}`)."""
    if isinstance(value, bool):
        return "true"
    if isinstance(value, str):
        return "" if value.strip().lower() in ("", "none", "null", "no", "false", "ok", "0", "nan") else value.strip()
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {said}" for key, inner in value.items() if inner and (said := _said(inner)))
    if isinstance(value, list):
        return ", ".join(filter(None, map(_said, value)))
    return ""
