import csv
import datetime
import io
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import InputError
from rewardgate.rollouts.tables import SpooledRows, csv_delimiter, csv_rows, parquet_rows

KNOWN = {"prompt", "response"}
cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


def test_cells_stay_text_and_lines_are_those_of_the_file() -> None:
    data = 'prompt,response\nq,"two\nlines, ""quoted"""\n\nq,9\nq,25\\%\n'
    rows = list(csv_rows(io.BytesIO(data.encode()), ",", KNOWN))
    assert rows == [
        (2, {"prompt": "q", "response": 'two\nlines, "quoted"'}, ""),
        (5, {"prompt": "q", "response": "9"}, ""),
        (6, {"prompt": "q", "response": "25\\%"}, ""),
    ]


def test_a_cell_may_be_longer_than_csv_allows_by_itself() -> None:
    data = f"prompt,response\nq,{'x' * 300_000}\n"
    ((_, value, _),) = csv_rows(io.BytesIO(data.encode()), ",", KNOWN)
    assert value is not None
    assert len(value["response"]) == 300_000


def test_rows_of_another_length_and_other_bytes_are_refused_and_the_rest_kept() -> None:
    data = b"\xef\xbb\xbfPrompt , Response\nq\nq,caf\xe9\nq,a,b\nq,fine\nq"
    rows = list(csv_rows(io.BytesIO(data), ",", KNOWN))
    assert [problem for _, _, problem in rows] == [
        "expected 2 cells, got 1",
        "expected UTF-8, got other bytes",
        "expected 2 cells, got 3",
        "",
        "expected 2 cells, got 1",  # the file ends inside a row
    ]
    assert rows[3][1] == {"prompt": "q", "response": "fine"}


@pytest.mark.parametrize(
    ("head", "delimiter"),
    [
        ("prompt,response\n", ","),
        ("id\tResponse\n", "\t"),
        ("prompt;response", ";"),
        ("response", ","),  # a table of one column
        ("# prompt of the day\n", None),
        ("INFO, step 3\n", None),
        ("", None),
    ],
)
def test_a_header_is_known_by_its_names(head: str, delimiter: str | None) -> None:
    assert csv_delimiter(head, KNOWN) == delimiter


@given(st.lists(st.tuples(cells, cells), max_size=5), st.sampled_from(",;\t"))
def test_what_csv_writes_is_read_and_found_again(rows: list[tuple[str, str]], delimiter: str) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("prompt", "response"), *rows])
    source = io.BytesIO(text.getvalue().encode())
    file = SpooledRows("CSV", lambda: csv_rows(source, delimiter, KNOWN), source=source)
    expected = [{"prompt": prompt, "response": response} for prompt, response in rows if prompt or response]
    assert [row.value for row in file.scan()] == expected
    found = list(file.scan())  # a second scan starts over
    assert [row.value for row in found] == expected
    assert [file.at(row.offset, len(row.data)) for row in found] == expected


def test_parquet_rows_come_in_batches_without_the_columns_that_nobody_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.parquet"
    table = pa.table(
        {
            "prompt": [f"q{i}" for i in range(1000)],
            "scores": [[1.0, None]] * 1000,
            "token_ids": [[1, 2]] * 1000,
            "at": [datetime.date(2026, 1, 2)] * 1000,
            "raw": [b"caf\xc3\xa9"] * 1000,
        }
    )
    pq.write_table(table, path, row_group_size=300, compression="zstd")
    with path.open("rb") as source:
        file = SpooledRows("Parquet", lambda: parquet_rows(source, {"token_ids"}), source=source)
        found = list(file.scan())
        assert [row.line for row in found] == list(range(1, 1001))
        last = file.at(found[-1].offset, len(found[-1].data))
    assert last == {"prompt": "q999", "scores": [1.0, None], "at": "2026-01-02", "raw": "café"}


def test_a_parquet_file_cut_short_is_an_input_error() -> None:
    with pytest.raises(InputError, match="expected a whole Parquet file"):
        list(parquet_rows(io.BytesIO(b"PAR1 cut short"), ()))


def test_what_json_has_no_form_for_is_text_when_a_parquet_row_is_first_seen(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.parquet"
    raw = [{"bytes": b"\xff\x00", "path": "a.png"}]
    table = pa.table(
        {
            "response": pa.array([b"caf\xc3\xa9"], pa.binary()),
            "target": pa.array([Decimal("5.50")], pa.decimal128(10, 2)),
            "targets": pa.array([[Decimal("1E+2"), None]], pa.list_(pa.decimal128(10, 0))),
            "at": pa.array([datetime.datetime(2026, 1, 2, 3, 4)], pa.timestamp("us")),
            "images": pa.array([raw]),
            "reward": [1.0],
        }
    )
    pq.write_table(table, path)
    with path.open("rb") as source:
        ((number, row, problem),) = parquet_rows(source, ())
    assert (number, problem) == (1, "")
    assert row == {
        "response": "café",
        "target": "5.50",
        "targets": ["100", None],
        "at": "2026-01-02 03:04:00",
        "images": raw,
        "reward": 1.0,
    }
