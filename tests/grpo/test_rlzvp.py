"""RL-ZVP: entropies in degenerate groups, GRPO elsewhere."""

from math import nan

import pytest
import torch

from rewardgate.errors import ArgumentError
from rewardgate.grpo import grpo_advantages, rlzvp_advantages

# Groups: 0 all wrong, 1 all correct, 2 mixed, 3 tied, 4 a singleton with an unscored sibling.
IDS = torch.tensor([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
REWARDS = torch.tensor([0, 0, 1, 1, 1, 0, 0.5, 0.5, 0, nan], dtype=torch.float64)
ENTROPY = torch.tensor([[0.5, 2.0, nan], [0.1, nan, nan]] * 5, dtype=torch.float64)
MASK = ~ENTROPY.isnan()


def test_each_kind_of_group_gets_its_own() -> None:
    found = rlzvp_advantages(REWARDS, IDS, ENTROPY, MASK, alpha=0.2)
    # -0.2 (2 - 0.5), -0.2 (2 - 2); a row whose only token is its most undecided one is charged nothing.
    assert found[0].tolist() == pytest.approx([-0.3, 0.0, 0.0])
    assert found[1].tolist() == pytest.approx([0.0, 0.0, 0.0])
    assert found[2].tolist() == pytest.approx([0.1, 0.4, 0.0])
    assert found[3].tolist() == pytest.approx([0.02, 0.0, 0.0])
    expected = grpo_advantages(REWARDS, IDS)
    assert found[4].tolist() == [expected[4].item(), expected[4].item(), 0.0]
    assert found[5].tolist() == [expected[5].item(), 0.0, 0.0]
    assert found[6:].eq(0).all()


def test_no_tokens_are_no_trouble() -> None:
    nothing = torch.zeros(10, 0)
    assert rlzvp_advantages(REWARDS, IDS, nothing, nothing.bool()).shape == (10, 0)


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match="entropy: expected finite numbers where completion_mask is True, got nan"):
        rlzvp_advantages(REWARDS, IDS, ENTROPY, torch.ones_like(MASK))
    with pytest.raises(ArgumentError, match="alpha: expected a finite number of at least 0, got -1"):
        rlzvp_advantages(REWARDS, IDS, ENTROPY, MASK, alpha=-1)
    with pytest.raises(ArgumentError, match=r"rewards: expected shape \(10,\), one a row of entropy, got \(2,\)"):
        rlzvp_advantages(REWARDS[:2], IDS[:2], ENTROPY, MASK)
