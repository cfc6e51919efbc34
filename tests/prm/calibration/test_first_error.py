import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored_steps import trace, traces

from rewardgate.errors import ArgumentError
from rewardgate.prm.calibration import ScoredTrace, best_threshold, first_error_figures, predicted_first_error
from rewardgate.prm.calibration.first_error import right_between


def plain_figures(found: list[ScoredTrace], threshold: float) -> tuple[float, float, float]:
    """ProcessBench's evaluation, row by row: an unread answer is None, which equals no label."""
    erroneous, correct = [], []
    for one in found:
        said = None
        for step, value in enumerate(one.values.tolist()):
            if not math.isnan(value):
                said = -1 if said is None else said
                if value < threshold:
                    said = step
                    break
        (correct if one.first_error == -1 else erroneous).append(said == one.first_error)
    shares = [sum(side) / len(side) if side else math.nan for side in (erroneous, correct)]
    total = sum(shares)
    return *shares, total if math.isnan(total) else 2 * shares[0] * shares[1] / total if total else 0.0


def test_the_figures_are_those_of_processbench() -> None:
    found = first_error_figures(
        [
            trace([0.9, 0.3, 0.2], 1),  # found
            trace([0.4, 0.3, 0.2], 1),  # flagged one step early
            trace([0.9, 0.9, 0.1], 1),  # flagged late: a miss, and no false flag
            trace([0.9, None, 0.9], 1),  # the wrong step is unknown: not found
            trace([0.9, 0.8], -1),  # quiet
            trace([0.9, 0.1], -1),  # flagged
            trace([None, None], -1),  # silent: a miss
            trace([0.1], None),  # not labelled: in no count
        ],
        0.5,
    )
    assert found == (4, 3, 1, 1, 1, 1, 0, 1)
    assert (found.accuracy_erroneous, found.accuracy_correct) == (1 / 4, 1 / 3)
    # 2 (1/4)(1/3) / (1/4 + 1/3) = (1/6) / (7/12) = 2/7
    assert found.f1 == pytest.approx(2 / 7)
    # Flags at or before the first error: one at it, one early; one in a correct solution.
    assert found.precision == pytest.approx(1 / 3)


def test_f1_is_not_that_of_a_detector() -> None:
    """Ten errors detected, none at its step: a detector's F1 would be 1."""
    found = first_error_figures([trace([0.1, 0.1], 1)] * 10 + [trace([0.9], -1)] * 10, 0.5)
    assert (found.accuracy_erroneous, found.accuracy_correct, found.f1) == (0, 1, 0)


def test_without_one_side_there_is_no_f1() -> None:
    found = first_error_figures([trace([0.1], 0)], 0.5)
    assert found.accuracy_erroneous == 1
    assert math.isnan(found.accuracy_correct)
    assert math.isnan(found.f1)


def test_silence_is_no_way_to_be_right_about_correct_solutions() -> None:
    found = first_error_figures([trace([None], -1), trace([None], 0)], 0.5)
    assert (found.accuracy_erroneous, found.accuracy_correct, found.f1) == (0, 0, 0)
    assert (found.silent_erroneous, found.silent_correct) == (1, 1)


def test_a_score_at_the_threshold_is_no_flag() -> None:
    assert predicted_first_error(np.array([0.5, 0.4]), 0.5) == 1


@given(traces(), st.sampled_from([0.0, 0.2, 0.3, 0.5, 0.8, 1.0]))
def test_the_figures_are_those_of_a_plain_loop(found: list[ScoredTrace], threshold: float) -> None:
    ours = first_error_figures(found, threshold)
    assert (ours.accuracy_erroneous, ours.accuracy_correct, ours.f1) == pytest.approx(
        plain_figures(found, threshold), nan_ok=True
    )


@given(traces(), st.floats(0, 1))
def test_a_prediction_is_right_exactly_within_its_interval_of_thresholds(
    found: list[ScoredTrace], threshold: float
) -> None:
    low, high = right_between(found)
    is_hit = (low < threshold) & (threshold <= high)
    said = [predicted_first_error(one.values, threshold) == one.first_error for one in found]
    assert is_hit.tolist() == said


@given(traces())
def test_no_threshold_is_better_than_the_best(found: list[ScoredTrace]) -> None:
    labels = {one.first_error == -1 for one in found}
    if len(labels) < 2 or all(one.is_silent for one in found):
        with pytest.raises(ArgumentError, match="traces: expected erroneous and correct ones"):
            best_threshold(found)
        return
    best = first_error_figures(found, best_threshold(found)).f1
    scores = np.unique(np.concatenate([one.values for one in found]))
    tried = [*scores, *((scores[:-1] + scores[1:]) / 2), 1.0]
    assert best >= max(first_error_figures(found, one).f1 for one in tried if not math.isnan(one)) - 1e-12


def test_of_several_best_thresholds_the_nearest_to_a_half_is_taken() -> None:
    # Right for any threshold in (0, 1]: between the scores 0 and 1 stands 0.5.
    assert best_threshold([trace([1.0, 0.0], 1), trace([1.0, 1.0], -1)]) == 0.5
    # (0.1, 0.9]: the scores 0.2 and 0.3 of a correct one take nothing away below 0.2: middles 0.15 and 0.2.
    assert best_threshold([trace([0.9, 0.1], 1), trace([0.2, 0.3], -1)]) == pytest.approx(0.15)


@given(traces(), st.randoms(use_true_random=False))
def test_the_best_threshold_does_not_depend_on_the_order(found: list[ScoredTrace], shuffle: Random) -> None:
    if len({one.first_error == -1 for one in found}) < 2 or all(one.is_silent for one in found):
        return
    shuffled = list(found)
    shuffle.shuffle(shuffled)
    assert best_threshold(found) == best_threshold(shuffled)


def test_a_perfect_scorer_has_1_throughout() -> None:
    found = [trace([1.0] * 3, -1), trace([1.0, 0.0, 1.0], 1), trace([0.0], 0)]
    figures = first_error_figures(found, best_threshold(found))
    assert (figures.accuracy_erroneous, figures.accuracy_correct, figures.f1, figures.precision) == (1, 1, 1, 1)
