from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.prm.calibration import auc, group_pairs, weighted_auc

rows = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.booleans()), min_size=1, max_size=20)


def arrays(found: list[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([value for value, _ in found]), np.array([right for _, right in found], dtype=np.bool_)


def by_pairs(found: list[tuple[float, bool]], weights: list[float] | None = None) -> float:
    """Every pair of a right and a wrong row, one by one."""
    weights = [1.0] * len(found) if weights is None else weights
    wins = pairs = 0.0
    for (value, is_right), weight in zip(found, weights, strict=True):
        for (other, is_other_right), other_weight in zip(found, weights, strict=True):
            if is_right and not is_other_right:
                pairs += weight * other_weight
                wins += weight * other_weight * (1.0 if value > other else 0.5 if value == other else 0.0)
    return wins / pairs if pairs else float("nan")


def test_a_pair_that_is_tied_counts_half() -> None:
    # Right 0.9 and 0.5, wrong 0.5 and 0.1: 0.9 beats both, 0.5 ties one and beats one: (1 + 1 + 0.5 + 1) / 4.
    assert auc(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False])) == 0.875


def test_scores_that_are_all_equal_are_chance() -> None:
    assert auc(np.full(5, 0.3), np.array([True, False, True, False, False])) == 0.5


def test_there_is_no_ranking_of_one_side_alone() -> None:
    assert np.isnan(auc(np.array([0.1, 0.9]), np.array([True, True])))
    assert np.isnan(auc(np.array([]), np.array([], dtype=np.bool_)))


@given(rows)
def test_the_auc_is_that_of_all_pairs(found: list[tuple[float, bool]]) -> None:
    assert auc(*arrays(found)) == pytest.approx(by_pairs(found), nan_ok=True)


@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(found: list[tuple[float, bool]], shuffle: Random) -> None:
    shuffled = list(found)
    shuffle.shuffle(shuffled)
    assert auc(*arrays(found)) == pytest.approx(auc(*arrays(shuffled)), nan_ok=True)


@given(rows)
def test_an_increasing_transform_of_the_scores_changes_nothing(found: list[tuple[float, bool]]) -> None:
    values, is_right = arrays(found)
    assert auc(np.exp(3 * values) - 7, is_right) == pytest.approx(auc(values, is_right), nan_ok=True)


@given(rows, st.data())
def test_a_row_of_weight_two_is_a_row_that_is_there_twice(found: list[tuple[float, bool]], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(found), max_size=len(found)))
    repeated = [row for row, weight in zip(found, weights, strict=True) for _ in range(weight)]
    weighted = weighted_auc(*arrays(found), np.array([weights, [1] * len(found)], dtype=np.float64))
    assert weighted[0] == pytest.approx(by_pairs(repeated), nan_ok=True)
    assert weighted[1] == pytest.approx(by_pairs(found), nan_ok=True)


def test_a_scorer_that_knows_the_prompts_and_not_the_answers_wins_nothing_within_groups() -> None:
    values, is_right = np.array([0.8, 0.9, 0.1, 0.2]), np.array([True, False, True, False])
    # Over all rows 0.8 beats 0.2: 1 of 4 pairs. Within their groups neither right row wins.
    assert auc(values, is_right) == 0.25
    found = group_pairs(values, is_right, ["easy", "easy", "hard", "hard"])
    assert (found.wins.tolist(), found.pairs.tolist(), found.auc) == ([0.0, 0.0], [1.0, 1.0], 0.0)


def test_groups_are_pooled_by_their_pairs_and_interleave_as_they_like() -> None:
    # "a": right 0.9, 0.1 against wrong 0.5: 1 of 2. "b": right 0.3 against wrong 0.2: 1 of 1. Together 2 of 3.
    values, is_right = np.array([0.9, 0.3, 0.5, 0.2, 0.1, 0.7]), np.array([True, True, False, False, True, True])
    found = group_pairs(values, is_right, ["a", "b", "a", "b", "a", "alone"])
    assert (found.wins.tolist(), found.pairs.tolist()) == ([1.0, 1.0, 0.0], [2.0, 1.0, 0.0])
    assert found.auc == pytest.approx(2 / 3)


@given(rows, st.data())
def test_within_groups_the_auc_is_that_of_all_pairs_of_one_group(
    found: list[tuple[float, bool]], data: st.DataObject
) -> None:
    ids = data.draw(st.lists(st.sampled_from("abc"), min_size=len(found), max_size=len(found)))
    pairs = group_pairs(*arrays(found), ids)
    for group, wins, compared in zip(dict.fromkeys(ids), pairs.wins, pairs.pairs, strict=True):
        own = [row for row, of in zip(found, ids, strict=True) if of == group]
        assert (wins / compared if compared else float("nan")) == pytest.approx(by_pairs(own), nan_ok=True)


def test_no_rows_have_no_groups() -> None:
    found = group_pairs(np.array([]), np.array([], dtype=np.bool_), [])
    assert (len(found.pairs), np.isnan(found.auc)) == (0, True)


@pytest.mark.parametrize(
    ("values", "is_right", "said"),
    [
        ([0.5, float("nan")], [True, False], "values: expected known numbers, got NaN"),
        ([0.5], [True, False], "is_right: expected bool of the shape of values"),
        ([0.5, 0.5], [1, 0], "is_right: expected bool"),
    ],
)
def test_what_has_no_rank_is_refused(values: list[float], is_right: list[bool], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        auc(np.array(values), np.array(is_right))


def test_weights_and_groups_of_another_length_are_refused() -> None:
    values, is_right = np.array([0.1, 0.2]), np.array([True, False])
    with pytest.raises(ArgumentError, match=r"weights: expected shape \(R, 2\), got \(1, 3\)"):
        weighted_auc(values, is_right, np.ones((1, 3)))
    with pytest.raises(ArgumentError, match=r"group_ids: expected one id a value \(2\), got 1"):
        group_pairs(values, is_right, ["a"])
