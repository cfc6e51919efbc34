import json
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import betaincinv, ndtri

from rewardgate.diagnostics import Interval, bootstrap_by_prompt, clopper_pearson, jeffreys, wilson
from rewardgate.errors import ArgumentError

COUNTS = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def tail_at_least(successes: int, n: int, rate: float) -> float:
    return sum(comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(successes, n + 1))


@pytest.mark.parametrize(
    ("interval", "counts", "expected"),
    [
        # statsmodels 0.15.0, proportion_confint(x, n, method="wilson" | "beta" | "jeffreys")
        (wilson, (728, 800), (0.8881602942721487, 0.927921027239197)),
        (wilson, (0, 10), (0.0, 0.2775327998628892)),
        (wilson, (1, 10), (0.017876213095072924, 0.40415002679523837)),
        (clopper_pearson, (728, 800), (0.8880019557890338, 0.9289152932888445)),
        (clopper_pearson, (0, 10), (0.0, 0.30849710781876083)),
        (clopper_pearson, (1, 10), (0.0025285785444617865, 0.44501611702819516)),
        (jeffreys, (1, 10), (0.011011673763161133, 0.3813147710666164)),
    ],
)
def test_the_intervals_are_the_published_ones(interval, counts: tuple[int, int], expected: tuple) -> None:
    assert interval(*counts) == pytest.approx(expected, abs=1e-12)


MANY = st.integers(1, 1_000_000).flatmap(
    lambda n: st.tuples(
        st.one_of(st.integers(0, n), st.integers(0, min(n, 3)), st.integers(max(n - 3, 0), n)), st.just(n)
    )
)


@given(MANY, st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999]))
@example((0, 1_000_000), 0.95)
@example((1, 1_000_000), 0.95)
@example((999_999, 1_000_000), 0.95)
@example((1_000_000, 1_000_000), 0.95)
def test_the_ends_are_scipy_quantiles_for_up_to_a_million_observations(
    counts: tuple[int, int], confidence: float
) -> None:
    x, n = counts
    tail = (1 - confidence) / 2
    for interval, low, high in (
        (clopper_pearson, (x, n - x + 1), (x + 1, n - x)),
        (jeffreys, (x + 0.5, n - x + 0.5), (x + 0.5, n - x + 0.5)),
    ):
        found = interval(x, n, confidence=confidence)
        assert found.low == pytest.approx(betaincinv(*low, tail) if x > 0 else 0, rel=1e-9)
        assert found.high == pytest.approx(betaincinv(*high, 1 - tail) if x < n else 1, rel=1e-9)
    z = ndtri(1 - tail)
    # Wilson's ends solve (rate - p)^2 = z^2 p (1 - p) / n
    for bound in wilson(x, n, confidence=confidence):
        assert (x / n - bound) ** 2 == pytest.approx(z * z * bound * (1 - bound) / n, rel=1e-6, abs=1e-18)


def test_a_confidence_next_to_one_has_bounds_that_are_numbers() -> None:
    for interval in (wilson, clopper_pearson, jeffreys):
        low, high = interval(3, 8, confidence=1 - 2**-53)
        assert 0 < low < 3 / 8 < high < 1


@given(COUNTS)
def test_every_interval_holds_the_rate_and_mirrors_when_successes_and_failures_swap(counts: tuple[int, int]) -> None:
    successes, n = counts
    for interval in (wilson, clopper_pearson, jeffreys):
        low, high = interval(successes, n)
        assert 0 <= low <= successes / n <= high <= 1
        mirrored = interval(n - successes, n)
        assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-9)
        narrower = interval(successes, n, confidence=0.5)
        assert low - 1e-12 <= narrower.low <= narrower.high <= high + 1e-12


@pytest.mark.parametrize(("successes", "n"), [(0, 8), (1, 8), (3, 20), (19, 20), (20, 20)])
def test_clopper_pearson_ends_where_the_data_would_be_surprising(successes: int, n: int) -> None:
    low, high = clopper_pearson(successes, n)
    if successes > 0:
        assert tail_at_least(successes, n, low) == pytest.approx(0.025, abs=1e-9)
    if successes < n:
        assert 1 - tail_at_least(successes + 1, n, high) == pytest.approx(0.025, abs=1e-9)


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5, 0.9])
def test_clopper_pearson_covers_at_least_as_often_as_it_says(rate: float) -> None:
    n = 30
    covered = 0.0
    for successes in range(n + 1):
        low, high = clopper_pearson(successes, n)
        if low <= rate <= high:
            covered += comb(n, successes) * rate**successes * (1 - rate) ** (n - successes)
    assert covered >= 0.95


def bootstrap_by_loop(means: list[float], resamples: int, seed: int) -> tuple[float, float]:
    """Percentiles of means of prompts drawn one by one."""
    generator = np.random.default_rng(seed)
    drawn = sorted(
        sum(means[position] for position in generator.integers(len(means), size=len(means))) / len(means)
        for _ in range(resamples)
    )
    return drawn[int(0.025 * resamples)], drawn[int(0.975 * resamples)]


def test_the_bootstrap_agrees_with_prompts_drawn_one_by_one() -> None:
    generator = np.random.default_rng(3)
    rates = generator.beta(0.5, 0.5, size=40)
    values = generator.random((40, 6)) < rates[:, None]
    found = bootstrap_by_prompt(values.ravel(), np.repeat(np.arange(40), 6))
    assert found.interval == pytest.approx(bootstrap_by_loop(values.mean(axis=1).tolist(), 4000, 1), abs=0.01)


def test_the_unit_is_the_prompt_so_that_more_rollouts_of_the_same_prompts_do_not_narrow_it() -> None:
    few = bootstrap_by_prompt([1, 0, 1, 1], [0, 1, 2, 3])
    many = bootstrap_by_prompt([1, 0, 1, 1] * 100, [0, 1, 2, 3] * 100)
    assert few.interval == many.interval
    assert (few.n_prompts, few.n_rollouts, many.n_rollouts) == (4, 4, 400)


def test_every_prompt_weighs_the_same_and_unscored_rollouts_and_prompts_are_left_out() -> None:
    # a: 1 of 1 scored; b: 1 of 4; c: none -> (1 + 1/4) / 2
    found = bootstrap_by_prompt([1, None, 1, 0, 0, 0, None], list("aabbbbc"))
    assert (found.value, found.n_prompts, found.n_rollouts) == (0.625, 2, 5)


def test_prompts_that_all_agree_give_the_exact_bound_and_not_a_width_of_nothing() -> None:
    # as Clopper-Pearson for 0 of 20 prompts
    found = bootstrap_by_prompt([1] * 40, list(range(20)) * 2)
    assert found.value == 1.0
    assert found.interval == pytest.approx((1 - clopper_pearson(0, 20).high, 1.0))
    middle = bootstrap_by_prompt([0, 1] * 20, [row // 2 for row in range(40)]).interval
    assert middle == pytest.approx((0.5 - 0.5 * clopper_pearson(0, 20).high, 0.5 + 0.5 * clopper_pearson(0, 20).high))


def test_the_same_seed_gives_the_same_interval_and_rows_may_come_in_any_order() -> None:
    values, ids = [1, 0, 1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3]
    first = bootstrap_by_prompt(values, ids, seed=7)
    assert bootstrap_by_prompt(values[::-1], ids[::-1], seed=7) == first


def test_many_distinct_values_are_drawn_in_bounded_pieces() -> None:
    values = np.random.default_rng(0).random(30_000)
    found = bootstrap_by_prompt(values, np.arange(30_000), resamples=300)
    assert found.interval.high - found.interval.low == pytest.approx(2 * 1.96 * np.sqrt(1 / 12 / 30_000), rel=0.2)


def test_the_interval_of_real_pass_rates_is_more_than_twice_as_wide_by_prompt(shared: Path) -> None:
    rows = [json.loads(line) for line in (shared / "data" / "qwen_math_cot_100.jsonl").open()]
    found = bootstrap_by_prompt(
        [float(score) for row in rows for score in row["score"]], [row["idx"] for row in rows for _ in row["score"]]
    )
    assert found.value == pytest.approx(0.91)
    assert found.interval == pytest.approx((0.858, 0.956), abs=0.002)
    naive = wilson(728, 800)
    assert naive == pytest.approx((0.888, 0.928), abs=0.0005)
    assert (found.interval.high - found.interval.low) / (naive.high - naive.low) == pytest.approx(2.4, abs=0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson(1, 0), "n: expected at least 1 observation, got 0"),
        (lambda: clopper_pearson(5, 4), "successes: expected 0..4, got 5"),
        (lambda: jeffreys(1, 4, confidence=95), r"confidence: expected a number in \(0, 1\), got 95"),
        (lambda: bootstrap_by_prompt([None], [0]), "values: expected at least one known value, got none"),
        (
            lambda: bootstrap_by_prompt([2.0], [0]),
            r"values: expected numbers in \[0.0, 1.0\], got 2.0; see value_range",
        ),
        (lambda: bootstrap_by_prompt([1.0], [0, 1]), r"prompt_ids: expected one id a value \(1\), got 2"),
        (lambda: bootstrap_by_prompt([1.0], [0], resamples=10), "resamples: expected at least 100, got 10"),
    ],
)
def test_what_breaks_the_rules_is_refused_by_name(call, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()


def test_an_interval_is_a_pair() -> None:
    assert Interval(0.1, 0.2) == (0.1, 0.2)
