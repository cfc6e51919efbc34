"""The gate inside a trainer of TRL: between its rewards and its loss.

TRL 1.16 computes one advantage a rollout (B,) and trains on whatever `_generate_and_score_completions` returns as
`advantages`; its loss says that it takes (B, T) from a subclass. Generation, loss and optimizer are not touched, so
that every loss type, `steps_per_generation`, `num_iterations` and several processes work as they do without the gate.
"""

import logging
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ..errors import ArgumentError, RewardgateError, WorkerError
from ..grpo import GateConfig, ScaleState, gate, gate_mode
from ..grpo.gate_metrics import gate_metrics
from ..prm.base import StepScorer
from ..prm.base import get as get_step_scorer
from ..prm.steps import Rule
from ..rollouts.values import target_value
from .scale_files import read_scale, write_scale
from .scored_steps import CompletionIds, ScoredSteps, padded, scored_steps, unscored_steps
from .step_runs import packed, unpacked
from .trl_batch import RewardedBatch

__all__ = ["GateMixin"]

logger = logging.getLogger(__name__)

_ESTIMATOR_OF_SCALING = {"group": "grpo", "batch": "batch_std", "none": "dr_grpo"}
"""TRL's `scale_rewards`, and the estimator of ours that computes the same (ddof 1, epsilon 1e-4)."""

_Host: Any = object  # a trainer of TRL takes its place where a class is made of both


class GateMixin(_Host):
    """What turns a GRPO trainer of TRL into a gated one: `class Mine(GateMixin, YourGRPOTrainer)`.

    In training, the outcome verifier's raw rewards alone decide about a group, by exact equality, over all
    processes:

    - outcomes differ: the advantages that TRL computes from its weighted sum of all reward functions;
    - the gate opens (all wrong, or tied): the step scorer is asked, about these groups alone, and its scores become
      token advantages. No other reward function has a say there: a group that is paid for its form while all its
      answers are wrong learns form;
    - any other group: TRL's again, but exactly 0 where its rewards are equal. (TRL divides the rounding error of
      its float32 mean by std + 1e-4, which makes advantages up to 0.005.)

    A row that the outcome verifier cannot score counts nowhere: not in its siblings' baseline, whatever other
    functions say of it (TRL would add the missing reward as a 0), and not in the loss, where its tokens are masked
    through `tool_mask`. An infinite reward is no reward. Where the step scorer raises, the batch goes without steps
    and a warning says so; what is wrong with the set-up (an error of ours) ends the training.

    TRL's table of completions gets two columns, `gate_group` (the kind of the row's group) and `gate_opened`; its
    checkpoints get `gate_scale.json`, so that a resumed training scales as the one that was stopped.

    Evaluation stays TRL's own: no step is scored there.

    Args:
        *args: as the trainer takes them.
        step_scorer: a registered name, or an object with `score`.
        gate: a mode of `grpo.gate_mode`; the estimator is then TRL's `scale_rewards`. Or a `GateConfig`, whose
            estimator replaces it.
        outcome: the reward function that judges outcomes, by the name that TRL logs it under; the first unless
            given. Several where each is for tasks of its own: the first of them that is not None counts.
        target: the data set's column that the step scorer is given as target; by default the outcome reward's,
            where that is one of ours.
        split: where steps begin, see `prm.steps.step_spans`.
        **kwargs: as the trainer takes them.

    Raises:
        UnknownNameError: no step scorer, or no mode of the gate, has that name.
        ArgumentError: no reward function has the name `outcome`; an estimator that remembers prompts;
            `multi_objective_aggregation` other than `"sum_then_normalize"`.
    """

    def __init__(
        self,
        *args: Any,
        step_scorer: str | StepScorer = "arithmetic",
        gate: str | GateConfig = "rules",
        outcome: str | Sequence[str] | None = None,
        target: str | None = None,
        split: Rule = "auto",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._step_scorer = get_step_scorer(step_scorer) if isinstance(step_scorer, str) else step_scorer
        config = gate_mode(gate, estimator=_ESTIMATOR_OF_SCALING[self.scale_rewards]) if isinstance(gate, str) else gate
        if config.estimator == "ema":
            raise ArgumentError("gate: expected an estimator that needs no name of a prompt, as TRL has none, got ema")
        self._gate_config = config
        if self.multi_objective_aggregation != "sum_then_normalize":
            raise ArgumentError(
                "multi_objective_aggregation: expected sum_then_normalize, whose sum the estimator is given, got "
                f"{self.multi_objective_aggregation}"
            )
        self._outcome_columns = _columns(outcome, self.reward_func_names)
        self._target_column = target or getattr(self.reward_funcs[self._outcome_columns[0]], "target", None)
        self._split: Rule = split
        self._scale_state = ScaleState()
        self._rewarded: RewardedBatch | None = None  # from the first of the two methods below to the second

    def _calculate_rewards(
        self, inputs: list[dict[str, Any]], prompts: list, completions: list, completion_ids_list: list[list[int]]
    ) -> Tensor:
        """TRL's rewards (B, functions) of all processes, NaN all along a row that has no outcome."""
        rewards = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
        rewards = rewards.masked_fill(rewards.isinf(), torch.nan)
        outcome = rewards[:, self._outcome_columns[0]]
        for column in self._outcome_columns[1:]:
            outcome = outcome.where(~outcome.isnan(), rewards[:, column])
        if bool((outcome.isnan() & ~rewards.isnan().all(1)).any()):
            # The text is the same every time, so that Python shows it once.
            warnings.warn(
                "outcome: rows without an outcome reward are left out, though other reward functions scored them; if "
                "those judge tasks of their own, name them in outcome= too",
                stacklevel=2,
            )
        rewards = rewards.masked_fill(outcome.isnan()[:, None], torch.nan)
        self._rewarded = self._batch(outcome, rewards, inputs, prompts, completion_ids_list)
        # Through TRL's own door for columns of its table, which gathers them; in evaluation too, or they would slip.
        for column, values in self._rewarded.columns(self._gate_config, is_gated=self.model.training).items():
            self._log_completion_extra(column, values)
        return rewards

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        """TRL's batch of this process, with token advantages (B, T) in the place of its own."""
        from accelerate.utils import gather_object  # TRL's own dependency: there where a trainer is

        output = super()._generate_and_score_completions(inputs)
        rewarded, self._rewarded = self._rewarded, None
        if not self.model.training:
            return output
        if rewarded is None:
            raise ArgumentError("GateMixin: expected rewards from _calculate_rewards, which the trainer did not call")
        mask = output["completion_mask"] * output.get("tool_mask", 1)
        mask = mask.bool() & ~rewarded.outcome[rewarded.mine].isnan()[:, None].to(mask.device)  # (B of this process, T)
        # A group may lie on several processes, and credit is normalised over all its steps: each sees the whole batch.
        steps = [unpacked(row) for row in gather_object([packed(row) for row in self._steps(rewarded, mask)])]
        step_rewards, step_ids, completion_mask = map(torch.from_numpy, padded(steps))
        gated = gate(
            rewarded.outcome,
            rewarded.group_ids,
            step_rewards,
            step_ids,
            completion_mask,
            rewards=rewarded.rewards,
            scale_state=self._scale_state,
            **self._gate_config.options(),
        )
        self._scale_state = gated.scale_state
        metrics = gate_metrics(
            gated.report,
            unscored=rewarded.outcome.isnan().double().mean().item(),
            asked=sum(len(row.values) > 0 for row in steps) / len(steps),
        )
        for name, value in metrics.items():
            self._metrics["train"][name].append(value)
        # TRL's table of completions holds one batch. These replace its own: a row's mean is what is trained on.
        tokens = completion_mask.sum(1).clamp(min=1)
        self._logs["advantages"].extend((gated.advantages.sum(1) / tokens).tolist())
        output["advantages"] = gated.advantages[rewarded.mine, : mask.shape[1]].to(output["advantages"])
        output["tool_mask"] = mask.to(output["completion_mask"].dtype)
        output["num_items_in_batch"] = self.accelerator.gather(mask.sum()).sum()
        return output

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        super()._save_checkpoint(model, trial)
        if self.args.should_save:
            folder = Path(self._get_output_dir(trial=trial)) / f"checkpoint-{self.state.global_step}"
            write_scale(folder, self._scale_state)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)
        if checkpoint is not None:
            self._scale_state = read_scale(Path(checkpoint))

    def _batch(
        self, outcome: Tensor, rewards: Tensor, inputs: Sequence[dict[str, Any]], prompts: list, ids: list[list[int]]
    ) -> RewardedBatch:
        """Outcomes (B,) and rewards (B, functions) of all processes, and the completions of this one."""
        size = self.num_generations if self.model.training else self.num_generations_eval
        first = self.accelerator.process_index * len(inputs)
        targets = [target_value(row.get(self._target_column or "")) for row in inputs]
        return RewardedBatch(
            outcome=outcome.double().cpu(),
            rewards=(rewards.double() * self.reward_weights.to(rewards.device)).nansum(1).cpu(),
            group_ids=torch.arange(len(outcome)) // size,  # TRL keeps groups adjacent
            rows=[CompletionIds(*row) for row in zip(prompts, targets, ids, strict=True)],
            mine=slice(first, first + len(inputs)),
        )

    def _steps(self, batch: RewardedBatch, mask: Tensor) -> list[ScoredSteps]:
        """The steps of the rows of this process under `mask` (B of this process, T)."""
        counts = mask.cpu().numpy()
        try:
            return scored_steps(
                batch.rows,
                batch.is_open(self._gate_config)[batch.mine],
                counts,
                tokenizer=getattr(self.processing_class, "tokenizer", self.processing_class),
                scorer=self._step_scorer,
                split=self._split,
            )
        except Exception as error:
            if isinstance(error, RewardgateError) and not isinstance(error, WorkerError):
                raise  # of the set-up: no batch would get steps
            # An outcome is worth more than its steps, and other processes wait for this one.
            logger.warning("step scorer: it failed, and a batch goes without steps", exc_info=True)
            return unscored_steps(counts)


def _columns(outcome: str | Sequence[str] | None, names: Sequence[str]) -> list[int]:
    wanted = names[:1] if outcome is None else [outcome] if isinstance(outcome, str) else list(outcome)
    if not wanted or any(name not in names for name in wanted):
        raise ArgumentError(f"outcome: expected names of reward functions ({', '.join(names)}), got {outcome!r}")
    return [names.index(name) for name in wanted]
