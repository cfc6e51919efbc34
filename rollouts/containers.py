"""What kind of file holds the rows: JSON lines, JSON documents, CSV or Parquet, by its first bytes."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO

from ..errors import InputError
from .fields import TOKEN_NAMES, USUAL_NAMES
from .opening import open_bytes
from .rows import JsonDocuments, JsonLines, RowFile, iter_objects, parse_row, wrapped_rows
from .tables import SpooledRows, TableRow, csv_delimiter, csv_rows, parquet_rows

SAMPLE_BYTES = 1 << 20
PARQUET_MAGIC = b"PAR1"
MAX_WRAPPER_BYTES = 1 << 28


def open_rows(path: Path, *, tokens: bool, columns: Collection[str]) -> RowFile:
    """The rows of `path`.

    Args:
        tokens: whether the columns of token ids and log-probabilities are needed.
        columns: names that the caller gave, which mark a CSV header like the usual ones.

    Raises:
        InputError: the file cannot be opened, or is of no kind that is read.
    """
    stream, notes = open_bytes(path)
    head = stream.read(SAMPLE_BYTES)
    stream.seek(0)
    if head.startswith(PARQUET_MAGIC):
        skipped = frozenset() if tokens else TOKEN_NAMES.difference(columns)
        return SpooledRows("Parquet", lambda: _named(parquet_rows(stream, skipped), path), source=stream, notes=notes)
    text = head.decode("utf-8-sig", "replace").lstrip()
    if not text.startswith(("{", "[")):
        known_names = USUAL_NAMES.union(columns)
        delimiter = csv_delimiter(text, known_names)
        if delimiter is not None:
            return SpooledRows("CSV", lambda: csv_rows(stream, delimiter, known_names), source=stream, notes=notes)
    wrapped = _wrapped(stream) if text.startswith("{") else None
    if wrapped is not None:
        return SpooledRows("JSON wrapper", lambda: iter(wrapped), source=stream, notes=notes)
    if text.startswith(("{", "[")) and not _first_line_is_row(head):
        return JsonDocuments(stream, notes)
    return JsonLines(stream, notes)


def _first_line_is_row(head: bytes) -> bool:
    first = next((line for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()), b"")
    if len(first) == len(head) == SAMPLE_BYTES:
        return first.lstrip().startswith(b"{")  # one line longer than the sample: a huge row
    value, _ = parse_row(first)
    # A bad first line among good ones is still JSON lines.
    return value is not None or any(parse_row(line)[0] is not None for line in head.split(b"\n")[1:50] if len(line) > 2)


def _wrapped(stream: IO[bytes]) -> list[TableRow] | None:
    """The rows inside the single object of a file such as `{"model": ..., "results": [...]}`; None if it is none."""
    objects = iter_objects(stream, depth=0)
    first = next(objects, None)
    if first is None or not first[3] or len(first[2]) > MAX_WRAPPER_BYTES or next(objects, None) is not None:
        return None
    value, _ = parse_row(first[2])
    rows = None if value is None or USUAL_NAMES & value.keys() - {"rollouts", "samples"} else wrapped_rows(value)
    if rows is None or not any(USUAL_NAMES & row.keys() for row in rows[:20]):
        return None
    return [(number, row, "") for number, row in enumerate(rows, start=1)]


def _named(rows: Iterator[TableRow], path: Path) -> Iterator[TableRow]:
    try:
        yield from rows
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
