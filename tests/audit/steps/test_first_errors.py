import numpy as np
import pytest
from scored_steps import trace

from rewardgate.audit.steps.first_errors import chosen_threshold, first_errors
from rewardgate.audit.steps.resampled import Resampling

DRAWN = Resampling(resamples=2_000, seed=0)


def test_the_interval_of_an_accuracy_is_that_of_its_problems() -> None:
    """Ten problems of ten solutions, whole problems right or wrong: as wide as ten observations are, not a hundred."""
    traces = [trace([0.1 if p % 2 else 0.9], 0, problem=str(p)) for p in range(10) for _ in range(10)]
    found = first_errors("all", traces, 0.5, DRAWN)
    assert found is not None
    assert (found.accuracy_erroneous, found.f1) == (0.5, None)
    # Of ten draws with chance a half: 2.5 % lie at or below 2, as many at or above 8.
    assert (found.accuracy_erroneous_low, found.accuracy_erroneous_high) == (0.2, 0.8)


def test_an_accuracy_that_every_problem_shares_is_bounded_by_their_number() -> None:
    found = first_errors("all", [trace([0.1], 0, problem=str(p)) for p in range(10)], 0.5, DRAWN)
    assert found is not None
    assert found.accuracy_erroneous_low == pytest.approx(0.025**0.1)


def test_where_all_are_silent_the_counts_stand_and_no_share() -> None:
    found = first_errors("all", [trace([None], 0), trace([None], -1)], 0.5, DRAWN)
    assert found is not None
    assert (found.n_erroneous, found.n_silent_erroneous, found.n_correct, found.n_silent_correct) == (1, 1, 1, 1)
    assert {found.accuracy_erroneous, found.accuracy_correct, found.f1, found.precision} == {None}


def test_without_a_label_there_is_nothing() -> None:
    assert first_errors("all", [trace([0.5], None)], 0.5, DRAWN) is None
    assert first_errors("all", [], 0.5, DRAWN) is None
    assert chosen_threshold([trace([0.5], None)], seed=0) is None


def test_no_problem_is_on_both_sides() -> None:
    traces = [trace([p / 40, 0.5], p % 2 - 1, problem=str(p // 4)) for p in range(40)]
    chosen = chosen_threshold(traces, seed=0)
    assert chosen is not None
    threshold, chosen_on, reported = chosen
    assert not {one.problem_id for one in chosen_on} & {one.problem_id for one in reported}
    assert len(chosen_on) + len(reported) == 40
    assert np.isfinite(threshold)
