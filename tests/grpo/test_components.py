"""Components normalised before they are summed: what each says, unknown ones, and the gate that does not listen."""

from math import nan, sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reward_batches import CONSTANTS, Batch, batches

from rewardgate.errors import ArgumentError
from rewardgate.grpo import gate, gdpo_advantages, group_advantages, grpo_advantages

T64 = torch.float64


def test_a_component_of_small_spread_is_heard_as_loudly_as_one_of_large() -> None:
    # Summed first, 0.001 would drown beside 1. Normalised, each is ±1/sqrt(2), whatever its spread: they cancel.
    outcomes, form = torch.tensor([[1.0, 0.0]], dtype=T64), torch.tensor([[[0.0], [0.001]]], dtype=T64)
    found = gdpo_advantages(outcomes, components=form, epsilon=0.0, scale_by_batch=False)
    assert found.tolist() == [pytest.approx([0.0, 0.0], abs=1e-12)]
    double = gdpo_advantages(outcomes, components=form, weights=[1.0, 2.0], epsilon=0.0, scale_by_batch=False)
    assert double.tolist() == [pytest.approx([-sqrt(0.5), sqrt(0.5)])]


def test_a_component_that_is_equal_in_the_group_says_nothing_and_all_equal_are_exact_zeros() -> None:
    for constant in CONSTANTS:
        outcomes = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]], dtype=T64)
        form = torch.full((2, 3, 1), constant, dtype=T64)
        found = gdpo_advantages(outcomes, components=form, epsilon=0.0, scale_by_batch=False)
        assert torch.equal(found, grpo_advantages(outcomes, epsilon=0.0))
        assert gdpo_advantages(outcomes, components=form)[1].eq(0).all()


def test_an_unknown_component_adds_nothing_to_its_row_and_an_unknown_outcome_takes_the_row_out() -> None:
    outcomes = torch.tensor([1.0, 0.0, 0.0, nan], dtype=T64)
    form, ids = torch.tensor([[1.0], [0.0], [nan], [1.0]], dtype=T64), torch.zeros(4, dtype=torch.int64)
    found = gdpo_advantages(outcomes, ids, components=form, epsilon=0.0, scale_by_batch=False)
    # Outcomes 1, 0, 0: mean 1/3, variance 1/3. Form 1, 0: ±1/sqrt(2).
    assert found.tolist() == pytest.approx(
        [2 / 3 * sqrt(3) + sqrt(0.5), -1 / 3 * sqrt(3) - sqrt(0.5), -1 / 3 * sqrt(3), 0]
    )


def test_the_sums_are_scaled_by_their_spread_over_the_batch() -> None:
    outcomes, form = torch.tensor([[1.0, 0.0], [0.0, 0.0]], dtype=T64), torch.tensor([[[3.0], [1.0]], [[0.5], [0.5]]])
    summed = gdpo_advantages(outcomes, components=form, epsilon=0.0, scale_by_batch=False)
    # ±sqrt(2) and two zeros: squares sum to 4, std = sqrt(4 / 3).
    assert summed[0].tolist() == pytest.approx([sqrt(2), -sqrt(2)])
    scaled = gdpo_advantages(outcomes, components=form, epsilon=0.0)
    assert scaled[0].tolist() == pytest.approx([sqrt(1.5), -sqrt(1.5)])
    assert scaled[1].tolist() == [0.0, 0.0]


@given(batches(), st.randoms(use_true_random=False))
def test_permuting_rollouts_permutes_advantages(batch: Batch, random: object) -> None:
    rewards, ids = batch.tensors
    form = rewards.nan_to_num(0.5).flip(0)[:, None].repeat(1, 2)
    form[::3, 1] = nan
    order = list(range(len(rewards)))
    random.shuffle(order)
    plain = gdpo_advantages(rewards, ids, components=form)
    permuted = gdpo_advantages(rewards[order], ids[order], components=form[order])
    torch.testing.assert_close(permuted, plain[order], rtol=1e-9, atol=1e-9)


def test_without_components_it_is_grpo_up_to_the_scale_of_the_batch() -> None:
    rewards = torch.tensor([[1.0, 0.0, 0.0, 0.0]], dtype=T64)
    found = gdpo_advantages(rewards, components=torch.zeros(1, 4, 0), scale_by_batch=False)
    assert torch.equal(found, grpo_advantages(rewards))


def test_the_gate_listens_to_the_outcome_alone() -> None:
    # All wrong with different form: open, and its tokens get the credit of their steps, not of the form.
    outcomes, ids = torch.tensor([0.0, 0.0, 1.0, 0.0], dtype=T64), torch.tensor([0, 0, 1, 1])
    form = torch.tensor([[1.0], [0.0], [0.0], [1.0]], dtype=T64)
    steps, mask = torch.tensor([[0.2], [0.8], [nan], [nan]], dtype=T64), torch.ones(4, 1, dtype=torch.bool)
    gated = gate(
        outcomes,
        ids,
        steps,
        torch.zeros(4, 1, dtype=torch.int64),
        mask,
        estimator="gdpo",
        estimator_options={"components": form, "epsilon": 0.0, "weights": [2.0, 1.0]},
        scale="none",
    )
    assert gated.report.opened["all_wrong"] == 1
    assert gated.advantages[0, 0] < 0 < gated.advantages[1, 0]
    expected = group_advantages(outcomes, ids, estimator="gdpo", components=form, epsilon=0.0, weights=[2.0, 1.0])
    assert gated.advantages[2:, 0].tolist() == pytest.approx(expected[2:].tolist())


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    rewards = torch.zeros(2, 3)
    with pytest.raises(ArgumentError, match=r"components: expected shape \(2, 3\) and one more .*, got \(2, 3\)"):
        gdpo_advantages(rewards, components=rewards)
    with pytest.raises(ArgumentError, match="weights: expected 2 finite numbers, the outcome's first, got "):
        gdpo_advantages(rewards, components=torch.zeros(2, 3, 1), weights=[1.0])
    with pytest.raises(ArgumentError, match="components: expected finite numbers or NaN, got inf at 0, 0, 0"):
        gdpo_advantages(rewards, components=torch.full((2, 3, 1), float("inf")))
