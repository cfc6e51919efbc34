"""The supervisor when things go wrong: processes that are killed, files that run out, callers that die."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sandboxed import ADD, PRINTS_SUM, SUM, descendants, is_alive, open_files, until

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


def script(tmp_path: Path, text: str) -> list[str]:
    """A caller of its own, as a program."""
    root = str(Path(__file__).parents[4])
    path = tmp_path / "caller.py"
    path.write_text(
        f"import os, sys, threading\nsys.path.insert(0, {root!r})\n"
        f"from rewardgate.verifiers.code import CodeVerifier\n{text}"
    )
    return [sys.executable, str(path)]


SLEEPING_CALLER = f"""
def main():
    verifier = CodeVerifier(timeout_s=30.0)
    assert verifier.verify({PRINTS_SUM!r}, {SUM!r}).reward == 1
    threading.Timer(0.5, print, ["ready"], dict(flush=True)).start()
    verifier.verify("import time\\nopen('x', 'w')\\ntime.sleep(60)", {SUM!r})

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    "how",
    [signal.SIGKILL, *(pytest.param(how, marks=pytest.mark.slow) for how in (signal.SIGTERM, signal.SIGINT))],
    ids=lambda how: how.name,
)
def test_nothing_outlives_a_caller_that_is_ended(how: signal.Signals, tmp_path: Path) -> None:
    shared_memory = sorted(os.listdir("/dev/shm"))
    with subprocess.Popen(
        script(tmp_path, SLEEPING_CALLER), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as caller:
        assert caller.stdout is not None
        assert caller.stdout.readline() == "ready\n"
        family = [pid for pid, _ in descendants(caller.pid)]
        assert len(family) >= 2
        caller.send_signal(how)
        caller.wait(10)
    assert until(lambda: not any(map(is_alive, family)), 10.0)
    assert sorted(os.listdir("/dev/shm")) == shared_memory


FORKING_CALLER = f"""
def children():
    return open(f"/proc/self/task/{{os.getpid()}}/children").read().split()

verifier = CodeVerifier(timeout_s=2.0)
assert verifier.verify({PRINTS_SUM!r}, {SUM!r}).reward == 1
ours = children()
child = os.fork()
if child == 0:
    said = verifier.verify({PRINTS_SUM!r}, {SUM!r})
    verifier.close()
    os._exit(0 if said.reward == 1 else 1)
_, status = os.waitpid(child, 0)
second = os.fork()
if second == 0:
    verifier.close()
    os._exit(0)
os.waitpid(second, 0)
# The children have closed their own jails, not ours.
print(os.waitstatus_to_exitcode(status), verifier.verify({PRINTS_SUM!r}, {SUM!r}).reward, children() == ours)
verifier.close()
"""


@pytest.mark.slow
def test_a_fork_of_the_caller_makes_jails_of_its_own(tmp_path: Path) -> None:
    done = subprocess.run(script(tmp_path, FORKING_CALLER), capture_output=True, text=True, timeout=60)
    assert done.stdout == "0 1.0 True\n", done.stderr


FEW_FILES = f"""
import resource
verifier = CodeVerifier(timeout_s=2.0)
assert verifier.verify({PRINTS_SUM!r}, {SUM!r}).reward == 1
few = len(os.listdir("/proc/self/fd")) + 3
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (few, hard))
said = [verifier.verify({PRINTS_SUM!r}, {SUM!r}), verifier.verify("def add(a, b): return 3", {ADD!r})]
files = len(os.listdir("/proc/self/fd"))
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
said.append(verifier.verify({PRINTS_SUM!r}, {SUM!r}))
print([(one.outcome.value, one.reward) for one in said], files < few)
"""


@pytest.mark.slow
def test_files_that_run_out_are_an_error_and_then_it_goes_on(tmp_path: Path) -> None:
    done = subprocess.run(script(tmp_path, FEW_FILES), capture_output=True, text=True, timeout=60)
    assert done.stdout == "[('error', None), ('error', None), ('correct', 1.0)] True\n", done.stderr


def test_many_threads_share_few_jails() -> None:
    verifier = CodeVerifier(workers=2, timeout_s=2.0)
    before = len(zygotes())
    said: list[float | None] = []

    def judge() -> None:
        for code in (PRINTS_SUM, "print(0)", PRINTS_SUM):
            said.append(verifier.verify(code, SUM).reward)

    threads = [threading.Thread(target=judge) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    n_jails = len(zygotes()) - before
    verifier.close()
    assert sorted(said, key=str) == [0.0] * 8 + [1.0] * 16
    assert n_jails <= 2
    assert len(zygotes()) == before


def test_a_batch_goes_on_while_its_processes_are_killed() -> None:
    verifier = CodeVerifier(workers=2, timeout_s=2.0)
    kills = threading.Event()
    levels = iter((0, 1, 0, 2, 0, 1) * 3)

    def kill() -> None:
        while not kills.wait(0.3):
            wanted = next(levels, 0)
            family = [(pid, 0) for pid in zygotes()]
            family += [(pid, depth + 1) for zygote, _ in family for pid, depth in descendants(zygote)]
            found = [pid for pid, depth in family if depth == wanted]
            if found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(found[-1], signal.SIGKILL)

    def rewards(code: str, expected: float) -> Callable[[], None]:
        def judge() -> None:
            for _ in range(20):
                said = verifier.verify(code, SUM)
                # A right verdict or none; twice killed in one run is taken for a program that kills itself.
                wrong.extend([said] if said.reward not in (expected, None) and said.rule != "signal" else [])

        return judge

    wrong: list[object] = []
    threads = [
        threading.Thread(target=rewards(code, reward)) for code, reward in ((PRINTS_SUM, 1.0), ("print(0)", 0.0))
    ]
    killer = threading.Thread(target=kill)
    for thread in (killer, *threads):
        thread.start()
    for thread in threads:
        thread.join(60)
    kills.set()
    killer.join()
    assert wrong == []
    assert verifier.verify(PRINTS_SUM, SUM).reward == 1
    verifier.close()


def zygotes() -> list[int]:
    """Of this process; other children of it are left alone."""
    return [pid for pid, depth in descendants(os.getpid()) if depth == 0 and b"sandbox/jail" in _command_line(pid)]


def _command_line(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""
