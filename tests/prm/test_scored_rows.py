import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError, InputError
from rewardgate.prm import StepRow, StepScore, step_spans
from rewardgate.prm.scored_rows import read_scored_rows, scored_rows
from rewardgate.rollouts.records import Rollout
from rewardgate.rollouts.refusals import Refusal

REFUSAL = Refusal(file="a.jsonl", line=3, field="response", reason="expected text, got 4")
STEP = {"start": 0, "end": 1, "score": 0.5, "rule": "graded", "detail": ""}
ROW = {
    "row": 0,
    "line": 1,
    "prompt_id": "p",
    "steps": [STEP],
    "problem": None,
    "scorer": "mine",
    "version": "1",
}


class Echo:
    """Says of each step its own text, and remembers how many rows it was asked about at a time."""

    version = "1"

    def __init__(self) -> None:
        self.batches: list[int] = []

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        self.batches.append(len(rows))
        return [[StepScore(0.5, "echo", step) for step in row.steps] for row in rows]


def rollout(response: str | None) -> Rollout:
    return Rollout(prompt_id="p", prompt="q", response=response)


responses = st.none() | st.text("ab \n", max_size=8)


@given(st.lists(st.just(REFUSAL) | responses.map(rollout), max_size=12), st.integers(1, 5))
def test_every_row_comes_back_in_order_with_the_texts_of_its_own_steps(
    rows: list[Rollout | Refusal], batch: int
) -> None:
    scored = list(scored_rows(rows, Echo(), batch=batch))
    assert [one.rollout for one in scored] == rows
    for row, spans, scores in scored:
        if isinstance(row, Refusal) or row.response is None:
            assert (spans, scores) == (None, None)
        else:
            assert isinstance(row.response, str)
            assert spans == step_spans(row.response)
            assert scores is not None
            assert "".join(score.detail for score in scores) == row.response


def test_rows_are_read_one_batch_ahead_at_most() -> None:
    taken = 0

    def rows() -> Iterator[Rollout]:
        nonlocal taken
        for _ in range(100):
            taken += 1
            yield rollout("a")

    scorer = Echo()
    scored = scored_rows(rows(), scorer, batch=10)
    next(scored)
    assert (taken, scorer.batches) == (10, [10])


def test_a_batch_without_a_step_asks_nobody() -> None:
    scorer = Echo()
    assert len(list(scored_rows([REFUSAL, rollout(None), rollout("")], scorer))) == 3
    assert scorer.batches == []


def test_a_wrong_option_is_told_before_anything_is_read() -> None:
    with pytest.raises(ArgumentError, match="batch: expected"):
        scored_rows([], Echo(), batch=0)
    with pytest.raises(ArgumentError, match="rule: expected one of"):
        scored_rows([], Echo(), split="sentences")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "2: row: expected a JSON object"),
        ("4", "2: row: Input should be"),
        (json.dumps({**ROW, "steps": [{**STEP, "score": 1.5}]}), r"2: steps\.0\.score: "),
        (json.dumps({**ROW, "steps": [{**STEP, "score": float("nan")}]}), r"2: steps\.0\.score: "),
        (json.dumps({**ROW, "steps": [{**STEP, "score": "1"}]}), r"2: steps\.0\.score: "),
        (json.dumps({**ROW, "row": "0"}), "2: row: "),
        (json.dumps({**ROW, "version": None}), "2: version: "),
        (json.dumps({**ROW, "more": 1}), "2: more: "),
        ("[" * 100_000, "2: row: expected a JSON object"),
    ],
)
def test_a_line_that_is_no_row_is_named(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(f"{json.dumps(ROW)}\n{line}\n")
    rows = read_scored_rows(path)
    assert next(rows).scores == [StepScore(0.5, "graded", "")]
    with pytest.raises(InputError, match=words):
        next(rows)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a file of step scores"):
        list(read_scored_rows(tmp_path / "nothing.jsonl"))
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\n")
    with pytest.raises(InputError, match="expected a file of step scores"):
        list(read_scored_rows(tmp_path / "bytes"))
