"""The arms: what each makes of the same judged rollouts, by the library's own estimators and gate."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from judging import Judged
from torch import Tensor

from rewardgate.grpo import (
    CollapseThreshold,
    GateConfig,
    GatedAdvantages,
    PromptMeans,
    ScaleState,
    gate,
    gate_mode,
    group_advantages,
)


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way to learn from rollouts, and what is generated for it.

    Args:
        says: one line for the tables.
        credit: judged rollouts and what is remembered of earlier ones -> advantages (B,) or (B, T).
        scorer: of `scorers.scorer_named`.
        group_size, groups: G, and how many prompts a step.
        refill: dynamic sampling: draw until all groups are mixed, or ten batches are drawn.
        kept: of every group only so many rollouts are learned from (PROF's filter); None: all.
        replayed: verified successes of earlier steps that are learned from again, a step.
        demonstrations: right solutions that are verified and learned before the first step.
        rollouts: how many times the usual number.
        constant: the loss is divided by the token limit, not by the tokens (Dr. GRPO).
        tuned_as: whose learning rate is taken until its own are tried.
    """

    says: str
    credit: Callable[[Judged, "Memory"], Tensor]
    scorer: str = "exact"
    group_size: int = 8
    groups: int = 8
    temperature: float = 1.0
    refill: bool = False
    kept: int | None = None
    replayed: int = 0
    demonstrations: int = 0
    rollouts: int = 1
    constant: bool = False
    tuned_as: str = ""


@dataclass
class Memory:
    """What an arm carries from step to step."""

    scale: ScaleState = field(default_factory=ScaleState)
    threshold: CollapseThreshold = field(default_factory=CollapseThreshold)
    means: PromptMeans = field(default_factory=lambda: PromptMeans(decay=0.998))
    gated: GatedAdvantages | None = None


def estimator(name: str, **options: Any) -> Callable[[Judged, Memory], Tensor]:
    return lambda judged, memory: group_advantages(judged.rewards, judged.group_ids, estimator=name, **options)


def avspo(judged: Judged, memory: Memory) -> Tensor:
    above = memory.threshold.value
    memory.threshold = memory.threshold.updated(judged.rewards)
    return group_advantages(judged.rewards, judged.group_ids, estimator="avspo", step_in_above=above)


def ema(judged: Judged, memory: Memory) -> Tensor:
    """Prompts never come back, so that the past is that of all of them: one running mean."""
    everyone = torch.zeros_like(judged.group_ids)
    advantages = group_advantages(judged.rewards, everyone, estimator="ema", means=memory.means)
    memory.means = memory.means.updated(judged.rewards, everyone)
    return advantages


def gated(config: GateConfig) -> Callable[[Judged, Memory], Tensor]:
    def credit(judged: Judged, memory: Memory) -> Tensor:
        memory.gated = gate(
            judged.rewards,
            judged.group_ids,
            judged.step_rewards,
            judged.step_ids,
            judged.mask,
            scale_state=memory.scale,
            **config.options(),
        )
        memory.scale = memory.gated.scale_state
        return memory.gated.advantages

    return credit


def ungated(config: GateConfig) -> Callable[[Judged, Memory], Tensor]:
    """Step credit in every group, whatever its outcomes, and the outcome's advantage on top of it."""

    def credit(judged: Judged, memory: Memory) -> Tensor:
        nowhere = torch.zeros_like(judged.rewards)  # of no group is anything known: all open
        arguments = (nowhere, judged.group_ids, judged.step_rewards, judged.step_ids, judged.mask)
        memory.gated = gate(*arguments, **replace(config, scale="none").options())
        by_row = group_advantages(judged.rewards, judged.group_ids)
        return memory.gated.advantages + by_row[:, None] * judged.mask

    return credit


def prm_as_outcome(judged: Judged, memory: Memory) -> Tensor:
    """The mean step score is the reward; the verifier is not asked."""
    return group_advantages(judged.step_rewards.nanmean(1).nan_to_num(0.0), judged.group_ids)


def guided(judged: Judged, memory: Memory) -> Tensor:
    """In all-wrong groups the reward is the share of steps before the first wrong one, of those wanted."""
    wanted = torch.tensor([float(judged.task.answer(row.prompt).count("\n")) for row in judged.rows])
    before = (judged.step_rewards.nan_to_num(0.0) >= 0.5).cumprod(1).sum(1)
    solved = torch.zeros(int(judged.group_ids.max()) + 1, dtype=torch.float64)
    solved = solved.index_add(0, judged.group_ids, judged.rewards)[judged.group_ids]
    rewards = judged.rewards.where(solved > 0, (before / wanted).clamp(max=1))
    return group_advantages(rewards, judged.group_ids)


LOCAL, MEAN, SUM = gate_mode("local"), gate_mode("mean"), gate_mode("verigate")
INDEXED = replace(SUM, baseline="step_index")
ALL_EQUAL = ("all_wrong", "tied", "all_correct")

ARMS: dict[str, Arm] = {
    "grpo": Arm(says="GRPO", credit=estimator("grpo")),
    "grpo_x3": Arm(says="GRPO, 3 × the rollouts", credit=estimator("grpo"), rollouts=3, tuned_as="grpo"),
    "dr_grpo": Arm(says="Dr. GRPO", credit=estimator("dr_grpo"), constant=True, tuned_as="grpo"),
    "dapo": Arm(says="dynamic sampling", credit=estimator("grpo"), refill=True, tuned_as="grpo"),
    "vg_none": Arm(says="gate, no sum", credit=gated(LOCAL)),
    "vg_mean": Arm(says="gate, mean", credit=gated(MEAN), tuned_as="vg_none"),
    "vg_sum": Arm(says="gate, sum (the paper's)", credit=gated(SUM), tuned_as="vg_none"),
    "vg_indexed": Arm(says="gate, sum, baseline by step", credit=gated(INDEXED), tuned_as="vg_sum"),
    "vg_rules": Arm(says="gate, mode `rules`", credit=gated(gate_mode("rules")), tuned_as="vg_none"),
    "vg_errors": Arm(says="gate, mode `errors`", credit=gated(gate_mode("errors")), tuned_as="vg_rules"),
    "ungated": Arm(says="no gate: steps and outcome", credit=ungated(LOCAL), tuned_as="vg_none"),
    "prm_outcome": Arm(says="mean step score as outcome", credit=prm_as_outcome, tuned_as="vg_none"),
    "vg_none_noisy10": Arm(says="gate, no sum", credit=gated(LOCAL), scorer="noisy_10", tuned_as="vg_none"),
    "vg_none_noisy20": Arm(says="gate, no sum", credit=gated(LOCAL), scorer="noisy_20", tuned_as="vg_none"),
    "vg_none_noisy30": Arm(says="gate, no sum", credit=gated(LOCAL), scorer="noisy_30", tuned_as="vg_none"),
    "vg_none_hackable": Arm(says="gate, no sum", credit=gated(LOCAL), scorer="hackable", tuned_as="vg_none"),
    "ungated_hackable": Arm(says="no gate", credit=ungated(LOCAL), scorer="hackable", tuned_as="ungated"),
    "prm_outcome_hackable": Arm(
        says="mean step score as outcome", credit=prm_as_outcome, scorer="hackable", tuned_as="prm_outcome"
    ),
    "vg_sum_first": Arm(says="gate, sum", credit=gated(SUM), scorer="first_error", tuned_as="vg_sum"),
    "vg_none_first": Arm(says="gate, no sum", credit=gated(LOCAL), scorer="first_error", tuned_as="vg_none"),
    "vg_mean_first": Arm(says="gate, mean", credit=gated(MEAN), scorer="first_error", tuned_as="vg_mean"),
    "vg_sum_end": Arm(says="gate, sum", credit=gated(SUM), scorer="to_the_end", tuned_as="vg_sum"),
    "vg_none_end": Arm(says="gate, no sum", credit=gated(LOCAL), scorer="to_the_end", tuned_as="vg_none"),
    "vg_rules_end": Arm(
        says="gate, mode `rules`", credit=gated(gate_mode("rules")), scorer="to_the_end", tuned_as="vg_rules"
    ),
    "sign": Arm(says="Sign (2R - 1)", credit=estimator("sign")),
    "avspo": Arm(says="AVSPO", credit=avspo, tuned_as="sign"),
    "global": Arm(says="baseline of the batch", credit=estimator("global"), tuned_as="grpo"),
    "ema": Arm(says="running mean as baseline", credit=ema, tuned_as="grpo"),
    "replay": Arm(says="GRPO, verified replay", credit=estimator("grpo"), replayed=8, tuned_as="grpo"),
    "prof": Arm(says="GRPO, step-consistency filter", credit=estimator("grpo"), kept=4, tuned_as="grpo"),
    "sgpo": Arm(says="step judge for all-wrong groups", credit=guided, tuned_as="vg_none"),
    "grpo_g32": Arm(says="GRPO, G = 32", credit=estimator("grpo"), group_size=32, groups=2, tuned_as="grpo"),
    "grpo_t13": Arm(says="GRPO, temperature 1.3", credit=estimator("grpo"), temperature=1.3, tuned_as="grpo"),
    "bootstrap": Arm(says="GRPO after 64 demonstrations", credit=estimator("grpo"), demonstrations=64, tuned_as="grpo"),
    "ungated_noisy20": Arm(says="no gate", credit=ungated(LOCAL), scorer="noisy_20", tuned_as="ungated"),
    "vg_sum_noisy20": Arm(says="gate, sum", credit=gated(SUM), scorer="noisy_20", tuned_as="vg_sum"),
    "vg_mean_noisy20": Arm(says="gate, mean", credit=gated(MEAN), scorer="noisy_20", tuned_as="vg_mean"),
    "vg_sum_hackable": Arm(says="gate, sum", credit=gated(SUM), scorer="hackable", tuned_as="vg_sum"),
    "vg_none_equal": Arm(
        says="gate, no sum, on all equal", credit=gated(replace(LOCAL, open_on=ALL_EQUAL)), tuned_as="vg_none"
    ),
    "vg_sum_equal": Arm(
        says="gate, sum, on all equal", credit=gated(replace(SUM, open_on=ALL_EQUAL)), tuned_as="vg_sum"
    ),
}
