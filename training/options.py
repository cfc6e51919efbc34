"""The sections of a run's configuration, one frozen model each, checked when built."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..grpo import GateConfig, gate_mode
from ..prm.steps import Rule
from .base import Sampling

__all__ = [
    "Checkpointing",
    "Data",
    "Evaluation",
    "Generation",
    "Judge",
    "Model",
    "MonitorOptions",
    "Optimizer",
    "SamplingOptions",
    "Section",
    "Signal",
]

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]
Options = Mapping[str, Any]


class Section(BaseModel):
    """Frozen, and without names that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Model(Section):
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


class Data(Section):
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


class Generation(Section):
    """`[generation]`: what samples.

    Args:
        engine: `hf`, `vllm`, `vllm_server`, or another name of `training.generation.generators`.
        options: the engine's own.
        asynchronous: sample the next step's completions while this step's are learned from: one policy step behind.
    """

    engine: str = "hf"
    options: Options = Field(default_factory=dict)
    asynchronous: bool = False


class SamplingOptions(Section):
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


class Judge(Section):
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


class Signal(Section):
    """`[signal]`: from verdicts to advantages.

    Args:
        estimator, estimator_options: a name of `grpo.estimators`, and its own options.
        scorer, scorer_options: step scorer that speaks where outcomes say nothing: a registered name, `pkg.mod:name` or
            `path/file.py:name` (see `prm.functions.FunctionScorer`), and the options that it is built with. None: no
            gate.
        scorer_timeout_s: seconds that one call of a scorer of yours may take, of up to 16 rows.
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
    scorer_timeout_s: Positive = 30.0
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


class Optimizer(Section):
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


class Evaluation(Section):
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


class MonitorOptions(Section):
    """`[monitor]`: what is told, and where, besides `metrics.jsonl`.

    Args:
        rollouts: write every step's rollouts; without them nothing can be audited.
        mismatch_rows: rows of every batch that the trainer scores once more before it learns, to be held against the
            sampler's log-probabilities (`generation.SamplerMismatch`); 0: none.
        writers: where figures go besides `metrics.jsonl`; names of `training.monitor.writers`.
    """

    rollouts: bool = True
    mismatch_rows: Annotated[int, Field(ge=0)] = 4
    writers: tuple[str, ...] = ()


class Checkpointing(Section):
    """`[checkpoint]`.

    Args:
        every: steps from one to the next; there is one behind the last step, and where a run is stopped.
        keep: the newest so many stay.
    """

    every: Count = 50
    keep: Count = 2
