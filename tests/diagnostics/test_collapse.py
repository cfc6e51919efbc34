import json
from math import isnan, nan, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.diagnostics import (
    GroupKind,
    chance_of_success_after_none,
    collapse_rates,
    group_kinds,
    predicted_degeneracy,
)
from rewardgate.errors import ArgumentError

GRADED = st.lists(st.sampled_from([None, 0.0, 0.1, 0.2, 0.3, 0.7, 1.0]), min_size=1, max_size=24)


def rates_by_loop(rewards: list[float | None], ids: list[int], tau: float, ddof: int) -> tuple[float, float, float]:
    """acr, mean std and nonzero-advantage rate by plain loops over the groups."""
    groups: dict[int, list[float]] = {}
    for reward, group_id in zip(rewards, ids, strict=True):
        if reward is not None:
            groups.setdefault(group_id, []).append(reward)
    stds, nonzero, scored = [], 0, 0
    for known in groups.values():
        mean = sum(known) / len(known)
        scored += len(known)
        if len(known) >= 2:
            stds.append(sqrt(sum((reward - mean) ** 2 for reward in known) / (len(known) - ddof)))
            nonzero += sum(abs(reward - mean) > 1e-12 for reward in known)
    if not stds:
        return nan, nan, nonzero / scored if scored else nan
    return sum(std < tau for std in stds) / len(stds), sum(stds) / len(stds), nonzero / scored


def test_the_rates_of_four_small_groups() -> None:
    # a: 1 0 mixed, std .5; b: 1 1; c: 0 0; d: .5 .5 tied -> acr 3/4, mean std .5/4, 2 of 8 rollouts learn
    rates = collapse_rates([1, 0, 1, 1, 0, 0, 0.5, 0.5], list("aabbccdd"))
    assert (rates.all_correct_rate, rates.all_wrong_rate, rates.tied_rate, rates.mixed_rate) == (0.25,) * 4
    assert (rates.degenerate_rate, rates.acr, rates.mean_std, rates.comparable) == (0.75, 0.75, 0.125, 4)
    assert rates.nonzero_advantage_rate == 0.25


def test_singletons_and_unscorable_groups_are_no_group_rate_but_singletons_are_rollouts_without_advantage() -> None:
    # a mixed; b one known reward; c none: 1 comparable group; 2 of 3 scored rollouts have an advantage
    rates = collapse_rates([1, 0, 1, None, None, None], list("aabbcc"))
    assert (rates.comparable, rates.mixed_rate, rates.acr) == (1, 1.0, 0.0)
    assert rates.nonzero_advantage_rate == pytest.approx(2 / 3)
    assert rates.kinds.count(GroupKind.SINGLETON) == rates.kinds.count(GroupKind.UNSCORABLE) == 1


def test_a_rollout_equal_to_its_groups_mean_has_no_advantage_even_in_a_mixed_group() -> None:
    assert collapse_rates([0.0, 0.5, 1.0], [0] * 3).nonzero_advantage_rate == pytest.approx(2 / 3)
    # .1 + .2 + .3 is not 3 * .2 in floating point; the middle one has advantage 0 all the same
    assert collapse_rates([0.1, 0.2, 0.3], [0] * 3).nonzero_advantage_rate == pytest.approx(2 / 3)


def test_acr_counts_a_mixed_group_whose_spread_is_under_tau_and_the_degenerate_rate_does_not() -> None:
    rates = collapse_rates([0.5, 0.5 + 1e-8], [0, 0])
    assert (rates.acr, rates.degenerate_rate, rates.nonzero_advantage_rate) == (1.0, 0.0, 1.0)
    assert collapse_rates([0.5, 0.5 + 1e-8], [0, 0], tau=1e-9).acr == 0.0


@pytest.mark.parametrize("reward", [0.1, 0.3, 1 / 3, 1e4 + 0.1])
def test_equal_rewards_have_exactly_no_spread(reward: float) -> None:
    rates = collapse_rates([reward] * 7, [0] * 7)
    assert (rates.mean_std, rates.nonzero_advantage_rate, rates.acr) == (0.0, 0.0, 1.0)


def test_a_large_offset_costs_no_digits_of_the_spread() -> None:
    rewards = [1e6, 1e6 + 0.25, 1e6 + 0.5, 1e6 + 0.75]  # all exact in binary; std as of 0, .25, .5, .75
    assert collapse_rates(rewards, [0] * 4).mean_std == pytest.approx(sqrt(5) / 8, rel=1e-14)


def test_ddof_is_what_the_trainers_log_or_what_the_theory_uses() -> None:
    assert collapse_rates([1, 0, 0, 0], [0] * 4).mean_std == pytest.approx(sqrt(3) / 4)
    assert collapse_rates([1, 0, 0, 0], [0] * 4, ddof=1).mean_std == pytest.approx(0.5)


@given(GRADED, st.integers(1, 6), st.sampled_from([0, 1]))
def test_the_rates_are_those_of_plain_loops(rewards: list[float | None], n_groups: int, ddof: int) -> None:
    ids = [row % n_groups for row in range(len(rewards))]
    rates = collapse_rates(rewards, ids, ddof=ddof)
    expected = rates_by_loop(rewards, ids, 1e-6, ddof)
    found = (rates.acr, rates.mean_std, rates.nonzero_advantage_rate)
    assert found == pytest.approx(expected, nan_ok=True, abs=1e-12)
    if rates.comparable:
        assert rates.degenerate_rate + rates.mixed_rate == pytest.approx(1)


def test_nothing_to_count_is_nan_and_never_zero() -> None:
    rates = collapse_rates([None, 1.0], [0, 1])
    assert all(isnan(rate) for rate in (rates.acr, rates.mean_std, rates.mixed_rate, rates.all_wrong_rate))
    assert rates.nonzero_advantage_rate == 0.0
    prediction = predicted_degeneracy(rates.kinds)
    assert isnan(prediction.rate)
    assert isnan(prediction.at(8))
    assert isnan(collapse_rates([], []).nonzero_advantage_rate)


def test_options_outside_their_ranges_are_refused() -> None:
    with pytest.raises(ArgumentError, match="tau: expected a positive number, got 0"):
        collapse_rates([1.0], [0], tau=0)
    with pytest.raises(ArgumentError, match="ddof: expected 0 or 1, got 2"):
        collapse_rates([1.0], [0], ddof=2)
    with pytest.raises(ArgumentError, match="size: expected at least 1 rollout a group, got 0"):
        predicted_degeneracy(group_kinds([1, 0], [0, 0])).at(0)


def test_predictions_are_averaged_over_the_groups_own_sizes() -> None:
    # rates 1/2 and 0 of groups of 2 and 4: p = 1/4; (3/4)^2 and (3/4)^4 average .439453125
    prediction = predicted_degeneracy(group_kinds([1, 0, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1]))
    assert prediction.rate == 0.25
    assert prediction.iid_no_success == pytest.approx((0.75**2 + 0.75**4) / 2)
    assert prediction.iid_all_success == pytest.approx((0.25**2 + 0.25**4) / 2)
    assert (prediction.observed_no_success, prediction.observed_all_success) == (0.5, 0.0)


def test_a_batch_without_any_success_has_no_fit() -> None:
    prediction = predicted_degeneracy(group_kinds([0] * 8, [0] * 4 + [1] * 4))
    assert prediction.fit is None
    assert isnan(prediction.fitted_no_success)
    assert (prediction.observed_no_success, prediction.iid_no_success) == (1.0, 1.0)


def test_partial_credit_can_lack_a_success_without_being_degenerate() -> None:
    kinds = group_kinds([0.0, 0.5, 1.0, 0.0], [0, 0, 1, 1])
    assert kinds.count(GroupKind.MIXED) == 2
    assert predicted_degeneracy(kinds).observed_no_success == 0.5


def test_real_groups_of_eight_are_far_more_often_degenerate_than_one_rate_predicts(shared: Path) -> None:
    rows = [json.loads(line) for line in (shared / "data" / "qwen_math_cot_100.jsonl").open()]
    rewards = [float(score) for row in rows for score in row["score"]]
    ids = [row["idx"] for row in rows for _ in row["score"]]
    rates = collapse_rates(rewards, ids)
    assert (rates.all_wrong_rate, rates.mixed_rate, rates.all_correct_rate) == (0.04, 0.1, 0.86)
    prediction = predicted_degeneracy(rates.kinds)
    assert prediction.rate == pytest.approx(0.91)
    assert prediction.iid_no_success == pytest.approx(4e-9, rel=0.1)
    assert prediction.iid_all_success == pytest.approx(0.47, abs=0.005)
    fit = prediction.fit
    assert fit is not None
    assert (fit.a, fit.b, fit.rho) == pytest.approx((0.31, 0.03, 0.75), abs=0.005)
    assert prediction.fitted_no_success == pytest.approx(0.041, abs=0.0005)
    assert prediction.fitted_all_success == pytest.approx(0.859, abs=0.0005)
    chances = [chance_of_success_after_none(fit, failures=8, more=more) for more in (8, 32, 256)]
    assert chances == pytest.approx([0.20, 0.40, 0.66], abs=0.005)


def test_real_solutions_of_four_models_are_fitted_too(shared: Path) -> None:
    rows = [json.loads(line) for line in (shared / "data" / "gsm8k_example_model_solutions.jsonl").open()]
    solved = [[value["is_correct"] for value in row.values() if isinstance(value, dict)] for row in rows]
    kinds = group_kinds(np.ravel(solved), np.repeat(np.arange(len(rows)), 4))
    assert (kinds.count(GroupKind.ALL_WRONG), kinds.count(GroupKind.MIXED)) == (432, 731)
    assert kinds.count(GroupKind.ALL_CORRECT) == 156
    prediction = predicted_degeneracy(kinds)
    fit = prediction.fit
    assert fit is not None
    assert (fit.a, fit.b) == pytest.approx((0.71, 1.16), abs=0.005)
    assert prediction.fitted_no_success == pytest.approx(0.326, abs=0.0006)
    assert prediction.fitted_all_success == pytest.approx(0.120, abs=0.0005)
    chances = [chance_of_success_after_none(fit, failures=4, more=more) for more in (8, 32, 256)]
    assert chances == pytest.approx([0.49, 0.76, 0.94], abs=0.005)
