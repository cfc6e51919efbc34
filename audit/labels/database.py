"""The SQLite file itself: its tables, who may change them and how, and what its failures are called."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...errors import InputError

__all__ = ["Database"]

_BUSY_S = 60.0
_APPLICATION_ID = 0x72674C31  # "rgL1", in the header of the file
_TABLES = {
    "draws": """
        id INTEGER PRIMARY KEY, created TEXT NOT NULL, file TEXT NOT NULL, sha256 TEXT NOT NULL,
        scored_by TEXT NOT NULL, version TEXT NOT NULL, correct_at REAL NOT NULL, seed INTEGER NOT NULL,
        n_prompts INTEGER NOT NULL, rollouts_per_prompt INTEGER NOT NULL, within TEXT NOT NULL""",
    "strata": """
        draw INTEGER NOT NULL REFERENCES draws, stratum TEXT NOT NULL, n_rollouts INTEGER NOT NULL,
        n_prompts INTEGER NOT NULL, PRIMARY KEY (draw, stratum)""",
    "sample": """
        draw INTEGER NOT NULL REFERENCES draws, place INTEGER NOT NULL, item TEXT NOT NULL, group_id TEXT NOT NULL,
        position INTEGER NOT NULL, prompt_id TEXT NOT NULL, stratum TEXT NOT NULL, probability REAL NOT NULL,
        PRIMARY KEY (draw, item)""",
    "actions": """
        id INTEGER PRIMARY KEY, time TEXT NOT NULL, annotator TEXT NOT NULL, item TEXT NOT NULL,
        label TEXT CHECK (label IN ('c', 'w', 'g', 'u', 'f')), undoes INTEGER UNIQUE REFERENCES actions,
        draw INTEGER NOT NULL REFERENCES draws, scored_by TEXT NOT NULL, version TEXT NOT NULL,
        probability REAL NOT NULL, CHECK ((label IS NULL) <> (undoes IS NULL))""",
}


class Database:
    """An open file of labels, made where there is none.

    Raises:
        InputError: it cannot be opened, or is no file of labels.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self.told():
            self._connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
        try:
            with self.told():
                self._prepare()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; what was committed stays."""
        with suppress(sqlite3.Error):
            self._connection.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for a query."""
        with self.told():
            yield self._connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one change: whole or not at all, on the disk at the end; others wait for it."""
        with self.told():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def told(self) -> Iterator[None]:
        """Whatever SQLite says becomes an InputError that names the file."""
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(f"labels: expected a writable file of labels, got {self._path}: {error}") from error

    def _prepare(self) -> None:
        # In this order: a file that another process makes meanwhile has tables only with the mark beside them.
        if not self._is_empty() and self._application() != _APPLICATION_ID:
            raise InputError(f"labels: expected a file of labels, got another database: {self._path}")
        # A second process that opens the new file at this very moment is refused the change, and needs it not.
        with suppress(sqlite3.OperationalError):
            self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        with self.transaction():
            if self._is_empty():
                self._create()

    def _application(self) -> int:
        return self._connection.execute("PRAGMA application_id").fetchone()[0]

    def _is_empty(self) -> bool:
        (n_tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return n_tables == 0

    def _create(self) -> None:
        self._connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        for table, columns in _TABLES.items():
            self._connection.execute(f"CREATE TABLE {table} ({columns})")
            for change in ("UPDATE", "DELETE"):
                self._connection.execute(
                    f"CREATE TRIGGER {table}_{change.lower()} BEFORE {change} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table}: rows are only ever added'); END"
                )
