"""Success per prompt over time: which prompts still teach, which are too hard or too easy, and which to draw next.

State for a training loop, kept in arrays: a batch of 512 prompts among a million costs what 512 cost. The rules by
which prompts move stand in `pool_rules`. What is known of a rate is a beta posterior of discounted counts; the moving
average is for display and decides nothing.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .pool_rules import POOLS, Pool, PoolRules, decay, route
from .posteriors import chance_of_mixed, credible_intervals
from .prompt_columns import PromptColumns, PromptId, plain_or_none
from .rows import FloatArray, IntArray, group_index, reward_values

__all__ = ["POOLS", "Move", "Pool", "PoolRules", "PromptId", "PromptPools"]

_QUARANTINE = POOLS.index(Pool.QUARANTINE)


class Move(NamedTuple):
    """A prompt that changed its pool."""

    prompt_id: PromptId
    before: Pool
    after: Pool


class PromptPools:
    """The pools of a set of prompts.

    A prompt is in the frontier until its rewards say otherwise. Unknown rewards count for nothing, never as failures;
    a visit without a known reward is none. Evaluation and quarantine are set from outside, by `set_aside`: rewards of
    an evaluation prompt are counted but move nothing, those of a quarantined one are not even counted, because its
    target or its verifier is what is in doubt.

    Args:
        prompt_ids: the prompts that may be drawn, str or int; others are added when they are first updated.
        rules: when prompts move and how often they are drawn; the defaults where None.

    Raises:
        ArgumentError: an id that is neither str nor int.

    Example:
        >>> pools = PromptPools(["a", "b", "c"])
        >>> pools.update([0.0] * 8 + [1.0, 0.0, None], ["a"] * 8 + ["b"] * 3, step=60)
        [Move(prompt_id='a', before=<Pool.FRONTIER: 'frontier'>, after=<Pool.HARD: 'hard'>)]
        >>> pools.weights().round(3)  # of the draws: 10 % for all alike, the rest as 0.2 : 1 : 1
        array([0.115, 0.442, 0.442])
    """

    def __init__(self, prompt_ids: Iterable[PromptId] = (), *, rules: PoolRules | None = None) -> None:
        self.rules = PoolRules() if rules is None else rules
        self._columns = PromptColumns()
        self.add(prompt_ids)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def prompt_ids(self) -> list[PromptId]:
        """Every prompt, in the order in which it was first named: the order of every array here."""
        return list(self._columns.ids)

    @property
    def codes(self) -> IntArray:
        """(N,) where each prompt is, as a position in `POOLS`."""
        return self._columns.codes.copy()

    def add(self, prompt_ids: Iterable[PromptId]) -> None:
        """Let further prompts be drawn; those that are known stay as they are."""
        self._columns.slots_of(list(prompt_ids))

    def update(
        self,
        rewards: Sequence[float | None] | npt.ArrayLike,
        prompt_ids: Sequence[Hashable] | npt.NDArray[Any],
        *,
        step: int,
    ) -> list[Move]:
        """Count one batch of rollouts: one visit of every prompt in it.

        Args:
            rewards: (B,) raw outcome rewards; None or NaN where unknown.
            prompt_ids: (B,) str or int; rows of a prompt need not be adjacent.
            step: the policy step that sampled them; never before a prompt's last one.

        Returns:
            The prompts that changed their pool.

        Raises:
            ArgumentError: shapes that differ, a reward that is no number, an id that is neither str nor int, or a
                step that runs backwards.
        """
        values = reward_values(rewards)  # (B,)
        ids, index = group_index(prompt_ids)  # N ids, (B,)
        if len(index) != len(values):
            raise ArgumentError(f"prompt_ids: expected one id a reward ({len(values)}), got {len(index)}")
        scored = np.bincount(index[~np.isnan(values)], minlength=len(ids))
        successes = np.bincount(index[values >= self.rules.correct_at], minlength=len(ids))
        return self.update_counts(ids, successes, scored, step=step)

    def update_counts(
        self, prompt_ids: Sequence[Any], successes: npt.ArrayLike, scored: npt.ArrayLike, *, step: int
    ) -> list[Move]:
        """As `update`, from counts.

        Args:
            prompt_ids: (N,) distinct.
            successes: (N,) successes among the scored rollouts.
            scored: (N,) rollouts whose reward is known; a prompt with 0 is not visited.
            step: as in `update`.

        Raises:
            ArgumentError: lengths that differ, an id named twice, successes outside 0..scored, or as in `update`.
        """
        won, counted = _counts(successes, scored, len(prompt_ids))
        columns, slots = self._columns, self._columns.slots_of(prompt_ids)
        if len(np.unique(slots)) < len(slots):
            raise ArgumentError(f"prompt_ids: expected distinct ids, got {len(slots) - len(np.unique(slots))} again")
        is_visited = (counted > 0) & (columns.codes[slots] != _QUARANTINE)
        slots, won, counted = slots[is_visited], won[is_visited], counted[is_visited]
        columns.check_step(slots, step)

        left, rate = decay(step - columns.last_step[slots], self.rules), won / counted
        columns.successes[slots] = left * columns.successes[slots] + won
        columns.failures[slots] = left * columns.failures[slots] + counted - won
        # The first value starts the average: one that starts at 0 says nothing of the prompt for some visits.
        average = left * columns.ema[slots] + (1 - left) * rate
        columns.ema[slots] = np.where(columns.visits[slots] == 0, rate, average)
        columns.visits[slots] += 1
        columns.last_step[slots] = step
        return self._moved(slots)

    def set_aside(self, prompt_ids: Iterable[PromptId], pool: Pool | str) -> None:
        """Keep prompts for evaluation, or in quarantine; they are not drawn until `release`.

        Raises:
            ArgumentError: another pool than those two.
        """
        if pool not in (Pool.EVAL, Pool.QUARANTINE):
            raise ArgumentError(f"pool: expected eval or quarantine, got {str(pool)!r}; rewards decide on the others")
        slots = self._columns.slots_of(list(prompt_ids))
        self._columns.codes[slots] = POOLS.index(pool)

    def release(self, prompt_ids: Iterable[PromptId]) -> None:
        """Start prompts afresh in the frontier, without counts: what they were judged by may have been wrong."""
        self._columns.forget(self._columns.slots_of(list(prompt_ids)))

    def pool_of(self, prompt_id: PromptId) -> Pool:
        """Where a prompt is.

        Raises:
            ArgumentError: no such prompt.
        """
        slot = self._columns.slots.get(prompt_id)
        if slot is None:
            raise ArgumentError(f"prompt_id: expected one of the {len(self)} prompts, got {prompt_id!r}")
        return POOLS[self._columns.codes[slot]]

    def counts(self) -> dict[Pool, int]:
        """Prompts in each pool, 0 included."""
        return dict(zip(POOLS, np.bincount(self._columns.codes, minlength=len(POOLS)).tolist(), strict=True))

    def weights(self) -> FloatArray:
        """(N,) chance of each prompt to be the next one drawn; they sum to 1, or are 0 where none may be drawn."""
        codes = self._columns.codes
        weight = np.array([self.rules.weights.get(pool, 0.0) for pool in POOLS])[codes]
        is_drawn = np.array([pool.is_drawn for pool in POOLS])[codes]
        alike = is_drawn / max(1, np.count_nonzero(is_drawn))
        # Where no pool that has a weight has a prompt, what may be drawn is drawn alike.
        by_pool = weight / weight.sum() if weight.any() else alike
        return self.rules.floor * alike + (1 - self.rules.floor) * by_pool

    def sample(self, n: int, *, generator: np.random.Generator) -> list[PromptId]:
        """The ids of n distinct prompts, drawn one after the other by `weights`.

        Raises:
            ArgumentError: a negative number, or more than may be drawn.
        """
        weights = self.weights()
        candidates = np.flatnonzero(weights)
        if not 0 <= n <= len(candidates):
            raise ArgumentError(f"n: expected 0..{len(candidates)}, the prompts that may be drawn, got {n}")
        # Of independent exponential clocks that run at these rates, the first n to ring are such a sample.
        rings_at = generator.standard_exponential(len(candidates)) / weights[candidates]
        first = np.argpartition(rings_at, n - 1)[:n] if n else np.zeros(0, dtype=np.int64)
        ids = self._columns.ids
        return [ids[slot] for slot in candidates[first[np.argsort(rings_at[first])]].tolist()]

    def posterior(self) -> tuple[FloatArray, FloatArray]:
        """(N,) each: a and b of the beta posterior of every prompt's rate, the prior included."""
        a, b = self.rules.prior
        return self._columns.successes + a, self._columns.failures + b

    def table(self, *, confidence: float = 0.95, group_size: int = 8) -> dict[str, list[Any]]:
        """What is known of every prompt, as columns of plain values: for a file or a report.

        `mean`, `low` and `high` are of the posterior, equal-tailed; `mixed` is the chance that a group of `group_size`
        would be mixed; `ema` and `last_step` are None before the first visit.
        """
        columns, (a, b) = self._columns, self.posterior()
        low, high = credible_intervals(a, b, confidence=confidence)
        is_new = columns.visits == 0
        return {
            "prompt_id": self.prompt_ids,
            "pool": [str(POOLS[code]) for code in columns.codes.tolist()],
            "mean": (a / (a + b)).tolist(),
            "low": low.tolist(),
            "high": high.tolist(),
            "mixed": chance_of_mixed(a, b, group_size).tolist(),
            "ema": plain_or_none(columns.ema, is_new),
            "visits": columns.visits.tolist(),
            "moves": columns.moves.tolist(),
            "last_step": plain_or_none(columns.last_step, is_new),
        }

    def state_dict(self) -> dict[str, Any]:
        """All but the rules, as plain values that `json.dumps` takes; `load_state_dict` makes the same pools of it."""
        return self._columns.state()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Become what `state_dict` told; all that was here is replaced, but the rules.

        Raises:
            ArgumentError: not such a state; nothing has changed then.
        """
        self._columns = PromptColumns.from_state(state)

    def _moved(self, slots: IntArray) -> list[Move]:
        columns = self._columns
        before = columns.codes[slots]
        after = route(before, columns.successes[slots], columns.failures[slots], self.rules)
        columns.codes[slots] = after
        rows = np.flatnonzero(after != before)
        columns.moves[slots[rows]] += 1
        return [Move(columns.ids[slots[row]], POOLS[before[row]], POOLS[after[row]]) for row in rows]


def _counts(successes: npt.ArrayLike, scored: npt.ArrayLike, n_prompts: int) -> tuple[FloatArray, FloatArray]:
    won, counted = np.asarray(successes, dtype=np.float64), np.asarray(scored, dtype=np.float64)
    for name, values in (("successes", won), ("scored", counted)):
        if values.shape != (n_prompts,):
            raise ArgumentError(f"{name}: expected one number a prompt ({n_prompts},), got shape {values.shape}")
    is_wrong = ~((won >= 0) & (won <= counted) & np.isfinite(counted))
    if is_wrong.any():
        row = int(np.flatnonzero(is_wrong)[0])
        raise ArgumentError(f"successes: expected 0..scored, got {won[row]:g} of {counted[row]:g} in row {row}")
    return won, counted
