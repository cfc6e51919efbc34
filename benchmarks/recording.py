"""What recording adds to a reward function, and what is left of a log whose writers were killed.

    python benchmarks/recording.py [--rows 20000] [--chars 2000] [--kills 60] [--seed 0] [--folder FOLDER]

First, microseconds that `record` adds to a row: each call of the recorded function is timed beside one of the bare
function, by one thread, by four, by two processes, and in batches of 64 as TRL calls; then in batches with `watch` at
work. The function does nothing, so that all that is measured is ours. p50 and p99 are wall-clock, `cpu` is the median
of the thread's own processor time: on a busy machine they differ by what others took.

Then recorders are killed (SIGKILL) at random moments: pairs of processes with two threads each write rows of up to 40
kB to one file, and tell on a pipe every row that the recorded function has returned from. Printed: rows acknowledged,
rows of these that reading does not find (must be 0), lines that reading refuses, and how many of them are not torn
beginnings of a row (must be 0).

FOLDER should be on the file system that the runs are logged to; default: the system's temporary folder.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, sleep, thread_time
from types import SimpleNamespace
from typing import Any

from rewardgate.rollouts import Rollout, read_rows, record, watch

BATCH = 64

Added = tuple[float, float]
"""Seconds a row: wall-clock, and the thread's processor time."""

KILLED = """
import random, sys, threading
from rewardgate.rollouts import record

def reward(completion, target):
    return 1.0

path, name = sys.argv[1:]
recorded, lock = record(reward, path), threading.Lock()

def score(thread):
    sizes = random.Random(f"{name}-{thread}")
    for n in range(10**9):
        key = f"{name}-{thread}-{n}"
        recorded(key + " " + "x" * sizes.randrange(40_000), "4")
        with lock:
            sys.stdout.write(key + "\\n")
            sys.stdout.flush()

for thread in range(2):
    threading.Thread(target=score, args=(thread,), daemon=True).start()
threading.Event().wait()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--chars", type=int, default=2_000, help="of a response")
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--time-into", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.time_into is not None:
        print(json.dumps(added_by_row(record(nothing, options.time_into), options.rows, options.chars)))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        costs(Path(folder), options)
        kills(Path(folder) / "killed.jsonl", options.kills, random.Random(options.seed))


def nothing(completion: str, target: str) -> float:
    return 1.0


def nothing_in_batches(prompts: list[str], completions: list[str], answer: list[str], **columns: Any) -> list[float]:
    return [1.0] * len(completions)


def costs(folder: Path, options: argparse.Namespace) -> None:
    rows, chars = options.rows, options.chars
    title = f"added to a row of {chars:,} characters, µs"
    print(f"| {title:43} |    p50 |     p99 |    cpu | rows\n| {'-' * 43} | -----: | ------: | -----: | ---:")
    show("1 thread", added_by_row(record(nothing, folder / "one.jsonl"), rows, chars))
    show("4 threads", in_threads(4, record(nothing, folder / "four.jsonl"), rows // 4, chars))
    show("2 processes", in_processes(2, folder / "two.jsonl", options))
    show(f"1 thread, batches of {BATCH}", added_by_batch(record(nothing_in_batches, folder / "b.jsonl"), rows, chars))
    watched = watch(nothing_in_batches, folder / "watched.jsonl")
    show(f"1 thread, batches of {BATCH}, watched", added_by_batch(watched, rows, chars))
    del watched


def show(name: str, added: list[Added]) -> None:
    wall = sorted(seconds for seconds, _ in added)
    p99 = wall[min(len(wall) - 1, int(0.99 * len(wall)))]
    processor = median(seconds for _, seconds in added)
    told = f"{1e6 * median(wall):6.1f} | {1e6 * p99:7.1f} | {1e6 * processor:6.1f}"
    print(f"| {name:43} | {told} | {len(added):,}", flush=True)


def added_by_row(recorded: Callable[[str, str], float], rows: int, chars: int) -> list[Added]:
    """What each call of `recorded` takes longer than one of the bare function beside it."""
    added = []
    for n in range(rows):
        completion = f"{n} " + "The answer is 4. " * (chars // 17)
        added.append(beside(partial(nothing, completion, "4"), partial(recorded, completion, "4"), 1))
    return added


def added_by_batch(recorded: Callable[..., list[float]], rows: int, chars: int) -> list[Added]:
    """The same in batches, each divided by its rows."""
    added = []
    for step in range(1, rows // BATCH + 1):
        batch = {
            "prompts": [f"What is {step} + {n // 8}?" for n in range(BATCH)],
            "completions": [f"{n} " + "The answer is 4. " * (chars // 17) for n in range(BATCH)],
            "answer": ["4"] * BATCH,
            "trainer_state": SimpleNamespace(global_step=step),
        }
        added += [beside(partial(nothing_in_batches, **batch), partial(recorded, **batch), BATCH)] * BATCH
    return added


def beside(bare: Callable[[], Any], recorded: Callable[[], Any], rows: int) -> Added:
    times = []
    for call in (bare, recorded):
        start, processor = perf_counter(), thread_time()
        call()
        times.append((perf_counter() - start, thread_time() - processor))
    return (times[1][0] - times[0][0]) / rows, (times[1][1] - times[0][1]) / rows


def in_threads(n: int, recorded: Callable[[str, str], float], rows: int, chars: int) -> list[Added]:
    found: list[Added] = []
    threads = [threading.Thread(target=lambda: found.extend(added_by_row(recorded, rows, chars))) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def in_processes(n: int, path: Path, options: argparse.Namespace) -> list[Added]:
    sizes = ["--rows", str(options.rows // n), "--chars", str(options.chars)]
    command = [sys.executable, __file__, "--time-into", str(path), *sizes]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(n)]
    return [(wall, cpu) for process in processes for wall, cpu in json.loads(process.communicate()[0])]


def kills(path: Path, n_kills: int, chance: random.Random) -> None:
    """Kill `n_kills` recorders, two at a time, and count what they had acknowledged."""
    acknowledged: set[str] = set()
    for pair in range(0, n_kills, 2):
        writers = [
            subprocess.Popen([sys.executable, "-c", KILLED, str(path), f"{pair + number}"], stdout=subprocess.PIPE)
            for number in range(2)
        ]
        listeners = [threading.Thread(target=listen, args=(writer, acknowledged)) for writer in writers]
        for writer in writers:
            assert writer.stdout is not None
            acknowledged.add(writer.stdout.readline().decode().strip())  # it has begun
        for listener in listeners:
            listener.start()
        for writer in writers:
            sleep(chance.uniform(0, 0.05))
            writer.kill()
        for writer, listener in zip(writers, listeners, strict=True):
            writer.wait()
            listener.join()
    found, refused, odd = set(), 0, 0
    for row in read_rows(path):
        if isinstance(row, Rollout):
            found.add(str(row.response).partition(" ")[0])
        else:
            refused += 1
            odd += "expected a JSON object, got" not in row.reason
    print(f"\n{n_kills} recorders killed, {path.stat().st_size / 1e6:,.0f} MB written by pairs of them")
    print(f"rows acknowledged {len(acknowledged):,}, of these lost {len(acknowledged - found):,}")
    print(f"lines refused {refused:,}, of these not torn {odd:,}")
    print(f"whole rows that no acknowledgement arrived for {len(found - acknowledged):,}")


def listen(writer: "subprocess.Popen[bytes]", acknowledged: set[str]) -> None:
    assert writer.stdout is not None
    for line in writer.stdout:
        if line.endswith(b"\n"):  # else the kill cut it, and it acknowledges nothing
            acknowledged.add(line.decode().strip())


if __name__ == "__main__":
    main()
