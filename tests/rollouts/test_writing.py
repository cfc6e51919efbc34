import json
import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_records import any_text, groups, json_values

from rewardgate.rollouts import Group, Rollout, read, read_rows, refusal_row, row_text, verdict_row, write_rollouts
from rewardgate.rollouts.refusals import Refusal
from rewardgate.rollouts.writing import VERDICT_FIELDS
from rewardgate.verifiers.base import Outcome, Verdict


def unplaced(group: Group) -> list[Rollout]:
    """The rollouts without the place where they were read: the only thing that a copy changes."""
    return [rollout.model_copy(update={"source": None}) for rollout in group.rollouts]


@given(st.lists(st.integers(0, 2).flatmap(lambda _: groups()), min_size=1, max_size=3))
def test_records_survive_a_round_trip(written: list[Group]) -> None:
    written = [Group(group_id=f"g{number}", rollouts=group.rollouts) for number, group in enumerate(written)]
    rollouts = [rollout for group in written for rollout in group.rollouts]
    says_something = any(
        rollout.response is not None or any(value is not None for value in rollout.rewards.values())
        for rollout in rollouts
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rollouts.jsonl"
        assert write_rollouts(path, written) == len(rollouts)
        if not says_something:
            return  # a file without a response or a reward is refused as a whole
        reading = read(path)
        again = list(reading)
        assert reading.format == "native"
        assert [group.group_id for group in again] == [group.group_id for group in written]
        assert [unplaced(group) for group in again] == [list(group.rollouts) for group in written]
        rows = [row for row in read_rows(path) if isinstance(row, Rollout)]
        assert [row.source.line for row in rows if row.source] == list(range(1, len(rollouts) + 1))


@given(st.dictionaries(any_text, json_values | any_text, max_size=4))
def test_a_row_is_one_line_of_ascii_that_reads_back(row: dict[str, object]) -> None:
    text = row_text(row)
    assert text.isascii()
    assert len(text.splitlines()) == 1
    assert json.loads(text) == row


def test_a_float_that_is_not_finite_is_written_as_null_at_any_depth() -> None:
    row = {"a": math.nan, "b": [1.0, math.inf, {"c": -math.inf}], "d": (math.nan, "x")}
    assert json.loads(row_text(row)) == {"a": None, "b": [1.0, None, {"c": None}], "d": [None, "x"]}


def test_a_verdict_has_exactly_its_fields_in_order() -> None:
    verdict = Verdict(Outcome.INCORRECT, 0.0, "5", (3, 4), "exact_number", "5 != 4", 0.25)
    row = verdict_row(verdict, row=0, line=3, prompt_id="p", verifier="math", version="1")
    assert tuple(row) == VERDICT_FIELDS
    assert json.loads(row_text(row)) == {
        "row": 0,
        "line": 3,
        "prompt_id": "p",
        "outcome": "incorrect",
        "reward": 0.0,
        "extracted": "5",
        "span": [3, 4],
        "rule": "exact_number",
        "detail": "5 != 4",
        "seconds": 0.25,
        "verifier": "math",
        "version": "1",
    }


@pytest.mark.parametrize("reward", [None, 0.0])
def test_an_unknown_reward_is_null_and_never_zero(reward: float | None) -> None:
    verdict = Verdict(Outcome.BUDGET, reward)
    row = verdict_row(verdict, row=0, line=1, prompt_id=None, verifier="math", version="1")
    assert json.loads(row_text(row))["reward"] == reward


def test_a_refused_row_has_a_line_of_its_own_and_no_reward() -> None:
    refusal = Refusal(file="a.jsonl", line=7, field="response", reason="expected text, got 5")
    row = refusal_row(refusal, row=6, verifier="math", version="1")
    assert tuple(row) == VERDICT_FIELDS
    assert (row["row"], row["line"], row["outcome"], row["reward"]) == (6, 7, "error", None)
    assert row["detail"] == "response: expected text, got 5"
