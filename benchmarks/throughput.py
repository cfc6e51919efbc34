"""Pairs a second on easy integers, ours beside math-verify in one process, in short texts and in 2,000 characters.

    python benchmarks/throughput.py [--pairs 400] [--repeat 7] [--json OUT.json]

Every other answer is wrong. Each repetition runs all graders one after the other, in rotating order and each on pairs
of its own, so that no cache answers; the first 20 pairs of each are left out. Prints, for each text length: pairs a
second (min / median / max over the repetitions) and how many times as fast as each math-verify configuration (min /
median / max of the ratio within a repetition); then, apart, the seconds from a fresh interpreter to the first verdict.
"""

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter

import graders

WARM_UP = 20
PROSE = (
    "We first collect the terms on one side and look at what is left. Since every step can be undone, nothing is lost "
    "on the way, and the two cases that remain are handled one after the other. "
)
Pairs = list[tuple[str, str, bool]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=400, help="pairs in each repetition")
    parser.add_argument("--repeat", type=int, default=7, help="interleaved repetitions, at least 5")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.repeat < 5:
        parser.error("--repeat: expected at least 5")
    cold = {name: cold_start_s(name) for name in graders.GRADERS}
    rates = {
        title: measured(options.pairs, options.repeat, prose_chars=characters)
        for title, characters in (("short text", 0), ("2,000 characters of prose", 2000))
    }
    print(f"python {sys.version.split()[0]}, rewardgate {version('rewardgate')}, math-verify {version('math-verify')}")
    print(f"{options.pairs} pairs, {options.repeat} interleaved repetitions, one process\n")
    for title, by_grader in rates.items():
        print(f"### {title}\n")
        print(table(by_grader))
    print("### seconds from a fresh interpreter to the first verdict\n")
    print("".join(f"{name}: {seconds:.2f}\n" for name, seconds in cold.items()))
    if options.json is not None:
        options.json.write_text(json.dumps({"pairs_per_s": rates, "cold_start_s": cold}, indent=1), encoding="utf-8")


def easy_integers(count: int, seed: str, *, prose_chars: int) -> Pairs:
    """(gold, response, expected) with golds of 1 to 6 digits; every other response is off by one."""
    generator = random.Random(seed)
    prose = (PROSE * (prose_chars // len(PROSE) + 1))[:prose_chars]
    pairs = []
    for position in range(count + WARM_UP):
        gold = generator.randrange(10 ** generator.randint(1, 6))
        answer = gold + position % 2
        pairs.append((str(gold), rf"{prose} The answer is $\boxed{{{answer}}}$.", answer == gold))
    return pairs


def measured(count: int, repeat: int, *, prose_chars: int) -> dict[str, list[float]]:
    """Pairs a second of every grader in every repetition."""
    built = {name: build() for name, build in graders.GRADERS.items()}
    rates: dict[str, list[float]] = {name: [] for name in built}
    for turn in range(repeat):
        names = list(built)
        shift = turn % len(names)
        for name in (*names[shift:], *names[:shift]):
            pairs = easy_integers(count, f"{turn} {name}", prose_chars=prose_chars)
            rates[name].append(_rate(built[name], name, pairs))
    return rates


def _rate(grader: graders.Grader, name: str, pairs: Pairs) -> float:
    for gold, response, expected in pairs[:WARM_UP]:
        # A fast grader that is wrong would be no comparison.
        if grader(gold, response) is not expected:
            raise SystemExit(f"{name}: expected {expected} for gold {gold} and response ending {response[-40:]!r}")
    timed = pairs[WARM_UP:]
    started = perf_counter()
    for gold, response, _ in timed:
        grader(gold, response)
    return len(timed) / (perf_counter() - started)


def cold_start_s(name: str) -> float:
    """Seconds from starting an interpreter to the end of its first verdict, imports included."""
    program = f"import graders; graders.graded({name!r}, '5', r'so \\boxed{{5}}')"
    started = perf_counter()
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).resolve().parent, check=True)
    return perf_counter() - started


def table(rates: dict[str, list[float]]) -> str:
    """Pairs a second and ratios to each peer, in Markdown."""
    peers = [name for name in rates if name.startswith("math-verify")]
    text = f"| grader | pairs/s | {' | '.join(f'× {peer}' for peer in peers)} |\n|{' --- |' * (2 + len(peers))}\n"
    for name, own in rates.items():
        ratios = [_spread([a / b for a, b in zip(own, rates[peer], strict=True)], 1) for peer in peers]
        text += f"| {name} | {_spread(own, 0)} | {' | '.join(ratios)} |\n"
    return text


def _spread(values: Sequence[float], digits: int) -> str:
    return " / ".join(f"{value:,.{digits}f}" for value in (min(values), median(values), max(values)))


if __name__ == "__main__":
    main()
