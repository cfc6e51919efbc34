"""The gate inside a trainer of TRL: between its rewards and its loss, in two methods.

TRL 1.16 computes one advantage a rollout (B,) and trains on whatever `_generate_and_score_completions` returns as
`advantages`; its loss says that it takes (B, T) from a subclass. Nothing else of the trainer is touched, so that
every loss type, `steps_per_generation`, `num_iterations` and several processes work as they do without the gate.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..diagnostics import GroupKind, group_kinds
from ..errors import ArgumentError
from ..grpo import GateConfig, GatedAdvantages, ScaleState, gate, gate_mode
from ..prm.base import StepScorer
from ..prm.base import get as get_step_scorer
from ..prm.steps import Rule
from ..rollouts.values import target_value
from .scored_steps import CompletionIds, padded, scored_steps

__all__ = ["GateMixin"]

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
    through `tool_mask`. An infinite reward is no reward.

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
        self._rewarded: _Rewarded | None = None  # from the first of the two methods below to the second

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
        targets = [target_value(row.get(self._target_column or "")) for row in inputs]
        self._rewarded = _Rewarded(
            outcome=outcome.double().cpu(),
            rewards=(rewards.double() * self.reward_weights.to(rewards.device)).nansum(1).cpu(),
            rows=[CompletionIds(*row) for row in zip(prompts, targets, completion_ids_list, strict=True)],
        )
        return rewards

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        """TRL's batch of this process, with token advantages (B, T) in the place of its own."""
        from accelerate.utils import gather_object  # TRL's own dependency: there where a trainer is

        output = super()._generate_and_score_completions(inputs)
        rewarded, self._rewarded = self._rewarded, None
        if rewarded is None or not self.model.training:
            return output
        n_rows = len(rewarded.rows)
        mine = slice(self.accelerator.process_index * n_rows, (self.accelerator.process_index + 1) * n_rows)
        group_ids = torch.arange(len(rewarded.outcome)) // self.num_generations  # TRL keeps groups adjacent
        mask = output["completion_mask"] * output.get("tool_mask", 1)
        mask = mask.bool() & ~rewarded.outcome[mine].isnan()[:, None].to(mask.device)  # (B of this process, T)
        steps = scored_steps(
            rewarded.rows,
            self._is_open(rewarded.outcome, group_ids)[mine],
            mask.cpu().numpy(),
            tokenizer=getattr(self.processing_class, "tokenizer", self.processing_class),
            scorer=self._step_scorer,
            split=self._split,
        )
        # A group may lie on several processes, and credit is normalised over all its steps: each sees the whole batch.
        steps = gather_object(steps)
        step_rewards, step_ids, completion_mask = map(torch.from_numpy, padded(steps))
        gated = gate(
            rewarded.outcome,
            group_ids,
            step_rewards,
            step_ids,
            completion_mask,
            rewards=rewarded.rewards,
            scale_state=self._scale_state,
            **self._gate_config.options(),
        )
        self._scale_state = gated.scale_state
        self._log_gate(
            gated,
            completion_mask,
            unscored=rewarded.outcome.isnan().double().mean().item(),
            asked=sum(len(row.values) > 0 for row in steps) / len(steps),
        )
        output["advantages"] = gated.advantages[mine, : mask.shape[1]].to(output["advantages"])
        output["tool_mask"] = mask.to(output["completion_mask"].dtype)
        output["num_items_in_batch"] = self.accelerator.gather(mask.sum()).sum()
        return output

    def _is_open(self, outcome: Tensor, group_ids: Tensor) -> list[bool]:
        """(B,) True marks the rows of groups that the gate will open."""
        config, rewards, ids = self._gate_config, outcome.tolist(), group_ids.tolist()
        kinds = group_kinds(rewards, ids, correct_at=config.correct_at, wrong_at=config.wrong_at)
        return [config.opens(kinds.of(group)) for group in ids]

    def _log_gate(self, gated: GatedAdvantages, mask: Tensor, *, unscored: float, asked: float) -> None:
        report, metrics = gated.report, self._metrics["train"]
        n_groups = sum(report.opened.values()) + sum(report.closed.values())
        for kind in map(str, GroupKind):
            metrics[f"gate/groups/{kind}"].append((report.opened.get(kind, 0) + report.closed.get(kind, 0)) / n_groups)
        metrics["gate/groups/opened"].append(sum(report.opened.values()) / n_groups)
        metrics["gate/groups/silent"].append(report.silent / n_groups)
        metrics["gate/rows/unscored"].append(unscored)
        metrics["gate/rows/asked"].append(asked)
        for name in ("opened_share", "gated_share", "coverage", "sign_balance", "length_bias", "scale_factor"):
            metrics[f"gate/{name}"].append(getattr(report, name))
        # TRL's table of completions holds one batch. These replace its own: a row's mean is what is trained on.
        self._logs["advantages"].extend((gated.advantages.sum(1) / mask.sum(1).clamp(min=1)).tolist())


@dataclass(frozen=True, slots=True, eq=False)
class _Rewarded:
    """What `_calculate_rewards` saw: outcomes and weighted sums (B,) of all processes, the completions of this one."""

    outcome: Tensor
    rewards: Tensor
    rows: list[CompletionIds]


def _columns(outcome: str | Sequence[str] | None, names: Sequence[str]) -> list[int]:
    wanted = names[:1] if outcome is None else [outcome] if isinstance(outcome, str) else list(outcome)
    if not wanted or any(name not in names for name in wanted):
        raise ArgumentError(f"outcome: expected names of reward functions ({', '.join(names)}), got {outcome!r}")
    return [names.index(name) for name in wanted]
