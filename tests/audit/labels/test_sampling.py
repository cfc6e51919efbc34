from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.labels import DEFAULT_PROMPTS, LabelStratum, Unit, allocation, draw, stratum_sizes
from rewardgate.diagnostics.support import samples_needed
from rewardgate.errors import ArgumentError

PLAIN = LabelStratum("wrong", "all_wrong", False)
FLAGGED = LabelStratum("wrong", "all_wrong", True)
MIXED_WRONG = LabelStratum("wrong", "mixed", False)
MIXED_RIGHT = LabelStratum("correct", "mixed", False)
STRATA = (PLAIN, FLAGGED, MIXED_WRONG, MIXED_RIGHT)
SIZES = st.dictionaries(st.sampled_from(STRATA), st.integers(1, 60), min_size=1)


def population(n_dead: int = 40, n_mixed: int = 30, size: int = 4) -> list[Unit]:
    dead = [Unit(f"d{p}", r, f"d{p}", FLAGGED if p < 5 else PLAIN) for p in range(n_dead) for r in range(size)]
    mixed = [
        Unit(f"m{p}", r, f"m{p}", MIXED_RIGHT if r <= p % (size - 1) else MIXED_WRONG)
        for p in range(n_mixed)
        for r in range(size)
    ]
    return dead + mixed


def test_the_default_is_the_zero_failure_plan() -> None:
    assert samples_needed(0.05) == DEFAULT_PROMPTS == 59


def test_one_rollout_a_prompt_is_drawn_whichever_strata_its_rollouts_lie_in() -> None:
    drawn = draw(population(), 59)
    assert len(drawn) == len({one.prompt_id for one in drawn}) == 59
    by_key = {unit.key: unit for unit in population()}
    assert all(by_key[one.key].stratum == one.stratum for one in drawn)


def test_all_prompts_are_drawn_where_there_are_fewer_than_asked_for() -> None:
    assert len(draw(population(3, 2), 59)) == 5


@given(st.integers(1, 60), st.integers(0, 30), st.integers(0, 5))
def test_a_larger_sample_holds_the_smaller_one_and_the_same_seed_draws_the_same(n: int, more: int, seed: int) -> None:
    units = population(20, 20)
    smaller, larger = draw(units, n, seed=seed), draw(units, n + more, seed=seed)
    assert {one.key for one in smaller} <= {one.key for one in larger}
    assert draw(units[::-1], n, seed=seed) == smaller


def test_another_seed_draws_another_sample() -> None:
    assert draw(population(), 20, seed=1) != draw(population(), 20, seed=2)


def test_the_probability_of_a_rollout_is_how_often_it_is_drawn() -> None:
    units = population(8, 8)
    seeds, times, stated = 600, Counter[str](), defaultdict[str, list[float]](list)
    for seed in range(seeds):
        for one in draw(units, 6, seed=seed):
            times[one.key] += 1
            stated[one.key].append(1 / one.probability)
    # E[1/probability over the draws] = 1 for every rollout: the Horvitz-Thompson count of the rollout itself
    weights = [sum(stated[unit.key]) / seeds for unit in units]
    assert sum(weights) / len(units) == pytest.approx(1, abs=0.05)
    by_stratum = defaultdict[LabelStratum, list[float]](list)
    for unit, weight in zip(units, weights, strict=True):
        by_stratum[unit.stratum].append(weight)
    assert all(sum(own) / len(own) == pytest.approx(1, abs=0.15) for own in by_stratum.values())


def test_the_stated_probability_is_the_product_of_its_three_choices() -> None:
    units = [Unit("a", r, "a", MIXED_WRONG if r else MIXED_RIGHT) for r in range(4)]
    (one,) = draw(units, 1)
    # one of two strata, one prompt of one, then one rollout of the 3 wrong ones, or of the only right one
    assert one.probability == pytest.approx(1 / 6 if one.stratum == MIXED_WRONG else 1 / 2)


def test_several_rollouts_of_a_prompt_come_from_one_stratum() -> None:
    drawn = draw(population(), 10, rollouts_per_prompt=3)
    strata = defaultdict(set)
    for one in drawn:
        strata[one.prompt_id].add(one.stratum)
    assert len(strata) == 10
    assert {len(own) for own in strata.values()} == {1}
    assert max(Counter(one.prompt_id for one in drawn).values()) == 3


def test_a_draw_within_some_strata_takes_nothing_else() -> None:
    drawn = draw(population(), 59, within="wrong/all_wrong")
    assert {one.stratum for one in drawn} == {PLAIN, FLAGGED}
    assert len(drawn) == 40


def test_every_beginning_of_the_order_is_spread_over_the_strata_as_the_whole_is() -> None:
    drawn = draw(population(40, 40), 40)
    whole, half = Counter(one.stratum for one in drawn), Counter(one.stratum for one in drawn[:20])
    assert all(abs(half[name] - count / 2) <= 1.5 for name, count in whole.items())


@given(SIZES, st.integers(1, 200))
def test_the_allocation_is_whole_within_the_sizes_and_gives_everyone_something(sizes: dict, n: int) -> None:
    given_ = allocation(sizes, n)
    assert sum(given_.values()) == min(n, sum(sizes.values()))
    assert all(0 <= given_[name] <= size for name, size in sizes.items())
    if n >= len(sizes):
        assert min(given_.values()) >= 1


@given(SIZES, st.integers(1, 100))
def test_one_prompt_more_takes_nothing_from_any_stratum(sizes: dict, n: int) -> None:
    before, after = allocation(sizes, n), allocation(sizes, n + 1)
    assert all(after[name] >= before[name] for name in sizes)


def test_small_strata_get_more_than_their_share_and_the_headline_counts_double() -> None:
    found = allocation({MIXED_WRONG: 900, MIXED_RIGHT: 100}, 40)
    # square roots 30 : 10, where the sizes are 9 : 1
    assert found == {MIXED_WRONG: 30, MIXED_RIGHT: 10}
    # 2 * 10 : 10
    assert allocation({PLAIN: 100, MIXED_RIGHT: 100}, 30) == {PLAIN: 20, MIXED_RIGHT: 10}


def test_the_sizes_count_rollouts_and_prompts_of_each_stratum() -> None:
    sizes = stratum_sizes(population(10, 3))
    assert {str(name): (size.n_rollouts, size.n_prompts) for name, size in sizes.items()} == {
        "correct/mixed/plain": (1 + 2 + 3, 3),
        "wrong/all_wrong/flagged": (20, 5),
        "wrong/all_wrong/plain": (20, 5),
        "wrong/mixed/plain": (3 + 2 + 1, 3),
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_prompts": 0}, "n_prompts: expected at least 1, got 0"),
        ({"rollouts_per_prompt": 0}, "rollouts_per_prompt: expected at least 1, got 0"),
        ({"within": "wrong/tied"}, "within: expected the beginning of a stratum's name, got 'wrong/tied'; there are: "),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(options: dict, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        draw(population(), **options)
