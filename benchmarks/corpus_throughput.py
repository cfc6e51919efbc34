"""How long the maths corpus takes, ours beside math-verify as recommended, each in one killable process.

    python benchmarks/corpus_throughput.py CORPUS.jsonl [--repeat 5] [--limit 20] [--json OUT.json]

CORPUS has one JSON object a line: id, kind, gold, response; `dos` rows are left out, being measured by hostile.py.
Each repetition judges every row once by each grader, row by row in turn, so that both meet the machine's load alike;
the times are those of the call inside the worker. math-verify keeps its own time limits of 5 seconds. Nothing is
cleared between repetitions, so that from the second on both may remember targets: the first stands for itself. Prints

    seconds     for all rows, wall clock, and of processor time, which includes the processes that ours starts
    ratio       math-verify's seconds over ours, within a repetition
    over rows   quantiles of each row's median times and of their ratio; the rows that take ours longest
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from accuracy import WARM_UP
from audit_cost import process_tree

from rewardgate.errors import WorkerError
from rewardgate.verifiers.isolation import Workers

OURS, PEER = "rewardgate math", "math-verify recommended"
WARM_UP_ALL = (*WARM_UP, ("2x", r"\boxed{\frac{d}{dx} x^2}"))
"""The last reaches the process that ours starts for symbolic work."""

Times = dict[str, list[list[float]]]
"""Wall-clock seconds: grader -> repetition -> row."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds after which a worker is killed")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    corpus = [json.loads(line) for line in options.corpus.read_text(encoding="utf-8").split("\n") if line]
    corpus = [row for row in corpus if row["kind"] != "dos"]
    load = os.getloadavg()[0]
    times, processor = measured(corpus, options.repeat, options.limit)
    print(f"python {sys.version.split()[0]}, rewardgate {version('rewardgate')}, math-verify {version('math-verify')}")
    print(
        f"{len(corpus)} rows, {options.repeat} repetitions, load {load:.1f} before and {os.getloadavg()[0]:.1f} after\n"
    )
    print(totals(times, processor))
    print(by_row(times, corpus))
    if options.json is not None:
        report = {"ids": [row["id"] for row in corpus], "seconds": times, "processor_s": processor}
        options.json.write_text(json.dumps(report), encoding="utf-8")


def measured(corpus: Sequence[dict[str, Any]], repeat: int, limit_s: float) -> tuple[Times, dict[str, list[float]]]:
    """Every row's seconds by each grader, and the processor seconds of each repetition.

    A row that kills its worker counts as the limit, and its processor time is lost.
    """
    times: Times = {OURS: [], PEER: []}
    processor: dict[str, list[float]] = {OURS: [], PEER: []}
    here = str(Path(__file__).resolve().parent)
    with Workers(search_path=[here]) as ours, Workers(search_path=[here]) as peer:
        workers = {OURS: ours, PEER: peer}
        for name in times:
            warmed_up(workers[name], name)
        for turn in range(repeat):
            for name in times:
                times[name].append([])
                processor[name].append(-spent(workers[name]))
            for number, row in enumerate(corpus):
                # In turn, so that neither always runs on caches that the other has just emptied.
                for name in (OURS, PEER) if (turn + number) % 2 else (PEER, OURS):
                    times[name][-1].append(seconds_of(workers[name], name, row, limit_s))
            for name in times:
                processor[name][-1] += spent(workers[name])
    return times, processor


def seconds_of(workers: Workers, name: str, row: dict[str, Any], limit_s: float) -> float:
    try:
        return workers.call("graders:graded", name, row["gold"], row["response"], timeout_s=limit_s)["seconds"]
    except WorkerError:
        warmed_up(workers, name)
        return limit_s


def warmed_up(workers: Workers, name: str) -> None:
    for gold, response in WARM_UP_ALL:
        workers.call("graders:graded", name, gold, response, timeout_s=60.0)


def spent(workers: Workers) -> float:
    return workers.call("corpus_throughput:processor_seconds", timeout_s=60.0)


def processor_seconds() -> float:
    """Of this process and all that it started, ended ones included; runs in the worker."""
    ticks = 0
    for process in process_tree(os.getpid()):
        fields = (Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def totals(times: Times, processor: dict[str, list[float]]) -> str:
    """Seconds of every repetition and their ratio, in Markdown."""
    text = f"| repetition | {OURS} s | {PEER} s | ratio | processor s | processor ratio |\n|{' --- |' * 6}\n"
    ratios = []
    for turn, (own, other) in enumerate(zip(times[OURS], times[PEER], strict=True)):
        ratios.append(sum(other) / sum(own))
        cpu, other_cpu = processor[OURS][turn], processor[PEER][turn]
        text += f"| {turn + 1} | {sum(own):.2f} | {sum(other):.2f} | {ratios[-1]:.1f} | {cpu:.2f} / {other_cpu:.2f} "
        text += f"| {other_cpu / cpu:.1f} |\n"
    return text + f"\nratio of the seconds, min / median / max: {_spread(ratios)}\n"


def by_row(times: Times, corpus: Sequence[dict[str, Any]]) -> str:
    """Quantiles of the rows' ratios, of both graders' times, and the rows that take ours longest."""
    own, other = ([median(row) for row in zip(*times[name], strict=True)] for name in (OURS, PEER))
    ratios = [b / a for a, b in zip(own, other, strict=True)]
    percents = (1, 5, 25, 50, 75, 95, 99)
    text = f"| over the rows | {' | '.join(f'{percent} %' for percent in percents)} |\n|{' --- |' * 8}\n"
    for title, values, digits in (
        ("ratio", ratios, 1),
        (f"{OURS} ms", [1e3 * value for value in own], 2),
        (f"{PEER} ms", [1e3 * value for value in other], 2),
    ):
        cuts = quantiles(values, n=100, method="inclusive")
        cells = " | ".join(f"{cuts[percent - 1]:,.{digits}f}" for percent in percents)
        text += f"| {title} | {cells} |\n"
    slower = sum(ratio < 1 for ratio in ratios)
    text += f"\nrows where ours is the slower one: {slower} of {len(ratios)}\nlongest of ours:\n"
    for number in sorted(range(len(own)), key=lambda number: -own[number])[:8]:
        row = corpus[number]
        text += f"  {1e3 * own[number]:,.1f} ms ({PEER}: {1e3 * other[number]:,.1f}), {row['id']}, {row['kind']}\n"
    return text


def _spread(values: Sequence[float]) -> str:
    return " / ".join(f"{value:,.1f}" for value in (min(values), median(values), max(values)))


if __name__ == "__main__":
    main()
