"""Completions asked of a generator, held to what was asked for, and judged."""

from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

from ...errors import ArgumentError, RewardgateError, WorkerError
from ..base import Generator, Sampled, Sampling
from ..prompts import Prompt
from .attempts import Attempts
from .judging import Judging

__all__ = ["Attempted", "attempt", "sampled_by"]


class Attempted(NamedTuple):
    """What `attempt` did: a prompt's attempts each, and wall-clock seconds of both halves."""

    attempts: list[Attempts]
    generating_s: float
    judging_s: float


def attempt(
    prompts: Sequence[Prompt], count: int, generator: Generator, judging: Judging, sampling: Sampling, *, seed: int
) -> Attempted:
    """`count` completions of every prompt, each with its verdict. A verifier that fails costs its row and no other.

    Args:
        prompts: with their ids; all at once: as many as the caller wants to hold.
        count: completions a prompt, at least 1.
        seed: of the sampling.

    Raises:
        RewardgateError: as `sampled_by`; a verifier that demands more than the machine has.
    """
    started = perf_counter()
    sampled = sampled_by(generator, prompts, [count] * len(prompts), sampling, seed=seed)
    generated = perf_counter()
    rows = [
        (one.text, prompt.target, prompt.prompt)
        for prompt, completions in zip(prompts, sampled, strict=True)
        for one in completions
    ]
    verdicts = iter(judging.verdicts(rows))
    attempts = [
        Attempts(prompt, tuple(completions), tuple(next(verdicts) for _ in completions))
        for prompt, completions in zip(prompts, sampled, strict=True)
    ]
    return Attempted(attempts, generated - started, perf_counter() - generated)


def sampled_by(
    generator: Generator, prompts: Sequence[Prompt], counts: Sequence[int], sampling: Sampling, *, seed: int
) -> list[list[Sampled]]:
    """What the generator answers, if it is what was asked for.

    Raises:
        RewardgateError: the generator's own, or what else it raised, named.
        ArgumentError: another number of completions, or log-probabilities that are not one a token.
    """
    try:
        found = generator.generate([one.token_ids for one in prompts], counts, sampling, seed=seed)
    except RewardgateError:
        raise
    except Exception as raised:  # an engine's, of any kind
        raise WorkerError(f"generator: {type(raised).__name__}: {raised}") from raised
    got = [len(one) for one in found]
    if got != list(counts):
        raise ArgumentError(f"generator: expected {list(counts)} completions, got {got}")
    for completions in found:
        for one in completions:
            if not one.token_ids or len(one.token_ids) != len(one.logprobs):
                told = f"got {len(one.token_ids)} tokens and {len(one.logprobs)} of them"
                raise ArgumentError(f"generator: expected tokens with a log-probability each, {told}")
    return found
