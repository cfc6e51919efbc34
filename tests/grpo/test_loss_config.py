"""The options of the loss: checked when built, and each refusal names its argument."""

from dataclasses import FrozenInstanceError
from math import nan

import pytest

from rewardgate.errors import ArgumentError
from rewardgate.grpo import LossConfig


@pytest.mark.parametrize(
    ("options", "is_token_level"),
    [
        ({}, True),
        ({"form": "cispo_band"}, True),
        ({"form": "cispo_cap", "ratio_cap": 5.0}, True),
        ({"ratio_against": "rollout"}, True),
        ({"beta": 0.1, "entropy_coef": 0.1, "kl_on_degenerate": False, "reduction": "sequence_mean"}, True),
        ({"form": "gspo"}, False),
        ({"form": "gspo_token"}, False),
        ({"importance": "sequence"}, False),
    ],
)
def test_a_loss_is_token_level_unless_a_ratio_or_a_weight_is_the_sequences(
    options: dict[str, object], is_token_level: bool
) -> None:
    config = LossConfig(**options)
    assert config.is_token_level == is_token_level
    assert LossConfig(**config.options()) == config


def test_importance_weights_are_by_token_against_old_and_none_against_the_rollout() -> None:
    assert (LossConfig().importance_level, LossConfig().cap) == ("token", 2.0)
    assert LossConfig(ratio_against="rollout").importance_level == "off"
    assert LossConfig(importance="off").importance_level == "off"


def test_what_was_checked_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        LossConfig().beta = -1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"form": "ppo"}, "form: expected one of clip, gspo, gspo_token, cispo_band, cispo_cap, got 'ppo'"),
        ({"epsilon_high": "4e-4"}, "epsilon_high: expected a number, got '4e-4'"),
        ({"beta": None}, "beta: expected a number, got None"),
        ({"delta": 0.0}, "delta: expected a positive number, got 0.0"),
        ({"delta": 2.0, "dual_clip": 3.0}, "delta: expected None beside dual_clip = 3.0, got 2.0"),
        ({"form": "cispo_band", "delta": 2.0}, 'delta: expected None with form "cispo_band", got 2.0'),
        ({"form": "cispo_cap"}, 'ratio_cap: expected a positive number with form "cispo_cap", got None'),
        ({"ratio_cap": 5.0}, 'ratio_cap: expected None with form "clip", got 5.0'),
        ({"entropy_coef": nan}, "entropy_coef: expected a number of at least 0, got nan"),
        ({"beta": float("inf")}, "beta: expected a number of at least 0, got inf"),
        ({"kl": "k1"}, "kl: expected k2 or k3 in the loss, got 'k1'"),
        ({"normalize_over": "all"}, "normalize_over: expected one of batch, kept, got 'all'"),
        ({"completion_budget": 9}, 'completion_budget: expected None with reduction "token_mean", got 9'),
        ({"reduction": "constant", "completion_budget": 0}, "completion_budget: expected a positive number, got 0"),
        ({"importance": "row"}, "importance: expected one of token, sequence, off or None, got 'row'"),
        ({"importance": "off", "importance_cap": 2.0}, 'importance_cap: expected None with importance "off", got 2.0'),
        (
            {"ratio_against": "rollout", "importance": "sequence"},
            "importance: expected off or None with ratio_against=\"rollout\", got 'sequence'; .* twice",
        ),
        (
            {"ratio_against": "rollout", "importance_cap": 2.0},
            'importance_cap: expected None with ratio_against="rollout", got 2.0; .* twice',
        ),
    ],
)
def test_what_breaks_the_rules_is_refused_by_name(options: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{message}"):
        LossConfig(**options)
