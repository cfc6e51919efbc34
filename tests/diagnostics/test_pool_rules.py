from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc

from rewardgate.diagnostics.pool_rules import POOLS, Pool, PoolRules, decay, route
from rewardgate.errors import ArgumentError

CODES = {pool: POOLS.index(pool) for pool in Pool}
COUNTS = st.floats(0, 60)


def routed(pool: Pool, successes: float, failures: float, rules: PoolRules) -> Pool:
    """Where one prompt goes."""
    return POOLS[route(np.array([CODES[pool]]), np.array([successes]), np.array([failures]), rules)[0]]


def routed_by_hand(pool: Pool, successes: float, failures: float, rules: PoolRules) -> Pool:
    """The contract, word by word, for one prompt."""
    a, b = successes + rules.prior[0], failures + rules.prior[1]
    chance = {
        Pool.HARD: float(betainc(a, b, rules.hard_below)),
        Pool.EASY: 1 - float(betainc(a, b, rules.easy_above)),
    }
    if pool in chance and chance[pool] < rules.leave_at:
        pool = Pool.FRONTIER
    if pool is Pool.FRONTIER:
        for other, probability in chance.items():
            if probability >= rules.enter_at:
                return other
    return pool


@pytest.mark.parametrize(
    ("pool", "successes", "failures", "expected"),
    [
        # Beta(.5, 8.5): P(p < .1) = .81, enough to enter at .7; Beta(.5, 4.5): .66, not enough.
        (Pool.FRONTIER, 0, 8, Pool.HARD),
        (Pool.FRONTIER, 0, 4, Pool.FRONTIER),
        # Beta(1.5, 7.5): P(p < .1) = .28: too little to enter, too much to leave at .2.
        (Pool.FRONTIER, 1, 7, Pool.FRONTIER),
        (Pool.HARD, 1, 7, Pool.HARD),
        (Pool.HARD, 4, 4, Pool.FRONTIER),
        (Pool.HARD, 16, 0, Pool.EASY),
        (Pool.EASY, 0, 16, Pool.HARD),
        (Pool.FRONTIER, 0, 0, Pool.FRONTIER),
        (Pool.EVAL, 0, 40, Pool.EVAL),
        (Pool.QUARANTINE, 40, 0, Pool.QUARANTINE),
    ],
)
def test_a_prompt_moves_when_the_evidence_is_clear_and_stays_while_it_is_not(
    pool: Pool, successes: float, failures: float, expected: Pool
) -> None:
    assert routed(pool, successes, failures, PoolRules()) is expected


@given(st.sampled_from(Pool), COUNTS, COUNTS, st.sampled_from([(0.7, 0.2), (0.9, 0.9), (0.5, 0.5)]))
def test_routing_is_the_contract_word_by_word(
    pool: Pool, successes: float, failures: float, chances: tuple[float, float]
) -> None:
    rules = PoolRules(enter_at=chances[0], leave_at=chances[1])
    assert routed(pool, successes, failures, rules) is routed_by_hand(pool, successes, failures, rules)


@given(st.sampled_from([Pool.HARD, Pool.FRONTIER, Pool.EASY]), COUNTS, COUNTS)
def test_a_prompt_that_has_moved_stays_when_nothing_new_is_seen(pool: Pool, successes: float, failures: float) -> None:
    there = routed(pool, successes, failures, PoolRules())
    assert routed(there, successes, failures, PoolRules()) is there


@given(COUNTS, COUNTS)
def test_right_and_wrong_are_treated_alike(successes: float, failures: float) -> None:
    mirror = {Pool.HARD: Pool.EASY, Pool.EASY: Pool.HARD, Pool.FRONTIER: Pool.FRONTIER}
    rules = PoolRules(hard_below=0.125, easy_above=0.875)  # exact in binary, so that 1 - .125 is .875
    there = routed(Pool.FRONTIER, successes, failures, rules)
    assert routed(Pool.FRONTIER, failures, successes, rules) is mirror[there]


def test_a_count_fades_by_visits_and_by_steps_whichever_is_more() -> None:
    rules = PoolRules(half_life_visits=2, half_life_steps=100)
    # One visit is half a half-life: 2^-.5 = .707; 200 steps are two: 1/4; 50 steps are half of one, as the visit is.
    assert decay(np.array([1, 200, 50]), rules) == pytest.approx([2**-0.5, 0.25, 2**-0.5])
    assert decay(np.array([10**9]), PoolRules(half_life_steps=float("inf"))) == pytest.approx([2**-0.5])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hard_below": 0.0}, r"hard_below: expected a number in \(0, easy_above = 0.9\), got 0.0"),
        ({"easy_above": 1.0}, r"easy_above: expected a number in \(0, 1\), got 1.0"),
        ({"enter_at": 1.0}, r"enter_at: expected a number in \(0, 1\), got 1.0"),
        ({"leave_at": 0.8}, r"leave_at: expected a number in \(0, enter_at = 0.7\], got 0.8"),
        ({"half_life_visits": 0}, "half_life_visits: expected a number above 0, got 0"),
        ({"half_life_steps": -1}, "half_life_steps: expected a number above 0, got -1"),
        ({"half_life_steps": float("nan")}, "half_life_steps: expected a number above 0, got nan"),
        ({"prior": (0.5, 0.0)}, r"prior: expected two numbers above 0, got \(0.5, 0.0\)"),
        ({"weights": {"hard": 1, "easy": 1}}, "weights: expected one weight for each of hard, frontier, easy"),
        ({"weights": {"hard": 0, "easy": 0, "frontier": 0}}, "weights: expected numbers of at least 0, not all 0"),
        ({"weights": {"hard": -1, "easy": 1, "frontier": 1}}, "weights: expected numbers of at least 0, not all 0"),
        ({"floor": 1.5}, r"floor: expected a number in \[0, 1\], got 1.5"),
        ({"correct_at": float("inf")}, "correct_at: expected a finite number, got inf"),
    ],
)
def test_rules_outside_their_range_are_refused_by_name(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        PoolRules(**options)
