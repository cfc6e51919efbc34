"""MaxRL: the mean in the denominator, and where it has nothing to say."""

from math import fsum

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reward_batches import Batch, batches, by_loop

from rewardgate.errors import ArgumentError
from rewardgate.grpo import maxrl_advantages


def test_a_rare_success_counts_for_more() -> None:
    # One success in eight: (1 - 1/8) / (1/8) = 7 and -1; seven in eight: (1/8) / (7/8) = 1/7 and -1.
    rewards = torch.tensor([[1.0] + [0.0] * 7, [1.0] * 7 + [0.0]], dtype=torch.float64)
    found = maxrl_advantages(rewards)
    assert found[0].tolist() == pytest.approx([7.0] + [-1.0] * 7)
    assert found[1].tolist() == pytest.approx([1 / 7] * 7 + [-1.0])
    assert maxrl_advantages(rewards, epsilon=0.125)[0, 0].item() == pytest.approx(0.875 / 0.25)


def test_a_mean_that_is_not_positive_is_no_success_rate() -> None:
    assert maxrl_advantages(torch.tensor([[-1.0, 0.0], [1.0, -1.0]])).eq(0).all()


@given(batches(st.sampled_from([0.0, 1.0, 0.25, 0.5])))
def test_it_is_what_a_loop_over_groups_says(batch: Batch) -> None:
    def of_group(rewards: list[float]) -> list[float]:
        mean = fsum(rewards) / max(len(rewards), 1)
        return [(reward - mean) / mean if mean > 0 and len(set(rewards)) > 1 else 0.0 for reward in rewards]

    found = maxrl_advantages(*batch.tensors)
    assert found.tolist() == pytest.approx(by_loop(batch, of_group), abs=1e-12)


def test_an_epsilon_below_zero_is_refused() -> None:
    with pytest.raises(ArgumentError, match="epsilon: expected a finite number of at least 0, got -1"):
        maxrl_advantages(torch.zeros(1, 2), epsilon=-1)
