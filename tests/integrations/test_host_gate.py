from math import inf, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.integrations.host_gate import GatedRows, HostGate, HostRow
from rewardgate.integrations.scored_steps import CompletionIds

RIGHT_STEP, WRONG_STEP, GAP, END = 0, 1, 2, 3
TEXT: dict[int, bytes | None] = {0: b"3 * 4 = 12.", 1: b"12 + 1 = 14.", 2: b"\n\n", 3: None}
LOST = [RIGHT_STEP, GAP, WRONG_STEP, END]


def row(group: str, outcome: float | None, ids: list[int] = LOST, mask: list[int] | None = None) -> HostRow:
    return HostRow(group, outcome, CompletionIds("What is 3 * 4 + 1?", "13", ids), mask)


def gated(*rows: HostRow, **options: Any) -> GatedRows:
    return HostGate(tokenizer=TEXT, **options).gated(rows)


def test_outcomes_that_differ_are_compared_and_steps_are_not_asked() -> None:
    found = gated(row("p", 1.0), row("p", 0.0))
    # (1 - 1/2) / (0.70710678 + 1e-4), std with ddof 1
    assert found.advantages[0] == pytest.approx([0.70700680] * 4)
    assert found.advantages[1] == pytest.approx([-0.70700680] * 4)
    assert found.metrics["gate/rows/asked"] == 0.0


def test_in_an_all_wrong_group_tokens_are_charged_from_the_first_wrong_step_on() -> None:
    found = gated(row("p", 0.0), row("p", 0.0, [RIGHT_STEP]))
    assert found.advantages == [[0.0, 0.0, -1.0, 0.0], [0.0]]
    assert found.metrics["gate/groups/opened"] == 1.0


def test_tokens_that_do_not_count_get_nothing() -> None:
    assert gated(row("p", 0.0, mask=[1, 1, 0, 1]), row("p", 0.0)).advantages[0] == [0.0] * 4


@pytest.mark.parametrize("unknown", [None, nan, inf, -inf])
def test_an_outcome_that_is_no_number_is_unknown(unknown: float | None) -> None:
    found = gated(row("p", unknown), row("p", 1.0), row("p", 0.0))
    assert found.is_unscored == [True, False, False]
    assert found.metrics["gate/rows/unscored"] == pytest.approx(1 / 3)
    assert found.advantages[0] == [0.0] * 4


outcomes = st.sampled_from([0.0, 0.25, 0.5, 1.0])
completions = st.lists(st.sampled_from([RIGHT_STEP, WRONG_STEP, GAP, END]), max_size=6)
host_rows = st.builds(row, st.sampled_from("pq"), outcomes, completions)
unscored_rows = st.builds(row, st.sampled_from("pq"), st.just(None), completions)


@settings(max_examples=20)
@given(st.lists(host_rows, min_size=1, max_size=8), st.lists(st.tuples(st.integers(0, 8), unscored_rows), max_size=4))
def test_rows_without_an_outcome_leave_the_others_what_they_are_without_them(
    rows: list[HostRow], added: list[tuple[int, HostRow]]
) -> None:
    mixed = list(rows)
    for place, unscored in added:
        mixed.insert(place, unscored)
    found = gated(*mixed)
    kept = [values for values, is_unscored in zip(found.advantages, found.is_unscored, strict=True) if not is_unscored]
    for values, expected in zip(kept, gated(*rows).advantages, strict=True):
        assert values == pytest.approx(expected, abs=1e-6)
    assert sum(found.is_unscored) == len(added)


@settings(max_examples=20)
@given(st.lists(host_rows, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_rows_is_theirs(rows: list[HostRow], random: Any) -> None:
    order = random.sample(range(len(rows)), len(rows))
    straight, shuffled = gated(*rows).advantages, gated(*(rows[place] for place in order)).advantages
    for place, values in zip(order, shuffled, strict=True):
        assert values == pytest.approx(straight[place], abs=1e-9)


def test_the_scale_of_a_batch_is_there_for_the_next() -> None:
    gate = HostGate(tokenizer=TEXT, config="local")
    alone = HostGate(tokenizer=TEXT, config="local").gated([row("p", 0.0), row("p", 0.0, [RIGHT_STEP])])
    gate.gated([row("p", 1.0), *[row("p", 0.0)] * 7, row("q", 0.0), row("q", 0.0, [RIGHT_STEP])])
    after = gate.gated([row("p", 0.0), row("p", 0.0, [RIGHT_STEP])])
    assert after.metrics["gate/scale_factor"] != alone.metrics["gate/scale_factor"]


def test_what_a_caller_gets_wrong_is_said() -> None:
    with pytest.raises(ArgumentError, match="rows: expected at least one, got 0"):
        gated()
    with pytest.raises(ArgumentError, match=r"mask: expected one entry a token of row 0 \(4\), got 2"):
        gated(row("p", 0.0, mask=[1, 1]))
    with pytest.raises(UnknownNameError, match="arithmetik"):
        gated(row("p", 0.0), step_scorer="arithmetik")
