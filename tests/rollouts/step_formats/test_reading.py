import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError, InputError, NoUsableRowsError
from rewardgate.rollouts.records import Source
from rewardgate.rollouts.refusals import RowRefusedError
from rewardgate.rollouts.step_formats import LAYOUTS, layout_of, read_steps

ROW: dict[str, Any] = {"id": "math-1", "problem": "2 + 3?", "steps": ["2 + 3 = 6", "So 6."], "label": 0}


def written(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return path


def test_rows_that_cannot_be_used_are_counted_and_told_with_their_line(tmp_path: Path) -> None:
    file = written(tmp_path / "s.jsonl", ROW, "not JSON", {**ROW, "label": 9}, {**ROW, "steps": None}, ROW)
    reading = read_steps(file)
    assert len(list(reading)) == 2
    assert (reading.n_rows, reading.n_refused) == (5, 3)
    assert [str(one) for one in reading.refusals] == [
        f'{file}:2: row: expected a JSON object, got "not JSON"',
        f"{file}:3: label: expected a step 0..1, got 9",
        f"{file}:4: steps: expected a list of step texts, got null",
    ]


def test_how_errors_are_counted_is_told(tmp_path: Path) -> None:
    assert read_steps(written(tmp_path / "s.jsonl", ROW)).notes == (
        "errors are read from label, counted from 0, -1 = none",
    )


def test_a_reading_can_be_iterated_again(tmp_path: Path) -> None:
    reading = read_steps(written(tmp_path / "s.jsonl", ROW, {**ROW, "label": 5}))
    assert list(reading) == list(reading)
    assert reading.n_refused == 1


def test_an_array_and_a_compressed_file_are_read_alike(tmp_path: Path) -> None:
    array = tmp_path / "s.json"
    array.write_text(json.dumps([ROW, ROW], indent=1))
    packed = tmp_path / "s.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(ROW).encode()))
    assert [len(list(read_steps(file))) for file in (array, packed)] == [2, 1]


def test_a_table_is_read_with_its_whole_numbers_as_they_are(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"input": "?", "steps": ["a", "b"], "mistake_index": index} for index in (1, None)]
    file = tmp_path / "s.parquet"
    pq.write_table(pa.Table.from_pylist(rows), file)
    assert [trace.first_error for trace in read_steps(file)] == [1, -1]


def test_a_file_of_nothing_usable_says_why(tmp_path: Path) -> None:
    file = written(tmp_path / "s.jsonl", {**ROW, "label": 9})
    with pytest.raises(NoUsableRowsError, match=r"s.jsonl:1: label: expected a step 0..1, got 9"):
        list(read_steps(file))


def test_a_file_of_another_kind_is_of_no_layout(tmp_path: Path) -> None:
    rollouts = written(tmp_path / "r.jsonl", {"prompt": "2 + 3?", "response": "5", "reward": 1.0})
    empty = written(tmp_path / "e.jsonl")
    for file in (rollouts, empty, tmp_path / "absent.jsonl", tmp_path):
        assert layout_of(file) is None
    with pytest.raises(NoUsableRowsError, match="expected step labels in one of the layouts prm800k, "):
        read_steps(rollouts)
    with pytest.raises(InputError, match="absent"):
        read_steps(tmp_path / "absent.jsonl")


def test_a_layout_is_taken_by_name_or_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "s.jsonl", {**ROW, "first_error": 1})
    assert [trace.first_error for trace in read_steps(file)] == [1]
    assert [trace.first_error for trace in read_steps(file, layout="processbench")] == [0]
    with pytest.raises(ArgumentError, match=r"layout: expected auto or one of prm800k, .*, got 'prm'"):
        read_steps(file, layout="prm")


FIELDS = (
    "steps", "label", "first_error", "mistake_index", "input", "problem", "question", "text", "rating", "completions",
    "chosen_completion", "human_completion", "modified_process", "error_steps", "step_scores", "score", "value",
    "model_output_steps", "model_output_solution_correctness", "model_output_solution_first_error_step", "meta", "id",
)  # fmt: skip
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(), max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4)),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(FIELDS), anything, max_size=8))
def test_any_row_is_of_a_layout_or_not_and_is_read_or_refused(row: dict[str, Any]) -> None:
    for layout in LAYOUTS:
        layout.fits(row)
        try:
            traces = layout.traces(row, Source(file="f", line=1))
        except RowRefusedError:
            continue
        for trace in traces:
            assert len(trace.labels) == len(trace.steps) >= 1
            assert trace.scores is None or len(trace.scores) == len(trace.steps)
            assert trace.first_error is None or -1 <= trace.first_error < len(trace.steps)
            if trace.first_error is not None and trace.first_error >= 0:
                assert trace.labels[trace.first_error] is False
                assert False not in trace.labels[: trace.first_error]


def test_the_cases_for_development_are_read_whole(shared: Path) -> None:
    reading = read_steps(shared / "cases" / "steps_dev.jsonl")
    traces = list(reading)
    rows = [json.loads(line) for line in (shared / "cases" / "steps_dev.jsonl").read_text().splitlines()]
    assert (reading.layout.name, reading.n_refused, len(traces)) == ("cases", 0, 1086)
    assert [trace.first_error for trace in traces] == [row["first_error"] for row in rows]
    assert [trace.final_correct for trace in traces] == [row["final_correct"] for row in rows]
