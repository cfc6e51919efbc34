"""TRL: our verifiers as its reward functions, our gate between its rewards and its loss.

    from rewardgate.integrations.trl import GatedGRPOTrainer, reward

    trainer = GatedGRPOTrainer(
        model="Qwen/Qwen2.5-1.5B-Instruct",
        reward_funcs=[reward("math", target="solution"), a_format_reward],
        step_scorer="arithmetic",
        args=GRPOConfig(...),
        train_dataset=dataset,
    )

`reward` needs neither TRL nor torch. `GatedGRPOTrainer` is built from TRL's own `GRPOTrainer` when it is first asked
for; for a subclass of your own, put `trl_gate.GateMixin` in front of it.
"""

from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtraError
from .trl_reward import AsyncVerdictReward, VerdictReward, reward

if TYPE_CHECKING:
    from .trl_gate import GateMixin

    class GatedGRPOTrainer(GateMixin):
        """TRL's `GRPOTrainer` with the gate; see `trl_gate.GateMixin`."""


__all__ = ["AsyncVerdictReward", "GatedGRPOTrainer", "VerdictReward", "reward"]

OLDEST = (1, 16)
"""The oldest TRL whose trainer has what `GateMixin` overrides; its loss takes advantages (B, T)."""


def __getattr__(name: str) -> Any:
    if name == "GatedGRPOTrainer":
        return _gated_grpo_trainer()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@lru_cache(maxsize=1)
def _gated_grpo_trainer() -> type:
    try:
        installed = version("trl")
    except PackageNotFoundError as error:
        raise MissingExtraError("trl: expected TRL, which is not installed; pip install 'rewardgate[trl]'") from error
    if tuple(int(part) for part in installed.split(".")[:2]) < OLDEST:
        wanted = ".".join(map(str, OLDEST))
        raise MissingExtraError(
            f"trl: expected version {wanted} or newer, got {installed}; pip install 'rewardgate[trl]'"
        )
    from .trl_gate import GateMixin

    bases = (GateMixin, import_module("trl").GRPOTrainer)
    described = {"__module__": __name__, "__doc__": "TRL's `GRPOTrainer` with the gate; see `trl_gate.GateMixin`."}
    return type("GatedGRPOTrainer", bases, described)
