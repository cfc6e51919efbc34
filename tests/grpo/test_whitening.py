"""Whitening over the tokens of a batch: options, equal values, and what padding may hold."""

from math import nan, sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reward_batches import CONSTANTS

from rewardgate.errors import ArgumentError
from rewardgate.grpo import whitened

T64 = torch.float64
VALUES = torch.tensor([[1.0, 2.0, nan], [6.0, nan, nan]], dtype=T64)
MASK = ~VALUES.isnan()


# 1, 2, 6: mean 3, deviations -2, -1, 3 with squares 4 + 1 + 9 = 14; variance 14 / 2 = 7 with ddof 1, 14 / 3 with 0.
@pytest.mark.parametrize(("ddof", "variance"), [(1, 7), (0, 14 / 3)])
@pytest.mark.parametrize("epsilon", [0.0, 1e-8, 2.0])
def test_three_tokens(ddof: int, variance: float, epsilon: float) -> None:
    root = sqrt(variance + epsilon)
    centred = whitened(VALUES, MASK, ddof=ddof, epsilon=epsilon)
    assert centred.tolist() == [pytest.approx([-2 / root, -1 / root, 0]), pytest.approx([3 / root, 0, 0])]
    scaled = whitened(VALUES, MASK, ddof=ddof, epsilon=epsilon, centre=False)
    assert scaled.tolist() == [pytest.approx([1 / root, 2 / root, 0]), pytest.approx([6 / root, 0, 0])]


@pytest.mark.parametrize("constant", CONSTANTS)
@pytest.mark.parametrize("dtype", [torch.float32, T64])
def test_equal_values_get_exact_zeros_and_without_centring_stay_as_they_are(
    constant: float, dtype: torch.dtype
) -> None:
    values, mask = torch.full((3, 5), constant, dtype=dtype), torch.ones(3, 5, dtype=torch.bool)
    assert whitened(values, mask, epsilon=0.0).eq(0).all()
    assert torch.equal(whitened(values, mask, centre=False), values)


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=12))
def test_what_comes_out_has_mean_zero_and_variance_one(values: list[float]) -> None:
    found = whitened(torch.tensor([values], dtype=T64), torch.ones(1, len(values), dtype=torch.bool), epsilon=0.0)
    if max(values) - min(values) > 1e-6:
        assert found.mean().item() == pytest.approx(0, abs=1e-6)
        assert found.var().item() == pytest.approx(1, rel=1e-6)


def test_no_token_and_one_token_have_no_spread() -> None:
    assert whitened(VALUES, torch.zeros_like(MASK)).eq(0).all()
    one = torch.zeros_like(MASK)
    one[1, 0] = True
    assert whitened(VALUES, one).eq(0).all()
    assert whitened(torch.zeros(0, 3), torch.zeros(0, 3, dtype=torch.bool)).shape == (0, 3)


def test_whole_numbers_and_half_precision_are_measured_in_double() -> None:
    mask = torch.ones(1, 3, dtype=torch.bool)
    whole = whitened(torch.tensor([[1, 2, 6]]), mask)
    assert (whole.dtype, whole.tolist()) == (torch.float32, [pytest.approx([-2 / sqrt(7), -1 / sqrt(7), 3 / sqrt(7)])])
    assert whitened(torch.tensor([[1.0, 2.0, 6.0]], dtype=torch.bfloat16), mask).dtype == torch.bfloat16


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match=r"completion_mask: expected shape \(2, 3\) as values, got \(1, 3\)"):
        whitened(VALUES, MASK[:1])
    with pytest.raises(ArgumentError, match="ddof: expected 0 or 1, got 2"):
        whitened(VALUES, MASK, ddof=2)
