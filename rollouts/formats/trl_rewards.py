"""The reward that TRL's trainer learned from: a weighted sum whose weights its completions do not hold.

They come from the trainer's state where its steps settle them, else from the advantages, which are the centred sums.
Where neither does, weights of 1 (TRL's default) are assumed if nothing speaks against them, and no total is given
if something does.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .weights import is_sum_of, weights_of_advantages

MAX_ROWS_COMPARED = 20_000


class Total(NamedTuple):
    """The sum of a row's rewards under the trainer's weights, and its name among them."""

    name: str
    value: float | None


class RewardWeights:
    """Learns from the rows how `names` were weighted; `known` are the weights where another file tells."""

    def __init__(self, names: Sequence[str] = (), known: Sequence[float] | None = None) -> None:
        self._names = list(names)
        self._weights = None if known is None else list(known)
        self._source = "trainer_state.json"
        self._rows: list[tuple[list[float | None], float | None]] = []
        self.notes: list[str] = []

    def add(self, rewards: Sequence[float | None], advantage: float | None) -> None:
        """Take note of one row; those beyond the first 20,000 are not looked at."""
        if len(self._rows) < MAX_ROWS_COMPARED and len(self._names) > 1:
            self._rows.append((list(rewards), advantage))

    def settle_names(self, groups: Sequence[int]) -> list[str]:
        """Without a state, the most of the leading columns whose plain sum the advantages confirm; else all of them."""
        parts, advantages = self._telling(groups)
        for n_names in range(len(self._names), 0, -1):
            cut = [[row[:n_names] for row in part] for part in parts]
            if parts and all(is_sum_of(part, values) for part, values in zip(cut, advantages, strict=True)):
                if left := self._names[n_names:]:
                    self.notes.append(
                        f"{', '.join(left)}: numbers that no advantage shows; read as logged, not as rewards"
                    )
                self._names = self._names[:n_names]
                self._rows = [(rewards[:n_names], advantage) for rewards, advantage in self._rows]
                break
        return self._names

    def settle(self, groups: Sequence[int]) -> None:
        """Decide on the weights; `groups`: the number of each row's group."""
        if len(self._names) < 2:
            return
        parts, advantages = self._telling(groups)
        weights = self._weights
        has_gaps = any(value is None for rewards, _ in self._rows for value in rewards)
        is_plain = weights is not None and all(weight == 1.0 for weight in weights)
        if weights is not None and ((has_gaps and not is_plain) or not _agree(parts, advantages, weights)):
            weights = None  # a reward that was not given is in no mean, but counts as 0 in the sum
        if weights is None:
            self._source = "the advantages"
            ones = [1.0] * len(self._names)
            if _agree(parts, advantages, ones):
                weights = ones
                if not parts:
                    self._source = "TRL's default, which no advantage here can confirm"
            elif (found := weights_of_advantages(parts, advantages)) is not None:
                weights = [round(weight.value, 4) for weight in found]
        self._weights = weights
        if weights is None:
            self.notes.append(
                "the weights of the rewards are not in the file and could not be worked out: no total reward is given"
            )
            return
        said = " + ".join(f"{weight:g} {name}" for name, weight in zip(self._names, weights, strict=True))
        self.notes.append(f"the trainer's reward: {said}; weights from {self._source}")

    def total(self, rewards: Mapping[str, float | None]) -> Total | None:
        """The sum, without the rewards that were not given; None where there is one reward, or no weights."""
        if len(self._names) < 2 or self._weights is None:
            return None
        given = [
            weight * value
            for name, weight in zip(self._names, self._weights, strict=True)
            if (value := rewards.get(name)) is not None
        ]
        name = next(name for name in ("reward", "total", "total_reward", "") if name not in rewards)
        return Total(name, math.fsum(given) if given else None)

    def _telling(self, groups: Sequence[int]) -> tuple[list[list[list[float]]], list[list[float]]]:
        """Of groups with an advantage other than 0: their rewards (G, K), 0 where not given, and advantages (G,)."""
        members: dict[int, list[tuple[list[float | None], float | None]]] = {}
        for group, row in zip(groups, self._rows, strict=False):
            members.setdefault(group, []).append(row)
        parts: list[list[list[float]]] = []
        advantages: list[list[float]] = []
        for rows in members.values():
            values = [advantage for _, advantage in rows if advantage is not None]
            if len(values) == len(rows) and any(values) and all(any(v is not None for v in row) for row, _ in rows):
                parts.append([[value or 0.0 for value in row] for row, _ in rows])
                advantages.append(values)
        return parts, advantages


def _agree(
    parts: Sequence[Sequence[Sequence[float]]], advantages: Sequence[Sequence[float]], weights: Sequence[float]
) -> bool:
    """Whether the sums under `weights` are the advantages of every group, shifted and scaled."""
    weighted = [
        [[value * weight for value, weight in zip(row, weights, strict=True)] for row in part] for part in parts
    ]
    return all(is_sum_of(part, values) for part, values in zip(weighted, advantages, strict=True))
