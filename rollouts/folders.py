"""The files of a run's folder, read as if they were one: their rows one after the other.

A file that can be read in place is opened again where a row of it is wanted; rows of any other kind (Parquet,
compressed, an archive) go into one temporary file. So a run of ten thousand steps needs one descriptor and no copy
of its JSON lines.
"""

import re
import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from ..errors import InputError
from .opening import open_bytes, temporary_file
from .rows import JsonLines, LocatedRow, Row, RowFile, row_at

MAX_FILES = 100_000
SUFFIXES = frozenset({".jsonl", ".ndjson", ".json", ".parquet", ".csv", ".tsv", ".eval", ".gz", ".zst"})
"""Endings of files that are looked into; a file given by its own name may have any."""

_OF_MODELS = frozenset(
    {"config.json", "tokenizer.json", "tokenizer_config.json", "vocab.json", "added_tokens.json", "merges.json"}
    | {"special_tokens_map.json", "generation_config.json", "adapter_config.json", "preprocessor_config.json"}
)
"""Files of checkpoints, which stand beside rollouts by the dozen and can be large."""

_NUMBER = re.compile(r"(\d+)")


class Files:
    """Which file a row stands in, where the rows of several are numbered through.

    Example:
        >>> files = Files([Path("1.jsonl"), Path("2.jsonl")], starts=[1, 4])
        >>> files.place(5)
        (1, 2)
    """

    def __init__(self, paths: Sequence[Path], starts: Sequence[int] = (1,)) -> None:
        self.paths = paths
        self._starts = starts  # of each file: the number of its first line

    def place(self, line: int) -> tuple[int, int]:
        """The number of the file, and the line in it, of the row that is numbered `line`."""
        file = bisect_right(self._starts, line) - 1
        return file, line - self._starts[file] + 1


class FolderRows:
    """The rows of several files.

    Args:
        paths: the files, in the order in which they are read.
        open_one: opens one of them.
    """

    container = "folder"

    def __init__(self, paths: Sequence[Path], open_one: Callable[[Path], RowFile]) -> None:
        self.notes: tuple[str, ...] = ()
        self._paths = paths
        self._open_one = open_one
        self._starts: list[int] = []  # of each file: the number of its first line,
        self._bases: list[int] = []  # where its bytes begin among those of all,
        self._origins: list[int] = []  # and where they begin where they are read again:
        self._is_in_place: list[bool] = []  # in the file itself, or in the spool
        self.files = Files(paths, self._starts)
        self._spool = temporary_file()
        weakref.finalize(self, self._spool.close)
        self._stream: IO[bytes] | None = None  # of the file that was read from last
        self._file = -1

    def scan(self) -> Iterator[LocatedRow]:
        for part in (self._starts, self._bases, self._origins, self._is_in_place):
            part.clear()
        self._spool.seek(0)
        self._spool.truncate()
        notes: dict[str, None] = {}
        line, base = 1, 0
        for path in self._paths:
            rows = self._open_one(path)
            is_in_place = isinstance(rows, JsonLines) and rows.path is not None
            origin = 0 if is_in_place else self._spool.tell()
            self._starts.append(line)
            self._bases.append(base)
            self._origins.append(origin)
            self._is_in_place.append(is_in_place)
            n_lines = n_bytes = 0
            for row in rows.scan():
                offset = row.offset
                if not is_in_place:
                    offset = self._spool.tell() - origin
                    self._spool.write(row.data)
                n_lines, n_bytes = row.line, offset + len(row.data)
                yield LocatedRow(line + row.line - 1, base + offset, row.data, row.value, row.problem)
            # A file takes a line and a byte even if it is empty, so that no two begin at the same one.
            line, base = line + max(n_lines, 1), base + max(n_bytes, 1)
            for note in rows.notes:
                notes[type(note)(f"{path.name}: {note}")] = None
        self._spool.flush()
        self.notes = tuple(notes)

    def at(self, offset: int, length: int) -> Row:
        file = bisect_right(self._bases, offset) - 1
        stream = self._opened(file) if self._is_in_place[file] else self._spool
        return row_at(stream, offset - self._bases[file] + self._origins[file], length)

    def _opened(self, file: int) -> IO[bytes]:
        if self._stream is None or self._file != file:
            if self._stream is not None:
                self._stream.close()
            self._stream, self._file = open_bytes(self._paths[file]).stream, file
        return self._stream


def candidates(folder: Path) -> list[Path]:
    """The files under `folder` that may hold rollouts: by their endings; hidden ones and models' not; 9 before 10.

    Raises:
        InputError: there are more than `MAX_FILES` of them, or the folder cannot be read.
    """
    found: list[Path] = []
    try:
        for path in folder.rglob("*"):
            is_hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
            is_model = path.name in _OF_MODELS or path.name.endswith(".index.json")
            if path.suffix.lower() in SUFFIXES and not is_hidden and not is_model and path.is_file():
                found.append(path)
                if len(found) > MAX_FILES:
                    raise InputError(f"{folder}: expected at most {MAX_FILES} files, got more; give one of its folders")
    except OSError as error:
        raise InputError(f"{folder}: expected a readable folder, got: {error.strerror or error}") from error
    return sorted(found, key=_natural)


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """A key that sorts `step_9` before `step_10`."""
    parts = _NUMBER.split(str(path))
    return [(0, int(part), "") if place % 2 else (1, 0, part) for place, part in enumerate(parts)]
