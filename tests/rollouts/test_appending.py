import errno
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.rollouts.appending import Appender
from rewardgate.rollouts.rows import parse_row


def test_a_line_behind_a_torn_one_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    appender = Appender(path)
    appender.append(b'{"n": 1}')
    with path.open("ab") as file:
        file.write(b'{"n": "to')  # another process is killed inside its write
    appender.append(b'{"n": 2}')
    appender.append(b'{"n": 3}')
    assert path.read_bytes() == b'{"n": 1}\n{"n": "to{"n": 2}\n{"n": 2}\n{"n": 3}\n'


def test_a_new_process_does_not_glue_its_first_line_to_a_torn_one(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"n": 1}\n{"n": ')
    Appender(path).append(b'{"n": 2}')
    assert path.read_bytes().splitlines()[-1] == b'{"n": 2}'


OBJECT = b'{"a": "x\\"y", "b": {"c": [1, {"d": null}]}}'


@given(st.integers(1, len(OBJECT)))
def test_a_torn_object_and_a_whole_one_are_never_read_as_one(length: int) -> None:
    assert parse_row(OBJECT[:length] + OBJECT)[0] is None


def test_threads_and_processes_lose_no_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    program = (
        "import sys, threading\n"
        "from rewardgate.rollouts.appending import Appender\n"
        "appender = Appender(sys.argv[1])\n"
        "def write(name):\n"
        "    for n in range(200): appender.append(f'{sys.argv[2]}-{name}-{n} '.encode() + b'x' * 3000)\n"
        "threads = [threading.Thread(target=write, args=(name,)) for name in range(3)]\n"
        "[thread.start() for thread in threads]; [thread.join() for thread in threads]\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(path), name]) for name in "ab"]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    lines = path.read_bytes().splitlines()
    names = Counter(line.partition(b" ")[0].decode() for line in lines)
    # 2 processes x 3 threads x 200 lines, each once and each whole
    assert names == Counter(f"{process}-{thread}-{n}" for process in "ab" for thread in range(3) for n in range(200))
    assert {len(line.partition(b" ")[2]) for line in lines} == {3000}


def test_the_child_of_a_fork_and_its_parent_see_their_own_positions(tmp_path: Path) -> None:
    # Sharing one descriptor they would share its position too, and look for the line end at the other's place.
    path = tmp_path / "rows.jsonl"
    program = (
        "import os, sys\n"
        "from rewardgate.rollouts.appending import Appender\n"
        "appender = Appender(sys.argv[1])\n"
        "appender.append(b'0' * 10)\n"
        "child = os.fork()\n"
        "for n in range(500): appender.append((b'p' if child else b'c') * (n + 1))\n"
        "child and os.waitpid(child, 0)\n"
    )
    assert subprocess.run([sys.executable, "-c", program, str(path)], timeout=60, check=False).returncode == 0
    assert sorted(path.read_bytes().splitlines()) == sorted(
        [b"0" * 10, *(b"p" * (n + 1) for n in range(500)), *(b"c" * (n + 1) for n in range(500))]
    )


def test_a_deleted_file_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "rows.jsonl"
    appender = Appender(path)
    appender.append(b"1")
    path.unlink()
    appender.append(b"2")
    assert path.read_bytes() == b"2\n"


def test_a_thread_that_ends_leaves_no_descriptor(tmp_path: Path) -> None:
    appender = Appender(tmp_path / "rows.jsonl")
    before = len(os.listdir("/proc/self/fd")) if Path("/proc").is_dir() else pytest.skip("NOT RUN: no /proc")
    for _ in range(20):
        thread = threading.Thread(target=appender.append, args=(b"1",))
        thread.start()
        thread.join()
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_a_pipe_takes_lines_too() -> None:
    reader, writer = os.pipe()
    Appender(f"/dev/fd/{writer}").append(b"1")
    assert os.read(reader, 10) == b"1\n"
    os.close(reader)
    os.close(writer)


def test_a_short_write_is_followed_by_the_whole_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, write, lengths = tmp_path / "rows.jsonl", os.write, iter([3, None])
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[: next(lengths, None)]))
    Appender(path).append(b'{"n": 1}')
    assert path.read_bytes().splitlines() == [b'{"n{"n": 1}', b'{"n": 1}']


def test_a_full_disk_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        Appender(tmp_path / "rows.jsonl").append(b"1")


def test_writes_that_stay_short_end_in_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "write", lambda descriptor, data: 0)
    with pytest.raises(OSError, match="8 attempts"):
        Appender(tmp_path / "rows.jsonl").append(b"1")
