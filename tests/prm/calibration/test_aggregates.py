import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.grpo.credit import filled_from_right, one_sided_credits, step_credits
from rewardgate.prm.calibration import GATE_CREDITS, aggregates, gate_credits

values = st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=8)


def test_unknown_steps_are_left_out_of_every_aggregate() -> None:
    # 0.8 · 0.5, the lesser, their mean, the last known one.
    assert aggregates([0.8, None, 0.5, None]) == {"product": 0.4, "min": 0.5, "mean": 0.65, "last": 0.5}


def test_a_solution_without_a_score_has_no_aggregate() -> None:
    assert set(aggregates([None, None]).values()) == {None}
    assert set(aggregates([]).values()) == {None}


@given(values)
def test_aggregates_keep_their_order(found: list[float | None]) -> None:
    said = aggregates(found)
    if all(one is None for one in found):
        return
    assert said["product"] <= said["min"] * (1 + 1e-12)
    assert said["min"] <= said["mean"] * (1 + 1e-12)
    assert said["min"] <= said["last"]


@given(values)
def test_gate_credits_are_the_means_of_what_the_gate_gives_each_step(found: list[float | None]) -> None:
    row = torch.tensor([[math.nan if one is None else one for one in found]], dtype=torch.float64)
    rules = one_sided_credits(row, torch.ones_like(row, dtype=torch.bool), sign="nonpositive", threshold=0.5)
    verigate = filled_from_right(step_credits(row, cumulate="sum")).nan_to_num(0.0)
    said = gate_credits(found)
    assert tuple(said) == GATE_CREDITS
    assert said["rules"] == pytest.approx(rules.mean().item())
    assert said["verigate"] == pytest.approx(verigate.mean().item())


def test_what_nobody_knows_of_is_worth_0_to_the_gate() -> None:
    assert gate_credits([None, None]) == {"rules": 0.0, "verigate": 0.0}


def test_verigate_pays_for_length() -> None:
    assert gate_credits([0.9] * 4)["verigate"] > gate_credits([0.9] * 2)["verigate"]


def test_a_solution_without_a_step_is_refused() -> None:
    with pytest.raises(ArgumentError, match="values: expected at least one step, got 0"):
        gate_credits([])
