"""What kind of file holds the rows: JSON lines, JSON documents, CSV, Parquet or an Inspect log, by its first bytes."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO

from ..errors import InputError, NoUsableRowsError
from .archives import ZIP_MAGICS
from .eval_logs import archive_rows, is_json_log, json_log_rows
from .fields import PROMPT_NAMES, TOKEN_NAMES, USUAL_NAMES
from .formats import recognised
from .opening import open_bytes
from .rows import JsonDocuments, JsonLines, RowFile, iter_objects, parse_row, wrapped_rows
from .sidecars import sidecar_hint
from .tables import SpooledRows, TableRow, csv_delimiter, csv_rows, parquet_rows, repeated_names

SAMPLE_BYTES = 1 << 20
PARQUET_MAGIC = b"PAR1"
MAX_LINES_TRIED = 50

_ARRAY_OF_OBJECTS = re.compile(r"\[\s*\{")


def open_rows(path: Path, *, tokens: bool, columns: Collection[str]) -> RowFile:
    """The rows of `path`.

    Args:
        tokens: whether the columns of token ids and log-probabilities are needed.
        columns: names that the caller gave, which mark a CSV header like the usual ones.

    Raises:
        InputError: the file cannot be opened, or is of no kind that is read.
        NoUsableRowsError: it is known to hold no rollouts.
    """
    stream, notes = open_bytes(path)
    head = stream.read(SAMPLE_BYTES)
    stream.seek(0)
    if head.startswith(PARQUET_MAGIC):
        skipped = frozenset() if tokens else TOKEN_NAMES.difference(columns)
        return SpooledRows("Parquet", lambda: _named(parquet_rows(stream, skipped), path), source=stream, notes=notes)
    if head.startswith(ZIP_MAGICS):
        return archive_rows(stream, path, notes)
    text = head.decode("utf-8-sig", "replace").lstrip()
    if is_json_log(text):
        return json_log_rows(stream, notes)
    if not text.startswith(("{", "[")):
        known_names = USUAL_NAMES.union(columns)
        delimiter = csv_delimiter(text, known_names)
        if delimiter is not None:
            if repeated := repeated_names(text, delimiter, known_names):
                notes = (*notes, f"columns that the header names twice: {', '.join(repeated)}; the last counts")
            return SpooledRows("CSV", lambda: csv_rows(stream, delimiter, known_names), source=stream, notes=notes)
    wrapped = _wrapped(stream, path) if text.startswith("{") else None
    if wrapped is not None:
        return SpooledRows("JSON wrapper", lambda: iter(wrapped), source=stream, notes=notes)
    return JsonDocuments(stream, notes) if _is_document(text) else JsonLines(stream, notes)


def _is_document(text: str) -> bool:
    """Whether `text` begins with JSON that spreads over lines, or with an array of objects on one."""
    lines = [line for line in text.split("\n", MAX_LINES_TRIED)[:MAX_LINES_TRIED] if line.strip()]
    if _ARRAY_OF_OBJECTS.match(text):
        # An array on each line is JSON lines of the wrong kind, which its refusals will say.
        return not (len(lines) > 1 and all(line.startswith("[") for line in lines[:2]))
    if not text.startswith("{") or len(lines[0]) >= SAMPLE_BYTES - 1:
        return False  # one line longer than the sample is a huge row
    # A bad first line among good ones is still JSON lines.
    return lines[0].strip() == "{" or not any(parse_row(line.encode("utf-8", "replace"))[0] for line in lines)


def _wrapped(stream: IO[bytes], path: Path) -> list[TableRow] | None:
    """The rows inside the single object of a file such as `{"model": ..., "results": [...]}`; None if it is none.

    Raises:
        NoUsableRowsError: the object is known to hold none.
    """
    objects = iter_objects(stream, depth=0)
    first = next(objects, None)
    if first is None or not first[3] or next(objects, None) is not None:
        return None
    value, _ = parse_row(first[2])
    if value is not None and (hint := sidecar_hint([value])) is not None:
        raise NoUsableRowsError(f"{path}: expected rollouts, {hint}")
    if value is not None and recognised([value]) is not None:
        return None  # one row, whose lists are its own
    found = None if value is None else wrapped_rows(value)
    if value is None or found is None or USUAL_NAMES & (value.keys() - {found[0]}):
        return None
    # `samples` may be the rows of a file or the responses of one prompt: only rows say of which prompt they are.
    expected = PROMPT_NAMES if found[0] in USUAL_NAMES else USUAL_NAMES
    if not any(expected & row.keys() for row in found[1][:20]):
        return None
    return [(number, row, "") for number, row in enumerate(found[1], start=1)]


def _named(rows: Iterator[TableRow], path: Path) -> Iterator[TableRow]:
    try:
        yield from rows
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
