from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.runs.curves import MOST_STEPS, curves_part, success_chances
from rewardgate.diagnostics import GroupKinds, group_kinds
from rewardgate.diagnostics.beta_binomial import BetaBinomial


def kinds_of(*groups: list[float | None]) -> GroupKinds:
    rewards = [reward for group in groups for reward in group]
    return group_kinds(rewards, [position for position, group in enumerate(groups) for _ in group])


def test_successes_are_counted_at_the_most_frequent_size() -> None:
    kinds = kinds_of([0, 0], [0, 1], [1, 1], [1, 1], [1, 1, 1])
    (found,) = curves_part({"as logged": kinds}, [None] * 5, scored_by="as logged").successes
    assert (found.size, found.counts, found.n_groups_left_out) == (2, (1, 1, 2), 1)


def test_unscored_rollouts_do_not_count_towards_the_size() -> None:
    kinds = kinds_of([0, 0, None], [0, 1, None], [1, 1, 1])
    (found,) = curves_part({"a": kinds}, [None] * 3, scored_by="a").successes
    assert (found.size, found.counts) == (2, (1, 1, 0))


def test_expected_counts_sum_to_the_groups_and_are_absent_without_a_fit() -> None:
    (found,) = curves_part({"a": kinds_of([0, 0], [0, 1], [1, 1], [1, 1])}, [None] * 4, scored_by="a").successes
    assert found.expected is not None
    assert sum(found.expected) == pytest.approx(4)
    (found,) = curves_part({"a": kinds_of([0, 0], [0, 0])}, [None] * 2, scored_by="a").successes
    assert found.expected is None


def test_pass_at_k_is_taken_at_doublings_and_at_the_groups_size() -> None:
    kinds = kinds_of([1, 0, 0, 0, 0, 0], [1] * 6)
    (curve,) = curves_part({"a": kinds}, [None] * 2, scored_by="a").pass_at_k
    assert curve.ks == (1, 2, 4, 6)
    # One right of six: C(5, k) / C(6, k) of the samples of k miss it; the other prompt never misses.
    assert curve.values == pytest.approx([(1 + 1 - comb(5, k) / comb(6, k)) / 2 for k in curve.ks])
    assert curve.n_groups == (2, 2, 2, 2)


def test_steps_are_in_order_and_one_step_is_no_curve() -> None:
    kinds = kinds_of([0, 0], [0, 1], [1, 1])
    steps = curves_part({"a": kinds}, [7, 2, 7], scored_by="a").steps
    assert [(point.step, point.n_groups, point.success_rate) for point in steps] == [(2, 1, 0.5), (7, 2, 0.5)]
    assert [(point.all_wrong, point.mixed, point.all_correct) for point in steps] == [(0, 1, 0), (0.5, 0, 0.5)]
    assert curves_part({"a": kinds}, [7, 7, None], scored_by="a").steps == ()


def test_a_step_without_a_scored_rollout_has_no_rate() -> None:
    first, _ = curves_part({"a": kinds_of([None, None], [0, 1])}, [1, 2], scored_by="a").steps
    assert (first.success_rate, first.mixed) == (None, None)


def test_a_long_run_keeps_its_ends() -> None:
    n = 3 * MOST_STEPS
    kinds = group_kinds([0, 1] * n, [position for position in range(n) for _ in range(2)])
    steps = curves_part({"a": kinds}, list(range(n)), scored_by="a").steps
    assert (len(steps), steps[0].step, steps[-1].step) == (MOST_STEPS, 0, n - 1)


def test_nothing_scored_gives_no_curve() -> None:
    found = curves_part({"a": kinds_of([None], [1])}, [None, None], scored_by="a")
    assert (found.successes, found.pass_at_k, found.steps) == ((), (), ())


@pytest.mark.parametrize("n", [1, 8, 64])
def test_chances_sum_to_one_and_their_ends_are_the_models_own(n: int) -> None:
    for rho, mean in product([0.0, 0.2, 0.749, 0.999, 1.0], [0.0, 0.1, 0.91, 1.0]):
        fit = BetaBinomial(mean, rho)
        chances = success_chances(fit, n)
        assert len(chances) == n + 1
        assert sum(chances) == pytest.approx(1), fit
        assert chances[0] == pytest.approx(fit.no_success(n)), fit
        assert chances[-1] == pytest.approx(fit.all_success(n)), fit


@given(st.floats(0.01, 0.99), st.integers(0, 12))
def test_without_correlation_they_are_the_binomials(mean: float, n: int) -> None:
    binomial = [comb(n, k) * mean**k * (1 - mean) ** (n - k) for k in range(n + 1)]
    assert success_chances(BetaBinomial(mean, 0.0), n) == pytest.approx(binomial)
