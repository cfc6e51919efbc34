"""The gate on a batch as verl keeps it: what each reward said, group names, a mask, summed rewards. Needs no verl."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import torch
from torch import Tensor

from ..diagnostics import GroupKind, group_kinds
from ..errors import ArgumentError
from ..grpo import GateConfig, ScaleState, gate
from ..grpo.gate_metrics import gate_metrics
from ..verifiers.base import Outcome
from .group_numbers import group_numbers
from .scored_steps import padded
from .step_runs import NO_STEPS, steps_of_text

__all__ = ["VerlGated", "final_rows", "gated_rows", "is_unscored"]


@dataclass(frozen=True, slots=True, eq=False)
class VerlGated:
    """What the gate makes of a batch of B rows.

    Args:
        advantages: (B, T) float64.
        is_mixed: (B,) True marks rows of groups whose outcomes differ, where verl's own advantages stand.
        metrics: what is logged of it.
        scale_state: for the next batch.
    """

    advantages: Tensor
    is_mixed: Tensor
    metrics: dict[str, float]
    scale_state: ScaleState


def gated_rows(
    infos: Sequence[Mapping[str, Any]],
    uids: Sequence[Any],
    mask: Tensor,
    rewards: Tensor,
    *,
    config: GateConfig,
    scale_state: ScaleState | None = None,
) -> VerlGated:
    """Token advantages by the outcomes and steps that `infos` carry.

    Args:
        infos: (B,) the `reward_extra_info` of each row, as `verl_reward.reward_info` writes it.
        uids: (B,) the group of each row.
        mask: (B, T), nonzero = counts.
        rewards: (B,) what the estimator compares: outcomes, and what verl added to them (KL).
        config: of the gate.
        scale_state: of the batch before.
    """
    mask = mask.bool().cpu()
    outcome = torch.tensor([nan if is_unscored(info) else float(info["score"]) for info in infos], dtype=torch.float64)
    group_ids = group_numbers(uids)
    kinds = group_kinds(outcome.tolist(), group_ids.tolist(), correct_at=config.correct_at, wrong_at=config.wrong_at)
    kind_of_row = [kinds.of(group) for group in group_ids.tolist()]
    texts = [
        info["rewardgate_steps"] if config.opens(kind) else NO_STEPS
        for info, kind in zip(infos, kind_of_row, strict=True)
    ]
    steps = [steps_of_text(text, row) for text, row in zip(texts, mask.numpy(), strict=True)]
    step_rewards, step_ids, _ = map(torch.from_numpy, padded(steps))
    gated = gate(
        outcome,
        group_ids,
        step_rewards,
        step_ids,
        mask,
        rewards=rewards.double().cpu(),
        scale_state=scale_state,
        **config.options(),
    )
    unscored = outcome.isnan()
    return VerlGated(
        advantages=gated.advantages,
        is_mixed=torch.tensor([kind is GroupKind.MIXED for kind in kind_of_row]) & ~unscored,
        metrics={
            **gate_metrics(
                gated.report,
                unscored=unscored.double().mean().item(),
                asked=sum(text != NO_STEPS for text in texts) / len(texts),
            ),
            **_outcome_shares(infos),
        },
        scale_state=gated.scale_state,
    )


def _outcome_shares(infos: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The share of every outcome, 0 included: what failed (`error`) apart from what cannot be used (`bad_target`)."""
    counts = Counter(info.get("rewardgate_outcome") for info in infos)
    return {f"verdicts/{outcome}": counts[outcome.value] / len(infos) for outcome in Outcome}


def is_unscored(info: Mapping[str, Any]) -> bool:
    """Whether a row has no reward.

    Raises:
        ArgumentError: its reward is not one of ours, which say so.
    """
    if "rewardgate_unscored" not in info:
        raise ArgumentError(
            f"reward_extra_info: expected rewardgate_unscored, got {', '.join(sorted(map(str, info))) or 'nothing'}; "
            "set reward.reward_manager.name=rewardgate"
        )
    return bool(info["rewardgate_unscored"])


def final_rows(keys: Sequence[str], is_padding: Sequence[bool]) -> list[int]:
    """The rows that a reward was given for: of each session its last output, and no padding.

    Example:
        >>> final_rows(["p_0_0", "p_0_1", "p_1_0", "padf_0_0"], [False, False, False, True])
        [1, 2]
    """
    last: dict[str, tuple[int, int]] = {}  # session -> (output, row)
    for row, key in enumerate(keys):
        if is_padding[row]:
            continue
        session, _, output = key.rpartition("_")
        last[session] = max(last.get(session, (-1, -1)), (int(output), row))
    return sorted(row for _, row in last.values())
