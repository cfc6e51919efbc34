import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.prm.calibration import bin_sums, bins, calibration_error

rows = st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.integers(0, 2)), min_size=1, max_size=30)


def plain_error(found: list[tuple[float, bool, int]], n_bins: int) -> float:
    total = 0.0
    for number in range(n_bins):
        own = [
            (value, right)
            for value, right, _ in found
            if min(int(value * n_bins), n_bins - 1) == number
        ]  # fmt: skip
        if own:
            score = sum(value for value, _ in own) / len(own)
            share = sum(right for _, right in own) / len(own)
            total += len(own) / len(found) * abs(score - share)
    return total


def sums_of(found: list[tuple[float, bool, int]], n_bins: int = 10) -> np.ndarray:
    columns = (np.array(column) for column in zip(*found, strict=True))
    values, is_right, clusters = columns
    return bin_sums(values, is_right, clusters, 3, n_bins=n_bins)


def test_the_error_is_the_mean_gap_weighted_by_steps() -> None:
    # Two bins: 0.2, 0.3 (mean 0.25, none right) and 0.9, 1.0 (mean 0.95, one of two right).
    # 2/4 · 0.25 + 2/4 · 0.45 = 0.35
    found = [(0.2, False, 0), (0.3, False, 1), (0.9, True, 0), (1.0, False, 2)]
    assert calibration_error(sums_of(found, 2).sum(axis=0)) == pytest.approx(0.35)


def test_a_score_at_an_edge_is_in_the_upper_bin_and_1_in_the_last() -> None:
    found = bins(np.array([0.0, 0.5, 1.0]), np.array([False, True, True]), n_bins=2)
    assert [(one.low, one.high, one.n) for one in found] == [(0.0, 0.5, 1), (0.5, 1.0, 2)]
    assert (found[1].mean_score, found[1].share_right) == (0.75, 1.0)


def test_an_empty_bin_has_a_count_and_no_share() -> None:
    first, *_ = bins(np.array([0.95]), np.array([True]))
    assert (first.n, math.isnan(first.mean_score), math.isnan(first.share_right)) == (0, True, True)


def test_saying_the_base_rate_of_every_step_is_no_error() -> None:
    values, is_right = np.full(4, 0.75), np.array([True, True, True, False])
    sums = bin_sums(values, is_right, np.zeros(4, dtype=np.int64), 1)
    assert calibration_error(sums).tolist() == [0.0]


def test_without_a_step_there_is_no_error() -> None:
    assert math.isnan(calibration_error(np.zeros((10, 3))))


@given(rows, st.sampled_from([1, 2, 7, 10]))
def test_the_error_is_that_of_a_plain_loop(found: list[tuple[float, bool, int]], n_bins: int) -> None:
    assert calibration_error(sums_of(found, n_bins).sum(axis=0)) == pytest.approx(plain_error(found, n_bins))


@given(rows)
def test_sums_of_clusters_drawn_twice_are_those_of_doubled_steps(found: list[tuple[float, bool, int]]) -> None:
    weights = np.array([2.0, 0.0, 1.0])
    drawn = [row for row in found for _ in range(int(weights[row[2]]))]
    error = calibration_error(np.tensordot(weights, sums_of(found), axes=1))
    assert error == pytest.approx(plain_error(drawn, 10) if drawn else math.nan, nan_ok=True)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_score_that_is_no_probability_is_refused(value: float) -> None:
    with pytest.raises(ArgumentError, match=r"values: expected numbers in \[0, 1\]"):
        bins(np.array([value]), np.array([True]))


def test_no_bins_are_refused() -> None:
    with pytest.raises(ArgumentError, match="n_bins: expected at least 1, got 0"):
        bins(np.array([0.5]), np.array([True]), n_bins=0)
