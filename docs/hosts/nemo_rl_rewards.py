"""NeMo-RL 0.6: a verifier as an environment, the gate as the estimator of `nemo_rl.algorithms.grpo`.

    import nemo_rl_rewards                     # in a copy of examples/run_grpo.py, before grpo_train
    nemo_rl_rewards.plug_in(tokenizer)
    environment = nemo_rl_rewards.VerifiedEnvironment.remote()   # in setup_data's task_to_env

Rows of the data set carry `extra_env_info={"target": ...}`. Leave `grpo.use_dynamic_sampling` off: it drops the groups
that the gate is for. An unknown reward is NaN, the one word for it that gets from an environment to the estimator; in
such a step NeMo-RL's means of rewards are NaN, and the row's tokens stay in the denominator of the loss.
"""

import logging
from collections.abc import Mapping, Sequence
from math import nan
from typing import Any, TypedDict

import ray
import torch
from nemo_rl.algorithms import grpo
from nemo_rl.environments.interfaces import EnvironmentInterface, EnvironmentReturn
from torch import Tensor

from rewardgate.integrations.host_gate import HostGate, HostRow
from rewardgate.integrations.outcome_verifier import judged, outcome_verifier
from rewardgate.integrations.scored_steps import CompletionIds

logger = logging.getLogger(__name__)


class Metadata(TypedDict):
    target: str


class Verified(EnvironmentInterface[Metadata]):
    """One question, one answer, judged in killable processes of the environment's own."""

    def __init__(self) -> None:
        self.verifier = outcome_verifier("math", workers=2, timeout_s=30.0, options={})

    def step(
        self, message_log_batch: Sequence[Sequence[Mapping[str, Any]]], metadata: list[Metadata]
    ) -> EnvironmentReturn[Metadata]:
        verdicts = [
            judged(self.verifier, log[-1]["content"], row["target"], log[0]["content"])
            for log, row in zip(message_log_batch, metadata, strict=True)
        ]
        rewards = [nan if verdict.reward is None else verdict.reward for verdict in verdicts]
        return EnvironmentReturn(
            observations=[{"role": "environment", "content": verdict.outcome.value} for verdict in verdicts],
            metadata=metadata,
            next_stop_strings=[None] * len(verdicts),
            rewards=torch.tensor(rewards),
            terminateds=torch.ones(len(verdicts), dtype=torch.bool),
            answers=[verdict.extracted for verdict in verdicts],
        )

    def global_post_process_and_metrics(self, batch: Any) -> tuple[Any, dict[str, float]]:
        unscored = batch["total_reward"].isnan().double().mean().item()
        return batch, {"rewardgate_unscored": unscored}


VerifiedEnvironment = ray.remote(Verified)


class GatedEstimator:
    """What NeMo-RL asks for advantages. Every group gets those of the gate.

    Args:
        tokenizer: the policy's.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.gate = HostGate(tokenizer=tokenizer)

    def compute_advantage(
        self,
        prompt_ids: Tensor,
        rewards: Tensor,
        mask: Tensor,
        repeated_batch: Mapping[str, Any],
        **_: Any,
    ) -> Tensor:
        """Advantages (B, T).

        Args:
            prompt_ids: (B, P) equal rows are one prompt.
            rewards: (B,) NaN = unknown.
            mask: (B, T) over prompt and response, nonzero = a token of the response that trains.
            repeated_batch: its `message_log` holds each row's messages with their `token_ids`.
        """
        found = self.gate.gated(
            [
                HostRow(tuple(prompt), reward, CompletionIds("", None, ids[counts].tolist()))
                for prompt, reward, ids, counts in zip(
                    prompt_ids.tolist(), rewards.tolist(), token_ids(repeated_batch, mask), mask.bool(), strict=True
                )
            ]
        )
        logger.info(" ".join(f"{name}={value:.3f}" for name, value in found.metrics.items()))
        advantages = torch.zeros(mask.shape)
        for number, values in enumerate(found.advantages):
            advantages[number, mask[number].bool()] = torch.tensor(values)
        return advantages


def token_ids(repeated_batch: Mapping[str, Any], mask: Tensor) -> Tensor:
    """(B, T): the ids of prompt and response, padded on the right as `mask` is."""
    ids = torch.zeros(mask.shape, dtype=torch.int64)
    for number, log in enumerate(repeated_batch["message_log"]):
        row = torch.cat([message["token_ids"] for message in log])[: mask.shape[1]]
        ids[number, : len(row)] = row
    return ids


def plug_in(tokenizer: Any) -> None:
    """NeMo-RL chooses its estimator by name in one function, and has no registry of them."""
    grpo._create_advantage_estimator = lambda master_config: GatedEstimator(tokenizer)
