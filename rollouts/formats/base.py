"""What a format is: it recognises a file by its first rows, and turns each row into rollouts.

Formats are found by name in `formats`; other packages add theirs by the entry point group
`rewardgate.rollout_formats`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ...registry import Registry
from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import Tally

Row = Mapping[str, Any]


def most(rows: Sequence[Row], is_one: Callable[[Row], bool]) -> bool:
    """Whether more than half of `rows` pass: a log line in JSON among them changes nothing."""
    return 2 * sum(map(is_one, rows)) > len(rows)


class RowReader(Protocol):
    """Reads the rows of one file.

    A first pass calls `identity` and `learn` for each row, then `finish` once; a second pass calls `rollouts`.
    `identity`, `learn` and `rollouts` may refuse a row by raising `RowRefusedError`.
    """

    def identity(self, row: Row) -> Identity:
        """Where the row belongs; the same in both passes."""
        ...

    def learn(self, row: Row, identity: Identity) -> None:
        """Take note of what the first rows alone could not tell."""
        ...

    def finish(self, *, ids_repeat: bool) -> None:
        """The first pass is over; `ids_repeat`: the rows' ids are shared by several rows as a rule."""
        ...

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        """The rollouts of one row, at least one; oddities are counted in `tally`."""
        ...

    @property
    def fields(self) -> Mapping[str, str]:
        """Which column became what: role -> column, or columns joined by ", "."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Sentences for a person about choices that were made."""
        ...


class Format(Protocol):
    """One kind of rollout file."""

    name: str

    def recognises(self, rows: Sequence[Row]) -> bool:
        """Whether these first rows are of this format.

        Formats are asked in the order of their names, and the first that says yes reads the file; where none
        does, `columns` does.
        """
        ...

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> RowReader:
        """A reader for a file that begins with `rows`."""
        ...


formats: Registry[Format] = Registry("rollout format", entry_point_group="rewardgate.rollout_formats")

for _name in ("native", "qwen_math", "gsm8k_solutions", "openai_batch", "columns"):
    formats.register(_name, f"rewardgate.rollouts.formats.{_name}:Format")
