"""The cost of a batch of mixed groups only."""

from math import inf

import numpy as np
import pytest

from rewardgate.errors import ArgumentError
from rewardgate.grpo import refill_cost


def test_it_is_the_mean_number_of_draws_until_enough_are_mixed() -> None:
    draws = np.random.default_rng(0).negative_binomial(64, 0.25, size=20000) + 64  # kept with probability 1/4
    assert refill_cost(0.75, wanted_groups=64, group_size=4).groups == pytest.approx(draws.mean(), rel=0.01)


def test_a_batch_that_can_never_be_filled_costs_infinitely_much() -> None:
    cost = refill_cost(1.0, wanted_groups=8, group_size=4)
    assert (cost.groups, cost.rollouts, cost.overhead) == (inf, inf, inf)
    assert refill_cost(0.0, wanted_groups=8, group_size=4).rollouts == 32


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match=r"degenerate_share: expected a share in \[0, 1\], got 1.5"):
        refill_cost(1.5, wanted_groups=8, group_size=4)
    with pytest.raises(ArgumentError, match="group_size: expected at least 1, got 0"):
        refill_cost(0.5, wanted_groups=8, group_size=0)
