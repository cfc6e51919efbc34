import random

import numpy as np
import pytest
from scored_steps import trace

from rewardgate.audit.report.steps import AggregateRanking
from rewardgate.audit.steps.rankings import aggregate_rankings
from rewardgate.audit.steps.resampled import Resampling

DRAWN = Resampling(resamples=200, seed=0)


def by_name(rows: list[AggregateRanking]) -> dict[str, AggregateRanking]:
    return {row.aggregate: row for row in rows if (row.truth, row.stratum) == ("steps", "all")}


def test_a_product_of_dice_ranks_by_length_and_the_control_says_so() -> None:
    """Right solutions have two steps and wrong ones six; the scores know nothing."""
    dice = random.Random(0)
    traces = [
        trace([dice.random() for _ in range(6 if number % 2 else 2)], 5 if number % 2 else -1, problem=str(number))
        for number in range(200)
    ]
    found = by_name(list(aggregate_rankings(traces, DRAWN)))
    # -log of a product of n is a sum of n exponentials: the sum of 2 is the lesser one unless of 7 tosses, head for it,
    # fewer than 2 are heads: 1 - (1 + 7) / 2^7 = 0.9375.
    assert found["product"].auc == pytest.approx(0.9375, abs=0.06)
    assert found["fewer steps"].auc == 1
    # Its spread differs with length, its middle does not.
    assert found["mean"].auc_low is not None
    assert found["mean"].auc_high is not None
    assert found["mean"].auc_low <= 0.5 <= found["mean"].auc_high


def test_every_stratum_with_both_sides_is_there_and_no_other() -> None:
    traces = [
        trace([0.9], -1, problem="a", source="x", difficulty="1", final_correct=True),
        trace([0.1], 0, problem="b", source="x", difficulty="2", final_correct=False),
        trace([0.8], -1, problem="c", source="y", difficulty="1", final_correct=True),
        trace([None], 0, problem="d", source="x", difficulty="2", final_correct=None),
    ]
    rows = list(aggregate_rankings(traces, DRAWN))
    assert {(row.truth, row.stratum, row.name) for row in rows} == {
        ("steps", "all", "all"),
        ("steps", "source", "x"),
        ("answer", "all", "all"),
        ("answer", "source", "x"),
    }
    whole = by_name(rows)["mean"]
    # The silent one is left out and counted.
    assert (whole.n_right, whole.n_wrong, whole.n_silent, whole.auc) == (2, 1, 1, 1)
    assert (whole.mean_right, whole.mean_wrong) == (pytest.approx(np.mean([0.9, 0.8])), 0.1)


def test_solutions_that_nobody_labelled_are_in_no_stratum() -> None:
    assert list(aggregate_rankings([trace([0.5], None), trace([0.6], None, problem="q")], DRAWN)) == []
