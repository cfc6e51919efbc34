import io
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rewardgate.errors import ArgumentError, InputError
from rewardgate.rollouts.output import Output

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def test_a_file_takes_its_place_only_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("old")
    with Output("--out", str(target)) as out:
        out.write("é\n")
        assert target.read_text() == "old"
    assert target.read_bytes() == "é\n".encode()
    assert os.listdir(tmp_path) == ["out.jsonl"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_block_that_raises_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, error: type[BaseException]
) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("old")
    out = Output("--out", str(target))
    out.__enter__().write("new\n")
    out.__exit__(error, error(), None)
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_two_writers_of_one_file_leave_the_whole_output_of_one(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    with Output("--out", str(target)) as first:
        first.write("1\n")
        with Output("--out", str(target)) as second:
            second.write("2\n")
            first.write("1\n")
    assert target.read_text() == "1\n1\n"
    assert os.listdir(tmp_path) == ["out.jsonl"]


@pytest.mark.parametrize("make", [os.symlink, os.link])
def test_the_input_is_never_the_target_by_whatever_name(tmp_path: Path, make: Callable[[Path, Path], None]) -> None:
    source = tmp_path / "rows.jsonl"
    source.write_text("{}\n")
    other = tmp_path / "other.jsonl"
    make(source, other)
    for target in (source, other):
        with pytest.raises(ArgumentError, match="--out: expected another file than the input, got "):
            Output("--out", str(target), source=source).__enter__()
    assert source.read_text() == "{}\n"


def test_stdout_that_is_appended_to_the_input_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "rows.jsonl"
    with source.open("a") as appended:
        monkeypatch.setattr(sys, "stdout", appended)
        with pytest.raises(ArgumentError, match="another file than the input, got -"):
            Output("--out", "-", source=source).__enter__()


@pytest.mark.parametrize("target", ["-", "/dev/stdout"])
def test_stdout_may_be_no_file_and_stays_open(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    stdout = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stdout)
    with Output("--out", target, source="rows.jsonl") as out:
        out.write("1\n")
    assert stdout.getvalue() == "1\n"


def test_a_symlink_stays_one_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link, target = tmp_path / "link", tmp_path / "folder" / "out.jsonl"
    link.symlink_to(target)
    for text in ("1\n", "2\n"):  # a link to nothing, and to a file
        with Output("--out", str(link)) as out:
            out.write(text)
        assert link.is_symlink()
        assert target.read_text() == text


def test_a_file_keeps_its_permissions_and_a_new_one_gets_the_usual_ones(tmp_path: Path) -> None:
    usual, kept = tmp_path / "usual", tmp_path / "kept"
    usual.write_text("")
    kept.write_text("")
    kept.chmod(0o640)
    for name in ("new", "kept"):
        with Output("--out", str(tmp_path / name)) as out:
            out.write("1\n")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640


def test_what_cannot_be_written_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    for target, reason in ((tmp_path / "no" / "x", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(InputError) as refused:
            Output("--json", str(target)).__enter__()
        assert str(refused.value) == f"--json: expected a writable file, got {target}: {reason}"


@pytest.mark.skipif(IS_ROOT, reason="NOT RUN: root may write everything")
def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("old")
    target.chmod(0o444)
    with pytest.raises(InputError, match="read-only"):
        Output("--out", str(target)).__enter__()


def test_a_pipe_is_written_to_directly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with Output("--out", str(pipe)) as out:
        out.write("1\n")
    assert os.read(reading, 10) == b"1\n"
    os.close(reading)
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="NOT RUN: no /dev/full here")
@pytest.mark.parametrize("text", ["1\n", "1\n" * 100_000])
def test_a_full_disk_names_the_option_and_the_path(text: str) -> None:
    words = "--out: expected a writable file, got /dev/full: No space left on device"
    with pytest.raises(InputError, match=words), Output("--out", "/dev/full") as out:
        out.write(text)
