"""The folder that a distributed run writes: what was asked of it, which blocks are there, and what they hold.

    out/part-000000-0000000.parquet    file 0, block 0: a Parquet file appears whole or not at all
    out/_rewardgate/run.json           what was asked, and the files in their order
    out/_rewardgate/file-000000.json   how many blocks and rows file 0 has, once it was read to its end
    out/_rewardgate/trial-….json       how often block … was begun, until it is there

Readers of Parquet folders pass over names that begin with `_` or `.`; the names of the parts sort in the order of the
rows. Needs no Ray.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from time import time
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, InputError
from .ray_inputs import InputFile, state_of

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Part", "RunFolder"]

SCHEMA_VERSION = "rewardgate.ray/1"
STALE_S = 3600.0
"""Seconds after which a half-written file is nobody's any more; actors outlive a dead driver for a moment."""
COUNTS_KEY = b"rewardgate.counts"

_PART = re.compile(r"part-(\d{6,})-(\d{7,})\.parquet")
_HALF = ".rewardgate-*.part"


@dataclass(frozen=True, slots=True)
class Part:
    """What one block came to.

    Args:
        n_rows: of the output.
        counts: of what was said, by name.
    """

    n_rows: int
    counts: Mapping[str, int]


class RunFolder:
    """One run's output; `open` it before the run.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._notes = path / "_rewardgate"

    def open(self, asked: Mapping[str, Any], paths: Sequence[str]) -> list[InputFile]:
        """The inputs, and which of their blocks are there from an earlier run of the same question.

        An input that is new comes after those that were there; of one that has changed since, nothing is kept.

        Args:
            asked: what makes two runs one; what JSON has no form for counts by its `repr`.
            paths: the inputs, without repetition.

        Raises:
            InputError: an input does not exist, or the folder cannot be written.
            ArgumentError: the folder holds another run, or something else.
        """
        asked = json.loads(json.dumps({"schema_version": SCHEMA_VERSION, **asked}, default=repr))
        try:
            self._notes.mkdir(parents=True, exist_ok=True)
            known = self._known(asked)
            if missing := sorted(known.keys() - set(paths)):
                raise ArgumentError(
                    f"out: expected the inputs of the run that {self.path} holds, got none of {missing[0]}"
                )
            names = [*known, *(path for path in paths if path not in known)]
            files = [InputFile(number, path, state_of(path)) for number, path in enumerate(names)]
            stale = [half for half in self.path.glob(_HALF) if time() - half.stat().st_mtime > STALE_S]
            for left in (*stale, *self._notes.glob("trial-*.json")):
                left.unlink(missing_ok=True)
            for file in files:
                if known.get(file.path, file.state) != file.state:
                    self.forget(file.number)
            self._write(self._notes / "run.json", {**asked, "files": {file.path: file.state for file in files}})
            done = self._parts()
        except OSError as error:
            raise InputError(
                f"out: expected a folder to write to, got {self.path}: {error.strerror or error}"
            ) from error
        return [InputFile(one.number, one.path, one.state, frozenset(done.get(one.number, ()))) for one in files]

    def is_whole(self, file: InputFile) -> bool:
        """Whether the file was read to its end and each of its blocks is there."""
        size = self.size(file.number)
        return size is not None and file.done >= set(range(size[0]))

    def size(self, number: int) -> tuple[int, int] | None:
        """How many blocks and rows a file has; None before it was read to its end."""
        try:
            found = json.loads((self._notes / f"file-{number:06d}.json").read_text(encoding="utf-8"))
            return found["n_blocks"], found["n_rows"]
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def note_size(self, number: int, *, n_blocks: int, n_rows: int) -> None:
        """Write down that a file was read to its end."""
        self._write(self._notes / f"file-{number:06d}.json", {"n_blocks": n_blocks, "n_rows": n_rows})

    def forget(self, number: int) -> None:
        """Remove all that is there of a file."""
        (self._notes / f"file-{number:06d}.json").unlink(missing_ok=True)
        for part in self.path.glob(f"part-{number:06d}-*.parquet"):
            part.unlink(missing_ok=True)

    def begin(self, number: int, block: int) -> int:
        """Take note that a block is begun; how often it was, this time counted."""
        trial = self._trial(number, block)
        try:
            count = json.loads(trial.read_text(encoding="utf-8"))["count"] + 1
        except FileNotFoundError:
            count = 1
        self._write(trial, {"count": count})
        return count

    def write_part(self, number: int, block: int, table: "pyarrow.Table", counts: Mapping[str, int]) -> None:
        """Write one block. Whoever writes it twice writes the same."""
        from pyarrow import parquet

        metadata = {**(table.schema.metadata or {}), COUNTS_KEY: json.dumps(counts).encode()}
        half = self.path / f".rewardgate-{token_hex(8)}.part"
        try:
            parquet.write_table(table.replace_schema_metadata(metadata), half, compression="zstd")
            half.replace(self.part(number, block))
        finally:
            half.unlink(missing_ok=True)
        self._trial(number, block).unlink(missing_ok=True)

    def part(self, number: int, block: int) -> Path:
        """Where a block stands."""
        return self.path / f"part-{number:06d}-{block:07d}.parquet"

    def read_part(self, number: int, block: int) -> Part | None:
        """What the block that stands there came to; None where it cannot be read."""
        from pyarrow import ArrowException, parquet

        try:
            found = parquet.read_metadata(self.part(number, block))
            return Part(found.num_rows, json.loads((found.metadata or {})[COUNTS_KEY]))
        except (ArrowException, OSError, KeyError, ValueError):
            return None

    def _trial(self, number: int, block: int) -> Path:
        return self._notes / f"trial-{number:06d}-{block:07d}.json"

    def _known(self, asked: Mapping[str, Any]) -> dict[str, str]:
        """The inputs of the run that stands here, in their order, each with its state."""
        try:
            known = json.loads((self._notes / "run.json").read_text(encoding="utf-8"))
            files = known.pop("files")
        except FileNotFoundError:
            if any(path.name != self._notes.name for path in self.path.iterdir()):
                raise ArgumentError(
                    f"out: expected an empty folder or that of an earlier run, got {self.path}"
                ) from None
            return {}
        except (ValueError, KeyError, AttributeError) as error:
            raise ArgumentError(f"out: expected the folder of an earlier run, got {self.path} ({error})") from None
        for name in {**known, **asked}:
            if known.get(name) != asked.get(name):
                was, now = known.get(name), asked.get(name)
                raise ArgumentError(f"{name}: expected {was!r}, as in the run that {self.path} holds, got {now!r}")
        return files

    def _parts(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        with os.scandir(self.path) as entries:
            for entry in entries:
                if named := _PART.fullmatch(entry.name):
                    found.setdefault(int(named[1]), []).append(int(named[2]))
        return found

    @staticmethod
    def _write(path: Path, value: Any) -> None:
        half = path.with_name(f".rewardgate-{token_hex(8)}.part")
        half.write_text(json.dumps(value, indent=1), encoding="utf-8")
        half.replace(path)
