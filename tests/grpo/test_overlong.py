"""Soft punishment of length: the three pieces and their joints."""

import pytest
import torch

from rewardgate.errors import ArgumentError
from rewardgate.grpo import overlong_penalties


def test_nothing_then_a_slope_then_the_floor() -> None:
    lengths = torch.tensor([0, 16384, 16385, 18432, 20480, 99999], dtype=torch.int64)
    found = overlong_penalties(lengths, max_tokens=20480, buffer=4096)
    assert found.tolist() == pytest.approx([0, 0, -1 / 4096, -0.5, -1, -1])
    assert found.dtype == torch.float32
    assert overlong_penalties(lengths.double(), max_tokens=20480, buffer=4096, factor=0.5)[3].item() == -0.25


def test_what_breaks_the_rules_is_refused_by_name() -> None:
    for buffer in (0, 101):
        with pytest.raises(ArgumentError, match=f"buffer: expected 1..max_tokens = 100, got {buffer}"):
            overlong_penalties(torch.tensor([1]), max_tokens=100, buffer=buffer)
    with pytest.raises(ArgumentError, match="factor: expected a number of at least 0, got -1"):
        overlong_penalties(torch.tensor([1]), max_tokens=100, buffer=10, factor=-1)
