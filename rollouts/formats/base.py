"""What a format is: it recognises a file by its first rows, and turns each row into rollouts.

Formats are found by name in `formats`; other packages add theirs by the entry point group
`rewardgate.rollout_formats`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

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
    """Reads the rows of one file, or of all files of one run. `ReaderDefaults` has the parts that most leave alone.

    `look_around` is called once, then a first pass calls `identity` and `learn` for each row, then `finish` and
    `regroup` and `left_out` once; a second pass calls `rollouts` for the rows of a group, and `settle` for the group.
    `identity`, `learn` and `rollouts` may refuse a row by raising `RowRefusedError`.
    """

    spans_files: bool
    """Whether the rows of one group may stand in several files; if not, ids mean something in one file only."""
    has_named_rewards: bool
    """Whether a caller may choose the reward by its name, and the format still reads the file."""

    def look_around(self, paths: Sequence[Path]) -> None:
        """The files that are read; what lies beside them may say what they leave out."""
        ...

    def identity(self, row: Row) -> Identity:
        """Where the row belongs; the same in both passes."""
        ...

    def learn(self, row: Row, identity: Identity) -> None:
        """Take note of what the first rows alone could not tell."""
        ...

    def finish(self, *, ids_repeat: bool) -> None:
        """The first pass is over; `ids_repeat`: the rows' ids are shared by several rows as a rule."""
        ...

    def regroup(self) -> Sequence[int] | None:
        """For each row that was learnt from, the number of its group; None where the rows' identities say it."""
        ...

    def left_out(self) -> Collection[int]:
        """Which of the rows that were learnt from, counted from 0, are no rollouts of their own (repeats)."""
        ...

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        """The rollouts of one row, at least one; oddities are counted in `tally`."""
        ...

    def settle(self, rollouts: list[Rollout]) -> list[Rollout]:
        """The rollouts of a group, from those of all its rows: where several rows speak of one rollout."""
        ...

    @property
    def fields(self) -> Mapping[str, str]:
        """Which column became what: role -> column, or columns joined by ", "."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Sentences for a person about choices that were made."""
        ...

    @property
    def step_metrics(self) -> Mapping[int, Mapping[str, float]]:
        """What the trainer logged a step (KL, clip fraction, entropy, lengths), by its own names."""
        ...


class ReaderDefaults:
    """The parts of a `RowReader` that do nothing unless a format says otherwise."""

    spans_files: bool = False
    has_named_rewards: bool = False

    def look_around(self, paths: Sequence[Path]) -> None:
        pass

    def learn(self, row: Row, identity: Identity) -> None:
        pass

    def finish(self, *, ids_repeat: bool) -> None:
        pass

    def regroup(self) -> Sequence[int] | None:
        return None

    def left_out(self) -> Collection[int]:
        return ()

    def settle(self, rollouts: list[Rollout]) -> list[Rollout]:
        return rollouts

    @property
    def step_metrics(self) -> Mapping[int, Mapping[str, float]]:
        return {}


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


@runtime_checkable
class ChoosesFiles(Protocol):
    """A format that writes one rollout into several files of a run."""

    def files_of_run(self, paths: Sequence[Path]) -> list[Path]:
        """Those of `paths`, all of this format, that hold each rollout once."""
        ...


formats: Registry[Format] = Registry("rollout format", entry_point_group="rewardgate.rollout_formats")


def recognised(rows: Sequence[Row]) -> str | None:
    """The format that knows files beginning with `rows`; None where none does."""
    return next((name for name in formats if rows and formats.create(name).recognises(rows)), None)


_OWN = ("native", "columns", "qwen_math", "gsm8k_solutions", "openai_batch")
_TRAINERS = ("trl", "verl", "prime_rl", "nemo_rl", "tinker")
_EVALUATIONS = ("verifiers", "verifiers_traces", "lm_eval", "inspect")
for _name in (*_OWN, *_TRAINERS, *_EVALUATIONS):
    formats.register(_name, f"rewardgate.rollouts.formats.{_name}:Format")
