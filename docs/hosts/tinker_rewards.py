"""tinker-cookbook 0.6: a verifier as a problem environment, the gate where its training data are put together.

    config = train.Config(..., rollout_error_tolerance=MinViableGroup(min_successful=2, max_retries=0))
    tinker_rewards.plug_in(tokenizer)
    asyncio.run(train.main(config))

An environment whose reward is not known raises. `MinViableGroup` leaves that rollout out of its group, which is
what an unknown reward asks for; under the default strategy it would end the run. Leave `remove_constant_reward_groups`
off: it drops the groups that the gate is for.
"""

import asyncio
from functools import partial
from typing import Any

import tinker
import torch
from tinker_cookbook import renderers
from tinker_cookbook.rl import data_processing, train
from tinker_cookbook.rl.problem_env import ProblemEnv
from tinker_cookbook.rl.types import (
    PARSE_ERROR_MASKED_METRIC_KEY,
    Action,
    ActionExtra,
    StepResult,
    Trajectory,
    TrajectoryGroup,
)

from rewardgate.errors import RewardgateError
from rewardgate.grpo import gate_mode
from rewardgate.integrations.host_gate import HostGate, HostRow
from rewardgate.integrations.outcome_verifier import judged, outcome_verifier
from rewardgate.integrations.scored_steps import CompletionIds

VERIFIER = outcome_verifier("math", workers=2, timeout_s=30.0, options={})


class VerifiedProblem(ProblemEnv):
    """One question with its target; rewards are the verifier's and nothing else."""

    def __init__(self, renderer: renderers.Renderer, question: str, target: str) -> None:
        super().__init__(renderer)
        self.question, self.target = question, target

    def get_question(self) -> str:
        return self.question

    def get_reference_answer(self) -> str:
        return self.target

    def check_format(self, sample_str: str) -> bool:
        return True

    def check_answer(self, sample_str: str) -> bool:
        return judged(VERIFIER, sample_str, self.target, self.question).reward == 1.0

    async def step(self, action: Action, *, extra: ActionExtra | None = None) -> StepResult:
        """The reward of one response.

        Raises:
            RewardgateError: it is not known; the message says why.
        """
        message, _ = self.renderer.parse_response(action)
        text = renderers.get_text_content(message)
        verdict = await asyncio.to_thread(judged, VERIFIER, text, self.target, self.question)
        if verdict.reward is None:
            raise RewardgateError(f"reward: unknown ({verdict.outcome}, {verdict.rule}): {verdict.detail}")
        return StepResult(
            reward=verdict.reward,
            episode_done=True,
            next_observation=tinker.ModelInput.empty(),
            next_stop_condition=self.stop_condition,
            metrics={f"verdicts/{verdict.outcome}": 1.0},
        )


def plug_in(tokenizer: Any) -> None:
    """Have the cookbook's training loop put our advantages into its data."""
    # The loop calls what it imported, so that is what is replaced.
    gated = partial(gated_training_data, tokenizer=tokenizer)
    train.assemble_training_data = gated  # pyright: ignore[reportPrivateImportUsage]


def gated_training_data(
    trajectory_groups_P: list[TrajectoryGroup],  # noqa: N803 (the cookbook's name)
    advantages_P: list[torch.Tensor],  # noqa: N803
    include_provenance: bool = True,
    *,
    tokenizer: Any,
) -> tuple[list[tinker.Datum], list[dict[str, int]]]:
    """The cookbook's data, with an advantage for each token of its own."""
    data, places = data_processing.assemble_training_data(trajectory_groups_P, advantages_P, include_provenance)
    rows = [
        HostRow(number, reward, CompletionIds("", None, sampled(trajectory)))
        for number, group in enumerate(trajectory_groups_P)
        for trajectory, reward in zip(group.trajectories_G, group.get_total_rewards(), strict=True)
    ]
    if not rows:
        return data, places
    # Centred only, as the cookbook's own. The gate is new each time: the loop also asks in order to print a group.
    found = HostGate(tokenizer=tokenizer, config=gate_mode("rules", estimator="dr_grpo")).gated(rows)
    starts = [0]
    for group in trajectory_groups_P:
        starts.append(starts[-1] + len(group.trajectories_G))
    left = [list(values) for values in found.advantages]
    for datum, place in zip(data, places, strict=True):
        values = left[starts[place["group_idx"]] + place["traj_idx"]]
        advantages = datum.loss_fn_inputs["advantages"].to_torch()
        for token in datum.loss_fn_inputs["mask"].to_torch().nonzero().flatten().tolist():
            advantages[token] = values.pop(0)
        datum.loss_fn_inputs["advantages"] = tinker.TensorData.from_torch(advantages)
    return data, places


def sampled(trajectory: Trajectory) -> list[int]:
    """The tokens that the policy sampled and that train, turn after turn."""
    turns = [turn for turn in trajectory.transitions if not turn.metrics.get(PARSE_ERROR_MASKED_METRIC_KEY)]
    return [token for turn in turns for token in turn.ac.tokens]
