"""The clip of a ratio: both sides, dual clip, and the bound that TRL calls delta."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.grpo import clipped_losses

numbers = st.floats(-3, 3)


def loss_and_slope(ratio: float, advantage: float, **options: float) -> tuple[float, float]:
    leaf = torch.tensor(ratio, dtype=torch.float64, requires_grad=True)
    loss = clipped_losses(leaf, torch.tensor(advantage, dtype=torch.float64), **options)
    loss.backward()
    assert leaf.grad is not None
    return loss.item(), leaf.grad.item()


# A = -1: max(min(r, δ), clip(r)). δ = 4 is above 1.2: r up to 4, then 4. δ = 1.1 is below it: up to 1.2 the clipped
# ratio is the larger one and moves, beyond it is 1.2.
@pytest.mark.parametrize(
    ("ratio", "delta", "loss", "slope"),
    [(3.0, 4.0, 3.0, 1.0), (5.0, 4.0, 4.0, 0.0), (1.15, 1.1, 1.15, 1.0), (1.5, 1.1, 1.2, 0.0)],
)
def test_delta_bounds_a_token_that_is_charged(ratio: float, delta: float, loss: float, slope: float) -> None:
    assert loss_and_slope(ratio, -1.0, delta=delta) == pytest.approx((loss, slope))


def test_a_delta_inside_the_range_cuts_what_is_paid_too() -> None:
    # A = 1: the smaller of min(r, δ) and clip(r).
    assert loss_and_slope(1.15, 1.0, delta=1.1) == pytest.approx((-1.1, 0.0))
    assert loss_and_slope(1.05, 1.0, delta=1.1) == pytest.approx((-1.05, -1.0))


@given(st.floats(0, 30), numbers, st.floats(1.5, 9))
def test_above_the_range_delta_and_dual_clip_are_one(ratio: float, advantage: float, bound: float) -> None:
    (loss, slope), (other_loss, other_slope) = (
        loss_and_slope(ratio, advantage, **{name: bound}) for name in ("delta", "dual_clip")
    )
    assert loss == other_loss
    # On the kink itself the one takes the slope inside it, the other the mean of both.
    assert ratio == bound or slope == other_slope


@given(st.floats(0, 30), numbers)
def test_a_loss_is_never_below_the_unclipped_one(ratio: float, advantage: float) -> None:
    assert loss_and_slope(ratio, advantage)[0] >= -advantage * ratio
