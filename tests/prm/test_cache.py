import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError, InputError
from rewardgate.prm import StepRow, StepScore
from rewardgate.prm.cache import FILE_NAME, CachedScorer

CASES = [StepRow("p", ("a", "b"), "4"), StepRow("p", ("a", "c"), "4"), StepRow("q", ("a",))]


class Lengths:
    """Scores a step by its length, knows nothing of an empty one, and remembers what it was asked."""

    def __init__(self, version: str = "1", *, rule: str = "length") -> None:
        self.version, self.rule = version, rule
        self.asked: list[StepRow] = []

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        self.asked += rows
        return [[StepScore(1 / len(step) if step else None, self.rule, step) for step in row.steps] for row in rows]


def kept_rows(folder: Path) -> int:
    with sqlite3.connect(folder / FILE_NAME) as connection:
        return connection.execute("SELECT count(*) FROM scores").fetchone()[0]


def test_only_rows_that_are_not_there_are_asked_about(tmp_path: Path) -> None:
    first, second = Lengths(), Lengths()
    before = CachedScorer(first, tmp_path).score(CASES[:2])
    after = CachedScorer(second, tmp_path).score(CASES)
    assert first.asked == CASES[:2]
    assert second.asked == CASES[2:]
    assert after == before + Lengths().score(CASES[2:])


def test_equal_rows_of_one_call_are_asked_about_once_and_do_not_share_a_list(tmp_path: Path) -> None:
    scorer = Lengths()
    cached = CachedScorer(scorer, tmp_path)
    scores = cached.score([CASES[0], CASES[2], CASES[0]])
    assert scorer.asked == [CASES[0], CASES[2]]
    assert scores[0] == scores[2]
    assert scores[0] is not scores[2]
    assert (cached.counts.hits, cached.counts.misses, cached.counts.kept) == (1, 2, 2)


texts = st.text(st.characters() | st.sampled_from(["\ud83d", "\x00", "\u2028"]), max_size=5)


@settings(max_examples=20)
@given(st.lists(st.builds(StepRow, texts, st.lists(texts, max_size=3).map(tuple), st.none() | texts), max_size=6))
def test_what_comes_back_is_what_was_said(tmp_path_factory: pytest.TempPathFactory, rows: list[StepRow]) -> None:
    folder = tmp_path_factory.mktemp("cache")
    cached = CachedScorer(Lengths(), folder)
    assert cached.score(rows) == cached.score(rows) == Lengths().score(rows)
    again = CachedScorer(scorer := Lengths(), folder)
    assert again.score(rows) == Lengths().score(rows)
    assert scorer.asked == []


@pytest.mark.parametrize(
    "other",
    [
        StepRow("P", ("a", "b"), "4"),
        StepRow("p", ("ab",), "4"),
        StepRow("p", ("a", "b", ""), "4"),
        StepRow("p", ("b", "a"), "4"),
        StepRow("p", ("a", "b"), None),
        StepRow("p", ("a", "b"), ["4"]),
        StepRow([{"role": "user", "content": "p"}], ("a", "b"), "4"),
    ],
)
def test_another_content_is_another_row(tmp_path: Path, other: StepRow) -> None:
    scorer = Lengths()
    CachedScorer(scorer, tmp_path).score([CASES[0]])
    CachedScorer(scorer, tmp_path).score([other])
    assert scorer.asked == [CASES[0], other]


def test_another_scorer_version_name_or_option_is_another_row(tmp_path: Path) -> None:
    class Other(Lengths): ...

    cached = [
        CachedScorer(Lengths(), tmp_path),
        CachedScorer(Lengths("2"), tmp_path),
        CachedScorer(Other(), tmp_path),
        CachedScorer(Lengths(), tmp_path, name="mine"),
        CachedScorer(Lengths(), tmp_path, options={"votes": 2}),
        CachedScorer(Lengths(), tmp_path, options={"votes": 3}),
    ]
    for scorer in cached:
        scorer.score(CASES)
    assert [scorer.counts.misses for scorer in cached] == [3] * len(cached)
    assert kept_rows(tmp_path) == 3 * len(cached)


def test_what_may_pass_is_not_kept_whether_the_scorer_says_so_or_the_caller(tmp_path: Path) -> None:
    away = Lengths(rule="away")
    away.transient_rules = frozenset({"away"})  # type: ignore[attr-defined]
    cached = CachedScorer(away, tmp_path)
    cached.score(CASES)
    cached.score(CASES)
    assert len(away.asked) == 6
    assert (cached.counts.kept, cached.counts.passing) == (0, 6)
    told = CachedScorer(Lengths(rule="late"), tmp_path, transient_rules=["late"])
    told.score(CASES)
    assert (told.counts.kept, kept_rows(tmp_path)) == (0, 0)
    assert cached.transient_rules == {"away"}


def test_a_row_that_json_cannot_hold_is_scored_and_not_kept(tmp_path: Path) -> None:
    row = StepRow("p", ("a",), {"tests": {1, 2}})  # type: ignore[arg-type]
    cached = CachedScorer(Lengths(), tmp_path)
    assert cached.score([row, row]) == Lengths().score([row, row])
    assert kept_rows(tmp_path) == 0


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE scores SET said = substr(said, 1, length(said) - 2)",
        'UPDATE scores SET said = \'[[0.25,"length","a"],[1.0,"length","b"]]\'',
        "UPDATE scores SET said = 7, digest = 7",
        "UPDATE scores SET digest = x'00'",
        "UPDATE scores SET said = x'ff00ff'",
    ],
)
def test_a_damaged_entry_is_scored_again_counted_and_written_anew(tmp_path: Path, damage: str) -> None:
    CachedScorer(Lengths(), tmp_path).score(CASES)
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute(damage)
    cached = CachedScorer(Lengths(), tmp_path)
    assert cached.score(CASES) == Lengths().score(CASES)
    assert (cached.counts.damaged, cached.counts.misses) == (3, 3)
    assert "3 damaged entries scored again" in str(cached.counts)
    assert CachedScorer(scorer := Lengths(), tmp_path).score(CASES) == Lengths().score(CASES)
    assert scorer.asked == []


def test_pages_that_are_overwritten_cost_time_and_no_score(tmp_path: Path) -> None:
    rows = [StepRow(f"p{number}", ("a" * 50,)) for number in range(400)]
    CachedScorer(Lengths(), tmp_path).score(rows)
    with open(tmp_path / FILE_NAME, "r+b") as file:
        file.seek(3 * 4096)
        file.write(os.urandom(4 * 4096))
    cached = CachedScorer(Lengths(), tmp_path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert [cached.score(rows), cached.score(rows)] == [Lengths().score(rows)] * 2
    assert len(told) == 1
    assert "cannot be used" in str(told[0].message)


def test_a_file_that_is_no_cache_and_a_folder_that_is_none_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("scores " * 1000)
    with pytest.raises(InputError, match=r"cache: expected a writable folder, got .*not a database"):
        CachedScorer(Lengths(), tmp_path)
    with pytest.raises(InputError, match="cache: expected a writable folder"):
        CachedScorer(Lengths(), tmp_path / FILE_NAME / "below a file")


def test_no_more_rows_are_kept_than_allowed_and_the_oldest_go_first(tmp_path: Path) -> None:
    cached = CachedScorer(Lengths(), tmp_path, max_rows=5)
    for number in range(12):
        cached.score([StepRow(f"p{number}", ("a",))])
    assert kept_rows(tmp_path) == 5
    again = CachedScorer(scorer := Lengths(), tmp_path, max_rows=5)
    again.score([StepRow(f"p{number}", ("a",)) for number in range(7, 12)])
    assert scorer.asked == []
    again.score([StepRow("p6", ("a",))])
    assert len(scorer.asked) == 1
    big = CachedScorer(Lengths(), tmp_path, max_rows=2)
    assert len(big.score([StepRow(f"r{number}", ("a",)) for number in range(9)])) == 9
    assert kept_rows(tmp_path) == 2


def test_what_was_scored_before_the_scorer_failed_is_kept(tmp_path: Path) -> None:
    class Tires(Lengths):
        def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
            if len(self.asked) + len(rows) > 6:
                raise KeyboardInterrupt
            return super().score(rows)

    rows = [StepRow(f"p{number}", ("a",)) for number in range(10)]
    with pytest.raises(KeyboardInterrupt):
        CachedScorer(Tires(), tmp_path, name="mine", rows_at_once=3).score(rows)
    again = CachedScorer(scorer := Lengths(), tmp_path, name="mine", rows_at_once=3)
    assert again.score(rows) == Lengths().score(rows)
    assert scorer.asked == rows[6:]


@pytest.mark.parametrize("max_rows", [0, -1, 1.5, "5"])
def test_a_bound_that_is_none_is_refused(tmp_path: Path, max_rows: object) -> None:
    with pytest.raises(ArgumentError, match="max_rows: expected a whole number >= 1"):
        CachedScorer(Lengths(), tmp_path, max_rows=max_rows)  # type: ignore[arg-type]


def test_options_that_json_cannot_hold_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="options: expected what JSON can hold"):
        CachedScorer(Lengths(), tmp_path, options={"rule": {1, 2}})


def test_a_scorer_that_breaks_the_contract_is_refused_and_nothing_is_kept(tmp_path: Path) -> None:
    class Short(Lengths):
        def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
            return [[] for _ in rows]

    with pytest.raises(ArgumentError, match="expected one score a step"):
        CachedScorer(Short(), tmp_path).score(CASES)
    assert kept_rows(tmp_path) == 0


def test_threads_may_share_one(tmp_path: Path) -> None:
    cached = CachedScorer(Lengths(), tmp_path)
    rows = [StepRow(f"p{number}", ("a", "bb")) for number in range(50)]
    wrong: list[object] = []

    def ask() -> None:
        if cached.score(rows) != Lengths().score(rows):
            wrong.append(1)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (wrong, kept_rows(tmp_path), cached.counts.problem) == ([], 50, "")


PROGRAM = """
import json, resource, sys, warnings
from rewardgate.prm import StepRow, StepScore
from rewardgate.prm.cache import CachedScorer

class Lengths:
    version = "1"
    def score(self, rows):
        return [[StepScore(1 / len(step), "length", step) for step in row.steps] for row in rows]

def rows(start, end):
    return [StepRow(f"p{number}", ("a" * 200,)) for number in range(start, end)]

def cached(folder):
    return CachedScorer(Lengths(), folder, name="lengths")
"""


def start(body: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM + body, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_that_start_and_write_at_once_lose_nothing_and_wait_for_each_other(tmp_path: Path) -> None:
    body = """
scorer = cached(sys.argv[1])
for start in range(0, 200, 10):
    scorer.score(rows(int(sys.argv[2]) * 100 + start, int(sys.argv[2]) * 100 + start + 10))
print(json.dumps([scorer.counts.problem, scorer.counts.hits + scorer.counts.misses]))
"""
    running = [start(body, tmp_path / "new", number) for number in range(2)]
    for process in running:
        out, errors = process.communicate(timeout=100)
        assert (json.loads(out), errors) == (["", 200], "")
    assert kept_rows(tmp_path / "new") == 300  # 0-199 and 100-299


def test_a_writer_that_is_killed_leaves_a_cache_that_is_whole(tmp_path: Path) -> None:
    body = """
scorer = cached(sys.argv[1])
print("ready", flush=True)
start = 0
while True:
    scorer.score(rows(start, start + 20))
    start += 20
    print(start, flush=True)
"""
    process = start(body, tmp_path)
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(6)]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    n_written = int(lines[-1])
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    cached = CachedScorer(Lengths(), tmp_path, name="lengths")
    rows = [StepRow(f"p{number}", ("a" * 200,)) for number in range(n_written)]
    assert cached.score(rows) == Lengths().score(rows)
    assert cached.counts.hits == n_written == 100


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
def test_a_disk_that_takes_no_more_costs_no_score_and_is_told_once(tmp_path: Path) -> None:
    body = """
warnings.simplefilter("always")
scorer = cached(sys.argv[1])
scorer.score(rows(0, 5))
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 15, 1 << 15))
said = [scorer.score(rows(start, start + 200)) for start in (0, 200, 400)]
print(json.dumps([[score.value for row in batch for score in row] == [1 / 200] * 200 for batch in said]))
print(scorer.counts.misses, bool(scorer.counts.problem))
"""
    out, errors = start(body, tmp_path).communicate(timeout=100)
    assert out.splitlines() == ["[true, true, true]", "600 True"]
    assert errors.count("RuntimeWarning") == 1
    assert "rows are scored without it" in errors
