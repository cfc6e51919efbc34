"""The figures of a step: literal cases with the arithmetic beside them, and what no definition may do twice."""

from math import isnan, nan

import pytest
import torch

from rewardgate.errors import ArgumentError
from rewardgate.grpo import gate
from rewardgate.integrations.gate_metrics import gate_metrics
from rewardgate.training.monitor import HeldOut, StepRecord
from rewardgate.training.monitor.figures import step_figures


def record(**known: object) -> StepRecord:
    """A step with one mixed group of four, one all wrong, and one with a single known reward."""
    given: dict[str, object] = {
        "step": 3,
        "rewards": [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, None, 1.0, None],
        "group_ids": ["a"] * 4 + ["b"] * 3 + ["c"] * 2,
    }
    return StepRecord(**{**given, **known})  # pyright: ignore[reportArgumentType]


def test_rates_of_groups_are_those_of_everything_that_was_sampled() -> None:
    figures = step_figures(record())
    # Comparable: a (mixed), b (all wrong); c has one scored rollout.
    assert figures["groups/sampled"] == 3
    assert figures["groups/mixed_rate"] == 0.5
    assert figures["groups/all_wrong_rate"] == figures["groups/acr"] == figures["groups/degenerate_rate"] == 0.5
    # std of a: sqrt(1/4 * 3/4) = 0.4330, of b: 0
    assert figures["groups/mean_std"] == pytest.approx(0.75**0.5 / 4)
    # 4 of 7 scored rollouts differ from the mean of their group.
    assert figures["groups/nonzero_advantage_rate"] == pytest.approx(4 / 7)


def test_success_quantiles_are_over_groups_with_a_known_reward() -> None:
    figures = step_figures(record())
    # rates 0.25, 0, 1 -> sorted 0, 0.25, 1
    assert figures["success/mean"] == pytest.approx(1.25 / 3)
    assert figures["success/q50"] == 0.25
    assert figures["success/q10"] == pytest.approx(0.2 * 0.25)
    assert figures["success/q90"] == pytest.approx(0.25 + 0.8 * 0.75)


def test_a_gate_is_logged_by_the_names_and_values_of_every_host() -> None:
    rewards = torch.tensor([1.0, 0.0, 0.0, 0.0, nan], dtype=torch.float64)
    gated = gate(
        rewards,
        torch.tensor([0, 0, 1, 1, 1]),
        torch.tensor([[nan], [nan], [1.0], [0.0], [nan]], dtype=torch.float64),
        torch.zeros(5, 2, dtype=torch.int64),
        torch.ones(5, 2, dtype=torch.bool),
    )
    figures = step_figures(
        StepRecord(step=1, rewards=rewards.tolist(), group_ids=[0, 0, 1, 1, 1], gate=gated.report, asked=2)
    )
    expected = gate_metrics(gated.report, unscored=1 / 5, asked=2 / 5)
    assert {name: figures[name] for name in figures if name.startswith("gate/")} == pytest.approx(expected, nan_ok=True)


def test_held_out_prompts_are_scored_once_and_at_the_size_of_their_groups() -> None:
    held_out = HeldOut(rewards=[1, 0, 0, 0, 0, 0, 0, 0], prompt_ids=["p"] * 4 + ["q"] * 4)
    figures = step_figures(record(held_out={"eval": held_out}))
    assert figures["held_out/eval/pass@1"] == 0.125  # mean of 1/4 and 0
    assert figures["held_out/eval/pass@4"] == 0.5  # p has one, q none
    assert figures["held_out/eval/prompts"] == 2


def test_what_cannot_be_counted_is_nan_and_never_0() -> None:
    figures = step_figures(StepRecord(step=1, rewards=[], group_ids=[]))
    assert {name for name, value in figures.items() if not isnan(value)} == {"groups/sampled"}


def test_lists_of_other_lengths_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"n_tokens: expected one entry a reward \(9\), got 1"):
        record(n_tokens=[1])
    with pytest.raises(ArgumentError, match=r"completion_mask: expected shape \(1, 2\), got None"):
        record(advantages=torch.zeros(1, 2))
