"""Completions of a prompt, sampled and judged: what is counted, written and learned from."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...rollouts.records import Group, Rollout
from ...verifiers.base import Verdict
from ..base import Sampled
from ..prompts import Prompt

__all__ = ["Attempts", "group_of"]


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
