"""Sequence ratios: the geometric mean, where its gradient goes, and what the two forms share."""

from math import log, nan

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.grpo import policy_loss, sequence_log_ratios

T64 = torch.float64


def test_the_ratio_is_the_geometric_mean_of_the_rows_own_tokens() -> None:
    # Ratios 2 and 8: their geometric mean is 4. The last row has no token.
    log_ratio = torch.tensor([[log(2), log(8), nan], [log(3), nan, nan], [nan, nan, nan]])
    mask = ~log_ratio.isnan()
    for gradient in ("sequence", "token"):
        ratios = sequence_log_ratios(log_ratio, mask, gradient=gradient)
        assert ratios.tolist() == [pytest.approx([log(4), log(4), 0.0]), pytest.approx([log(3), 0, 0]), [0, 0, 0]]


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6), st.floats(-2, 2))
def test_with_one_advantage_a_row_both_forms_have_the_same_gradient(ratios: list[float], advantage: float) -> None:
    old = torch.zeros(1, len(ratios), dtype=T64)
    gradients = []
    for form in ("gspo", "gspo_token"):
        logprobs = torch.tensor([ratios], dtype=T64, requires_grad=True)
        loss, _ = policy_loss(
            logprobs,
            old,
            torch.tensor([advantage], dtype=T64),
            torch.ones_like(old, dtype=torch.bool),
            form=form,
            reduction="sequence_mean",
        )
        loss.backward()
        gradients.append(logprobs.grad)
    torch.testing.assert_close(gradients[0], gradients[1], rtol=1e-12, atol=1e-12)


def test_with_advantages_by_token_each_form_pays_where_it_says() -> None:
    # Ratios 1, advantages 1 and 0, mean over two tokens. By token: -1/2 at the first. By sequence: L = -(s + 0) / 2,
    # and s moves with both tokens alike: -1/4 at each.
    logprobs = torch.zeros(1, 2, dtype=T64, requires_grad=True)
    advantages, mask = torch.tensor([[1.0, 0.0]], dtype=T64), torch.ones(1, 2, dtype=torch.bool)
    for form, expected in (("gspo_token", [-0.5, 0.0]), ("gspo", [-0.25, -0.25])):
        loss, _ = policy_loss(logprobs, torch.zeros(1, 2, dtype=T64), advantages, mask, form=form)
        (gradient,) = torch.autograd.grad(loss, logprobs)
        assert gradient.tolist() == [pytest.approx(expected)]


def test_a_mean_beyond_twenty_is_held_without_gradient_and_counted() -> None:
    logprobs = torch.tensor([[-1.0, -1.0], [-1.0, -1.0]], requires_grad=True)
    old = torch.tensor([[-100.0, -1.0], [-11.0, -1.0]])  # means 49.5 and 5
    for form in ("gspo", "gspo_token"):
        loss, stats = policy_loss(
            logprobs, old, torch.tensor([-1.0, -1.0]), torch.ones(2, 2, dtype=torch.bool), form=form
        )
        (gradient,) = torch.autograd.grad(loss, logprobs)
        assert stats.clamped == 2
        assert gradient[0].tolist() == [0.0, 0.0]
        assert (gradient[1] > 0).all()


def test_estimates_of_the_distance_are_of_tokens_and_clipping_is_of_sequences() -> None:
    # Log-ratios 0.3 and -0.3: the sequence has not moved, its tokens have.
    logprobs = torch.tensor([[0.3, -0.3]], dtype=T64)
    mask, advantages = torch.ones(1, 2, dtype=torch.bool), torch.ones(1, dtype=T64)
    _, stats = policy_loss(logprobs, torch.zeros(1, 2, dtype=T64), advantages, mask, form="gspo")
    assert (stats.ratio_mean, stats.clipped_high) == (1.0, 0.0)
    assert stats.k2 == pytest.approx(0.045)
