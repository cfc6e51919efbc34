"""Lag as a run's own dumps show it: the sampler's log-probabilities beside the trainer's, where both were logged."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from ...diagnostics.lag import PolicyLag, policy_lag
from ...diagnostics.rows import FloatArray
from ...diagnostics.staleness import Staleness, staleness
from ...errors import InputError
from ...rollouts.fields import TRAINER_LOGPROBS
from ...rollouts.records import Group, Rollout

__all__ = ["RunLag", "run_lag"]


@dataclass(frozen=True, slots=True)
class RunLag:
    """What the dumps say of lag.

    Args:
        lag: over the tokens of which both log-probabilities are logged.
        staleness: of the rollouts' versions against the steps that trained on them; all unknown unless the caller
            said that versions count steps.
        misfits: rollouts whose two lists are of different lengths, all of whose tokens count as unknown.
    """

    lag: PolicyLag
    staleness: Staleness
    misfits: int


def run_lag(
    groups: Iterable[Group],
    *,
    epsilon_low: float = 0.2,
    epsilon_high: float = 0.2,
    versions_are_steps: bool = False,
) -> RunLag:
    """The lag of the rollouts of `groups`, which were read with `tokens=True`.

    A rollout's advantage, where the dump has it (`meta["advantage"]`), says on which side the loss would clip.

    Args:
        groups: iterated once; 24 bytes a token are kept.
        epsilon_low, epsilon_high: of the clip range.
        versions_are_steps: whether `policy_version` is the step after which the policy was published, so that its
            distance to the rollout's `step` is its age. Trainers differ; nothing is assumed.

    Raises:
        InputError: what was logged are no log-probabilities.
    """
    own: list[FloatArray | None] = []
    sampled: list[FloatArray | None] = []
    advantages: list[float | None] = []
    versions: list[str | int | None] = []
    steps: list[int | None] = []
    misfits = 0
    for group in groups:
        for rollout in group.rollouts:
            trainer, sampler = _trainers(rollout), rollout.rollout_logprobs
            if trainer is not None and sampler is not None and len(trainer) != len(sampler):
                misfits, trainer = misfits + 1, None
            own.append(_checked(trainer, rollout))
            sampled.append(_checked(sampler, rollout))
            advantage = rollout.meta.get("advantage")
            advantages.append(advantage if _is_number(advantage) else None)
            versions.append(rollout.policy_version if versions_are_steps else None)
            steps.append(rollout.step)
    lag = policy_lag(own, sampled, advantages=advantages, epsilon_low=epsilon_low, epsilon_high=epsilon_high)
    return RunLag(lag, staleness(versions, steps), misfits)


def _trainers(rollout: Rollout) -> FloatArray | None:
    """(T,) what the trainer logged; None where it logged nothing that is a list of numbers."""
    for name in TRAINER_LOGPROBS:  # the first that is there counts
        values = rollout.meta.get(name)
        if isinstance(values, list) and all(value is None or _is_number(value) for value in values):
            return np.array(values, dtype=np.float64)  # None becomes NaN: unknown
    return None


def _checked(values: FloatArray | None, rollout: Rollout) -> FloatArray | None:
    if values is not None and (values > 1e-3).any():
        where = "rollouts" if rollout.source is None else str(rollout.source)
        raise InputError(f"{where}: log-probabilities: expected numbers of at most 0, got {values.max():g}")
    return values


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
