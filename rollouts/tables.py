"""Rows of a CSV or Parquet file, kept for the second pass in a temporary file of JSON lines.

A CSV row has no offset that can be trusted (quoted cells hold line ends), and a Parquet row lies in
compressed pages of hundreds of others, so that fetching scattered rows would unpack each page many times.
Writing the rows once costs disk space and bounded memory, and makes every later access one seek.
"""

import csv
import io
import json
import re
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from decimal import Decimal
from typing import IO, Any

from ..errors import InputError
from .opening import temporary_file
from .rows import LocatedRow, Row, row_at

TableRow = tuple[int, Row | None, str]
"""(1-based line or row number, the row or None, what is wrong with it)"""

BATCH_ROWS = 256
MAX_DELIMITER_SAMPLE_CHARS = 1 << 16

_UNDECODED = re.compile("[\udc80-\udcff]")  # what "surrogateescape" leaves of bytes that are not UTF-8


class SpooledRows:
    """Rows from any source that can be started again.

    Args:
        container: what the source is, for a person.
        rows: starts a pass over the source.
        source: the stream that `rows` reads, closed with this object.
    """

    def __init__(
        self,
        container: str,
        rows: Callable[[], Iterator[TableRow]],
        *,
        source: IO[bytes],
        notes: tuple[str, ...] = (),
    ) -> None:
        self.container = container
        self.notes = notes
        self._rows = rows
        self._spool = temporary_file()
        weakref.finalize(self, self._spool.close)
        weakref.finalize(self, source.close)

    def scan(self) -> Iterator[LocatedRow]:
        self._spool.seek(0)
        self._spool.truncate()
        offset = 0
        for line, value, problem in self._rows():
            data = b"" if value is None else json.dumps(value, default=_plain).encode("ascii")
            self._spool.write(data)
            yield LocatedRow(line, offset, data, value, problem)
            offset += len(data)
        self._spool.flush()

    def at(self, offset: int, length: int) -> Row:
        return row_at(self._spool, offset, length)


def csv_rows(stream: IO[bytes], delimiter: str, known_names: Collection[str]) -> Iterator[TableRow]:
    """Rows of a CSV file as text cells under the names of its header; no cell is turned into a number.

    A name that is known in small letters is read so. Raises csv's limit on the length of a cell for the
    whole interpreter: there is no other way.
    """
    csv.field_size_limit(max(csv.field_size_limit(), min(sys.maxsize, 2**31 - 1)))
    stream.seek(0)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        reader = csv.reader(text, delimiter=delimiter)
        header = _header(next(reader, []), known_names)
        start = reader.line_num + 1
        while (cells := _next_cells(reader)) is not None:
            if isinstance(cells, str):
                yield start, None, cells
            elif any(cells):
                problem = _cells_problem(cells, len(header))
                yield start, None if problem else dict(zip(header, cells, strict=True)), problem
            start = reader.line_num + 1
    finally:
        text.detach()


def csv_delimiter(head: str, known_names: Collection[str]) -> str | None:
    """The delimiter under which the first line of `head` is a header with a known name; None where none is.

    Example:
        >>> csv_delimiter("prompt;response", {"response"})
        ';'
    """
    lines = io.StringIO(head[:MAX_DELIMITER_SAMPLE_CHARS], newline="")
    first = lines.readline()
    best, best_known = None, 0
    for delimiter in (",", "\t", ";", "|"):
        cells = next(csv.reader([first], delimiter=delimiter), [])
        known = sum(cell.strip().lower() in known_names for cell in cells)
        if known > best_known:
            best, best_known = delimiter, known
    return best


def repeated_names(head: str, delimiter: str, known_names: Collection[str]) -> list[str]:
    """Names that a CSV header, the first line of `head`, holds twice; the last column counts.

    Example:
        >>> repeated_names("prompt,reward,Reward", ",", {"reward"})
        ['reward']
    """
    lines = io.StringIO(head[:MAX_DELIMITER_SAMPLE_CHARS], newline="")
    counts = Counter(_header(next(csv.reader(lines, delimiter=delimiter), []), known_names))
    return [name for name, count in counts.items() if count > 1 and name]


def parquet_rows(stream: IO[bytes], skipped: Collection[str]) -> Iterator[TableRow]:
    """Rows of a Parquet file, decoded `BATCH_ROWS` at a time, without the columns named in `skipped`.

    Raises:
        InputError: not a whole Parquet file.
    """
    import pyarrow
    import pyarrow.parquet

    stream.seek(0)
    try:
        table = pyarrow.parquet.ParquetFile(pyarrow.PythonFile(stream, mode="r"))
        columns = [name for name in table.schema_arrow.names if name not in skipped]
        foreign = [name for name in columns if not _is_json(table.schema_arrow.field(name).type)]
        number = 0
        for batch in table.iter_batches(batch_size=BATCH_ROWS, columns=columns):
            for row in batch.to_pylist():
                number += 1
                yield number, row | {name: _as_json(row[name]) for name in foreign}, ""
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"expected a whole Parquet file, got: {reason}") from error


def _header(cells: list[str], known_names: Collection[str]) -> list[str]:
    names = [cell.strip() for cell in cells]
    return [name.lower() if name.lower() in known_names else name for name in names]


def _next_cells(reader: Iterator[list[str]]) -> list[str] | str | None:
    """The next row's cells, or what is wrong with it; None after the last."""
    try:
        return next(reader, None)
    except csv.Error as error:
        return f"expected CSV, got: {error}"


def _cells_problem(cells: list[str], n_expected: int) -> str:
    if len(cells) != n_expected:
        return f"expected {n_expected} cells, got {len(cells)}"
    return "expected UTF-8, got other bytes" if any(map(_UNDECODED.search, cells)) else ""


def _is_json(kind: Any) -> bool:
    """Whether JSON has a form for every value of an Arrow type."""
    import pyarrow.types as of

    if of.is_list(kind) or of.is_large_list(kind) or of.is_dictionary(kind):
        return _is_json(kind.value_type)
    if of.is_struct(kind):
        return all(_is_json(field.type) for field in kind)
    plain = (of.is_string, of.is_large_string, of.is_boolean, of.is_integer, of.is_floating, of.is_null)
    return any(is_one(kind) for is_one in plain)


def _as_json(value: Any) -> Any:
    """A decimal, a date and UTF-8 bytes as text, wherever they stand; other bytes as they are."""
    if value is None or isinstance(value, str | float | int):
        return value
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {name: _as_json(item) for name, item in value.items()}
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return value
    return str(value)


def _plain(value: Any) -> Any:
    """What JSON has no form for, in a cell that nobody reads as text: bytes that are not UTF-8."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
