"""What a verl configuration says of us, under `+rewardgate.…` on its command line. Needs neither verl nor torch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from ..errors import ArgumentError
from ..prm.steps import Rule

__all__ = ["Unscored", "VerlOptions", "verl_options"]

Unscored = Literal["flag", "nan", "evict"]
"""What stands for a reward that is not known, as verl takes only numbers; see `verl_reward`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerlOptions:
    """The options of the reward manager and of the trainer, as `+rewardgate.<name>=<value>`.

    Args:
        verifier: a registered name, or `pkg.mod:fn`.
        options: the verifier's own.
        workers: killable processes in each of verl's reward workers, of which there are `reward.num_workers`.
        timeout_s: seconds that one response may take; None for no limit.
        step_scorer: a registered name; None for outcomes alone.
        scorer_options: the step scorer's own.
        split: where steps begin, see `prm.steps.step_spans`.
        gate: a mode of `grpo.gate_mode`.
        unscored: what stands for an unknown reward; None lets the trainer and the estimator decide.
    """

    verifier: str = "auto"
    options: Mapping[str, Any] = field(default_factory=dict)
    workers: int = 1
    timeout_s: float | None = 30.0
    step_scorer: str | None = "arithmetic"
    scorer_options: Mapping[str, Any] = field(default_factory=dict)
    split: Rule = "auto"
    gate: str = "rules"
    unscored: Unscored | None = None

    def __post_init__(self) -> None:
        if self.unscored is not None and self.unscored not in get_args(Unscored):
            known = ", ".join(get_args(Unscored))
            raise ArgumentError(f"rewardgate.unscored: expected one of {known}, or null, got {self.unscored!r}")


def verl_options(config: Mapping[str, Any]) -> VerlOptions:
    """The options in verl's whole configuration; all defaults where it has no `rewardgate`.

    Unless told otherwise, an unknown reward is `flag` for our trainer, which leaves the row out; `nan` for our
    estimator without it, which leaves it out, too; and `evict` for any other estimator, which would take each number
    at its word: verl then drops the group, and samples another one where it is told to.

    Raises:
        ArgumentError: an option that we do not have, or `unscored` outside its values.

    Example:
        >>> verl_options({"rewardgate": {"verifier": "math"}, "algorithm": {"adv_estimator": "grpo"}}).unscored
        'evict'
    """
    given = {str(key): _plain(value) for key, value in (config.get("rewardgate") or {}).items()}
    known = [entry.name for entry in fields(VerlOptions)]
    for key in given:
        if key not in known:
            raise ArgumentError(f"rewardgate.{key}: expected one of {', '.join(known)}")
    if given.get("unscored") is None:
        given["unscored"] = _unscored(config)
    return VerlOptions(**given)


def _unscored(config: Mapping[str, Any]) -> Unscored:
    mode = ((config.get("trainer") or {}).get("v1") or {}).get("trainer_mode")
    if mode == "verigate_sync":
        return "flag"
    return "nan" if (config.get("algorithm") or {}).get("adv_estimator") == "verigate" else "evict"


def _plain(value: Any) -> Any:
    """Of OmegaConf's containers, Python's own."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(entry) for entry in value]
    return value
