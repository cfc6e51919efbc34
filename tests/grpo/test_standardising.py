"""Credits within their group: step-weighted means, exact zeros, and offsets that cost no digits."""

from math import nan, sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.grpo import groups_of
from rewardgate.grpo.standardising import centred_credits, differ_in_group, standardised_credits

ONE_GROUP = groups_of(torch.tensor([4, 4]))


def test_every_step_weighs_the_same_whatever_rollout_it_is_of() -> None:
    credit = torch.tensor([[6.0, nan, nan], [3.0, 2.0, 1.0]], dtype=torch.float64)
    # mean 12 / 4 = 3; squares 9 + 0 + 1 + 4 = 14; by rollout the mean would be (6 + 2) / 2 = 4.
    assert centred_credits(credit, ONE_GROUP).tolist() == [
        pytest.approx([3.0, nan, nan], nan_ok=True),
        [0.0, -1.0, -2.0],
    ]
    for ddof in (0, 1):
        std = sqrt(14 / (4 - ddof))
        scaled = standardised_credits(credit, ONE_GROUP, ddof=ddof, epsilon=0.5)
        assert scaled[1].tolist() == pytest.approx([0.0, -1 / (std + 0.5), -2 / (std + 0.5)])


def test_a_step_alone_at_its_place_has_nothing_to_be_compared_with() -> None:
    credit = torch.tensor([[6.0, nan], [3.0, 2.0]], dtype=torch.float64)
    assert centred_credits(credit, ONE_GROUP, baseline="step_index")[1].tolist() == [-1.5, 0.0]


@given(st.floats(-1e3, 1e3), st.integers(1, 9), st.sampled_from(["group", "step_index"]))
def test_equal_credits_are_exact_zeros_without_any_epsilon(credit: float, n_rows: int, baseline: str) -> None:
    batch = torch.full((n_rows, 3), credit, dtype=torch.float64)
    groups = groups_of(torch.zeros(n_rows, dtype=torch.int64))
    assert not standardised_credits(batch, groups, baseline=baseline, epsilon=0.0).any()
    assert not differ_in_group(batch, groups).any()


def test_sums_in_another_order_do_not_differ() -> None:
    batch = torch.tensor([[0.1 + 0.2 + 0.3], [0.3 + 0.2 + 0.1]], dtype=torch.float64)
    assert batch[0].item() != batch[1].item()
    assert not standardised_credits(batch, ONE_GROUP, epsilon=0.0).any()
    apart = torch.tensor([[0.6], [0.6 + 1e-9]], dtype=torch.float64)
    assert standardised_credits(apart, ONE_GROUP, epsilon=0.0).flatten().tolist() == pytest.approx([-1.0, 1.0])


def test_a_large_offset_costs_no_digits() -> None:
    batch = torch.tensor([[1e8 + 0.0], [1e8 + 0.5]], dtype=torch.float64)
    assert standardised_credits(batch, ONE_GROUP, epsilon=0.0).flatten().tolist() == [-1.0, 1.0]


def test_groups_are_apart_wherever_their_rows_stand() -> None:
    batch = torch.tensor([[1.0], [10.0], [3.0], [nan]], dtype=torch.float64)
    groups = groups_of(torch.tensor([1, 2, 1, 2]))
    assert centred_credits(batch, groups).flatten().tolist() == pytest.approx([-1.0, 0.0, 1.0, nan], nan_ok=True)


def test_options_outside_their_ranges_are_refused() -> None:
    with pytest.raises(ArgumentError, match="baseline: expected group or step_index, got 'row'"):
        centred_credits(torch.zeros(2, 1), ONE_GROUP, baseline="row")
    with pytest.raises(ArgumentError, match="ddof: expected 0 or 1, got 2"):
        standardised_credits(torch.zeros(2, 1), ONE_GROUP, ddof=2)
