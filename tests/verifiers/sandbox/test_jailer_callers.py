"""The jail's callers when things go wrong: ended, forked, short of files, many at once, their jails killed."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sandboxed import ADD, PRINTS_SUM, SUM, descendants, is_alive, until

from rewardgate.verifiers.code import CodeVerifier

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT RUN: Linux alone has jails")


def script(tmp_path: Path, text: str) -> list[str]:
    """A caller of its own, as a program."""
    path = tmp_path / "caller.py"
    path.write_text(f"import os, sys, threading\nfrom rewardgate.verifiers.code import CodeVerifier\n{text}")
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
