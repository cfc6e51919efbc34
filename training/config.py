"""What a run is made of: one frozen model a section of `run.toml`, checked when built.

`[loss]`, `[update]` and `[pools]` are the options of `LossConfig`, `UpdateConfig` and `PoolRules` themselves, under
their own names; what an update must know of sampling (`temperature`, `seed`) it is told from there.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..diagnostics import PoolRules
from ..errors import ArgumentError
from ..grpo import GateConfig, LossConfig, UpdateConfig, gate_mode
from ..prm.steps import Rule
from .base import Sampling
from .escalation import EscalationRules
from .sampling import DynamicSampling

__all__ = [
    "Checkpointing",
    "Data",
    "Evaluation",
    "Generation",
    "Judge",
    "Model",
    "MonitorOptions",
    "Optimizer",
    "RunConfig",
    "SamplingOptions",
    "Signal",
]

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]
Options = Mapping[str, Any]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Model(_Section):
    """`[model]`: the policy.

    Args:
        path: folder or name of a causal language model of transformers; None where the trainer is given one.
        reference: folder or name of the policy that the KL is against; None: `path`. Read with loss.beta > 0 alone.
        dtype: of the weights. In bfloat16 every update below 1/256 of a weight is lost; `update.autocast` is not that.
        device: where it is trained; None: the first accelerator that torch has, else the CPU.
    """

    path: str | None = None
    reference: str | None = None
    dtype: Literal["float32", "bfloat16", "float64"] = "float32"
    device: str | None = None


class Data(_Section):
    """`[data]`: what is asked.

    Args:
        prompts: JSON lines, JSON, CSV or Parquet, one prompt a row; None where the trainer is given them.
        held_out: the same for prompts that are only evaluated on; they are taken out of `prompts`.
        prompt_key, target_key, prompt_id_key: columns; None: those of a usual name.
        system: message put before every prompt that has none; with a chat template only.
        template: text with `{prompt}` in it, put around a prompt of text.
        chat: whether prompts are written by the tokenizer's chat template; None: if it has one.
        max_prompt_tokens: longer prompts are left out, and counted.
    """

    prompts: Path | None = None
    held_out: Path | None = None
    prompt_key: str | None = None
    target_key: str | None = None
    prompt_id_key: str | None = None
    system: str | None = None
    template: str | None = None
    chat: bool | None = None
    max_prompt_tokens: Count | None = None


class Generation(_Section):
    """`[generation]`: what samples.

    Args:
        engine: a name of `generators`.
        options: the engine's own.
        asynchronous: sample the next step's completions while this step's are learned from: one policy step behind.
    """

    engine: str = "hf"
    options: Options = Field(default_factory=dict)
    asynchronous: bool = False


class SamplingOptions(_Section):
    """`[sampling]`: how much of it, and how.

    Args:
        groups: prompts a step.
        group_size: completions a prompt.
        max_tokens, temperature, top_p, top_k: see `Sampling`.
    """

    groups: Count = 16
    group_size: Count = 8
    max_tokens: Count = 512
    temperature: Positive = 1.0
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    top_k: Count | None = None

    def drawn(self, **changes: Any) -> Sampling:
        """As the generator takes it, with some of it changed."""
        known = {name: getattr(self, name) for name in ("max_tokens", "temperature", "top_p", "top_k")}
        return Sampling(**{**known, **changes})


class Judge(_Section):
    """`[judge]`: what decides that an answer is right.

    Args:
        verifier: a registered name, `pkg.mod:fn` or `path/file.py:fn`.
        options: of a registered one.
        workers: killable processes; 0: in this one, which our own verifiers are made for. A function has 2 at least.
        timeout_s: seconds that one row (of a function: one call) may take; sets `workers` to at least 1. None: no
            limit, and 30 of a function.
    """

    verifier: str = "auto"
    options: Options = Field(default_factory=dict)
    workers: Annotated[int, Field(ge=0)] = 0
    timeout_s: Positive | None = None


class Signal(_Section):
    """`[signal]`: from verdicts to advantages.

    Args:
        estimator, estimator_options: a name of `grpo.estimators`, and its own options.
        scorer, scorer_options: step scorer that speaks where outcomes say nothing; None: no gate.
        gate, gate_options: the gate's mode, and what of it is changed.
        split: where steps begin, see `prm.steps.step_spans`.
        overlong_buffer, overlong_factor: see `grpo.overlong_penalties`; None: no penalty. The penalty moves what the
            estimator compares, never the outcome.
        learn_from_truncated: whether completions cut off by `max_tokens` are learned from.
        truncated_vote: whether they count in their group's statistics where they are not.
    """

    estimator: str = "grpo"
    estimator_options: Options = Field(default_factory=dict)
    scorer: str | None = None
    scorer_options: Options = Field(default_factory=dict)
    gate: str = "rules"
    gate_options: Options = Field(default_factory=dict)
    split: Rule = "auto"
    overlong_buffer: Count | None = None
    overlong_factor: NotNegative = 1.0
    learn_from_truncated: bool = True
    truncated_vote: bool = True

    @model_validator(mode="after")
    def _gate_fits(self) -> "Signal":
        self.gate_config()
        return self

    def gate_config(self) -> GateConfig:
        """The gate's options, the estimator among them."""
        own = {"estimator": self.estimator, "estimator_options": self.estimator_options}
        return gate_mode(self.gate, **{**self.gate_options, **own})


class Optimizer(_Section):
    """`[optimizer]`: AdamW.

    Args:
        lr, betas, epsilon, weight_decay: its options; vectors (norms, biases) do not decay.
        warmup_steps: training steps over which the rate grows to `lr`.
        schedule: of the rate behind them: `"constant"`, or down to 0 at the last step.
        stop_after_nonfinite: updates in a row without a finite gradient after which the run stops.
    """

    lr: Positive = 1e-6
    betas: tuple[Annotated[float, Field(ge=0, lt=1)], Annotated[float, Field(ge=0, lt=1)]] = (0.9, 0.95)
    epsilon: Positive = 1e-8
    weight_decay: NotNegative = 0.0
    warmup_steps: Annotated[int, Field(ge=0)] = 0
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    stop_after_nonfinite: Count = 3


class Evaluation(_Section):
    """`[evaluation]`: of the held-out prompts.

    Args:
        every: steps from one to the next; also before the first step and behind the last. None: never.
        group_size: completions a prompt: G of pass@G.
        prompts: the first so many; None: all.
        temperature, max_tokens: None: those of `[sampling]`.
    """

    every: Count | None = None
    group_size: Count = 8
    prompts: Count | None = None
    temperature: Positive | None = None
    max_tokens: Count | None = None


class MonitorOptions(_Section):
    """`[monitor]`: what is told, and where, besides `metrics.jsonl`.

    Args:
        rollouts: write every step's rollouts; without them nothing can be audited.
        writers: where figures go besides `metrics.jsonl`; names of `training.monitor.writers`.
    """

    rollouts: bool = True
    writers: tuple[str, ...] = ()


class Checkpointing(_Section):
    """`[checkpoint]`.

    Args:
        every: steps from one to the next; there is one behind the last step, and where a run is stopped.
        keep: the newest so many stay.
    """

    every: Count = 50
    keep: Count = 2


class RunConfig(_Section):
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
    steps: Count
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
        is_weighed = self.loss.ratio_against == "rollout" or self.loss.importance_level != "off"
        heated = [one.temperature for one in others if one.temperature is not None]
        if heated and not is_weighed:
            raise ArgumentError(
                f'escalation.rungs: expected no temperature with loss.importance "off", got {heated[0]}'
            )

    def update_config(self) -> UpdateConfig:
        """The options of `PolicyUpdate`."""
        return replace(self.update, loss=self.loss, temperature=self.sampling.temperature, seed=self.seed)
