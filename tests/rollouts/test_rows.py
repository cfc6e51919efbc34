import io
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_records import any_text, json_values, names

from rewardgate.errors import InputError
from rewardgate.rollouts import rows
from rewardgate.rollouts.rows import JsonDocuments, JsonLines, iter_objects, parse_row, row_at, wrapped_rows

json_rows = st.lists(st.dictionaries(names, json_values | any_text, max_size=3), max_size=5)


def test_literals_that_python_writes_are_accepted() -> None:
    value, problem = parse_row(b'{"a": NaN, "b": -Infinity, "c": "\\ud83d"}')
    assert problem == ""
    assert value is not None
    assert math.isnan(value["a"])
    assert (value["b"], value["c"]) == (-math.inf, "\ud83d")


def test_an_integer_beyond_the_limit_of_digits_costs_its_value_and_not_its_row() -> None:
    value, _ = parse_row(b'{"reward": ' + b"9" * 5000 + b', "n": 3}')
    assert value == {"reward": math.inf, "n": 3}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"INFO step 3", 'expected a JSON object, got "INFO step 3"'),
        (b"[]", "expected a JSON object, got []"),
        (b"null", "expected a JSON object, got null"),
        (b'{"a": 1', "Expecting ',' delimiter at character 7"),
        (b"{'a': 1}", "Expecting property name"),
        (b'{"a": "\xe9"}', "expected UTF-8, got byte 0xe9 at byte 7 of the row"),
        (b'{"a": "caf\xc3', "expected UTF-8, got byte 0xc3"),  # a file cut inside a character
        (b'{"a":' * 100_000, "nests less deeply"),
        (b"\x1b[31mred", r'"\u001b[31mred"'),  # no escape sequence reaches a terminal
    ],
)
def test_what_is_wrong_with_a_line_is_said(data: bytes, problem: str) -> None:
    value, said = parse_row(data)
    assert value is None
    assert problem in said


def test_blank_lines_are_no_rows_and_bad_ones_keep_their_numbers() -> None:
    file = JsonLines(io.BytesIO(b'# log\n\n   \r\n{"a": 1}\r\nnull\n{"a": 2}'))
    assert [(row.line, row.value) for row in file.scan()] == [(1, None), (4, {"a": 1}), (5, None), (6, {"a": 2})]


@given(json_rows)
def test_every_row_of_json_lines_is_found_again_at_its_place(values: list[dict[str, Any]]) -> None:
    file = JsonLines(io.BytesIO("".join(f"{json.dumps(value)}\n" for value in values).encode()))
    found = list(file.scan())
    assert [row.value for row in found] == values
    assert [file.at(row.offset, len(row.data)) for row in found] == values


@given(json_rows, st.sampled_from([None, 1, 4]), st.integers(1, 40), st.booleans())
def test_every_row_of_a_document_is_found_again_at_its_place(
    values: list[dict[str, Any]], indent: int | None, chunk: int, is_array: bool
) -> None:
    text = (
        json.dumps(values, indent=indent, ensure_ascii=False)
        if is_array
        else "\n".join(json.dumps(value, indent=indent) for value in values)
    )
    data = text.encode("utf-8", "surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "CHUNK_BYTES", chunk)
        file = JsonDocuments(io.BytesIO(data))
        found = list(file.scan())
        assert [row.value for row in found] == values
        assert [file.at(row.offset, len(row.data)) for row in found] == values
        assert [row.line for row in found] == [1 + data[: row.offset].count(b"\n") for row in found]


def test_an_array_cut_short_keeps_its_whole_objects() -> None:
    file = JsonDocuments(io.BytesIO(b'[\n {"a": 1},\n {"a": {"b": "}"}},\n {"a": "un'))
    first, second, third = file.scan()
    assert (first.value, second.value, third.value) == ({"a": 1}, {"a": {"b": "}"}}, None)
    assert third.line == 4
    assert "expected a whole JSON object" in third.problem


def test_an_object_that_never_closes_is_given_up_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MAX_ROW_BYTES", 100)
    monkeypatch.setattr(rows, "CHUNK_BYTES", 50)
    found = list(iter_objects(io.BytesIO(b'[{"a": "' + b"x" * 1000), depth=1))
    assert [is_whole for *_, is_whole in found] == [False]
    assert len(found[0][2]) < 200


def test_a_file_that_changed_under_the_reader_is_an_input_error() -> None:
    with pytest.raises(InputError, match="stay as it is"):
        row_at(io.BytesIO(b"something else"), 0, 5)


def test_the_rows_of_a_wrapper_are_its_longest_list_of_objects() -> None:
    value = {"n": 2, "tags": ["a"], "cfg": [{"x": 1}], "rows": [{"a": 1}, {"a": 2}]}
    assert wrapped_rows(value) == ("rows", [{"a": 1}, {"a": 2}])
    assert wrapped_rows({"n": 2}) is None
