"""How the policy does on prompts that nobody trains on."""

from collections.abc import Sequence

from ..base import Generator
from ..config import RunConfig
from ..prompts import Prompt
from ..seeds import Stream, seed_of
from .asking import sampled_by
from .judging import JudgedGroup, Judging

__all__ = ["evaluated", "is_due"]


def is_due(config: RunConfig, step: int) -> bool:
    """Whether the held-out prompts are asked behind this step; 0 is before the first."""
    every = config.evaluation.every
    return every is not None and (step % every == 0 or step == config.steps)


def evaluated(
    config: RunConfig, prompts: Sequence[Prompt], generator: Generator, judging: Judging, *, step: int
) -> list[JudgedGroup]:
    """Completions of the held-out prompts, judged.

    Every evaluation of a run has the same random numbers: what moves is the policy.

    Raises:
        RewardgateError: the generator's.
    """
    options = config.evaluation
    asked = list(prompts[: options.prompts])
    changes = {name: value for name in ("temperature", "max_tokens") if (value := getattr(options, name)) is not None}
    sampled = sampled_by(
        generator,
        asked,
        [options.group_size] * len(asked),
        config.sampling.drawn(**changes),
        seed=seed_of(config.seed, Stream.EVALUATION),
    )
    return judging.groups(
        asked,
        sampled,
        policy_version=generator.policy_version,
        step=step,
        ids=[f"evaluation/{step}/{place}" for place in range(len(asked))],
        meta=[{}] * len(asked),
    )
