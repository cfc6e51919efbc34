"""Judged groups to a batch that an update learns from: gate, estimator, penalties, masks.

What an estimator remembers from batch to batch lives here (the scale of gated advantages, a prompt's past, AVSPO's
threshold) and moves on only in `remember`: a step that fails before has changed nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import nan
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from ...diagnostics import PromptPools
from ...errors import ArgumentError
from ...grpo import CollapseThreshold, PromptMeans, ScaleState, UpdateBatch, estimators, overlong_penalties
from ...pipeline import TokenAdvantages, token_advantages
from ...prm import StepScorer
from ..config import RunConfig
from ..groups.judging import JudgedGroup

__all__ = ["Credited", "Crediting"]


@dataclass(frozen=True, slots=True, eq=False)
class Credited:
    """The advantages of a batch, and the batch itself.

    Args:
        result: of the pipeline.
        batch: what the update is given: rows without an outcome, and cut off ones where that was asked, count nowhere.
    """

    result: TokenAdvantages
    batch: UpdateBatch


class Crediting:
    """Advantages as a run's configuration has them.

    Args:
        config: of the run.
        scorer: of steps; None: no gate.
        tokenizer: what lays steps on tokens; not needed without a scorer.
        pools: what the estimator `pool` reads.

    Raises:
        UnknownNameError: no estimator has that name.
        ArgumentError: an estimator whose needs the configuration does not meet.
    """

    def __init__(self, config: RunConfig, scorer: StepScorer | None, tokenizer: Any, pools: PromptPools) -> None:
        signal = config.signal
        estimators.factory(signal.estimator)
        if signal.estimator == "gdpo" and signal.overlong_buffer is None:
            raise ArgumentError("signal.overlong_buffer: expected a number with the estimator gdpo, got None")
        self._signal, self._gate = signal, signal.gate_config()
        self._max_tokens = config.sampling.max_tokens
        self._scorer, self._tokenizer, self._pools = scorer, tokenizer, pools
        self._numbers = {prompt_id: number for number, prompt_id in enumerate(pools.prompt_ids)}
        options = dict(signal.estimator_options)
        self._means = PromptMeans(options.pop("decay")) if "decay" in options else PromptMeans()
        self._threshold = CollapseThreshold()
        self._scale = ScaleState()
        self._options = options if signal.estimator == "ema" else dict(signal.estimator_options)

    def __call__(self, groups: Sequence[JudgedGroup]) -> Credited:
        """The credit of a batch of at least one group.

        Raises:
            ArgumentError: the estimator's or the scorer's.
        """
        rollouts = [rollout for one in groups for rollout in one.group.rollouts]
        outcomes = torch.tensor([_number(rollout.reward) for rollout in rollouts], dtype=torch.float64)  # (B,)
        cut = torch.tensor([bool(rollout.truncated) for rollout in rollouts])
        learned = ~outcomes.isnan() & (~cut if not self._signal.learn_from_truncated else True)
        penalties = self._penalties([rollout.n_tokens or 0 for rollout in rollouts])
        result = token_advantages(
            [one.group for one in groups],
            None,
            self._scorer,
            replace(self._gate, estimator_options=self._options | self._state_options(groups, penalties)),
            self._tokenizer,
            rewards=self._compared(outcomes, penalties, learned),
            split=self._signal.split,
            scale_state=self._scale,
        )
        return Credited(result, _batch(groups, result, learned))

    def remember(self, groups: Sequence[JudgedGroup], credited: Credited) -> None:
        """What the next batch is compared with; called once for every batch that is learned from."""
        rewards = credited.result.outcome_rewards
        self._scale = credited.result.gated.scale_state
        self._threshold = self._threshold.updated(rewards)
        if self._signal.estimator == "ema":
            numbers = [self._numbers[one.prompt.prompt_id] for one in groups for _ in one.group.rollouts]
            self._means = self._means.updated(rewards, torch.tensor(numbers))

    def state_dict(self) -> dict[str, Any]:
        """Plain values that `json.dumps` takes."""
        names = {number: prompt_id for prompt_id, number in self._numbers.items()}
        means = [[names[number], self._means.totals[number], count] for number, count in self._means.counts.items()]
        return {"scale": asdict(self._scale), "threshold": asdict(self._threshold), "means": means}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where `state_dict` was taken; prompts that there are no more are forgotten."""
        self._scale = ScaleState(**state["scale"])
        self._threshold = CollapseThreshold(**state["threshold"])
        known = [(self._numbers[name], *past) for name, *past in state["means"] if name in self._numbers]
        totals, counts = ({number: past[place] for number, *past in known} for place in (0, 1))
        self._means = PromptMeans(self._means.decay, totals, counts)

    def _penalties(self, lengths: list[int]) -> Tensor | None:
        if self._signal.overlong_buffer is None:
            return None
        return overlong_penalties(
            torch.tensor(lengths, dtype=torch.float64),
            max_tokens=self._max_tokens,
            buffer=self._signal.overlong_buffer,
            factor=self._signal.overlong_factor,
        )

    def _compared(self, outcomes: Tensor, penalties: Tensor | None, learned: Tensor) -> Tensor:
        """(B,) what the estimator compares."""
        rewards = outcomes if penalties is None or self._signal.estimator == "gdpo" else outcomes + penalties
        return rewards if self._signal.truncated_vote else rewards.masked_fill(~learned, nan)

    def _state_options(self, groups: Sequence[JudgedGroup], penalties: Tensor | None) -> dict[str, Any]:
        """What the estimator is told besides rewards and groups."""
        of_rows = [one.prompt.prompt_id for one in groups for _ in one.group.rollouts]
        match self._signal.estimator:
            case "ema":  # by the numbers that the batch gives its groups
                known = {place: self._numbers[one.prompt.prompt_id] for place, one in enumerate(groups)}
                known = {place: number for place, number in known.items() if number in self._means.counts}
                totals = {place: self._means.totals[number] for place, number in known.items()}
                counts = {place: self._means.counts[number] for place, number in known.items()}
                return {"means": PromptMeans(self._means.decay, totals, counts)}
            case "pool":
                return {"pools": self._pools, "prompt_ids": of_rows}
            case "avspo" if "step_in_above" not in self._options:
                return {"step_in_above": self._threshold.value}
            case "gdpo":
                assert penalties is not None
                return {"components": penalties[:, None]}
            case _:
                return {}


def _batch(groups: Sequence[JudgedGroup], result: TokenAdvantages, learned: Tensor) -> UpdateBatch:
    rollouts = result.rollouts
    logprobs = [torch.as_tensor(rollout.rollout_logprobs, dtype=torch.float32) for rollout in rollouts]
    degenerate = [kind.is_degenerate for kind in result.kinds.kinds]
    return UpdateBatch(
        [one.prompt.token_ids for one in groups for _ in one.group.rollouts],
        [rollout.token_ids.tolist() for rollout in rollouts if rollout.token_ids is not None],
        advantages=result.advantages.float(),
        completion_mask=result.completion_mask & learned[:, None],
        rollout_logprobs=pad_sequence(logprobs, batch_first=True),
        degenerate=torch.tensor(degenerate)[result.group_ids],
        group_ids=result.group_ids,
        sampled_at=torch.tensor([int(rollout.policy_version or 0) for rollout in rollouts]),
    )


def _number(reward: float | None) -> float:
    return nan if reward is None else reward
