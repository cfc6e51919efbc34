import json
from collections import Counter
from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.diagnostics.pools import POOLS, Move, Pool, PoolRules, PromptPools
from rewardgate.errors import ArgumentError

REWARDS = st.lists(st.sampled_from([None, nan, 0.0, 0.5, 1.0, 2.0]), min_size=1, max_size=8)
VISITS = st.lists(st.tuples(st.sampled_from("abc"), REWARDS, st.integers(0, 90)), max_size=12)


def played(visits: list[tuple[str, list[Any], int]], rules: PoolRules | None = None) -> PromptPools:
    """Pools after visits of one prompt each; the last number is the steps since the visit before."""
    pools, step = PromptPools(rules=rules), 0
    for prompt_id, rewards, steps_since in visits:
        step += steps_since
        pools.update(rewards, [prompt_id] * len(rewards), step=step)
    return pools


def counts_by_hand(visits: list[tuple[str, list[Any], int]], prompt_id: str, rules: PoolRules) -> tuple[float, float]:
    """Discounted successes and failures of one prompt, one rollout at a time."""
    won = lost = 0.0
    step, last = 0, 0
    for name, rewards, steps_since in visits:
        step += steps_since
        known = [reward for reward in rewards if reward is not None and reward == reward]
        if name != prompt_id or not known:
            continue
        half_lives = max(1 / rules.half_life_visits, (step - last) / rules.half_life_steps)
        won, lost, last = won / 2**half_lives, lost / 2**half_lives, step
        won += sum(reward >= rules.correct_at for reward in known)
        lost += sum(reward < rules.correct_at for reward in known)
    return won, lost


@given(VISITS)
def test_counts_are_those_of_a_loop_over_each_prompts_rollouts(visits: list[tuple[str, list[Any], int]]) -> None:
    rules = PoolRules(half_life_visits=1.5, half_life_steps=40)
    pools = played(visits, rules)
    a, b = pools.posterior()
    for row, prompt_id in enumerate(pools.prompt_ids):
        won, lost = counts_by_hand(visits, str(prompt_id), rules)
        assert (a[row], b[row]) == pytest.approx((won + 0.5, lost + 0.5))


@given(VISITS, st.sampled_from("abc"))
def test_a_prompt_knows_nothing_of_the_others(visits: list[tuple[str, list[Any], int]], prompt_id: str) -> None:
    step, own = 0, []
    for name, rewards, steps_since in visits:
        step += steps_since
        if name == prompt_id:
            own.append((name, rewards, step - sum(steps for _, _, steps in own)))
    if own:
        whole, alone = played(visits).state_dict(), played(own).state_dict()
        row = whole["prompt_ids"].index(prompt_id)
        for name in ("successes", "failures", "ema", "visits", "last_step", "moves", "codes"):
            assert whole[name][row] == alone[name][0]


def test_the_average_starts_at_the_first_mean_and_forgets_as_the_counts_do() -> None:
    pools = played([("a", [1, 1, 0, 0], 0), ("a", [1, 1, 1, 1], 10)], PoolRules(half_life_visits=1))
    # .5 at first; a half-life later .5 * .5 + .5 * 1 = .75. Counts: 2/2 + 4 = 5 and 2/2 + 0 = 1, and the prior.
    table = pools.table()
    assert (table["ema"], table["visits"], table["last_step"]) == ([0.75], [2], [10])
    assert table["mean"] == pytest.approx([5.5 / 7])
    # Beta(5.5, 1.5), 2 rollouts: 1 - 5.5 * 6.5 / (7 * 8) - 1.5 * 2.5 / (7 * 8) = 16.5 / 56.
    assert pools.table(group_size=2)["mixed"] == pytest.approx([16.5 / 56])


def test_unknown_rewards_count_for_nothing_and_a_visit_without_a_known_one_is_none() -> None:
    pools = PromptPools(["a"])
    pools.update([None, nan, None], ["a"] * 3, step=7)
    assert pools.table() == PromptPools(["a"]).table()
    assert (pools.table()["ema"], pools.table()["last_step"]) == ([None], [None])
    pools.update([None] * 8 + [0.0] * 2, ["a"] * 10, step=8)
    assert pools.posterior()[1].tolist() == [2.5]


def test_one_unlucky_group_moves_a_prompt_that_was_seen_before_nowhere() -> None:
    pools = PromptPools()
    for step in range(4):
        pools.update([1, 0, 1, 0, 0, 0, 1, 0], [5] * 8, step=step)
    assert pools.update([0.0] * 8, [5] * 8, step=4) == []
    moves = [pools.update([0.0] * 8, [5] * 8, step=step) for step in (5, 6, 7, 8, 9, 10)]
    assert [Move(5, Pool.FRONTIER, Pool.HARD)] in moves  # but several do
    assert pools.table()["moves"] == [1]


def test_prompts_set_aside_are_not_drawn_and_rewards_do_not_move_them() -> None:
    pools = PromptPools(["held", "suspect", "a"])
    pools.set_aside(["held"], "eval")
    pools.set_aside(["suspect", "new"], Pool.QUARANTINE)
    for step in range(5):
        assert pools.update([0.0] * 16, ["held"] * 8 + ["suspect"] * 8, step=step) == []
    assert [pools.pool_of(name) for name in ("held", "suspect", "new", "a")] == [
        Pool.EVAL, Pool.QUARANTINE, Pool.QUARANTINE, Pool.FRONTIER,
    ]  # fmt: skip
    assert pools.table()["visits"] == [5, 0, 0, 0]  # what is in doubt is not counted
    assert pools.weights().tolist() == [0, 0, 1, 0]
    assert pools.counts() == {Pool.HARD: 0, Pool.FRONTIER: 1, Pool.EASY: 0, Pool.EVAL: 1, Pool.QUARANTINE: 2}


def test_a_released_prompt_starts_afresh() -> None:
    pools = played([("a", [0.0] * 8, 3)])
    pools.set_aside(["a"], "quarantine")
    pools.release(["a"])
    assert pools.table() == PromptPools(["a"]).table()
    pools.update([1.0], ["a"], step=0)  # and may begin at any step


def test_weights_are_the_pools_shares_and_the_floor() -> None:
    rules = PoolRules(weights={"hard": 0.0, "frontier": 3.0, "easy": 1.0}, floor=0.2)
    pools = played([("hard", [0.0] * 8, 0), ("easy", [1.0] * 8, 0), ("b", [1, 0], 0), ("c", [1, 0], 0)], rules)
    assert pools.codes.tolist() == [POOLS.index(pool) for pool in (Pool.HARD, Pool.EASY, Pool.FRONTIER, Pool.FRONTIER)]
    # .2 / 4 each, and .8 of 0 : 1 : 3 : 3.
    assert pools.weights() == pytest.approx([0.05, 0.05 + 0.8 / 7, 0.05 + 2.4 / 7, 0.05 + 2.4 / 7])


def test_with_nothing_in_the_pools_that_have_a_weight_the_rest_is_drawn_alike() -> None:
    rules = PoolRules(weights={"hard": 0.0, "frontier": 1.0, "easy": 0.0}, floor=0.0)
    assert played([("a", [0.0] * 8, 0), ("b", [1.0] * 8, 0)], rules).weights().tolist() == [0.5, 0.5]
    assert PromptPools().weights().tolist() == []


@given(st.integers(0, 6), st.integers(0, 5))
def test_a_sample_holds_distinct_prompts_that_may_be_drawn(n: int, seed: int) -> None:
    pools = PromptPools(range(8))
    pools.set_aside([0, 5], "eval")
    drawn = pools.sample(n, generator=np.random.default_rng(seed))
    assert len(set(drawn)) == n
    assert set(drawn) <= {1, 2, 3, 4, 6, 7}
    assert drawn == pools.sample(n, generator=np.random.default_rng(seed))


def test_prompts_are_drawn_by_their_weights() -> None:
    rules = PoolRules(floor=0.0)
    pools = played([("hard", [0.0] * 8, 0), ("a", [1, 0], 0), ("b", [1, 0], 0)], rules)
    generator = np.random.default_rng(0)
    first = Counter(pools.sample(2, generator=generator)[0] for _ in range(4000))
    # The first of a sample is drawn by .2 / 2.2 = .0909: 364 of 4000, standard deviation 18.
    assert abs(first["hard"] - 364) < 4 * 18


@given(VISITS, VISITS)
def test_pools_go_on_from_their_state_as_if_nothing_had_happened(before: list, after: list) -> None:
    pools = played(before)
    pools.set_aside(["c"], "quarantine")
    loaded = PromptPools(["to be replaced"])
    loaded.load_state_dict(json.loads(json.dumps(pools.state_dict())))
    assert loaded.state_dict() == pools.state_dict()
    step = sum(steps for _, _, steps in before)
    for prompt_id, rewards, steps in after:
        step += steps
        ids = [prompt_id] * len(rewards)
        assert loaded.update(rewards, ids, step=step) == pools.update(rewards, ids, step=step)
    assert loaded.state_dict() == pools.state_dict()
    assert np.array_equal(loaded.weights(), pools.weights())


def test_a_state_names_its_pools_so_that_their_order_may_change() -> None:
    state = played([("a", [0.0] * 8, 0), ("b", [1, 0], 0)]).state_dict()
    state["pools"], state["codes"] = ["quarantine", "hard", "frontier"], [1, 2]
    pools = PromptPools()
    pools.load_state_dict(state)
    assert (pools.pool_of("a"), pools.pool_of("b")) == (Pool.HARD, Pool.FRONTIER)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema_version": "x"}, "state: expected schema_version 'rewardgate.pools/1', got 'x'"),
        ({"ema": [0.5]}, "state: expected distinct ids and columns as long, got"),
        ({"prompt_ids": ["a", "a"]}, "state: expected distinct ids and columns as long, got"),
        ({"codes": [0, 9]}, "state: expected pools of hard, frontier, easy, eval, quarantine and a code for each"),
        ({"pools": ["x"]}, "state: expected pools of hard, frontier, easy, eval, quarantine and a code for each"),
        ({"prompt_ids": ["a", 1.5]}, "prompt_ids: expected str or int, got 1.5"),
    ],
)
def test_a_state_that_is_none_is_refused_and_nothing_changes(change: dict[str, Any], message: str) -> None:
    pools = played([("a", [1, 0], 0), ("b", [1, 0], 0)])
    before = pools.state_dict()
    with pytest.raises(ArgumentError, match=message):
        pools.load_state_dict({**before, **change})
    assert pools.state_dict() == before


@pytest.mark.parametrize(
    ("rewards", "ids", "step", "message"),
    [
        ([1.0], ["a", "a"], 5, r"prompt_ids: expected one id a reward \(1\), got 2"),
        ([1.0], [1.5], 5, "prompt_ids: expected str or int, got 1.5"),
        ([1.0], [True], 5, "prompt_ids: expected str or int, got True"),
        ([1.0], ["a"], 4, "step: expected at least 5, the last one of a prompt in the batch, got 4"),
        ([1.0], ["new"], -1, "step: expected at least 0, the last one of a prompt in the batch, got -1"),
    ],
)
def test_a_batch_that_breaks_the_rules_is_refused_by_name(
    rewards: list[float], ids: list[Any], step: int, message: str
) -> None:
    pools = played([("a", [1, 0], 5)])
    with pytest.raises(ArgumentError, match=message):
        pools.update(rewards, ids, step=step)
    assert pools.table()["visits"][0] == 1


@pytest.mark.parametrize(
    ("ids", "successes", "scored", "message"),
    [
        (["a"], [2], [1], "successes: expected 0..scored, got 2 of 1 in row 0"),
        (["a", "b"], [0, nan], [1, 1], "successes: expected 0..scored, got nan of 1 in row 1"),
        (["a"], [1, 1], [1, 1], r"successes: expected one number a prompt \(1,\), got shape \(2,\)"),
        (["a", "a"], [1, 1], [1, 1], "prompt_ids: expected distinct ids, got 1 again"),
    ],
)
def test_counts_that_cannot_be_are_refused_by_name(
    ids: list[str], successes: list[float], scored: list[float], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        PromptPools().update_counts(ids, successes, scored, step=0)


def test_what_is_no_prompt_and_no_pool_is_refused() -> None:
    pools = PromptPools(["a"])
    with pytest.raises(ArgumentError, match="prompt_id: expected one of the 1 prompts, got 'b'"):
        pools.pool_of("b")
    with pytest.raises(ArgumentError, match="pool: expected eval or quarantine, got 'hard'; rewards decide"):
        pools.set_aside(["a"], "hard")
    with pytest.raises(ArgumentError, match=r"n: expected 0..1, the prompts that may be drawn, got 2"):
        pools.sample(2, generator=np.random.default_rng(0))


def test_ids_of_numpy_arrays_are_plain_numbers_afterwards() -> None:
    pools = PromptPools()
    pools.update(np.ones(4), np.array([3, 3, 9, 9]), step=0)
    pools.set_aside(np.array([9]), "eval")
    assert json.loads(json.dumps(pools.state_dict()))["prompt_ids"] == [3, 9]
    assert pools.pool_of(9) is Pool.EVAL


def test_pools_make_a_tenth_of_the_false_moves_of_the_last_mean_and_are_wrong_less_often() -> None:
    # 400 prompts with rates of their own that do not change, 15 visits of 8 rollouts, bounds .25 and .75.
    generator = np.random.default_rng(0)
    rates = generator.beta(0.6, 0.6, size=400)
    truth = np.where(rates <= 0.25, 0, np.where(rates > 0.75, 2, 1))  # as POOLS: hard, frontier, easy
    pools = PromptPools(range(400), rules=PoolRules(hard_below=0.25, easy_above=0.75))
    found = {"pools": pools.codes, "last mean": pools.codes}
    false_moves, wrong = Counter[str](), Counter[str]()
    for visit in range(15):
        successes = generator.binomial(8, rates)
        pools.update_counts(range(400), successes, np.full(400, 8), step=60 * visit)
        now = {
            "pools": pools.codes,
            "last mean": np.where(successes <= 2, 0, np.where(successes > 6, 2, 1)),
        }
        for name, codes in now.items():
            false_moves[name] += int(((codes != found[name]) & (codes != truth)).sum())
            wrong[name] += int((codes != truth).sum())
        found = now
    assert 10 * false_moves["pools"] < false_moves["last mean"]
    assert wrong["pools"] < wrong["last mean"] / 2
