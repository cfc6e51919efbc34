from math import nan

import pytest
import torch

from rewardgate.grpo import gate
from rewardgate.grpo.gate_metrics import gate_metrics


def test_every_kind_has_its_share_of_the_groups_and_what_opened_its_own() -> None:
    rewards = torch.tensor([1.0, 0.0, 0.0, 0.0, nan], dtype=torch.float64)
    scores = torch.tensor([[nan], [nan], [1.0], [0.0], [nan]], dtype=torch.float64)
    masks = torch.zeros(5, 2, dtype=torch.int64), torch.ones(5, 2, dtype=torch.bool)
    report = gate(rewards, torch.tensor([0, 0, 1, 1, 1]), scores, *masks).report
    told = gate_metrics(report, asked=2 / 5, unscored=1 / 5)
    # Two groups: one mixed, one all wrong, which opened and was not silent.
    kinds = {name.removeprefix("gate/groups/"): told[name] for name in told if name.startswith("gate/groups/")}
    assert {kind: share for kind, share in kinds.items() if share} == {"mixed": 0.5, "all_wrong": 0.5, "opened": 0.5}
    assert set(kinds) == {"mixed", "all_wrong", "all_correct", "tied", "unscorable", "singleton", "opened", "silent"}
    assert (told["gate/rows/asked"], told["gate/rows/unscored"]) == (0.4, 0.2)
    assert told["gate/gated_share"] == report.gated_share
    assert told["gate/length_bias"] == pytest.approx(report.length_bias, nan_ok=True)


def test_rows_without_an_outcome_may_be_told_elsewhere() -> None:
    report = gate(
        torch.tensor([1.0, 0.0]),
        torch.tensor([0, 0]),
        torch.full((2, 1), nan),
        torch.zeros(2, 1, dtype=torch.int64),
        torch.ones(2, 1, dtype=torch.bool),
    ).report
    assert "gate/rows/unscored" not in gate_metrics(report, asked=0.0)
