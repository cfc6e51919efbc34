"""What a run is done with, built from its configuration; whatever the caller has already is taken as it is."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import cos, pi
from typing import Any

import torch
from torch import nn

from ..errors import ArgumentError
from ..prm import StepScorer
from ..verifiers.base import Verifier
from .base import Generator
from .config import RunConfig
from .generation import generators
from .groups.judging import Judging, judging_of
from .groups.scoring import Scoring, scoring_of
from .options import Optimizer
from .policy import load_policy
from .prompts import Prompt, PromptEncoder, read_prompts, without

__all__ = ["Parts", "adamw", "parts_of", "prompts_of", "rate_at"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a run is done with.

    Args:
        model: that is trained.
        tokenizer: its own, of transformers.
        reference: policy that the KL is against; None without one.
        optimizer: of the model's parameters.
        prompts, held_out: with the ids that the policy reads; held-out ones may be none.
        n_too_long: prompts left out for their length.
        generator: what samples.
        judging: what judges outcomes.
        scoring: what judges steps; None: no gate.
    """

    model: nn.Module
    tokenizer: Any
    reference: nn.Module | None
    optimizer: Any
    prompts: Sequence[Prompt]
    held_out: Sequence[Prompt]
    n_too_long: int
    generator: Generator
    judging: Judging
    scoring: Scoring | None


def parts_of(
    config: RunConfig,
    *,
    model: nn.Module | None = None,
    tokenizer: Any = None,
    reference: nn.Module | None = None,
    optimizer: Any = None,
    prompts: Sequence[Prompt] | None = None,
    held_out: Sequence[Prompt] | None = None,
    generator: Generator | None = None,
    verifier: Verifier | None = None,
    scorer: StepScorer | None = None,
) -> Parts:
    """The parts of a run. Arguments as in `Parts`, verifier and scorer as they are; None: as the configuration has it.

    Raises:
        RewardgateError: a part is missing, cannot be read, or does not fit the others.
    """
    if model is None or tokenizer is None:
        if config.model.path is None:
            raise ArgumentError("model.path: expected a folder or a name, got none, and no model and tokenizer either")
        options = {"dtype": config.model.dtype, "device": config.model.device}
        loaded = load_policy(config.model.path, **options)
        model, tokenizer = model or loaded.model, tokenizer or loaded.tokenizer
    assert model is not None
    if config.update.activation_checkpointing:
        model.train()  # in evaluation mode transformers keeps all activations
    if reference is None and config.loss.beta > 0:
        reference = _reference(config, model)
    asked, own_held_out, n_too_long = prompts_of(config, tokenizer, prompts=prompts, held_out=held_out)
    if generator is None:
        generator = _generator(config, model, tokenizer)
    if config.generation.asynchronous and not getattr(generator, "owns_weights", False):
        raise ArgumentError(
            "generation.asynchronous: expected an engine with weights of its own, got one that samples from those that "
            "are trained"
        )
    return Parts(
        model=model,
        tokenizer=tokenizer,
        reference=reference,
        optimizer=adamw(model, config.optimizer) if optimizer is None else optimizer,
        prompts=asked,
        held_out=own_held_out,
        n_too_long=n_too_long,
        generator=generator,
        judging=judging_of(config.judge) if verifier is None else _judging(verifier, config),
        scoring=scoring_of(config.signal) if scorer is None else Scoring(scorer),
    )


def prompts_of(
    config: RunConfig,
    tokenizer: Any,
    *,
    prompts: Sequence[Prompt] | None = None,
    held_out: Sequence[Prompt] | None = None,
) -> tuple[list[Prompt], list[Prompt], int]:
    """Those that are trained on, those that are held out, and how many were too long. None: of the files.

    Raises:
        RewardgateError: a file is missing or cannot be read, or there are fewer prompts than a step needs.
    """
    data = config.data
    encoder = PromptEncoder(tokenizer, chat=data.chat, system=data.system, template=data.template)
    own_held_out = _held_out(config, encoder) if held_out is None else _encoded(held_out, encoder)
    asked, n_too_long = _asked(config, prompts, own_held_out, encoder)
    return asked, own_held_out, n_too_long


def adamw(model: nn.Module, options: Optimizer) -> torch.optim.AdamW:
    """AdamW of what is trained; vectors do not decay."""
    trained = [one for one in model.parameters() if one.requires_grad]
    groups = [
        {"params": [one for one in trained if one.ndim >= 2], "weight_decay": options.weight_decay},
        {"params": [one for one in trained if one.ndim < 2], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    return torch.optim.AdamW(groups, lr=options.lr, betas=options.betas, eps=options.epsilon)


def rate_at(step: int, options: Optimizer, steps: int) -> float:
    """The learning rate of a step, 1 to `steps`.

    Example:
        >>> options = Optimizer(lr=0.5, warmup_steps=2, schedule="linear")
        >>> [rate_at(step, options, 6) for step in range(1, 7)]
        [0.25, 0.5, 0.5, 0.375, 0.25, 0.125]
    """
    if step <= options.warmup_steps:
        return options.lr * step / options.warmup_steps
    done = (step - 1 - options.warmup_steps) / (steps - options.warmup_steps)  # of the way behind the warm-up
    left = {"constant": 1.0, "linear": 1 - done, "cosine": (1 + cos(pi * done)) / 2}[options.schedule]
    return options.lr * left


def _reference(config: RunConfig, model: nn.Module) -> nn.Module:
    path = config.model.reference or config.model.path
    if path is None:
        return deepcopy(model).requires_grad_(False)
    options = {"dtype": config.model.dtype, "device": config.model.device}
    return load_policy(path, **options).model.requires_grad_(False)


def _read(path: Any, config: RunConfig) -> list[Prompt]:
    data = config.data
    return read_prompts(path, prompt_key=data.prompt_key, target_key=data.target_key, prompt_id_key=data.prompt_id_key)


def _encoded(prompts: Sequence[Prompt], encoder: PromptEncoder) -> list[Prompt]:
    return [one if one.token_ids else encoder.encoded([one])[0] for one in prompts]


def _held_out(config: RunConfig, encoder: PromptEncoder) -> list[Prompt]:
    if config.data.held_out is not None:
        return encoder.encoded(_read(config.data.held_out, config))
    if config.evaluation.every is not None:
        raise ArgumentError("data.held_out: expected a file with evaluation.every, got none, and no prompts either")
    return []


def _asked(
    config: RunConfig, given: Sequence[Prompt] | None, held_out: Sequence[Prompt], encoder: PromptEncoder
) -> tuple[list[Prompt], int]:
    if given is None:
        if config.data.prompts is None:
            raise ArgumentError("data.prompts: expected a file, got none, and no prompts either")
        given = _read(config.data.prompts, config)
    asked = without(given, held_out)
    limit = config.data.max_prompt_tokens
    encoded = _encoded(asked, encoder)
    kept = [one for one in encoded if limit is None or len(one.token_ids) <= limit]
    if len(kept) < config.sampling.groups:
        told = f"got {len(kept)} ({len(given) - len(asked)} held out, {len(encoded) - len(kept)} too long)"
        raise ArgumentError(f"data.prompts: expected at least sampling.groups = {config.sampling.groups}, {told}")
    return kept, len(encoded) - len(kept)


def _generator(config: RunConfig, model: nn.Module, tokenizer: Any) -> Generator:
    options = dict(config.generation.options)
    if config.generation.engine == "hf":
        # As the update is told, or its log-probabilities are of another policy.
        options = {"autocast": config.update.autocast, "copy": config.generation.asynchronous, **options}
    return generators.create(config.generation.engine, model, tokenizer, **options)


def _judging(verifier: Verifier, config: RunConfig) -> Judging:
    return Judging(verifier, workers=config.judge.workers, timeout_s=config.judge.timeout_s)
