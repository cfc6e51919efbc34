"""Records of losses: what merging does with counts, shares, maxima and what is unknown."""

import pickle
from dataclasses import replace
from math import isnan, nan

import pytest
import torch

from rewardgate.grpo import LossStats, merge_loss_stats, policy_loss

ONE = LossStats(
    loss=0.25,
    policy_loss=0.2,
    kl_loss=0.05,
    rows=2,
    tokens=6,
    clipped_low=0.5,
    clipped_high=0.0,
    ratio_mean=1.5,
    ratio_max=3.0,
    clamped=1,
    weight_mean=1.5,
    weight_square_mean=4.5,
    kl=0.1,
    kl_clamped=2,
    gradient_square=4.0,
    degenerate_gradient_square=1.0,
)


def test_losses_and_counts_add_up_and_shares_are_weighted_by_tokens() -> None:
    other = replace(ONE, tokens=2, clipped_low=0.0, ratio_max=9.0, kl=nan, loss=0.5, rows=1)
    merged = merge_loss_stats([ONE, other])
    assert (merged.loss, merged.rows, merged.tokens, merged.clamped, merged.kl_clamped) == (0.75, 3, 8, 2, 4)
    assert merged.clipped_low == pytest.approx(3 / 8)
    assert merged.ratio_max == 9.0
    # Unknown in one part: the mean of the part that knows, and unknown where none does.
    assert merged.kl == pytest.approx(0.1)
    assert isnan(merged.truncated)


def test_a_micro_batch_without_tokens_changes_nothing_and_one_record_is_itself() -> None:
    empty_mask = torch.zeros(1, 3, dtype=torch.bool)
    _, empty = policy_loss(torch.zeros(1, 3), None, torch.ones(1), empty_mask, normalizer=6)
    for merged in (merge_loss_stats([ONE, empty]), merge_loss_stats([ONE])):
        assert merged.figures() == pytest.approx(ONE.figures(), nan_ok=True)
        assert merged.ratios == ONE.ratios
    nothing = merge_loss_stats([])
    assert (nothing.loss, nothing.tokens) == (0, 0)
    assert isnan(nothing.ratio_mean)
    assert isnan(nothing.ratio_max)


def test_a_record_holds_plain_numbers_and_survives_a_pickle() -> None:
    _, stats = policy_loss(torch.zeros(1, 3), None, torch.ones(1), torch.ones(1, 3, dtype=torch.bool))
    assert {type(value) for value in stats.figures().values()} == {int, float}
    again = pickle.loads(pickle.dumps(stats))
    assert (str(again), again.ratios) == (str(stats), stats.ratios)
