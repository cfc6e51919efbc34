import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.rollouts.formats.weights import is_sum_of, weights_of_advantages, weights_of_totals


def test_a_part_that_is_always_0_is_not_settled() -> None:
    found = weights_of_totals([[1, 0, 500], [0, 0, 700], [1, 0, 900]], [1, 0, 1])
    assert found is not None
    assert [weight.is_settled for weight in found] == [True, False, True]
    assert [round(weight.value, 9) for weight in found if weight.is_settled] == [1.0, 0.0]


def test_what_is_no_weighted_sum_has_no_weights() -> None:
    # A product: no two weights give it in all four rows.
    assert weights_of_totals([[1, 1], [1, 0], [0, 1], [2, 3]], [1, 0, 0, 6]) is None
    assert weights_of_totals([], []) is None


@given(st.integers(0, 2**32 - 1), st.lists(st.floats(0.05, 2.0), min_size=1, max_size=4))
def test_weights_of_random_rows_are_found_again(seed: int, weights: list[float]) -> None:
    parts = np.random.default_rng(seed).integers(0, 4, size=(40, len(weights))).astype(float)
    found = weights_of_totals(parts.tolist(), (parts @ weights).tolist())
    assert found is not None
    for weight, expected in zip(found, weights, strict=True):
        assert not weight.is_settled or weight.value == pytest.approx(expected, abs=1e-6)


@given(st.integers(0, 2**32 - 1), st.lists(st.floats(0.1, 2.0), min_size=2, max_size=3))
def test_weights_are_found_from_advantages_up_to_a_factor(seed: int, weights: list[float]) -> None:
    random = np.random.default_rng(seed)
    parts = random.normal(size=(6, 8, len(weights)))
    sums = parts @ weights
    advantages = (sums - sums.mean(axis=1, keepdims=True)) / (sums.std(axis=1, ddof=1, keepdims=True) + 1e-4)
    found = weights_of_advantages(parts.tolist(), advantages.tolist())
    assert found is not None
    assert [weight.value for weight in found] == pytest.approx([weight / max(weights) for weight in weights], abs=1e-3)


def test_parts_that_always_move_together_settle_no_weights() -> None:
    parts = [[[1.0, 2.0], [0.0, 0.0]], [[3.0, 6.0], [0.0, 0.0]]]
    assert weights_of_advantages(parts, [[0.7, -0.7], [0.7, -0.7]]) is None


def test_plain_sums_are_told_from_weighted_ones() -> None:
    parts = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    assert is_sum_of(parts, [0.577, 0.577, -1.155])  # 1, 1, 0 less 2/3, over .577
    assert not is_sum_of(parts, [1.0, 0.0, -1.0])  # 1, 1/2, 0
