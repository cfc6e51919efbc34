"""Reductions over tokens: what weighs how much, and the divisor."""

from math import nan

import pytest
import torch

from rewardgate.errors import ArgumentError
from rewardgate.grpo import loss_normalizer, reduce_tokens, token_weights

# Rows of 3, 1 and 0 tokens.
LOSSES = torch.tensor([[1.0, 2.0, 3.0], [8.0, nan, nan], [nan, nan, nan]])
MASK = torch.tensor([[True, True, True], [True, False, False], [False, False, False]])


def test_each_reduction_weighs_tokens_rows_or_nothing_but_the_callers_number() -> None:
    # token_mean (6 + 8) / 4; sequence_mean (2 + 8) / 2; constant 14 / 10.
    assert reduce_tokens(LOSSES, MASK).item() == 3.5
    assert reduce_tokens(LOSSES, MASK, reduction="sequence_mean").item() == 5.0
    assert reduce_tokens(LOSSES, MASK, reduction="constant", normalizer=10).item() == pytest.approx(1.4)


def test_the_divisor_is_the_whole_batchs_where_it_is_given() -> None:
    assert (loss_normalizer(MASK), loss_normalizer(MASK, reduction="sequence_mean")) == (4, 2)
    first = reduce_tokens(LOSSES[:1], MASK[:1], normalizer=4)
    second = reduce_tokens(LOSSES[1:], MASK[1:], normalizer=4)
    assert (first + second).item() == 3.5
    # A mean of the two means would be (2 + 8) / 2: the short row would weigh three times as much a token.
    # TRL's sequence mean counts rows without a token: pass the rows.
    assert reduce_tokens(LOSSES, MASK, reduction="sequence_mean", normalizer=3).item() == pytest.approx(10 / 3)


def test_the_constant_with_the_number_of_rows_is_the_mean_over_sequences_of_token_sums() -> None:
    assert reduce_tokens(LOSSES, MASK, reduction="constant", normalizer=2).item() == 7.0


def test_an_unknown_value_under_the_mask_reaches_neither_the_sum_nor_the_gradient() -> None:
    values = LOSSES.clone().requires_grad_()
    reduce_tokens(values, MASK, reduction="sequence_mean").backward()
    assert values.grad is not None
    assert values.grad.tolist() == [pytest.approx([1 / 6] * 3), [0.5, 0.0, 0.0], [0.0] * 3]


def test_a_reduction_that_has_no_own_divisor_says_so() -> None:
    with pytest.raises(
        ArgumentError, match='completion_budget: expected a positive number with reduction "constant", got None'
    ):
        loss_normalizer(MASK, reduction="constant")
    with pytest.raises(ArgumentError, match='normalizer: expected a number with reduction "constant", got None'):
        reduce_tokens(LOSSES, MASK, reduction="constant")
    with pytest.raises(ArgumentError, match="normalizer: expected a positive number, got inf"):
        reduce_tokens(LOSSES, MASK, normalizer=float("inf"))


def test_the_divisor_counts_the_batch_or_the_rows_that_are_kept() -> None:
    kept = torch.tensor([True, False, True])
    for reduction, of_batch, of_kept in (("token_mean", 4, 3), ("sequence_mean", 2, 1)):
        assert loss_normalizer(MASK, reduction=reduction, kept=kept) == of_batch
        assert loss_normalizer(MASK, reduction=reduction, over="kept", kept=kept) == of_kept
    # Rows times budget, a row without a token too: Dr. GRPO's and TRL's.
    constant = {"reduction": "constant", "completion_budget": 10}
    assert loss_normalizer(MASK, **constant) == 30
    assert loss_normalizer(MASK, over="kept", kept=kept, **constant) == 20


def test_weights_by_token_are_the_reduction_taken_apart() -> None:
    for options in ({}, {"reduction": "sequence_mean"}, {"reduction": "constant", "normalizer": 10}):
        weights = token_weights(MASK, **options)
        assert (LOSSES.nan_to_num(0) * weights).sum().item() == pytest.approx(
            reduce_tokens(LOSSES, MASK, **options).item()
        )
        assert not weights[~MASK].any()
    assert token_weights(MASK, dtype=torch.float64).dtype == torch.float64


def test_who_asks_for_kept_rows_says_which() -> None:
    with pytest.raises(ArgumentError, match=r'kept: expected a mask \(B,\) with over="kept", got None'):
        loss_normalizer(MASK, over="kept")
    with pytest.raises(ArgumentError, match=r"kept: expected shape \(3,\), one a row of completion_mask, got \(2,\)"):
        loss_normalizer(MASK, over="kept", kept=torch.ones(2, dtype=torch.bool))
    with pytest.raises(ArgumentError, match="over: expected batch or kept, got 'all'"):
        loss_normalizer(MASK, over="all")
    with pytest.raises(ArgumentError, match='completion_budget: expected None with reduction "token_mean", got 5'):
        loss_normalizer(MASK, completion_budget=5)
