import random

import numpy as np
import pytest
from scored_steps import trace

from rewardgate.audit.report.steps import AggregateRanking
from rewardgate.audit.steps.rankings import aggregate_rankings
from rewardgate.audit.steps.resampled import Resampling

DRAWN = Resampling(resamples=100, seed=0)


def by_name(rows: list[AggregateRanking]) -> dict[str, AggregateRanking]:
    return {row.aggregate: row for row in rows if (row.truth, row.stratum) == ("steps", "all")}


def test_a_product_of_dice_ranks_by_length_and_the_control_says_so() -> None:
    """Right solutions have two steps and wrong ones six; the scores know nothing."""
    found = []
    for seed in range(8):
        dice = random.Random(seed)
        traces = [
            trace([dice.random() for _ in range(6 if n % 2 else 2)], 5 if n % 2 else -1, problem=str(n))
            for n in range(200)
        ]
        found.append(by_name(list(aggregate_rankings(traces, DRAWN))))

    def mean(aggregate: str) -> float:
        return float(np.mean([one[aggregate].auc for one in found]))

    # -log of a product of n is a sum of n exponentials. That of 2 is less than that of 6 unless, of 7 tosses between
    # the two, fewer than 2 fall to it: 1 - (1 + 7) / 2^7 = 0.9375.
    assert mean("product") == pytest.approx(0.9375, abs=0.02)
    assert mean("fewer steps") == 1
    # The spread of a mean differs with length, its middle does not. One file is off by 0.04, eight by 0.015.
    assert mean("mean") == pytest.approx(0.5, abs=0.05)


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
