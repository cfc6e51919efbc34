"""Options outside their range are named when they are built."""

from typing import Any

import pytest

from rewardgate.errors import ArgumentError
from rewardgate.grpo.update import UpdateConfig


@pytest.mark.parametrize(
    ("option", "rule"),
    [
        ({"loss": {}}, "loss: expected a LossConfig, got dict"),
        ({"epochs": 0}, "epochs: expected an integer of at least 1, got 0"),
        ({"mini_batches": True}, "mini_batches: expected an integer of at least 1, got True"),
        ({"seed": -1}, "seed: expected an integer of at least 0, got -1"),
        ({"token_budget": 0.5}, "token_budget: expected an integer of at least 1, got 0.5"),
        ({"full_pass_every": 0}, "full_pass_every: expected an integer of at least 1, got 0"),
        ({"temperature": 0.0}, "temperature: expected a positive number, got 0.0"),
        ({"temperature": None}, "temperature: expected a positive number, got None"),
        ({"max_grad_norm": float("inf")}, "max_grad_norm: expected a positive number or None, got inf"),
        ({"chunk_mib": "128"}, "chunk_mib: expected a positive number or None, got '128'"),
        ({"skip": 1}, "skip: expected True or False, got 1"),
        ({"layout": "dense"}, "layout: expected one of auto, padded, packed, shared_prefix, got 'dense'"),
        ({"autocast": "float16"}, "autocast: expected bfloat16 or None, got 'float16'"),
    ],
)
def test_an_option_outside_its_range_is_named(option: dict[str, Any], rule: str) -> None:
    with pytest.raises(ArgumentError, match=rule):
        UpdateConfig(**option)
