"""SkyRL 0.3: a verifier as a text environment, the gate in its trainer.

    python skyrl_rewards.py environment.env_class=verified trainer.algorithm.advantage_estimator=grpo ...

The data set's rows carry `reward_spec.ground_truth`, as SkyRL's own maths environments want it. Leave
`trainer.algorithm.dynamic_sampling` and `zero_variance_filter` off: they drop the groups that the gate is for.
"""

import sys
from collections import defaultdict
from math import isnan, nan
from typing import Any

import ray
import skyrl_gym
import torch
from skyrl.backends.skyrl_train.training_batch import TrainingInputBatch
from skyrl.train.config import SkyRLTrainConfig
from skyrl.train.entrypoints.main_base import BasePPOExp
from skyrl.train.generators.base import GeneratorOutput
from skyrl.train.trainer import RayPPOTrainer
from skyrl.train.utils import initialize_ray, validate_cfg
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from rewardgate.grpo import gate_mode
from rewardgate.integrations.host_gate import HostGate, HostRow
from rewardgate.integrations.outcome_verifier import judged, outcome_verifier
from rewardgate.integrations.scored_steps import CompletionIds

VERIFIER = outcome_verifier("math", workers=2, timeout_s=30.0, options={})
GATE = gate_mode("rules", estimator="grpo", estimator_options={"ddof": 1, "epsilon": 1e-6})
"""The rule scorer's gate; the estimator is SkyRL's own, in float64."""


class VerifiedEnv(BaseTextEnv):
    """One question, one answer. SkyRL makes one for each rollout and steps it in a thread.

    An unknown reward is NaN, which `GatedTrainer` takes out; SkyRL has no other word for it.
    """

    def __init__(self, env_config: Any = None, extras: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.target = (extras or {})["reward_spec"]["ground_truth"]
        self.is_unscored = False

    def step(self, action: str) -> BaseTextEnvStepOutput:
        verdict = judged(VERIFIER, action, self.target)
        self.is_unscored = verdict.reward is None
        reward = nan if verdict.reward is None else verdict.reward
        return BaseTextEnvStepOutput(
            observations=[], reward=reward, done=True, metadata={"rule": verdict.rule}, postprocessed_action=None
        )

    def get_metrics(self) -> dict[str, float]:
        return {"rewardgate_unscored": float(self.is_unscored)}


class GatedTrainer(RayPPOTrainer):
    """SkyRL's trainer with the gate. Groups whose outcomes differ get what SkyRL's own `grpo` gives them."""

    gate: HostGate | None = None

    def postprocess_generator_output(
        self, generator_output: GeneratorOutput, uids: list[str], *args: Any, **kwargs: Any
    ) -> tuple[GeneratorOutput, list[str]]:
        """Rows without a reward leave the loss; SkyRL's own figures see the mean of their group instead."""
        rewards: list[Any] = generator_output["rewards"]  # numbers, or one for each token
        totals = [sum(row) if isinstance(row, list) else row for row in rewards]
        known: dict[str, list[float]] = defaultdict(list)
        for total, uid in zip(totals, uids, strict=True):
            if not isnan(total):
                known[uid].append(total)
        lost = [number for number, total in enumerate(totals) if isnan(total)]
        for number in lost:
            of_group = known[uids[number]]
            mean, ids = sum(of_group) / max(1, len(of_group)), generator_output["response_ids"][number]
            is_per_token = isinstance(rewards[number], list)
            rewards[number] = [0.0] * (len(ids) - 1) + [mean] if is_per_token else mean
            generator_output["loss_masks"][number] = [0] * len(ids)
        output, uids = super().postprocess_generator_output(generator_output, uids, *args, **kwargs)
        per_token: list[Any] = output["rewards"]
        for number in lost:
            per_token[number][-1] = nan
        return output, uids

    def compute_advantages_and_returns(self, data: TrainingInputBatch) -> TrainingInputBatch:
        if self.gate is None:
            self.gate = HostGate(tokenizer=self.tokenizer, config=GATE)
        batch: Any = data  # tensors by name; SkyRL's type says that each of them is a batch
        mask, outcome = batch["response_mask"].bool(), batch["rewards"].double().sum(1)  # responses lie on the right
        n_tokens, uids = mask.shape[1], batch.metadata["uids"]
        rows = [
            HostRow(
                group=uids[number],
                outcome=float(outcome[number]),
                completion=CompletionIds("", None, batch["sequences"][number, -n_tokens:][mask[number]].tolist()),
                mask=batch["loss_mask"][number][mask[number]].tolist(),
            )
            for number in range(len(mask) - batch.metadata["pad_size"])
        ]
        found = self.gate.gated(rows)
        batch["rewards"] = batch["rewards"].nan_to_num(0.0)
        batch = super().compute_advantages_and_returns(data)
        advantages = torch.zeros(mask.shape)
        for number, values in enumerate(found.advantages):
            advantages[number, mask[number]] = torch.tensor(values)
        batch["advantages"] = batch["returns"] = advantages
        self.all_metrics.update(found.metrics)
        return batch


class GatedExp(BasePPOExp):
    def get_trainer(self, *args: Any, **kwargs: Any) -> RayPPOTrainer:
        return GatedTrainer(*args, **kwargs)


@ray.remote(num_cpus=1)
def train(config: SkyRLTrainConfig) -> None:
    # Every process that makes environments has to know their name.
    skyrl_gym.register(id="verified", entry_point="skyrl_rewards:VerifiedEnv")
    GatedExp(config).run()


if __name__ == "__main__":
    config = SkyRLTrainConfig.from_cli_overrides(sys.argv[1:])
    validate_cfg(config)
    initialize_ray(config)
    ray.get(train.remote(config))
