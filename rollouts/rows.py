"""Rows of a JSON file, each with its line and the place where it can be read again.

Readers pass over a file twice: once to learn what its columns are and which rows belong together, once
to build the groups. So a row is found again by its byte offset, and no row is kept in memory.
"""

import json
import os
import re
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from ..errors import InputError
from .opening import CHUNK_BYTES, MAX_ROW_BYTES, iter_lines
from .refusals import clip

Row = dict[str, Any]

TOO_DEEP = "expected JSON that nests less deeply, got too many levels"

_OUTSIDE_STRING = re.compile(rb'["{}\[\]]')
_INSIDE_STRING = re.compile(rb'["\\]')


class LocatedRow(NamedTuple):
    """One row of a file: its 1-based line (row number in a table), where its bytes are, its value.

    `value` is None where the row cannot be read, and `problem` then says why.
    """

    line: int
    offset: int
    data: bytes
    value: Row | None
    problem: str = ""


class RowFile(Protocol):
    """A file seen as rows, which can be passed over again and again."""

    container: str
    """What it is, for a person: `"JSON lines"`, `"CSV"`, ..."""
    notes: tuple[str, ...]

    def scan(self) -> Iterator[LocatedRow]:
        """Every row in order of the file, refused ones too; blank lines are no rows."""
        ...

    def at(self, offset: int, length: int) -> Row:
        """The row that a finished scan found at `offset`, `length` bytes long."""
        ...


class JsonLines:
    """One JSON object a line."""

    container = "JSON lines"

    def __init__(self, stream: IO[bytes], notes: tuple[str, ...] = ()) -> None:
        self._stream = stream
        self.notes = notes
        weakref.finalize(self, stream.close)

    @property
    def path(self) -> Path | None:
        """The file in which the rows stand byte by byte; None where they were unpacked from one."""
        name = getattr(self._stream, "name", None)
        return Path(name) if isinstance(name, str | os.PathLike) else None

    def scan(self) -> Iterator[LocatedRow]:
        for line in iter_lines(self._stream):
            if line.is_too_long:
                problem = f"expected at most {MAX_ROW_BYTES} bytes in a row, got more"
                yield LocatedRow(line.number, line.offset, b"", None, problem)
            elif line.data and not line.data.isspace():
                value, problem = parse_row(line.data)
                yield LocatedRow(line.number, line.offset, line.data, value, problem)

    def at(self, offset: int, length: int) -> Row:
        return row_at(self._stream, offset, length)


class JsonDocuments:
    """JSON objects that spread over several lines: the elements of one array, or one after the other."""

    def __init__(self, stream: IO[bytes], notes: tuple[str, ...] = ()) -> None:
        self._stream = stream
        self.notes = notes
        weakref.finalize(self, stream.close)
        stream.seek(0)
        self._depth = 1 if stream.read(1024).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[") else 0
        self.container = "JSON array" if self._depth else "JSON objects"

    def scan(self) -> Iterator[LocatedRow]:
        for line, offset, data, is_whole in iter_objects(self._stream, depth=self._depth):
            value, problem = parse_row(data) if is_whole else (None, f"expected a whole JSON object, got {_cut(data)}")
            yield LocatedRow(line, offset, data, value, problem)

    def at(self, offset: int, length: int) -> Row:
        return row_at(self._stream, offset, length)


def parse_row(data: bytes) -> tuple[Row | None, str]:
    """The JSON object in `data`, or None and what is wrong with it.

    NaN and Infinity are accepted (Python and verl write them), and so is a lone surrogate (a token cut
    inside an emoji).

    Example:
        >>> parse_row(b'{"reward": NaN}')
        ({'reward': nan}, '')
        >>> parse_row(b"INFO step 3")
        (None, 'expected a JSON object, got "INFO step 3"')
    """
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        return None, f"expected UTF-8, got byte 0x{data[error.start]:02x} at byte {error.start} of the row"
    try:
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            where = "" if error.pos < 1 else f" ({error.msg} at character {error.pos})"
            return None, f"expected a JSON object, got {clip(text.strip())}{where}"
        except ValueError:  # an integer beyond the interpreter's limit of digits
            value = json.loads(text, parse_int=_integer)
    except RecursionError:
        return None, TOO_DEEP
    if not isinstance(value, dict):
        return None, f"expected a JSON object, got {clip(value)}"
    return value, ""


def repeated_keys(data: bytes) -> list[str]:
    """Keys that stand twice in one JSON object of a row that `parse_row` can read; the last counts.

    Example:
        >>> repeated_keys(b'{"reward": 0, "info": {"a": 1, "a": 2}, "reward": 1}')
        ['a', 'reward']
    """
    found: dict[str, None] = {}

    def noted(pairs: list[tuple[str, Any]]) -> Row:
        row: Row = {}
        for key, value in pairs:
            if key in row:
                found[key] = None
            row[key] = value
        return row

    json.loads(data.decode("utf-8", "surrogatepass"), parse_int=_integer, object_pairs_hook=noted)
    return list(found)


def row_at(stream: IO[bytes], offset: int, length: int) -> Row:
    """The row in the `length` bytes at `offset`, which an earlier pass has read already.

    Raises:
        InputError: there is another row now: the file was changed in between.
    """
    stream.seek(offset)
    value, problem = parse_row(stream.read(length))
    if value is None:
        raise InputError(f"row: expected the file to stay as it is while it is read, got another row: {problem}")
    return value


def iter_objects(stream: IO[bytes], *, depth: int) -> Iterator[tuple[int, int, bytes, bool]]:
    """The outermost `{...}` that stand `depth` brackets deep: (line, offset, bytes, whether it is closed).

    Only brackets and quotes are looked at, so that one bad object does not cost the others.
    """
    stream.seek(0)
    level, line, base = 0, 1, 0  # `base` is the stream's offset of the buffer's first byte
    begin = -1  # where the object that is open began, in the buffer
    in_string = False
    buffer, position, counted = bytearray(), 0, 0
    while True:
        keep = len(buffer) if begin < 0 else begin
        line += buffer.count(b"\n", counted, keep)
        del buffer[:keep]
        base, position, counted = base + keep, position - keep, 0
        begin = -1 if begin < 0 else 0
        chunk = stream.read(CHUNK_BYTES)
        if not chunk:
            break
        buffer += chunk
        while match := (_INSIDE_STRING if in_string else _OUTSIDE_STRING).search(buffer, position):
            position = match.end()
            mark = match.group()
            if mark == b"\\":
                position += 1
            elif mark == b'"':
                in_string = not in_string
            elif mark in b"{[":
                if level == depth and mark == b"{":
                    begin = match.start()
                level += 1
            else:
                level = max(level - 1, 0)
                if level == depth and begin >= 0:
                    line += buffer.count(b"\n", counted, begin)
                    yield line, base + begin, bytes(buffer[begin:position]), True
                    line += buffer.count(b"\n", begin, position)
                    counted, begin = position, -1
        position = max(position, len(buffer))
        if begin >= 0 and len(buffer) - begin > MAX_ROW_BYTES:
            break
    if begin >= 0:
        yield line + buffer.count(b"\n", counted, begin), base + begin, bytes(buffer[begin:]), False


def wrapped_rows(value: Mapping[str, Any]) -> tuple[str, list[Row]] | None:
    """The longest list of objects in a wrapper such as `{"model": ..., "results": [...]}`, and its name."""
    lists = [(name, found) for name, found in value.items() if isinstance(found, list) and found]
    lists = [(name, found) for name, found in lists if all(isinstance(item, dict) for item in found)]
    return max(lists, key=lambda named: len(named[1]), default=None)


def _cut(data: bytes) -> str:
    return clip(data[:200].decode("utf-8", "replace"))


def _integer(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:
        return float(digits)
