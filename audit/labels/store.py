"""Where labels are kept: one SQLite file, to which rows are only ever added.

Several people, in several processes, label into one file: each action is one committed transaction (write-ahead
log, synchronised to disk), so that a process that is killed loses at most the label that it was writing. Nothing is
overwritten, undoing included: triggers refuse it. SQLite locks files, which network file systems do badly: keep the
file on a local disk.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from ...errors import ArgumentError, InputError
from .database import Database
from .draws import Draw, insert_draw, latest_draw, now, refuse_another
from .units import storable

__all__ = ["LABELS", "Action", "LabelStore"]

LABELS: Mapping[str, str] = {
    "c": "correct",
    "w": "wrong",
    "g": "the target is wrong",
    "u": "unsure",
    "f": "right, but not in the format asked for",
}
"""Every label by its letter, the form in which it is kept."""


@dataclass(frozen=True, slots=True)
class Action:
    """One row of the log: a label given (`label` is its letter), or an earlier row undone (`undoes` is its number).

    `probability`, `scored_by` and `version` are those of the draw at that time.
    """

    number: int
    time: str
    annotator: str
    item: str
    label: str | None
    undoes: int | None
    scored_by: str
    version: str
    probability: float


class LabelStore:
    """A file of labels; a context manager.

    Args:
        path: of the file; made where there is none, unless `must_exist`.

    Raises:
        InputError: it cannot be opened, or is no file of labels; on entry, or where SQLite fails later.

    Example:
        >>> import tempfile
        >>> from rewardgate.audit.labels import LabelStratum, Unit, draw, stratum_sizes
        >>> units = [Unit("p1", 0, "p1", LabelStratum("wrong", "all_wrong", False))]
        >>> sizes, sample = stratum_sizes(units), draw(units)
        >>> with tempfile.TemporaryDirectory() as folder, LabelStore(f"{folder}/labels.sqlite") as store:
        ...     _ = store.add_draw(Draw("a.jsonl", "", "as logged", "", 1.0, 0, 59, 1, "", sizes, sample))
        ...     _ = store.label("p1#0", "ann", "w"), store.label("p1#0", "ann", "c")
        ...     undone = store.undo("ann")
        ...     len(store.actions()), store.current()["p1#0", "ann"].label
        (3, 'w')
    """

    def __init__(self, path: str | Path, *, must_exist: bool = False) -> None:
        self.path = Path(path)
        self._must_exist = must_exist
        self._database: Database | None = None

    def __enter__(self) -> "LabelStore":
        if self._must_exist and not self.path.is_file():
            raise InputError(f"labels: expected a file of labels, got {self.path}: No such file")
        self._database = Database(self.path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open.close()
        self._database = None

    def add_draw(self, draw: Draw) -> Draw:
        """Keep `draw` as the newest, unless there is one of as many prompts; what was drawn before comes first.

        Returns:
            The newest draw.

        Raises:
            ArgumentError: the labels there are belong to another file, to other verdicts, or to a sample drawn
                in another way.
        """
        with self._open.transaction() as connection:
            latest = latest_draw(connection)
            if latest is not None:
                refuse_another(latest, draw)
                if latest.n_prompts >= draw.n_prompts:
                    return latest
            places = {} if latest is None else {drawn.key: place for place, drawn in enumerate(latest.sample)}
            insert_draw(connection, draw, sorted(draw.sample, key=lambda one: places.get(one.key, len(places))))
            newest = latest_draw(connection)
        assert newest is not None
        return newest

    def latest_draw(self) -> Draw | None:
        """The newest draw; None in a new file."""
        with self._open.reading() as connection:
            return latest_draw(connection)

    def label(self, item: str, annotator: str, label: str) -> int:
        """Add a label; it is on the disk when this returns.

        Args:
            item: a unit's key, of the newest draw.
            annotator: who gives it.
            label: a letter of `LABELS`.

        Returns:
            The number of the row.

        Raises:
            ArgumentError: no such item was drawn, there is no such label, or the annotator has no name.
        """
        if label not in LABELS:
            raise ArgumentError(f"label: expected one of {', '.join(LABELS)}, got {label!r}")
        if not annotator.strip():
            raise ArgumentError(f"annotator: expected a name, got {annotator!r}")
        with self._open.transaction() as connection:
            return _add(connection, item, storable(annotator), label, undoes=None)

    def undo(self, annotator: str) -> Action | None:
        """Undo this annotator's last label that is not undone yet, by one more row.

        Returns:
            The label that was undone; None where there is none.
        """
        with self._open.transaction() as connection:
            given = [one for one in _standing(_actions(connection)) if one.annotator == storable(annotator)]
            if not given:
                return None
            _add(connection, given[-1].item, storable(annotator), None, undoes=given[-1].number)
            return given[-1]

    def actions(self) -> list[Action]:
        """Every row of the log, in the order in which they were committed."""
        with self._open.reading() as connection:
            return _actions(connection)

    def current(self) -> dict[tuple[str, str], Action]:
        """(item, annotator) -> the last label that this annotator gave it and did not undo."""
        return {(action.item, action.annotator): action for action in _standing(self.actions())}

    @property
    def _open(self) -> Database:
        if self._database is None:
            raise ArgumentError("store: expected one entered by `with`, got one that is closed")
        return self._database


def _add(connection: sqlite3.Connection, item: str, annotator: str, label: str | None, *, undoes: int | None) -> int:
    found = connection.execute(
        "SELECT draws.id, scored_by, version, probability FROM sample JOIN draws ON draws.id = sample.draw "
        "WHERE item = ? ORDER BY draws.id DESC LIMIT 1",
        (item,),
    ).fetchone()
    if found is None:
        raise ArgumentError(f"item: expected one that was drawn, got {item!r}")
    added = connection.execute(
        "INSERT INTO actions (time, annotator, item, label, undoes, draw, scored_by, version, probability) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (now(), annotator, item, label, undoes, *found),
    )
    assert added.lastrowid is not None
    return added.lastrowid


def _actions(connection: sqlite3.Connection) -> list[Action]:
    columns = "id, time, annotator, item, label, undoes, scored_by, version, probability"
    return [Action(*row) for row in connection.execute(f"SELECT {columns} FROM actions ORDER BY id")]


def _standing(actions: list[Action]) -> list[Action]:
    """The labels that nobody undid."""
    undone = {action.undoes for action in actions}
    return [action for action in actions if action.label is not None and action.number not in undone]
