from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.stake import group_advantages, stake_part

REWARD = st.sampled_from([0.0, 1.0, 0.5, None])


def slow_advantages(rewards: list[float | None], groups: list[int], *, divide_by_std: bool) -> list[float]:
    """Group by group in plain float64, after the definition."""
    advantages = []
    for reward, group in zip(rewards, groups, strict=True):
        known = [one for one, other in zip(rewards, groups, strict=True) if other == group and one is not None]
        if reward is None:
            advantages.append(float("nan"))
        elif len(known) < 2 or min(known) == max(known):
            advantages.append(0.0)
        else:
            mean = sum(known) / len(known)
            std = sqrt(sum((one - mean) ** 2 for one in known) / (len(known) - 1))
            advantages.append((reward - mean) / (std if divide_by_std else 1.0))
    return advantages


@given(st.lists(st.tuples(REWARD, st.integers(0, 2)), max_size=12), st.booleans())
def test_advantages_are_those_of_the_definition(rows: list[tuple[float | None, int]], divide_by_std: bool) -> None:
    rewards, groups = [reward for reward, _ in rows], [group for _, group in rows]
    expected = slow_advantages(rewards, groups, divide_by_std=divide_by_std)
    found = group_advantages(rewards, np.array(groups, dtype=np.int64), divide_by_std=divide_by_std)
    for one, other in zip(found.tolist(), expected, strict=True):
        assert (isnan(one) and isnan(other)) or one == pytest.approx(other, abs=1e-9)


def test_the_two_estimators_by_hand() -> None:
    # mean 1/4; std with n - 1: sqrt((9/16 + 3/16) / 3) = 1/2
    groups = np.zeros(4, dtype=np.int64)
    assert group_advantages([1, 0, 0, 0], groups, divide_by_std=False).tolist() == [0.75, -0.25, -0.25, -0.25]
    assert group_advantages([1, 0, 0, 0], groups, divide_by_std=True).tolist() == [1.5, -0.5, -0.5, -0.5]


def test_equal_rewards_have_exact_zeros_whatever_they_are() -> None:
    assert not group_advantages([0.1 + 0.2] * 7, np.zeros(7, dtype=np.int64), divide_by_std=True).any()


def test_an_all_wrong_group_of_which_one_was_right_misses_every_advantage() -> None:
    stake = stake_part([0, 0, 0, 0], [0, 0, 0, 1], np.zeros(4, int), units=[10, 20, 30, 40], unit="tokens")
    assert (stake.missing_rollouts, stake.missing_units) == (1.0, 1.0)
    # |A| after repair: 1/4 three times and 3/4 once; mean 6/16.
    assert stake.mean_error_dr_grpo == pytest.approx(6 / 16)


def test_a_right_answer_that_was_refused_among_accepted_ones_has_the_wrong_sign() -> None:
    # as scored: mean 1/2, A = -1/2 for the third; repaired: mean 3/4, A = +1/4; the last is wrong in both.
    stake = stake_part([1, 1, 0, 0], [1, 1, 1, 0], np.zeros(4, int), units=[10, 10, 30, 50], unit="tokens")
    assert (stake.wrong_sign_rollouts, stake.wrong_sign_units) == (0.25, 0.3)
    assert stake.missing_rollouts == 0


def test_a_group_that_was_all_right_in_truth_had_spurious_advantages() -> None:
    stake = stake_part([1, 1, 1, 0], [1, 1, 1, 1], np.zeros(4, int), units=[1, 1, 1, 1], unit="characters")
    assert (stake.spurious_rollouts, stake.missing_rollouts) == (1.0, 0.0)


def test_an_unscored_rollout_has_no_advantage_until_it_is_scored() -> None:
    stake = stake_part([1, 0, None], [1, 0, 1], np.zeros(3, int), units=[1, 1, 2], unit="tokens")
    assert (stake.missing_rollouts, stake.missing_units) == (pytest.approx(1 / 3), 0.5)


def test_without_rollouts_or_lengths_there_is_no_share() -> None:
    empty = stake_part([], [], np.zeros(0, int), units=[], unit="tokens")
    assert empty.missing_rollouts is None
    assert stake_part([1, 0], [1, 0], np.zeros(2, int), units=[0, 0], unit="tokens").missing_units is None


@given(st.lists(st.tuples(REWARD, REWARD, st.integers(0, 2), st.integers(0, 9)), max_size=12))
def test_shares_lie_between_0_and_1_and_nothing_is_at_stake_where_nothing_changes(
    rows: list[tuple[float | None, float | None, int, int]],
) -> None:
    groups = np.array([row[2] for row in rows], dtype=np.int64)
    lengths = [row[3] for row in rows]
    stake = stake_part([row[0] for row in rows], [row[1] for row in rows], groups, units=lengths, unit="tokens")
    shares = (stake.missing_rollouts, stake.wrong_sign_rollouts, stake.spurious_rollouts, stake.missing_units)
    assert all(share is None or 0 <= share <= 1 for share in shares)
    same = stake_part([row[0] for row in rows], [row[0] for row in rows], groups, units=lengths, unit="tokens")
    assert same.touched_rollouts == 0
    assert not same.mean_error_dr_grpo
