import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rewardgate.errors import InputError
from rewardgate.rollouts.containers import open_rows

ROWS = [{"prompt": "q1", "response": "a"}, {"prompt": "q2", "response": "b"}]
LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS)


@pytest.mark.parametrize(
    ("text", "container"),
    [
        (LINES, "JSON lines"),
        ("# a log line\n" + LINES, "JSON lines"),
        ("{'python': 'repr'}\n" + LINES, "JSON lines"),
        ("\n\n" + LINES, "JSON lines"),
        (json.dumps(ROWS), "JSON array"),
        (json.dumps(ROWS, indent=2), "JSON array"),
        ("[\n" + ",\n".join(json.dumps(row) for row in ROWS) + "\n]\n", "JSON array"),
        ("[2026-01-02] INFO start\n" + LINES, "JSON lines"),
        ("[]\n" + LINES, "JSON lines"),
        (json.dumps({"run": 1, "samples": ROWS}), "JSON wrapper"),
        ("\ufeff" + json.dumps(ROWS, indent=2), "JSON array"),
        ("\n".join(json.dumps(row, indent=2) for row in ROWS), "JSON objects"),
        (json.dumps({"model": "m", "results": ROWS}), "JSON wrapper"),
        (json.dumps({"model": "m", "results": ROWS}, indent=2), "JSON wrapper"),
        ("prompt,response\nq1,a\nq2,b\n", "CSV"),
        ("prompt\tresponse\nq1\ta\nq2\tb\n", "CSV"),
    ],
)
def test_the_container_is_known_by_its_text_and_not_by_its_name(tmp_path: Path, text: str, container: str) -> None:
    path = tmp_path / "rollouts.parquet"
    path.write_text(text)
    file = open_rows(path, tokens=False, columns=())
    assert file.container == container
    assert [row.value for row in file.scan() if row.value is not None] == ROWS


def test_parquet_is_known_also_inside_gzip(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.csv"
    pq.write_table(pa.Table.from_pylist(ROWS), path)
    path.write_bytes(gzip.compress(path.read_bytes()))
    file = open_rows(path, tokens=False, columns=())
    assert file.container == "Parquet"
    assert [row.value for row in file.scan()] == ROWS


def test_a_column_that_the_caller_names_marks_a_header(tmp_path: Path) -> None:
    path = tmp_path / "rollouts"
    path.write_text("a,b\n1,2\n")
    assert open_rows(path, tokens=False, columns=("b",)).container == "CSV"


@pytest.mark.parametrize("name", ["prompt", "id"])
def test_one_row_that_holds_a_list_of_responses_is_no_wrapper(tmp_path: Path, name: str) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_text(json.dumps({name: "q", "samples": [{"text": "a"}]}))
    assert open_rows(path, tokens=False, columns=()).container == "JSON lines"


def test_an_array_on_each_line_is_no_row(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_text('[{"role": "user", "content": "q"}]\n' * 2)
    assert [row.value for row in open_rows(path, tokens=False, columns=()).scan()] == [None, None]


def test_a_line_longer_than_the_sample_is_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_text(json.dumps({"prompt": "q", "response": "x" * 3_000_000}) + "\n" + LINES)
    file = open_rows(path, tokens=False, columns=())
    assert file.container == "JSON lines"
    assert sum(row.value is not None for row in file.scan()) == 3


def test_a_damaged_parquet_file_is_told_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.parquet"
    path.write_bytes(b"PAR1 and no footer")
    with pytest.raises(InputError, match=r"rollouts\.parquet: expected a whole Parquet file"):
        list(open_rows(path, tokens=False, columns=()).scan())
