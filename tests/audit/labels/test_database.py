import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rewardgate.audit.labels.database import Database
from rewardgate.errors import InputError


def test_a_new_file_is_made_once_however_many_open_it_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "labels.sqlite"
    with ThreadPoolExecutor(8) as pool:
        for opened in [pool.submit(lambda: Database(path).close()) for _ in range(24)]:
            opened.result()
    connection = sqlite3.connect(path)
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    assert [name for (name,) in tables] == ["actions", "draws", "sample", "strata"]
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_change_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    database = Database(tmp_path / "labels.sqlite")

    def add_and_fail() -> None:
        with database.transaction() as connection:
            connection.execute("PRAGMA defer_foreign_keys = ON")
            connection.execute("INSERT INTO strata VALUES (1, 'x', 1, 1)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        add_and_fail()
    with database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM strata").fetchone() == (0,)
    database.close()


def test_what_sqlite_says_becomes_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "labels.sqlite"
    database = Database(path)
    message = f"labels: expected a writable file of labels, got {path}: no such table"
    with pytest.raises(InputError, match=message), database.reading() as connection:
        connection.execute("SELECT * FROM lost")
    database.close()


def test_an_action_is_a_label_or_an_undoing_and_never_both(tmp_path: Path) -> None:
    database = Database(tmp_path / "labels.sqlite")
    row = "INSERT INTO actions VALUES (NULL, 't', 'ann', 'item', {}, {}, 1, '', '', 1.0)"
    for label, undoes in (("NULL", "NULL"), ("'c'", "1"), ("'x'", "NULL")):
        with pytest.raises(InputError, match="CHECK constraint failed"), database.transaction() as connection:
            connection.execute(row.format(label, undoes))
    database.close()
