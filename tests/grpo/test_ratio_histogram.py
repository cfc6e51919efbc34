"""Quantiles from merged counts: how right they are, and what the ends hold."""

from math import exp, isnan, log

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.grpo import RatioHistogram
from rewardgate.grpo.ratio_histogram import RESOLUTION, ratio_counts

log_ratios = st.one_of(st.floats(-20, 20), st.floats(-1e-3, 1e-3), st.sampled_from([0.0, 20.0, -20.0, 1e-6, -1e-6]))


def histogram(values: list[float], dtype: torch.dtype = torch.float64) -> RatioHistogram:
    return RatioHistogram(tuple(ratio_counts(torch.tensor(values, dtype=dtype)).tolist()))


@given(st.lists(log_ratios, min_size=1, max_size=30), st.floats(0, 1), st.sampled_from([torch.float32, torch.float64]))
def test_a_quantile_of_the_log_ratio_is_right_to_two_per_cent(
    values: list[float], share: float, dtype: torch.dtype
) -> None:
    expected = float(np.quantile(values, share, method="inverted_cdf"))
    found = log(histogram(values, dtype).quantile(share))
    # Rank share * n is decided by one rounding; both neighbours are right then.
    nearby = [
        expected,
        *(float(np.quantile(values, min(max(share + step, 0), 1), method="inverted_cdf")) for step in (-1e-9, 1e-9)),
    ]
    assert any(abs(found - value) <= RESOLUTION * 1.001 * abs(value) + 1.1e-6 for value in nearby)


@given(st.lists(log_ratios, max_size=20), st.lists(log_ratios, max_size=20))
def test_merged_counts_are_the_counts_of_all(first: list[float], second: list[float]) -> None:
    merged = RatioHistogram.merged([histogram(first), RatioHistogram(), histogram(second)])
    assert merged == histogram(first + second)
    assert sum(merged.counts) == len(first) + len(second)


def test_tokens_that_do_not_count_are_in_no_bin_and_no_tokens_have_no_quantile() -> None:
    counts = ratio_counts(torch.tensor([[0.1, 0.2]]), torch.tensor([[True, False]]))
    assert counts.sum() == 1
    assert isnan(RatioHistogram().quantile(0.5))
    assert isnan(histogram([]).quantile(0.5))
    assert RatioHistogram.merged([]) == RatioHistogram()


def test_the_ends_are_held_and_equal_policies_have_a_ratio_of_one() -> None:
    assert histogram([0.0] * 5).quantile(0.99) == 1.0
    assert histogram([20.0]).quantile(1.0) == pytest.approx(exp(20.0), rel=0.5)
    with pytest.raises(ArgumentError, match=r"share: expected a number in \[0, 1\], got 2"):
        RatioHistogram().quantile(2)
    with pytest.raises(ArgumentError, match=r"counts: expected \d+ bins or none, got 3"):
        RatioHistogram((1, 2, 3))
