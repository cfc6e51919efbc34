"""Records of losses: each figure from ratios by hand, and what merging does with what is unknown."""

import pickle
from dataclasses import fields, replace
from math import exp, isnan, log, nan

import pytest
import torch

from rewardgate.errors import ArgumentError
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


T64 = torch.float64


def stats_of(ratios: list[float], advantages: list[float], **options: object) -> LossStats:
    """The record of one row with these ratios and advantages by token."""
    new = torch.tensor([ratios], dtype=T64).log().requires_grad_()
    mask = torch.ones(1, len(ratios), dtype=torch.bool)
    return policy_loss(new, torch.zeros_like(new), torch.tensor([advantages], dtype=T64), mask, **options)[1]


def test_tokens_outside_the_range_are_counted_by_side_and_sign() -> None:
    # A > 0: below (free), above (clipped). A < 0: below (clipped), above (free, and beyond 3 bounded). A = 0: nowhere.
    stats = stats_of([0.5, 2.0, 0.5, 2.0, 4.0, 9.0], [1.0, 1.0, -1.0, -1.0, -1.0, 0.0], dual_clip=3.0)
    found = (stats.below_positive, stats.clipped_high, stats.clipped_low, stats.above_negative, stats.clipped_dual)
    assert found == pytest.approx((1 / 6, 1 / 6, 1 / 6, 2 / 6, 1 / 6))
    assert stats.nonzero == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    "options",
    [{}, {"dual_clip": 1.1}, {"dual_clip": 3.0}, {"delta": 1.05}, {"delta": 4.0}, {"epsilon_low": 0.0}],
)
def test_what_is_counted_as_clipped_is_what_has_no_gradient(options: dict[str, float]) -> None:
    for ratio in (0.3, 0.9, 0.999, 1.02, 1.07, 1.15, 1.3, 2.0, 3.5, 5.0):
        for advantage in (-1.0, 1.0):
            stats = stats_of([ratio], [advantage], **options)
            is_clipped = stats.clipped_low + stats.clipped_high + stats.clipped_dual > 0
            assert is_clipped == (stats.gradient_square == 0), (ratio, advantage)


def test_estimates_of_the_distance_and_the_quantiles_are_of_the_ratio() -> None:
    ratios = [exp(x) for x in (-0.1, 0.0, 0.2, 0.3)]
    stats = stats_of(ratios, [1.0] * 4)
    assert stats.k1 == pytest.approx(-(-0.1 + 0 + 0.2 + 0.3) / 4)
    assert stats.k2 == pytest.approx((0.01 + 0 + 0.04 + 0.09) / 8)
    assert stats.k3 == pytest.approx(sum(ratio - log(ratio) - 1 for ratio in ratios) / 4)
    assert stats.ratio_quantile(0.5) == 1.0
    assert log(stats.ratio_quantile(1.0)) == pytest.approx(0.3, rel=0.02)
    assert stats.figures()["ratio_q99"] == stats.ratio_quantile(0.99)


def test_the_effective_share_is_one_where_all_weigh_alike_and_falls_with_the_weights_spread() -> None:
    assert stats_of([1.1] * 4, [1.0] * 4).effective_share == pytest.approx(1.0)
    # (1 + 3)² / (2 (1 + 9)) = 0.8
    assert stats_of([1.0, 3.0], [1.0, 1.0]).effective_share == pytest.approx(0.8)
    # Weighted by 1 / 0.5 = 2 and 1: weights 2 and 3, (2 + 3)² / (2 (4 + 9)) = 25 / 26.
    rollout = torch.tensor([[0.5, 1.0]], dtype=T64).log()
    assert stats_of([1.0, 3.0], [1.0, 1.0], rollout_logprobs=rollout).effective_share == pytest.approx(25 / 26)
    assert isnan(LossStats().effective_share)


def test_the_gradient_of_degenerate_groups_is_a_share_of_the_squared_norm() -> None:
    # On policy, mean over four tokens, k2 with x = 1 and beta 0.5: slopes -A/4 - beta x/4: (-1 - 0.5)/4 twice, in the
    # degenerate row -0.5/4 twice. Squares 2.25 and 0.25 each: 0.25 / 2.5 of the whole.
    logprobs = torch.zeros(2, 2, dtype=T64, requires_grad=True)
    given = {"ref_logprobs": torch.ones(2, 2, dtype=T64), "degenerate": torch.tensor([False, True])}
    mask, advantages = torch.ones(2, 2, dtype=torch.bool), torch.tensor([1.0, 0.0], dtype=T64)
    _, stats = policy_loss(logprobs, None, advantages, mask, beta=0.5, kl="k2", **given)
    assert stats.gradient_square == pytest.approx(5 / 16)
    assert stats.degenerate_gradient == pytest.approx(0.1)
    _, without = policy_loss(logprobs, None, advantages, mask, beta=0.5, kl="k2", kl_on_degenerate=False, **given)
    assert without.degenerate_gradient == 0.0
    assert without.kl == pytest.approx(0.25)  # as it is in the loss: of two tokens of four
    _, unnamed = policy_loss(logprobs, None, advantages, mask)
    assert isnan(unnamed.degenerate_gradient)
    with torch.no_grad():
        _, without_graph = policy_loss(logprobs, None, advantages, mask)
    assert isnan(without_graph.gradient_square)


def test_figures_over_live_rows_are_named_so_and_what_dead_rows_cannot_change_is_not() -> None:
    named = replace(ONE, live_only=True).figures()
    assert {"live_ratio_mean", "live_tokens", "live_clipped_low", "live_ratio_q50", "live_effective_share"} <= set(
        named
    )
    assert {"loss", "policy_loss", "kl_loss", "entropy_loss", "gradient_square", "degenerate_gradient"} <= set(named)
    assert list(named.values()) == pytest.approx(list(ONE.figures().values()), nan_ok=True)
    merged = merge_loss_stats([replace(ONE, live_only=True), LossStats()])
    assert merged.live_only
    with pytest.raises(ArgumentError, match="stats: expected records of live rows only or of all rows, got both"):
        merge_loss_stats([ONE, replace(ONE, live_only=True)])


def test_every_field_is_shown_and_merged() -> None:
    ones = {entry.name: 1 for entry in fields(LossStats) if entry.name not in ("ratios", "live_only")}
    merged = merge_loss_stats([LossStats(**ones), LossStats(**ones)])
    for name in ones:
        assert not isnan(getattr(merged, name)), name
        assert name in merged.figures()
