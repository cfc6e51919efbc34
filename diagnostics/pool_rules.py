"""Which pool a prompt belongs to, by what its successes and failures leave probable about its rate.

    hard        the rate is probably below `hard_below`: groups of it are mostly all wrong
    easy        the rate is probably above `easy_above`: groups of it are mostly all correct
    frontier    neither is probable enough, new prompts included: what mixed groups come from
    eval        held out for evaluation; told from outside, never drawn
    quarantine  its target or its verifier is suspect, so that its rewards say nothing; told from outside, never drawn

The last group's mean says less than it seems: at G = 8, a prompt that succeeds every fourth time shows no success
in one group of ten. So counts of several visits are kept, the older ones discounted, and a prompt moves only when
the posterior of its rate is clear, and moves back only when it no longer is (hysteresis).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite

import numpy as np

from ..errors import ArgumentError
from .posteriors import chance_below
from .rows import FloatArray, IntArray

__all__ = ["POOLS", "Pool", "PoolRules", "decay", "route"]


class Pool(StrEnum):
    """Where a prompt is; a closed set."""

    HARD = "hard"
    FRONTIER = "frontier"
    EASY = "easy"
    EVAL = "eval"
    QUARANTINE = "quarantine"

    @property
    def is_drawn(self) -> bool:
        """Whether prompts of the pool are trained on."""
        return self in (Pool.HARD, Pool.FRONTIER, Pool.EASY)


POOLS = tuple(Pool)
_HARD, _FRONTIER, _EASY = (POOLS.index(pool) for pool in (Pool.HARD, Pool.FRONTIER, Pool.EASY))


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRules:
    """The options of `PromptPools`, checked when built.

    Args:
        hard_below, easy_above: bounds of the success rate, 0 < hard_below < easy_above < 1.
        enter_at: probability of a rate beyond the bound at which a prompt leaves the frontier, in (0, 1).
        leave_at: probability below which it comes back; at most `enter_at`. Between the two it stays where it is.
        half_life_visits: visits after which a count weighs half, above 0.
        half_life_steps: policy steps after which it weighs half, however few the visits: the policy that earned it
            is gone. Above 0; infinite for prompts revisited at any distance alike.
        prior: successes and failures counted before the first visit, each above 0; (1/2, 1/2) is Jeffreys'.
        weights: weight of a prompt by its pool, relative to one another; pools that are never drawn have none.
        floor: share of the draws that goes to all drawn pools alike, in [0, 1]. With N prompts in them and n draws
            a step none waits longer than N / (n * floor) steps on average, however it was judged.
        correct_at: a reward of this or more is a success.

    Raises:
        ArgumentError: a number outside those ranges.

    Example:
        >>> PoolRules(hard_below=0.95)
        Traceback (most recent call last):
            ...
        rewardgate.errors.ArgumentError: hard_below: expected a number in (0, easy_above = 0.9), got 0.95
    """

    hard_below: float = 0.1
    easy_above: float = 0.9
    enter_at: float = 0.7
    leave_at: float = 0.2
    half_life_visits: float = 2.0
    half_life_steps: float = 500.0
    prior: tuple[float, float] = (0.5, 0.5)
    weights: Mapping[str, float] = field(default_factory=lambda: {"hard": 0.2, "frontier": 1.0, "easy": 0.2})
    floor: float = 0.1
    correct_at: float = 1.0

    def __post_init__(self) -> None:
        drawn = {str(pool) for pool in POOLS if pool.is_drawn}
        for name, value, holds, rule in (
            ("easy_above", self.easy_above, 0 < self.easy_above < 1, "a number in (0, 1)"),
            (
                "hard_below",
                self.hard_below,
                0 < self.hard_below < self.easy_above,
                f"a number in (0, easy_above = {self.easy_above})",
            ),
            ("enter_at", self.enter_at, 0 < self.enter_at < 1, "a number in (0, 1)"),
            (
                "leave_at",
                self.leave_at,
                0 < self.leave_at <= self.enter_at,
                f"a number in (0, enter_at = {self.enter_at}]",
            ),
            ("half_life_visits", self.half_life_visits, self.half_life_visits > 0, "a number above 0"),
            ("half_life_steps", self.half_life_steps, self.half_life_steps > 0, "a number above 0"),
            ("prior", self.prior, len(self.prior) == 2 and min(self.prior) > 0, "two numbers above 0"),
            ("weights", self.weights, set(self.weights) == drawn, "one weight for each of hard, frontier, easy"),
            ("weights", self.weights, _are_weights(self.weights), "numbers of at least 0, not all 0"),
            ("floor", self.floor, 0 <= self.floor <= 1, "a number in [0, 1]"),
            ("correct_at", self.correct_at, isfinite(self.correct_at), "a finite number"),
        ):
            if not holds:
                raise ArgumentError(f"{name}: expected {rule}, got {value}")


def decay(steps_since: IntArray, rules: PoolRules) -> FloatArray:
    """What is left of a count at the next visit, `steps_since` policy steps later: (N,) in (0, 1).

    2^-max(1 / half_life_visits, steps / half_life_steps): whichever of the two clocks has run further.

    Example:
        >>> decay(np.array([60, 1000]), PoolRules(half_life_visits=2, half_life_steps=500)).round(3)
        array([0.707, 0.25 ])
    """
    return np.exp2(-np.maximum(1 / rules.half_life_visits, steps_since / rules.half_life_steps))


def route(codes: IntArray, successes: FloatArray, failures: FloatArray, rules: PoolRules) -> IntArray:
    """The pools after new counts.

    Args:
        codes: (N,) where each prompt is, as positions in `POOLS`; eval and quarantine stay what they are.
        successes, failures: (N,) discounted counts, without the prior.

    Returns:
        (N,) where each prompt is now.

    Example:
        >>> rules, frontier = PoolRules(), POOLS.index(Pool.FRONTIER)
        >>> codes = route(np.full(3, frontier), np.array([0.0, 0.0, 8.0]), np.array([4.0, 8.0, 0.0]), rules)
        >>> [str(POOLS[code]) for code in codes]  # P(rate < .1) is .66 after 0 of 4, .81 after 0 of 8
        ['frontier', 'hard', 'easy']
    """
    a, b = successes + rules.prior[0], failures + rules.prior[1]
    is_hard, is_easy = chance_below(a, b, rules.hard_below), 1 - chance_below(a, b, rules.easy_above)
    is_drawn = np.isin(codes, (_HARD, _FRONTIER, _EASY))
    stays = np.where(codes == _HARD, is_hard, is_easy) >= rules.leave_at
    kept = np.where(is_drawn & ~stays, _FRONTIER, codes)
    # A prompt that has just left one end may be at the other already.
    kept = np.where((kept == _FRONTIER) & (is_hard >= rules.enter_at), _HARD, kept)
    return np.where((kept == _FRONTIER) & (is_easy >= rules.enter_at), _EASY, kept)


def _are_weights(weights: Mapping[str, float]) -> bool:
    values = list(weights.values())
    return all(isfinite(value) and value >= 0 for value in values) and sum(values) > 0
