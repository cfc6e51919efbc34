"""What TRL's rewards say of a batch before its steps are looked at: outcomes, groups, and which of them open."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from torch import Tensor

from ..diagnostics import GroupKind, group_kinds
from ..grpo import GateConfig
from .scored_steps import CompletionIds

__all__ = ["RewardedBatch"]


@dataclass(frozen=True, slots=True, eq=False)
class RewardedBatch:
    """A generation batch of B rows over all processes, and the completions of this process.

    Args:
        outcome: (B,) of the outcome verifier alone, float64, NaN = unknown.
        rewards: (B,) weighted sums of all reward functions.
        group_ids: (B,).
        rows: what this process generated.
        mine: its rows among the B.
    """

    outcome: Tensor
    rewards: Tensor
    group_ids: Tensor
    rows: Sequence[CompletionIds]
    mine: slice

    def kinds(self, config: GateConfig) -> list[GroupKind]:
        """(B,) the kind of each row's group."""
        ids = self.group_ids.tolist()
        kinds = group_kinds(self.outcome.tolist(), ids, correct_at=config.correct_at, wrong_at=config.wrong_at)
        of_group = cache(kinds.of)
        return [of_group(group) for group in ids]

    def is_open(self, config: GateConfig) -> list[bool]:
        """(B,) True marks the rows of groups that the gate opens."""
        return [config.opens(kind) for kind in self.kinds(config)]

    def columns(self, config: GateConfig, *, is_gated: bool) -> dict[str, list]:
        """For the table of completions, of this process's rows: the kind of their group, and whether it was opened.

        Args:
            is_gated: False where no gate is asked (evaluation): nothing is opened.
        """
        kinds = self.kinds(config)[self.mine]
        opened = [is_gated and config.opens(kind) for kind in kinds]
        return {"gate_group": [str(kind) for kind in kinds], "gate_opened": opened}
