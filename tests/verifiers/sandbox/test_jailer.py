"""The supervisor when things go wrong: processes that are killed, files that run out, callers that die."""

import os
import signal
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandboxed import PRINTS_SUM, SUM, descendants, is_alive, open_files, until

from rewardgate.verifiers.code import CodeVerifier
from rewardgate.verifiers.sandbox.jail import frames
from rewardgate.verifiers.sandbox.jailer import Jail
from rewardgate.verifiers.sandbox.runs import JailError, Limits, Running

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT RUN: Linux alone has jails")

SHORT = Limits(cpu_s=1.0)
SLEEPS = b"import time\nprint('here', flush=True)\ntime.sleep(60)"


@pytest.fixture
def jail() -> Iterator[Jail]:
    with Jail() as made:
        yield made


def started(jail: Jail, source: bytes) -> Running:
    """A run that has printed something, so that its program is under way."""
    running = jail.start("program", source, limits=SHORT)
    jail.pump(lambda: bool(running.stdout), 5.0)
    return running


def children_of(jail: Jail) -> list[int]:
    """Everything below its zygote."""
    assert jail._process is not None
    return [pid for pid, _ in descendants(jail._process.pid)]


def candidate_of(jail: Jail) -> int:
    """The one child of the zygote that has no child and is not the parent of keepers."""
    assert jail._process is not None
    family = descendants(jail._process.pid)
    return max(pid for pid, depth in family if depth == 0 and not descendants(pid))


def test_a_run_is_told_with_what_it_printed_and_took(jail: Jail) -> None:
    source = b"import sys\nprint(input()[::-1])\nprint('oh', file=sys.stderr)\nx = bytearray(50 << 20)\nsys.exit(7)"
    running = jail.run(source, stdin=b"abc\n", limits=SHORT)
    ended = running.ended
    assert ended is not None
    assert (bytes(running.stdout), bytes(running.stderr)) == (b"cba\n", b"oh\n")
    assert (ended.exit_code, ended.signal, ended.killed) == (7, None, None)
    assert 0 < ended.cpu_s <= ended.wall_s < 5
    assert 50 << 20 < ended.peak_bytes < 200 << 20


def test_runs_leave_no_descriptor_and_no_process_behind(jail: Jail) -> None:
    jail.run(b"", limits=SHORT)
    files, processes = open_files(), len(children_of(jail))
    for source in (b"", b"1 / 0", b"import os\nos.abort()", b"print('x' * 100_000)", b"import os\nos.close(1)"):
        jail.run(source, stdin=b"y" * 1_000_000, limits=SHORT)
    assert (open_files(), len(children_of(jail))) == (files, processes)


def test_a_closed_jail_takes_everything_with_it() -> None:
    files = open_files()
    jail = Jail()
    started(jail, SLEEPS)
    family = children_of(jail)
    assert family
    jail.close()
    assert open_files() == files
    assert until(lambda: not any(map(is_alive, family)))
    with pytest.raises(JailError):
        jail.run(b"")
    jail.close()


def test_a_zygote_that_is_killed_under_a_run_is_an_error_and_takes_the_run_with_it() -> None:
    files = open_files()
    jail = Jail()
    running = started(jail, SLEEPS)
    family = children_of(jail)
    assert jail._process is not None
    os.kill(jail._process.pid, signal.SIGKILL)
    with pytest.raises(JailError, match=r"gone|zygote"):
        jail.pump(lambda: running.ended is not None, 5.0)
    assert not jail.is_open
    assert open_files() == files
    assert until(lambda: not any(map(is_alive, family)))
    jail.kill(running)
    jail.end(running)  # nothing is left to do


def test_a_zygote_that_is_killed_while_idle_is_no_longer_well() -> None:
    with Jail() as jail:
        assert jail.is_well
        assert jail._process is not None
        os.kill(jail._process.pid, signal.SIGKILL)
        assert until(lambda: not jail.is_well)
        with pytest.raises(JailError):
            jail.run(b"", limits=SHORT)


def test_a_candidate_that_somebody_kills_ended_by_a_signal(jail: Jail) -> None:
    running = started(jail, SLEEPS)
    os.kill(candidate_of(jail), signal.SIGKILL)
    jail.pump(lambda: running.ended is not None, 5.0)
    assert running.ended is not None
    assert (running.ended.signal, running.ended.killed) == (signal.SIGKILL, None)
    assert jail.run(b"print(1)").stdout == b"1\n"


@pytest.mark.slow
def test_whatever_below_the_zygote_is_killed_the_run_ends_or_the_jail_is_closed() -> None:
    for position in range(8):
        with Jail() as jail:
            running = started(jail, SLEEPS)
            family = sorted(children_of(jail))
            if position >= len(family):
                return
            os.kill(family[position], signal.SIGKILL)
            try:
                jail.pump(lambda running=running: running.ended is not None, 5.0)
                assert running.ended is not None
                assert running.ended.signal == signal.SIGKILL
                jail.run(b"print(1)")
            except JailError:
                assert not jail.is_open
    pytest.fail("a run needs few processes")


def test_a_program_that_closes_its_channel_and_sleeps_costs_the_caller_no_processor(jail: Jail) -> None:
    source = b"import os, time\nos.close(3)\ntime.sleep(60)\n"
    running = jail.start("calls", source, limits=Limits(cpu_s=0.2), settings={})
    before = time.process_time()
    assert jail.hear(running, 1.0) is None
    jail.end(running)
    assert time.process_time() - before < 0.3


def test_what_nobody_reads_does_not_pile_up(jail: Jail) -> None:
    running = jail.start("calls", b"import time\ntime.sleep(60)", limits=SHORT, settings={})
    message = "x" * (frames.MAX_BYTES // 3)  # and two quotation marks: three of them are too many
    jail.tell(running, message)
    jail.tell(running, message)
    with pytest.raises(frames.FrameError, match="wait to be read"):
        jail.tell(running, message)
    jail.end(running)


@pytest.mark.parametrize("executable", ["/nowhere/python", "/bin/false", "/bin/cat", ""])
def test_an_interpreter_that_is_none_is_an_error(executable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = open_files()
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(JailError, match="expected a zygote that starts"):
        Jail()
    assert open_files() == files
    said = CodeVerifier().verify(PRINTS_SUM, SUM)
    assert (said.outcome.value, said.reward, said.rule) == ("error", None, "sandbox")


def test_a_virtual_environment_in_a_closed_folder_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    venv.create(tmp_path / "venv", symlinks=True)
    tmp_path.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "bin" / "python"))
    with Jail() as jail:
        assert jail.run(b"import sqlite3, xml.dom.minidom\nprint(1)", limits=SHORT).stdout == b"1\n"


def test_a_scratch_folder_that_is_full_is_the_program_s_problem(jail: Jail) -> None:
    if "mountns" not in jail.layers:
        pytest.skip("NOT RUN: no quota without a mount namespace")
    source = b"""
import errno
for number in range(100):
    try:
        with open(f"{number}", "wb") as file:
            file.write(bytes(1 << 20))
    except OSError as error:
        print(number, errno.errorcode[error.errno])
        break
"""
    limits = Limits(cpu_s=5.0, file_bytes=4 << 20)
    assert jail.run(source, limits=limits).stdout in (b"3 ENOSPC\n", b"4 ENOSPC\n")
    assert jail.run(b"import os\nprint(os.listdir())", limits=limits).stdout == b"[]\n"  # the next one's is empty


def test_a_time_limit_is_kept_by_a_program_that_ignores_every_signal(jail: Jail) -> None:
    source = (
        b"import signal\nfor n in set(signal.Signals) - {9, 19}: signal.signal(n, signal.SIG_IGN)\nwhile True: pass"
    )
    running = jail.run(source, limits=Limits(cpu_s=0.2))
    assert running.ended is not None
    assert running.ended.killed == "cpu"
    assert running.ended.cpu_s < 2
