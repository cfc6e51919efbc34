r"""Many pairs through `iter_verdicts` and its workers: does memory stay where it was, and each verdict with its row?

    python benchmarks/streaming.py [--pairs 100000] [--workers 2] [--verifier math] [--json OUT.json]

The pairs come from a generator, by a seed: integers in everyday sentences, fractions, radicals, polynomials, tuples,
units, text without an answer, and a few that reach the symbolic stage, half of them wrong. Memory is the proportional
set size (pages that processes share are counted once) of this process, the workers and all that they start, read
after every hundredth of the pairs. Prints, for each tenth, megabytes and pairs a second, and then

    growth    the highest of all readings from 10 % of the pairs on, and the last, against the one at 10 %
    aligned   verdicts whose reward is what the generator made their row for, by kind of pair; every 50th row
              is judged again in this process, after the readings, and must get an equal verdict
"""

import argparse
import json
import os
import random
import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from time import perf_counter

from audit_cost import process_tree
from throughput import FORMS, MATHS, PROSE

from rewardgate.verifiers import get
from rewardgate.verifiers.batch import iter_verdicts

AGAIN = 50
SHARES = {
    "integer": 50,
    "fraction": 12,
    "radical": 8,
    "polynomial": 10,
    "tuple": 8,
    "unit": 6,
    "no answer": 4,
    "interval": 1.5,
    "symbolic": 0.5,
}

Pair = tuple[str, str, str, float]
"""Kind, response, target, and the reward that it was made for."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--verifier", default="math")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(
        f"python {sys.version.split()[0]}, rewardgate {version('rewardgate')}, {options.pairs:,} pairs, "
        f"`{options.verifier}` on {options.workers} workers, load {os.getloadavg()[0]:.1f} before\n"
    )
    readings, right, sampled = streamed(options.verifier, options.pairs, options.workers)
    print(table(readings, options.pairs))
    at_tenth, last = readings[9][1], readings[-1][1]
    highest = max(megabytes for _, megabytes, _ in readings[9:])
    growth = {"highest": highest - at_tenth, "last": last - at_tenth}
    print(f"growth from 10 % on: highest {growth['highest']:+.1f} MB, last {growth['last']:+.1f} MB")
    print(
        "aligned: "
        + ", ".join(f"{kind} {right[kind, True]:,}/{right[kind, True] + right[kind, False]:,}" for kind in SHARES)
    )
    verifier = get(options.verifier)
    again = (pair for number, pair in enumerate(pairs(options.pairs)) if number % AGAIN == 0)
    differ = [
        pair for pair, verdict in zip(again, sampled, strict=True) if verifier.verify(pair[1], pair[2]) != verdict
    ]
    print(f"judged again in this process: {len(sampled):,}, different verdicts: {len(differ)}")
    for _, response, target, _ in differ[:5]:
        print(f"  {response[-80:]!r} against {target!r}")
    if options.json is not None:
        aligned = {kind: [right[kind, True], right[kind, False]] for kind in SHARES}
        report = {"readings": readings, "growth_mb": growth, "aligned": aligned, "different_verdicts": len(differ)}
        options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


def pairs(count: int) -> Iterator[Pair]:
    """The same pairs whenever asked."""
    generator = random.Random("streaming")
    for number in range(count):
        kind = generator.choices(list(SHARES), list(SHARES.values()))[0]
        off = generator.randrange(2)
        answer, target = answer_and_target(kind, off, generator)
        lead = (*(3 * [""]), PROSE * generator.randint(1, 6), MATHS * generator.randint(1, 6))[generator.randrange(5)]
        if kind == "integer":
            form = generator.choice(list(FORMS.values()))
            yield kind, f"{lead}\n{form.format(answer=int(answer))}", target, 1.0 - off
        elif kind == "no answer":
            yield kind, f"{PROSE}Row {number} breaks off here, and", target, 0.0
        else:
            yield kind, rf"{lead}Thus the answer is $\boxed{{{answer}}}$.", target, 1.0 - off


def answer_and_target(kind: str, off: int, generator: random.Random) -> tuple[str, str]:
    """An answer and its target, which differ where `off` is 1."""
    a, b, c = (generator.randint(2, 99) for _ in range(3))
    if kind == "fraction":
        return rf"\frac{{{(a + off) * c}}}{{{b * c}}}", rf"\frac{{{a}}}{{{b}}}"
    if kind == "radical":
        return rf"\sqrt{{{a * a * b + off}}}", rf"{a}\sqrt{{{b}}}"
    if kind == "polynomial":
        return f"(x+{a})({b}x+{c})", f"{b}x^2+{c + a * b}x+{a * c + off}"
    if kind == "tuple":
        return rf"\left({a}, {b + off}, {c}\right)", f"({a},{b},{c})"
    if kind == "unit":
        return rf"{a + off}\text{{ cm}}", rf"{a} \text{{ cm}}"
    if kind == "interval":
        return rf"[{a}, {a + b + off}) \cup ({200 + c}, \infty)", rf"[{a},{a + b}) \cup ({200 + c},\infty)"
    if kind == "symbolic":
        return rf"\frac{{d}}{{dx}} ({a}x^2+{b}x)", f"{2 * a + off}x+{b}"
    gold = generator.randrange(10 ** generator.randint(1, 6))
    return str(gold + off), str(gold)


def streamed(verifier: str, count: int, workers: int) -> tuple[list[tuple[int, float, float]], Counter, list]:
    """Readings (row, megabytes, seconds since the start), rewards as expected by kind, and every 50th verdict."""
    ahead: deque[tuple[str, float]] = deque()
    right: Counter[tuple[str, bool]] = Counter()
    readings, sampled = [], []

    def rows() -> Iterator[tuple[str, str]]:
        for kind, response, target, expected in pairs(count):
            ahead.append((kind, expected))
            yield response, target

    started = perf_counter()
    for number, verdict in enumerate(iter_verdicts(verifier, rows(), workers=workers)):
        kind, expected = ahead.popleft()
        right[kind, verdict.reward == expected] += 1
        if number % AGAIN == 0:
            sampled.append(verdict)
        if (number + 1) % (count // 100) == 0:
            readings.append((number + 1, proportional_mb(), perf_counter() - started))
    if ahead or sum(right.values()) != count:
        raise SystemExit(f"{count} rows went in, {sum(right.values())} verdicts came out")
    return readings, right, sampled


def proportional_mb() -> float:
    """Megabytes of this process and its descendants, shared pages counted once."""
    kilobytes = 0
    for process in process_tree(os.getpid()):
        with suppress(FileNotFoundError, ProcessLookupError):
            lines = (Path("/proc") / str(process) / "smaps_rollup").read_text().splitlines()
            kilobytes += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return kilobytes / 1024


def table(readings: list[tuple[int, float, float]], count: int) -> str:
    text = "| pairs | MB | pairs/s since the line before |\n| --- | --- | --- |\n"
    before, since = 0, 0.0
    for number, megabytes, seconds in islice(readings, 9, None, 10):
        text += (
            f"| {number:,} ({number / count:.0%}) | {megabytes:.1f} | {(number - before) / (seconds - since):,.0f} |\n"
        )
        before, since = number, seconds
    return text + f"\n{count / readings[-1][2]:,.0f} pairs a second over all\n"


if __name__ == "__main__":
    main()
