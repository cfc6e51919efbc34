"""Which files of a run's folder hold its rollouts: those of one format, the rest named and left alone."""

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError, NoUsableRowsError
from .fields import PROMPT_NAMES, RESPONSE, REWARD, ReadOptions
from .folders import candidates
from .formats import ChoosesFiles, formats, recognised
from .rows import Row, RowFile
from .sidecars import sidecar_hint

N_ROWS_TRIED = 20


class Dumps(NamedTuple):
    """The files to read, in order, their format, and what a person should know of the choice."""

    paths: Sequence[Path]
    format_name: str
    notes: tuple[str, ...]


def format_for(rows: Sequence[Row], options: ReadOptions) -> str | None:
    """The format that reads files beginning with `rows`; None where none knows them.

    Columns that the caller names make it `columns`, except a reward alone of a format that has several by name.
    """
    name, named = recognised(rows), options.named()
    if not named:
        return name
    if name is not None and named.keys() == {"reward_key"}:
        reader = formats.create(name).reader(rows, options)
        return name if reader.has_named_rewards else "columns"
    return "columns"


def dumps_in(folder: Path, format_name: str, options: ReadOptions, open_one: Callable[[Path], RowFile]) -> Dumps:
    """The rollout files under `folder`.

    Args:
        format_name: only files of this one count; "auto" takes the only one that is found.
        open_one: opens one file.

    Raises:
        InputError: the folder cannot be read, or holds dumps of several formats.
        NoUsableRowsError: it holds none.
    """
    paths = candidates(folder)
    found: dict[str, list[Path]] = {}
    for path in paths:
        name = _format_of(path, options, open_one)
        if name is not None:
            found.setdefault(name, []).append(path)
    if format_name != "auto" and format_name not in found:
        # Whoever names a format knows more than the first rows tell.
        found = {format_name: [path for known in found.values() for path in known] or paths}
    known = [name for name in found if name != "columns"] or list(found)
    if format_name != "auto":
        known = [format_name]
    if not paths or not known:
        kinds = "JSON lines, JSON, CSV, Parquet or .eval"
        raise NoUsableRowsError(f"{folder}: expected files of rollouts ({kinds}), got {len(paths)} files without any")
    if len(known) > 1:
        counts = ", ".join(f"{name} ({len(found[name])} files)" for name in known)
        raise InputError(
            f"{folder}: expected dumps of one format, got {counts}; give one of its folders, or the format"
        )
    chosen: Sequence[Path] = found[known[0]]
    form = formats.create(known[0])
    if isinstance(form, ChoosesFiles):
        chosen = form.files_of_run(chosen)
    notes = [f"{len(chosen)} files read as {known[0]}: {_listed(chosen, folder)}"]
    if left := [path for path in paths if path not in set(chosen)]:
        notes.append(f"{len(left)} other files hold no rollouts, or these again: {_listed(left, folder)}")
    return Dumps(chosen, known[0], tuple(notes))


def _format_of(path: Path, options: ReadOptions, open_one: Callable[[Path], RowFile]) -> str | None:
    try:
        rows = open_one(path)
        head = [row.value for row in islice(rows.scan(), N_ROWS_TRIED) if row.value is not None]
    except InputError:
        return None
    name = format_for(head, options)
    if name == "columns":
        named = {column.partition(".")[0] for column in options.named().values()}
        return name if any(named & row.keys() for row in head) else None
    if name is not None or sidecar_hint(head) is not None:
        return name
    return "columns" if any(_may_be_rollout(row) for row in head) else None


def _may_be_rollout(row: Row) -> bool:
    names = row.keys()
    return bool(PROMPT_NAMES & names) and not names.isdisjoint((*RESPONSE, *REWARD))


def _listed(paths: Sequence[Path], folder: Path) -> str:
    shown = [str(path.relative_to(folder)) for path in paths[:3]]
    return ", ".join(shown) + (", ..." if len(paths) > len(shown) else "")
