import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from label_files import PLAIN, small_draw

from rewardgate.audit.labels import LabelStore, Unit
from rewardgate.errors import ArgumentError, InputError

LABELLER = """
import sys
from rewardgate.audit.labels.store import LabelStore
path, annotator = sys.argv[1:]
with LabelStore(path) as store:
    items = [one.key for one in store.latest_draw().sample]
    for number in range(100_000):
        row = store.label(items[number % len(items)], annotator, "cwgf"[number % 4])
        print(row, items[number % len(items)], "cwgf"[number % 4], flush=True)
"""


def test_what_a_labeller_said_last_and_did_not_undo_stands(tmp_path: Path) -> None:
    with LabelStore(tmp_path / "labels.sqlite") as store:
        store.add_draw(small_draw())
        store.label("g0#0", "ann", "w")
        store.label("g0#0", "ann", "c")
        store.label("g0#0", "bob", "g")
        assert {who: action.label for (_, who), action in store.current().items()} == {"ann": "c", "bob": "g"}
        undone = store.undo("ann")
        assert undone is not None
        assert undone.label == "c"
        assert store.current()["g0#0", "ann"].label == "w"
        assert store.undo("ann") is not None
        assert store.undo("ann") is None
        assert [(one.number, one.label, one.undoes) for one in store.actions()] == [
            (1, "w", None), (2, "c", None), (3, "g", None), (4, None, 2), (5, None, 1),
        ]  # fmt: skip


def test_every_action_tells_who_when_and_under_which_draw(tmp_path: Path) -> None:
    with LabelStore(tmp_path / "labels.sqlite") as store:
        store.add_draw(small_draw(scored_by="mine.py:score", version="7"))
        store.label("g0#0", "ann", "w")
        (action,) = store.actions()
    assert (action.annotator, action.scored_by, action.version) == ("ann", "mine.py:score", "7")
    assert action.probability == small_draw().sample[0].probability
    assert action.time.endswith("+00:00")


def test_no_row_can_be_changed_or_deleted(tmp_path: Path) -> None:
    path = tmp_path / "labels.sqlite"
    with LabelStore(path) as store:
        store.add_draw(small_draw())
        store.label("g0#0", "ann", "w")
    connection = sqlite3.connect(path)
    for change in ("UPDATE actions SET label = 'c'", "DELETE FROM actions", "DELETE FROM sample"):
        with pytest.raises(sqlite3.IntegrityError, match="rows are only ever added"):
            connection.execute(change)
    connection.close()


def test_a_larger_draw_keeps_what_was_drawn_before_it_first(tmp_path: Path) -> None:
    units = [Unit(f"g{p}", 0, f"p{p}", PLAIN) for p in range(50)]
    with LabelStore(tmp_path / "labels.sqlite") as store:
        first = store.add_draw(small_draw(units, n_prompts=5))
        assert store.add_draw(small_draw(units, n_prompts=5)) == first
        assert store.add_draw(small_draw(units, n_prompts=3)) == first
        larger = store.add_draw(small_draw(units, n_prompts=9))
        assert [one.key for one in larger.sample[:5]] == [one.key for one in first.sample]
        assert len(larger.sample) == 9
        # all 50 lie in one stratum: 9 of 50 now, where it was 5 of 50
        assert {one.probability for one in larger.sample} == {9 / 50}
        assert store.latest_draw() == larger


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"sha256": "other"}, "sha256: expected 'digest' as in the draw of the labels there are, got 'other'"),
        ({"scored_by": "math"}, "scored_by: expected 'as logged'"),
        ({"version": "2"}, "version: expected ''"),
        ({"seed": 3}, "seed: expected 0"),
    ],
)
def test_a_draw_that_cannot_be_weighed_with_the_first_is_refused(tmp_path: Path, other: dict, message: str) -> None:
    with LabelStore(tmp_path / "labels.sqlite") as store:
        store.add_draw(small_draw())
        with pytest.raises(ArgumentError, match=message):
            store.add_draw(small_draw(**other))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("g9#9", "ann", "c"), "item: expected one that was drawn, got 'g9#9'"),
        (("g0#0", "ann", "x"), "label: expected one of c, w, g, u, f, got 'x'"),
        (("g0#0", "  ", "c"), "annotator: expected a name, got '  '"),
    ],
)
def test_a_label_of_nothing_by_nobody_or_unknown_is_refused(tmp_path: Path, arguments: tuple, message: str) -> None:
    with LabelStore(tmp_path / "labels.sqlite") as store:
        store.add_draw(small_draw())
        with pytest.raises(ArgumentError, match=message):
            store.label(*arguments)
        assert store.actions() == []


def test_what_is_no_file_of_labels_is_refused_and_left_alone(tmp_path: Path) -> None:
    text, database = tmp_path / "notes.txt", tmp_path / "other.sqlite"
    text.write_text("hello " * 1000)
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    for path, words in ((text, "file is not a database"), (database, "got another database")):
        before = path.read_bytes()
        with pytest.raises(InputError, match=words), LabelStore(path):
            pass
        assert path.read_bytes() == before
    with pytest.raises(InputError, match="No such file"), LabelStore(tmp_path / "none", must_exist=True):
        pass
    assert not (tmp_path / "none").exists()


def test_a_store_that_is_not_entered_says_so(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="store: expected one entered by `with`"):
        LabelStore(tmp_path / "labels.sqlite").actions()


@pytest.mark.parametrize("rounds", [1, pytest.param(12, marks=pytest.mark.slow)])
def test_labellers_killed_at_random_lose_nothing_that_was_committed(tmp_path: Path, rounds: int) -> None:
    path, random = tmp_path / "labels.sqlite", Random(rounds)
    with LabelStore(path) as store:
        store.add_draw(small_draw())
    told: list[tuple[int, str, str, str]] = []
    for _ in range(rounds):
        labellers = {
            who: subprocess.Popen([sys.executable, "-c", LABELLER, path, who], stdout=subprocess.PIPE, text=True)
            for who in ("ann", "bob")
        }
        for who, labeller in labellers.items():
            assert labeller.stdout is not None
            for _ in range(random.randint(5, 40)):
                number, item, label = labeller.stdout.readline().split()
                told.append((int(number), who, item, label))
            os.kill(labeller.pid, signal.SIGKILL)
            rest = labeller.stdout.read().split("\n")[:-1]  # the last line may be torn; the others were told whole
            told += [(int(row), who, item, label) for row, item, label in (line.split() for line in rest)]
            labeller.wait()
            labeller.stdout.close()
    with LabelStore(path) as store:
        kept = {(one.number, one.annotator, one.item, one.label) for one in store.actions()}
    assert len(told) >= 10 * rounds
    assert {one[1] for one in told} == {"ann", "bob"}
    assert set(told) <= kept
    # at most one more each time: committed, and killed before it could be told
    assert len(kept) - len(told) <= 2 * rounds
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
