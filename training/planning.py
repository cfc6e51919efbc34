"""What a run will do and cost, before it does anything: nothing is sampled and no weight is read."""

from dataclasses import dataclass

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from ..errors import ArgumentError
from ..grpo import estimators
from ..prm import step_scorers
from .building import prompts_of
from .config import RunConfig
from .generation import generators
from .groups.evaluation import is_due
from .groups.judging import judging_of
from .monitor.writers import writers

__all__ = ["Plan", "plan_of"]

_BYTES = {"float32": 4, "bfloat16": 2, "float64": 8}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The size of a run. Where a number depends on what is sampled, it is the most that the configuration allows.

    Args:
        prompts, held_out, too_long: how many there are of each; the last are left out.
        prompt_tokens: of the longest prompt.
        steps, groups: steps, and groups that each learns from.
        rollouts, rollouts_at_most: of the whole run: without refills and larger groups, and with all of them.
        tokens_at_most: generated in training, if every completion is as long as it may be.
        evaluations, evaluation_rollouts: how often the held-out prompts are asked, and completions in all.
        optimizer_steps_at_most: of the whole run.
        parameters: of the policy.
        weights_mib, gradients_mib, moments_mib: of what is trained.
        frozen_mib: of the reference policy and of the copy that samples, where there are such.
        checkpoint_mib: of one; `checkpoints_kept` of them are on the disk, and one more while it is written.
        checkpoints_kept: as the configuration has it.
    """

    prompts: int
    held_out: int
    too_long: int
    prompt_tokens: int
    steps: int
    groups: int
    rollouts: int
    rollouts_at_most: int
    tokens_at_most: int
    evaluations: int
    evaluation_rollouts: int
    optimizer_steps_at_most: int
    parameters: int
    weights_mib: float
    gradients_mib: float
    moments_mib: float
    frozen_mib: float
    checkpoint_mib: float
    checkpoints_kept: int

    def lines(self) -> list[str]:
        """For a terminal."""
        held_out = (
            f"{self.held_out:,} held out, asked {self.evaluations:,} times: {self.evaluation_rollouts:,} rollouts"
        )
        trained = self.weights_mib + self.gradients_mib + self.moments_mib
        return [
            f"prompts      {self.prompts:,} of at most {self.prompt_tokens:,} tokens; {self.too_long:,} too long",
            f"             {held_out}",
            f"steps        {self.steps:,} of {self.groups:,} groups",
            f"             at most {self.optimizer_steps_at_most:,} optimizer steps",
            f"rollouts     {self.rollouts:,}; at most {self.rollouts_at_most:,} with refills and larger groups",
            f"tokens       at most {self.tokens_at_most:,} generated",
            f"parameters   {self.parameters:,}",
            f"memory       {trained + self.frozen_mib:,.1f} MiB before activations: weights {self.weights_mib:,.1f}, "
            f"gradients {self.gradients_mib:,.1f}, moments {self.moments_mib:,.1f}, reference and copy "
            f"{self.frozen_mib:,.1f}",
            f"disk         {self.checkpoints_kept + 1} checkpoints of {self.checkpoint_mib:,.1f} MiB at most",
        ]


def plan_of(config: RunConfig) -> Plan:
    """The plan of a run, from its configuration, its prompts and its model's configuration.

    Raises:
        RewardgateError: prompts or model cannot be read, or there is no verifier, scorer, estimator, engine or writer
            of that name.
    """
    _check_names(config)
    parameters, tokenizer = _model(config)
    prompts, held_out, too_long = prompts_of(config, tokenizer)
    sampling, dynamic = config.sampling, config.dynamic_sampling
    largest = sampling.group_size
    if config.escalation is not None:
        largest = max(rung.group_size for rung in config.escalation.rungs)
    rounds = 1 if dynamic is None else dynamic.max_batches
    at_most = config.steps * rounds * sampling.groups * largest
    evaluations = sum(is_due(config, step) for step in range(config.steps + 1))
    asked = len(held_out[: config.evaluation.prompts])
    mib = parameters * _BYTES[config.model.dtype] / 2**20
    return Plan(
        prompts=len(prompts),
        held_out=len(held_out),
        too_long=too_long,
        prompt_tokens=max(len(one.token_ids) for one in prompts),
        steps=config.steps,
        groups=sampling.groups,
        rollouts=config.steps * sampling.groups * sampling.group_size,
        rollouts_at_most=at_most,
        tokens_at_most=at_most * sampling.max_tokens,
        evaluations=evaluations,
        evaluation_rollouts=evaluations * asked * config.evaluation.group_size,
        optimizer_steps_at_most=config.steps * config.update_config().optimizer_steps,
        parameters=parameters,
        weights_mib=mib,
        gradients_mib=mib,
        moments_mib=2 * mib,
        frozen_mib=mib * ((config.loss.beta > 0) + config.generation.asynchronous),
        checkpoint_mib=3 * mib,
        checkpoints_kept=config.checkpoint.keep,
    )


def _check_names(config: RunConfig) -> None:
    """Refuse now what the run would refuse when it has loaded its model."""
    judging_of(config.judge).close()
    scorer = config.signal.scorer
    if scorer is not None and ":" not in scorer:
        step_scorers.factory(scorer)
    estimators.factory(config.signal.estimator)
    generators.factory(config.generation.engine)
    for name in config.monitor.writers:
        writers.factory(name)


def _model(config: RunConfig) -> tuple[int, object]:
    """Parameters of the policy, and its tokenizer."""
    path = config.model.path
    if path is None:
        raise ArgumentError("model.path: expected a folder or a name, got none")
    try:
        about = AutoConfig.from_pretrained(path, trust_remote_code=False)
        tokenizer = AutoTokenizer.from_pretrained(path, trust_remote_code=False)
        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(about, trust_remote_code=False)
    except Exception as error:  # whatever the readers of configurations and tokenizers raise
        reason = str(error).strip().split("\n")[0]
        raise ArgumentError(f"model.path: expected a causal language model, got {path}: {reason}") from error
    return sum(one.numel() for one in model.parameters()), tokenizer
