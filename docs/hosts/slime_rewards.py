"""slime 0.3: a verifier as its reward, the gate between its rewards and its advantages. Three functions, three flags:

    --custom-rm-path slime_rewards.outcome
    --custom-reward-post-process-path slime_rewards.post_process
    --custom-advantage-function-path slime_rewards.advantages

with this file on PYTHONPATH and POLICY set to the policy's folder or hub name. Leave --dynamic-sampling-filter-path
off: it throws away the groups that the gate is for. The first flag alone gives the rewards without the gate.
"""

import asyncio
import logging
import os
from argparse import Namespace
from functools import cache
from typing import Any

import torch
from slime.utils.types import Sample
from transformers import AutoTokenizer

from rewardgate.grpo import gate_mode
from rewardgate.integrations.host_gate import HostGate, HostRow
from rewardgate.integrations.outcome_verifier import judged, outcome_verifier
from rewardgate.integrations.scored_steps import CompletionIds

logger = logging.getLogger(__name__)
VERIFIER = outcome_verifier("math", workers=2, timeout_s=30.0, options={})
GATE = gate_mode("rules", estimator="grpo", estimator_options={"ddof": 1, "epsilon": 1e-6})
"""The rule scorer's gate; groups whose outcomes differ get what slime's own `grpo` gives them."""


async def outcome(args: Namespace, sample: Sample, **_: Any) -> float:
    """The reward of one sample. slime averages rewards as they come, so that an unknown one is 0 here, and marked."""
    verdict = await asyncio.to_thread(judged, VERIFIER, sample.response, sample.label, sample.prompt)
    sample.metadata["rewardgate_outcome"] = verdict.outcome.value
    sample.metadata["rewardgate_unscored"] = verdict.reward is None
    return verdict.reward or 0.0


def post_process(args: Namespace, samples: list[Sample]) -> tuple[list[float], list[list[float]]]:
    """Rewards for slime's logs, and in the place of its normalised rewards an advantage for each response token.

    Called once with the samples of all groups, before slime spreads them over its workers.
    """
    rows = [
        HostRow(
            group=sample.group_index,
            outcome=None if sample.metadata.get("rewardgate_unscored", True) else sample.get_reward_value(args),
            completion=CompletionIds(
                sample.prompt, sample.label, sample.tokens[len(sample.tokens) - sample.response_length :]
            ),
            mask=sample.loss_mask,
        )
        for sample in samples
    ]
    found = gate().gated(rows)
    logger.info(" ".join(f"{name}={value:.3f}" for name, value in found.metrics.items()))
    for sample, is_unscored in zip(samples, found.is_unscored, strict=True):
        sample.remove_sample |= is_unscored  # slime clears its loss mask after this function
    return [sample.get_reward_value(args) for sample in samples], found.advantages


def advantages(args: Namespace, rollout_data: dict[str, Any]) -> None:
    """Puts the advantages of this worker's samples where slime's loss reads them."""
    if args.context_parallel_size != 1:
        raise NotImplementedError("slice each row with slime's cp_utils.slice_log_prob_with_cp")
    values = [
        torch.tensor(row, dtype=torch.float32, device=mask.device)
        for row, mask in zip(rollout_data["rewards"], rollout_data["loss_masks"], strict=True)
    ]
    rollout_data["advantages"] = values
    rollout_data["returns"] = values
    rollout_data["rewards"] = rollout_data["raw_reward"]  # slime sums these for its log, right after


@cache
def gate() -> HostGate:
    return HostGate(tokenizer=AutoTokenizer.from_pretrained(os.environ["POLICY"]), config=GATE)
