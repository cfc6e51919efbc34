"""Small batches for the gate: rollouts as a reader would write them, their tensors, and a strategy for both."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

__all__ = ["Stepped", "rollout_batches", "tensors_of"]


@dataclass(frozen=True)
class Stepped:
    """One rollout: its group, its outcome (None = unknown) and its steps as (score or None, number of tokens).

    After its steps come `specials` tokens that belong to none.
    """

    group: int
    outcome: float | None
    steps: tuple[tuple[float | None, int], ...]
    specials: int = 0

    def with_step(self, position: int, score: float | None, tokens: int = 1) -> "Stepped":
        """The same rollout with one more step at that place."""
        steps = list(self.steps)
        steps.insert(position, (score, tokens))
        return replace(self, steps=tuple(steps))

    @property
    def token_steps(self) -> list[int]:
        """The step of each token, -1 for special ones."""
        own = [index for index, (_, tokens) in enumerate(self.steps) for _ in range(tokens)]
        return own + [-1] * self.specials


def tensors_of(rollouts: Sequence[Stepped], *, columns: int = 0, filler: int = -1) -> dict[str, Tensor]:
    """The arguments of `gate`, in float64, with `columns` more columns of padding, whose step ids are `filler`."""
    n_steps = max((len(rollout.steps) for rollout in rollouts), default=0)
    width = max((len(rollout.token_steps) for rollout in rollouts), default=0) + columns

    def padded(values: list[Any], length: int, fill: Any) -> list[Any]:
        return values + [fill] * (length - len(values))

    scores = [[nan if score is None else score for score, _ in rollout.steps] for rollout in rollouts]
    ids = [rollout.token_steps for rollout in rollouts]
    shape = (len(rollouts), width)
    return {
        "outcome_rewards": torch.tensor(
            [nan if rollout.outcome is None else rollout.outcome for rollout in rollouts], dtype=torch.float64
        ),
        "group_ids": torch.tensor([rollout.group for rollout in rollouts], dtype=torch.int64),
        "step_rewards": torch.tensor([padded(row, n_steps, nan) for row in scores], dtype=torch.float64).reshape(
            len(rollouts), n_steps
        ),
        "step_ids": torch.tensor([padded(row, width, filler) for row in ids], dtype=torch.int64).reshape(shape),
        "completion_mask": torch.tensor(
            [padded([True] * len(row), width, False) for row in ids], dtype=torch.bool
        ).reshape(shape),
    }


def rollout_batches(
    scores: Sequence[float | None] = (None, 0.0, 0.3, 0.5, 0.9, 1.0),
    outcomes: Sequence[float | None] = (0.0, 0.0, 0.0, 0.5, 1.0, None),
) -> st.SearchStrategy[list[Stepped]]:
    """Batches of up to seven rollouts in up to three groups, interleaved, of none to four steps."""
    steps = st.lists(st.tuples(st.sampled_from(scores), st.integers(0, 3)), max_size=4).map(tuple)
    rollout = st.builds(Stepped, st.integers(0, 2), st.sampled_from(outcomes), steps, st.integers(0, 1))
    return st.lists(rollout, min_size=1, max_size=7)
