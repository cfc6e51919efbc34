"""What hostile input costs: every bound, measured.

    python benchmarks/hostile.py CORPUS

CORPUS is JSON lines with kind, gold, response, expected; its `dos` and `code_exec` rows are used, and our own: a 5 MB
response, 100,000 nested braces, 200,000 digits. Prints, for each: outcome, rule, milliseconds of `verify`, and the
longest time that an event loop stood still while the same verdict was asked from it by `averify` (a task that asks for
its turn all the time notes the longest gap; the median of five runs). Then: verdicts on 64 rows while their workers
are killed with SIGKILL again and again, and files that a code_exec row left behind (there must be none).
"""

import argparse
import asyncio
import gc
import json
import os
import signal
import tempfile
import threading
from collections import Counter
from pathlib import Path
from statistics import median
from time import perf_counter

import rewardgate.verifiers as verifiers
from rewardgate.verifiers.batch import averify, verify_many

Row = tuple[str, str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    corpus = parser.parse_args().corpus.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        rows = [*corpus_rows(corpus), *own_rows()]
        verifier = verifiers.get("math")
        for _, response, gold in rows:
            verifier.verify(response, gold)
        stalls = asyncio.run(stalled_ms(verifier, rows))
        print("| row | outcome | rule | verify ms | loop stalled ms |\n| --- | --- | --- | --- | --- |")
        for (name, response, gold), stalled in zip(rows, stalls, strict=True):
            started = perf_counter()
            verdict = verifier.verify(response, gold)
            spent = 1e3 * (perf_counter() - started)
            print(f"| {name} | {verdict.outcome} | {verdict.rule} | {spent:.2f} | {stalled:.2f} |")
        print(f"\nlongest stall: {max(stalls):.2f} ms over {len(rows)} rows")
        print(f"files left in the scratch folder: {sorted(os.listdir(scratch)) or 'none'}")
        print(f"64 rows while workers are killed: {under_fire()}")
        os.chdir("/")


def corpus_rows(corpus: Path) -> list[Row]:
    rows = [json.loads(line) for line in corpus.read_text(encoding="utf-8").split("\n") if line]
    return [
        (f"{row['kind']} {number}", row["response"], row["gold"])
        for number, row in enumerate(rows)
        if row["kind"] in ("dos", "code_exec")
    ]


def own_rows() -> list[Row]:
    return [
        ("5 MB response", "The sum keeps growing. " * 220_000 + r"\boxed{42}", "42"),
        ("5 MB of chat", r"\boxed{1} no, wait. " * 250_000 + r"\boxed{42}", "42"),
        ("100,000 nested braces", "{" * 100_000 + r"\boxed{42}" + "}" * 100_000, "42"),
        ("100,000 nested braces in a box", r"\boxed{" + "{" * 100_000 + "42" + "}" * 100_000 + "}", "42"),
        ("200,000 digits", r"\boxed{" + "7" * 200_000 + "}", "42"),
    ]


async def stalled_ms(verifier: verifiers.Verifier, rows: list[Row]) -> list[float]:
    """For each row, the longest that the loop stood still while its verdict was asked for, in milliseconds."""
    await averify(verifier, "x" * 10_000, "1")  # starts the worker
    gc.disable()  # a collection is not ours
    try:
        return [median([await _stalled_ms(verifier, response, gold) for _ in range(5)]) for _, response, gold in rows]
    finally:
        gc.enable()


async def _stalled_ms(verifier: verifiers.Verifier, response: str, gold: str) -> float:
    verdict = asyncio.create_task(averify(verifier, response, gold))
    longest, last = 0.0, perf_counter()
    while not verdict.done():
        await asyncio.sleep(0)
        now = perf_counter()
        longest, last = max(longest, now - last), now
    await verdict
    return 1e3 * longest


class _Slow:
    """A verifier slow enough to be shot at."""

    version = "1"

    def verify(self, completion: str, target: str, *, prompt: object = None) -> verifiers.Verdict:
        deadline = perf_counter() + 0.2
        while perf_counter() < deadline:
            pass
        return verifiers.get("math").verify(completion, target)


def under_fire() -> str:
    """Outcomes of 64 rows whose workers are killed every 2 s, some while they start."""
    stop = threading.Event()
    killed = 0

    def shoot() -> None:
        nonlocal killed
        while not stop.wait(2):
            for pid in _worker_pids():
                os.kill(pid, signal.SIGKILL)
                killed += 1

    gunner = threading.Thread(target=shoot)
    gunner.start()
    try:
        found = verify_many(_Slow(), [(rf"\boxed{{{number}}}", "7") for number in range(64)], workers=2, budget_s=20)
    finally:
        stop.set()
        gunner.join()
    assert len(found) == 64
    counts = Counter(str(verdict.outcome) for verdict in found)
    return f"{killed} workers killed, {len(found)} verdicts: {dict(counts)}"


def _worker_pids() -> list[int]:
    mine = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if (folder / "stat").read_text().rpartition(")")[2].split()[1] == str(os.getpid()):
                    mine.append(int(folder.name))
            except (FileNotFoundError, ProcessLookupError):
                continue
    return mine


if __name__ == "__main__":
    main()
