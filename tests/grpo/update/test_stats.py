"""Records of steps and processes, merged."""

from math import isnan, nan

import pytest

from rewardgate.grpo import LossStats
from rewardgate.grpo.update import StepStats, UpdateStats
from rewardgate.grpo.update.stats import NOT_FINITE, merge_steps


def test_losses_are_means_over_steps_and_shares_weighted_by_tokens() -> None:
    first = StepStats(loss=LossStats(loss=1.0, tokens=3, rows=1, nonzero=1.0), grad_norm=2.0, is_stepped=True)
    second = StepStats(loss=LossStats(loss=2.0, tokens=1, rows=1, nonzero=0.0), grad_norm=4.0, is_stepped=True)
    stats = UpdateStats(steps=(first, second), rows=4, rows_skipped=1)
    assert (stats.loss.loss, stats.loss.nonzero, stats.loss.tokens) == (1.5, 0.75, 4)
    figures = stats.figures()
    assert (figures["grad_norm"], figures["grad_norm_max"], figures["skipped_rows"]) == (3.0, 4.0, 0.25)
    assert isnan(figures["skipped_tokens"])


def test_steps_that_were_not_taken_are_told_apart() -> None:
    steps = (
        StepStats(grad_norm=1.0, is_stepped=True),
        StepStats(grad_norm=nan, why_not=NOT_FINITE),
        StepStats(grad_norm=0.0, why_not="no row has a gradient"),
    )
    figures = UpdateStats(steps=steps).figures()
    assert [figures[name] for name in ("optimizer_steps", "nonfinite_steps", "idle_steps")] == [1, 1, 1]
    assert figures["grad_norm"] == pytest.approx(0.5)


def test_processes_are_merged_step_by_step() -> None:
    mine = [StepStats(loss=LossStats(loss=1.0, tokens=2), grad_norm=3.0)]
    other = [StepStats(loss=LossStats(loss=0.5, tokens=1), grad_norm=3.0, sampler=LossStats(tokens=1, k3=0.1))]
    (merged,) = merge_steps([mine, other])
    assert (merged.loss.loss, merged.loss.tokens, merged.grad_norm) == (1.5, 3, 3.0)
    assert merged.sampler is not None
    assert merged.sampler.k3 == 0.1
    with pytest.raises(ValueError, match="zip"):
        merge_steps([mine, []])
