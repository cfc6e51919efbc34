import numpy as np
import pytest

from rewardgate.diagnostics import bootstrap_by_prompt
from rewardgate.errors import ArgumentError
from rewardgate.prm.calibration import auc, cluster_interval, weighted_auc


def mean_of(values: np.ndarray):
    return lambda drawn: drawn @ values / drawn.sum(axis=1)


def test_of_a_mean_it_is_the_bootstrap_by_prompt() -> None:
    values = np.random.default_rng(1).random(40)
    ours = cluster_interval(mean_of(values), 40, resamples=20_000)
    theirs = bootstrap_by_prompt(values, list(range(40)), resamples=20_000).interval
    assert ours == pytest.approx(theirs, abs=0.01)


def test_the_same_seed_gives_the_same_interval_however_it_is_cut() -> None:
    values = np.random.default_rng(1).random(40)
    whole = cluster_interval(mean_of(values), 40, seed=3)
    assert whole == cluster_interval(mean_of(values), 40, seed=3)
    assert whole != cluster_interval(mean_of(values), 40, seed=4)
    # Arrays of a million numbers a draw: four draws at once.
    assert cluster_interval(mean_of(values), 40, rows=1_000_000, seed=3) == whole


def test_where_no_draw_differs_the_bound_is_the_exact_one() -> None:
    # None of 10 problems was different: at most 1 - 0.025^(1/10) of them can be, 0.3085.
    low, high = cluster_interval(mean_of(np.ones(10)), 10) or (None, None)
    assert (low, high) == (pytest.approx(0.025 ** (1 / 10)), 1.0)
    # A figure in between can move both ways.
    low, high = cluster_interval(mean_of(np.full(10, 0.5)), 10) or (None, None)
    assert (low, high) == (pytest.approx(0.5 - 0.5 * 0.3085, abs=1e-4), pytest.approx(0.5 + 0.5 * 0.3085, abs=1e-4))


def test_one_problem_says_nothing_about_others() -> None:
    assert cluster_interval(mean_of(np.ones(1)), 1) is None
    assert cluster_interval(mean_of(np.ones(0)), 0) is None


def test_a_figure_that_most_draws_do_not_have_has_no_interval() -> None:
    assert cluster_interval(lambda drawn: np.where(drawn[:, 0] > 2, 1.0, np.nan), 5) is None


def test_steps_of_one_problem_are_drawn_together() -> None:
    """A hundred copies of each step make no interval narrower, as their problems stay the same."""
    random = np.random.default_rng(5)
    values, is_right = random.random(30), random.random(30) < 0.5
    alone = cluster_interval(lambda drawn: weighted_auc(values, is_right, drawn), 30)
    copied, right, problem = np.repeat(values, 100), np.repeat(is_right, 100), np.repeat(np.arange(30), 100)
    together = cluster_interval(lambda drawn: weighted_auc(copied, right, drawn[:, problem]), 30)
    assert together == pytest.approx(alone)


def test_a_scorer_that_knows_nothing_has_chance_in_its_interval_19_times_of_20() -> None:
    hits = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        values, is_right = random.random(80), random.random(80) < 0.5
        found = cluster_interval(lambda drawn, v=values, r=is_right: weighted_auc(v, r, drawn), 80, resamples=300)
        assert found is not None
        assert found.low <= auc(values, is_right) <= found.high
        hits += found.low <= 0.5 <= found.high
    # 60 times with chance 0.95: fewer than 52 in one case of a thousand. Measured: 57.
    assert hits >= 52


@pytest.mark.parametrize(
    ("options", "said"),
    [({"confidence": 1.0}, "confidence: expected"), ({"resamples": 99}, "resamples: expected at least 100, got 99")],
)
def test_options_out_of_range_are_refused(options: dict, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        cluster_interval(mean_of(np.ones(3)), 3, **options)
