"""Completions of some prompts, sampled and judged: what is counted, written and learned from."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ..rollouts.records import Group, Rollout
from ..verifiers.base import Verdict, Verifier
from ..verifiers.batch import verify_many
from .base import Generator, Sampled, Sampling
from .prompts import Prompt

__all__ = ["Attempted", "Attempts", "attempt", "group_of"]


@dataclass(frozen=True, slots=True)
class Attempts:
    """The completions of one prompt, and what was said of each."""

    prompt: Prompt
    completions: tuple[Sampled, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def rewards(self) -> list[float | None]:
        """One a completion; None where the target or our machinery is at fault."""
        return [verdict.reward for verdict in self.verdicts]

    @property
    def n_tokens(self) -> int:
        """Generated, end tokens included."""
        return sum(len(one.token_ids) for one in self.completions)


class Attempted(NamedTuple):
    """What `attempt` did: a prompt's attempts each, and wall-clock seconds of both halves."""

    attempts: list[Attempts]
    generating_s: float
    judging_s: float


def attempt(
    prompts: Sequence[Prompt],
    count: int,
    generator: Generator,
    verifier: Verifier,
    sampling: Sampling,
    *,
    seed: int,
    workers: int = 0,
) -> Attempted:
    """`count` completions of every prompt, each with its verdict. A verifier that fails costs its row and no other.

    Args:
        prompts: with their ids; all at once: as many as the caller wants to hold.
        count: completions a prompt, at least 1.
        seed: of the sampling.
        workers: killable processes, see `verifiers.iter_verdicts`.

    Raises:
        RewardgateError: the generator's.
    """
    started = perf_counter()
    sampled = generator.generate([one.token_ids for one in prompts], [count] * len(prompts), sampling, seed=seed)
    generated = perf_counter()
    rows = [
        (one.text, prompt.target, prompt.prompt)
        for prompt, completions in zip(prompts, sampled, strict=True)
        for one in completions
    ]
    verdicts = verify_many(verifier, rows, workers=workers)
    attempts = [
        Attempts(prompt, tuple(completions), tuple(verdicts[place * count : (place + 1) * count]))
        for place, (prompt, completions) in enumerate(zip(prompts, sampled, strict=True))
    ]
    return Attempted(attempts, generated - started, perf_counter() - generated)


def group_of(attempts: Attempts, *, group_id: str, policy_version: int, step: int | None = None, **meta: Any) -> Group:
    """The attempts as records, for a native file: what `rewardgate audit` reads.

    Args:
        meta: put under `meta` of every rollout, beside the verdict's outcome, rule and detail.
    """
    prompt = attempts.prompt
    return Group(
        group_id=group_id,
        rollouts=tuple(
            Rollout(
                prompt_id=prompt.prompt_id,
                prompt=prompt.prompt,
                response=one.text,
                target=prompt.target,
                rewards={"outcome": verdict.reward},
                reward_name="outcome",
                truncated=one.finish_reason == "length",
                finish_reason=one.finish_reason,
                n_tokens=len(one.token_ids),
                policy_version=policy_version,
                step=step,
                meta={**meta, "outcome": str(verdict.outcome), "rule": verdict.rule, "detail": verdict.detail},
                token_ids=np.asarray(one.token_ids, dtype=np.int64),
                rollout_logprobs=np.asarray(one.logprobs, dtype=np.float64),
            )
            for one, verdict in zip(attempts.completions, attempts.verdicts, strict=True)
        ),
    )
