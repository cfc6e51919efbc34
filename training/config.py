"""What a run is made of: `run.toml`, checked when built.

`[loss]`, `[update]`, `[pools]`, `[dynamic_sampling]` and `[escalation]` are the options of the library's own objects
themselves, under their own names; what an update must know of sampling (`temperature`, `seed`) it is told from there.
"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from ..diagnostics import PoolRules
from ..errors import ArgumentError
from ..grpo import LossConfig, UpdateConfig
from .escalation import EscalationRules
from .options import (
    Checkpointing,
    Data,
    Evaluation,
    Generation,
    Judge,
    Model,
    MonitorOptions,
    Optimizer,
    SamplingOptions,
    Section,
    Signal,
)
from .sampling import DynamicSampling

__all__ = ["RunConfig"]


class RunConfig(Section):
    """One run.

    Args:
        folder: what the run writes goes there.
        steps: of training: one batch each.
        seed: of everything that is drawn.
        model, data, generation, sampling, judge, signal, optimizer, evaluation, monitor, checkpoint: see there.
        pools: how prompts are chosen; see `diagnostics.PoolRules`.
        dynamic_sampling: fill batches with groups that teach something; see `training.sampling.DynamicSampling`. None:
            a batch is what was drawn.
        escalation: more tries for prompts that stay all wrong; see `training.escalation.EscalationRules`, whose first
            rung is `sampling.group_size`. None: every prompt is asked alike.
        loss: see `grpo.LossConfig`.
        update: see `grpo.UpdateConfig`; its `loss`, `temperature` and `seed` come from elsewhere.

    Raises:
        pydantic.ValidationError: a value outside its range, or options that exclude each other.

    Example:
        >>> config = RunConfig(folder="run", steps=3, model={"path": "policy"}, data={"prompts": "prompts.jsonl"})
        >>> config.sampling.group_size, config.update_config().temperature
        (8, 1.0)
    """

    folder: Path
    steps: Annotated[int, Field(ge=1)]
    seed: Annotated[int, Field(ge=0)] = 0
    model: Model = Field(default_factory=Model)
    data: Data = Field(default_factory=Data)
    generation: Generation = Field(default_factory=Generation)
    sampling: SamplingOptions = Field(default_factory=SamplingOptions)
    judge: Judge = Field(default_factory=Judge)
    signal: Signal = Field(default_factory=Signal)
    pools: PoolRules = Field(default_factory=PoolRules)
    dynamic_sampling: DynamicSampling | None = None
    escalation: EscalationRules | None = None
    optimizer: Optimizer = Field(default_factory=Optimizer)
    loss: LossConfig = Field(default_factory=LossConfig)
    update: UpdateConfig = Field(default_factory=UpdateConfig)
    evaluation: Evaluation = Field(default_factory=Evaluation)
    monitor: MonitorOptions = Field(default_factory=MonitorOptions)
    checkpoint: Checkpointing = Field(default_factory=Checkpointing)

    @model_validator(mode="after")
    def _fits(self) -> "RunConfig":
        self._escalation_fits()
        buffer, longest = self.signal.overlong_buffer, self.sampling.max_tokens
        if buffer is not None and buffer > longest:
            raise ArgumentError(
                f"signal.overlong_buffer: expected at most sampling.max_tokens = {longest}, got {buffer}"
            )
        return self

    def _escalation_fits(self) -> None:
        if self.escalation is None:
            return
        first, *others = self.escalation.rungs
        usual = (self.sampling.group_size, None)
        if first != usual:
            raise ArgumentError(f"escalation.rungs: expected the first to be {list(usual)}, got {list(first)}")
        if self.loss.ratio_against == "rollout":  # the other temperature would be clipped as if the policy had moved
            forbidding = 'loss.ratio_against "rollout"'
        elif self.loss.importance_level == "off":
            forbidding = 'loss.importance "off"'
        else:
            return
        heated = [one.temperature for one in others if one.temperature is not None]
        if heated:
            raise ArgumentError(f"escalation.rungs: expected no temperature with {forbidding}, got {heated[0]}")

    def update_config(self) -> UpdateConfig:
        """The options of `PolicyUpdate`."""
        return replace(self.update, loss=self.loss, temperature=self.sampling.temperature, seed=self.seed)
