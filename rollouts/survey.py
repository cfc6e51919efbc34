"""The first pass over a file or a folder: which format it is, what its columns are, where each group's rows lie."""

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from ..errors import ArgumentError, NoUsableRowsError
from .containers import open_rows
from .dumps import dumps_in, format_for
from .fields import ReadOptions
from .folders import Files, FolderRows
from .formats import RowReader, formats
from .grouping import GroupIndex
from .records import Rollout, Source
from .refusals import MAX_REFUSALS_KEPT, Refusal, RowRefusedError, Tally
from .rows import TOO_DEEP, LocatedRow, Row, RowFile, repeated_keys
from .sidecars import sidecar_hint
from .values import reward_value

HEAD_ROWS = 200
HEAD_BYTES = 1 << 24
N_ROWS_ASKED = 20
"""Rows that are asked for the names of their rewards."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What the first pass over a file, or over the files of a folder, found."""

    path: Path
    options: ReadOptions
    files: Files
    rows: RowFile
    format_name: str
    reader: RowReader
    reward_key: str | None
    index: GroupIndex
    n_rows: int
    n_refused: int
    refusals: list[Refusal]
    notes: tuple[str, ...]

    def source(self, line: int) -> Source:
        """Where the row numbered `line` stands."""
        file, line = self.files.place(line)
        return Source(file=str(self.files.paths[file]), line=line)

    def chosen(self, rollout: Rollout, tally: Tally) -> Rollout:
        """`rollout` with the reward that the caller chose by name: one of its rewards, or a number in its meta."""
        name = self.reward_key
        if name is None or (name in rollout.rewards and name == rollout.reward_name):
            return rollout
        value = rollout.rewards[name] if name in rollout.rewards else reward_value(rollout.meta.get(name), tally)
        return rollout.model_copy(update={"rewards": {**rollout.rewards, name: value}, "reward_name": name})

    def refusal(self, line: int, error: RowRefusedError | RecursionError) -> Refusal:
        """What stopped the row numbered `line`."""
        file, line = self.files.place(line)
        return refusal_of(self.files.paths[file], line, error)


def survey_file(path: Path, format_name: str, options: ReadOptions) -> Survey:
    """Pass over `path` once.

    Raises:
        InputError: the file cannot be read.
        NoUsableRowsError: no row can be used.
        ArgumentError: an option names no column of the file.
        UnknownNameError: no format has that name.
    """
    open_one = partial(open_rows, tokens=options.tokens, columns=options.named().values())
    notes: list[str] = []
    if path.is_dir():
        paths, format_name, chosen = dumps_in(path, format_name, options, open_one)
        rows = FolderRows(paths, open_one)
        files = rows.files
        notes += chosen
    else:
        rows, files = open_one(path), Files([path])
    head, repeated = _head(rows)
    if format_name == "auto":
        format_name = _recognised(head, path, options)
    reader = formats.create(format_name).reader(head, options)
    reader.look_around(files.paths)
    index, refusals, n_rows, n_refused = GroupIndex(), list[Refusal](), 0, 0
    for row in rows.scan():
        n_rows += 1
        try:
            value = row_value(row)
            identity = reader.identity(value)
            reader.learn(value, identity)
            index.add(row, identity, file=None if reader.spans_files else files.place(row.line)[0])
        except (RowRefusedError, RecursionError) as refused:
            n_refused += 1
            if len(refusals) < MAX_REFUSALS_KEPT:
                file, line = files.place(row.line)
                refusals.append(refusal_of(files.paths[file], line, refused))
    if not len(index):
        raise nothing_usable(path, n_rows, refusals)
    index.finish()
    reader.finish(ids_repeat=index.ids_repeat)
    groups, left_out = reader.regroup(), reader.left_out()
    if groups is not None or left_out:
        index.rearrange(groups, left_out)
    reward_key = options.reward_key if reader.has_named_rewards else None
    if reward_key is not None:
        _require_reward(reward_key, reader, head)
    notes += [*rows.notes, *reader.notes]
    if repeated:
        keys = ", ".join(sorted(repeated))
        notes.append(f"keys that stand twice in one object (line {min(repeated.values())}): {keys}; the last counts")
    if index.is_scattered:
        notes.append("the rows of a group do not stand together: gathered from all over the file")
    return Survey(
        path, options, files, rows, format_name, reader, reward_key, index, n_rows, n_refused, refusals, tuple(notes)
    )


def row_value(row: LocatedRow) -> Row:
    """The value of a row that could be read.

    Raises:
        RowRefusedError: it could not.
    """
    if row.value is None:
        raise RowRefusedError("row", row.problem)
    return row.value


def refusal_of(path: Path, line: int, error: RowRefusedError | RecursionError) -> Refusal:
    """What stopped a row, as it is told; a row may parse and still nest too deeply for what follows."""
    if isinstance(error, RecursionError):
        return Refusal(file=str(path), line=line, field="row", reason=TOO_DEEP)
    return Refusal(file=str(path), line=line, field=error.field, reason=error.reason)


def nothing_usable(path: Path, n_rows: int, refusals: list[Refusal]) -> NoUsableRowsError:
    """The error for a file without a usable row, quoting the first refusals."""
    if not n_rows:
        return NoUsableRowsError(f"{path}: expected at least one row, got none")
    reasons = "; ".join(f"line {refusal.line}: {refusal.field}: {refusal.reason}" for refusal in refusals[:3])
    said = reasons or "no row has a response or a reward"
    return NoUsableRowsError(f"{path}: expected at least one usable row, got 0 of {n_rows}; {said}")


def _head(rows: RowFile) -> tuple[list[Row], dict[str, int]]:
    """The first rows that can be read, and keys that one of them holds twice with the line of the first.

    At most `HEAD_ROWS` rows and about `HEAD_BYTES`.
    """
    head: list[Row] = []
    repeated: dict[str, int] = {}
    n_bytes = 0
    for row in islice(rows.scan(), 10 * HEAD_ROWS):
        if row.value is not None:
            head.append(row.value)
            n_bytes += len(row.data)
            for key in repeated_keys(row.data):
                repeated.setdefault(key, row.line)
        if len(head) == HEAD_ROWS or n_bytes > HEAD_BYTES:
            break
    return head, repeated


def _recognised(head: list[Row], path: Path, options: ReadOptions) -> str:
    name = format_for(head, options)
    if name is None and (hint := sidecar_hint(head)) is not None:
        raise NoUsableRowsError(f"{path}: expected rollouts, {hint}")
    return name or "columns"


def _require_reward(name: str, reader: RowReader, head: list[Row]) -> None:
    known: dict[str, None] = {}
    for row in head[:N_ROWS_ASKED]:
        with suppress(RowRefusedError):
            for rollout in reader.rollouts(row, reader.identity(row), Source(file="", line=0), Tally()):
                numbers = (key for key, cell in rollout.meta.items() if reward_value(cell, Tally()) is not None)
                known.update(dict.fromkeys((*rollout.rewards, *numbers)))
    if name not in known:
        raise ArgumentError(f'reward_key: expected a reward of the file, got "{name}"; rewards: {", ".join(known)}')
