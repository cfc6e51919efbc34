"""The scale of gated advantages: what is matched, and what is remembered."""

from math import isnan, nan

import pytest

from rewardgate.errors import ArgumentError
from rewardgate.grpo import ScaleState
from rewardgate.grpo.scale import matching_factor


def test_the_running_scale_forgets_and_corrects_its_start() -> None:
    state = ScaleState(decay=0.9)
    assert isnan(state.mean_square)
    assert state.updated(nan) is state
    # (0.9 * 4 + 1) / (0.9 + 1): a plain average from 0 would say 0.46.
    assert state.updated(4.0).mean_square == pytest.approx(4.0)
    assert state.updated(4.0).updated(1.0).mean_square == pytest.approx(4.6 / 1.9)


def test_a_batch_is_matched_to_itself_before_it_is_matched_to_the_past() -> None:
    past = ScaleState().updated(9.0)
    assert matching_factor(4.0, 1.0, past) == (0.5, "batch")
    assert matching_factor(4.0, nan, past) == (1.5, "running")
    # Mixed groups whose every advantage is 0, as of an estimator that has nothing to say, are nothing to match.
    assert matching_factor(4.0, 0.0, past) == (1.5, "running")
    assert matching_factor(4.0, nan, ScaleState()) == (1.0, "unknown")
    assert matching_factor(nan, 1.0, past) == matching_factor(0.0, 1.0, past) == (1.0, "batch")


def test_a_decay_outside_its_range_is_refused() -> None:
    for decay in (1.0, -0.1, nan):
        with pytest.raises(ArgumentError, match=r"decay: expected a number in \[0, 1\), got"):
            ScaleState(decay=decay)
