"""Pairs a second on easy integers, ours beside math-verify in one process, by how the answer is written.

    python benchmarks/throughput.py [--pairs 100] [--repeat 7] [--json OUT.json]

Golds are integers of 1 to 6 digits; every other answer is off by one. The answer stands in seven everyday forms, at the
end of a short text, of 2,000 characters of prose and of 2,000 characters of worked maths. Each repetition runs all
graders one after the other, in rotating order and each on pairs of its own, so that no cache answers; the first 20
pairs of each are left out. Seconds are the process's own, so that other load on the machine is in no figure. Prints,
for each text:

    pairs/s   over all forms together, each form equally often (min / median / max over the repetitions)
    × peer    how many times as fast as each math-verify configuration, within a repetition (min / median / max)
    right     share of the left-out pairs that were judged as expected: being fast and wrong is no comparison
    by form   median pairs/s of `rewardgate math` and of math-verify recommended, and their ratio; a shape that a
              grader has a short way for shows here, and must not stand for the others

then the seconds from a fresh interpreter to the first verdict.
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
from time import perf_counter, process_time

import graders

WARM_UP = 20
TEXT_CHARS = 2000
FORMS = {
    "boxed in dollars": r"The answer is $\boxed{{{answer}}}$.",
    "boxed alone": r"so \boxed{{{answer}}}",
    "boxed with commas": r"The answer is $\boxed{{{answer:,}}}$.",
    "phrase": "The answer is {answer}.",
    "hash": "That is all.\n#### {answer}",
    "dollars": "Final answer: ${answer}$",
    "bold": "**Answer:** {answer}",
}
PROSE = (
    "We first collect the terms on one side and look at what is left. Since every step can be undone, nothing is lost "
    "on the way, and the two cases that remain are handled one after the other. "
)
MATHS = (
    r"We have $12 \cdot 7 = 84$ and, since $84 - 2 = 82$, it follows that \[ x = \frac{82}{2} = 41. \] "
    "Equivalently, all three of them hold. "
)
TEXTS = {"short text": "", "2,000 characters of prose": PROSE, "2,000 characters of worked maths": MATHS}
OURS, PEER = "rewardgate math", "math-verify recommended"

Pairs = list[tuple[str, str, bool]]
Seconds = dict[str, dict[str, list[float]]]
"""Seconds a pair: form -> grader -> one number a repetition."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100, help="pairs of each form in each repetition")
    parser.add_argument("--repeat", type=int, default=7, help="interleaved repetitions, at least 5")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.repeat < 5:
        parser.error("--repeat: expected at least 5")
    cold = {name: cold_start_s(name) for name in graders.GRADERS}
    print(f"python {sys.version.split()[0]}, rewardgate {version('rewardgate')}, math-verify {version('math-verify')}")
    print(f"{options.pairs} pairs of each form, {options.repeat} interleaved repetitions, one process\n")
    report = {}
    for title, text in TEXTS.items():
        seconds, right = measured(text, options.pairs, options.repeat)
        print(f"### {title}\n\n{table(seconds, right)}\n{by_form(seconds)}")
        report[title] = {"seconds_a_pair": seconds, "right": right}
    print("### seconds from a fresh interpreter to the first verdict\n")
    print("".join(f"{name}: {value:.2f}\n" for name, value in cold.items()))
    if options.json is not None:
        options.json.write_text(json.dumps({**report, "cold_start_s": cold}, indent=1), encoding="utf-8")


def easy_integers(count: int, seed: str, *, text: str, form: str) -> Pairs:
    """(gold, response, expected) in one form, after `text` repeated to TEXT_CHARS characters."""
    generator = random.Random(seed)
    lead = (text * (TEXT_CHARS // len(text) + 1))[:TEXT_CHARS] + "\n" if text else ""
    pairs = []
    for position in range(count):
        gold = generator.randrange(10 ** generator.randint(1, 6))
        answer = gold + position % 2
        pairs.append((str(gold), lead + FORMS[form].format(answer=answer), answer == gold))
    return pairs


def measured(text: str, count: int, repeat: int) -> tuple[Seconds, dict[str, float]]:
    """Seconds a pair of every grader by form, and the share of warm-up pairs that it judged as expected."""
    built = {name: build() for name, build in graders.GRADERS.items()}
    seconds: Seconds = {form: {name: [] for name in built} for form in FORMS}
    judged: dict[str, list[bool]] = {name: [] for name in built}
    for turn in range(repeat):
        names = list(built)
        shift = turn % len(names)
        for form in FORMS:
            for name in (*names[shift:], *names[:shift]):
                pairs = easy_integers(count + WARM_UP, f"{turn} {form} {name}", text=text, form=form)
                grader = built[name]
                judged[name] += [grader(gold, response) is expected for gold, response, expected in pairs[:WARM_UP]]
                started = process_time()
                for gold, response, _ in pairs[WARM_UP:]:
                    grader(gold, response)
                seconds[form][name].append((process_time() - started) / count)
    return seconds, {name: sum(right) / len(right) for name, right in judged.items()}


def cold_start_s(name: str) -> float:
    """Seconds from starting an interpreter to the end of its first verdict, imports included."""
    program = f"import graders; graders.graded({name!r}, '5', r'so \\boxed{{5}}')"
    started = perf_counter()
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).resolve().parent, check=True)
    return perf_counter() - started


def table(seconds: Seconds, right: dict[str, float]) -> str:
    """All forms together: pairs a second and ratios to each peer, in Markdown."""
    repeat = len(seconds[next(iter(FORMS))][OURS])
    mixed = {
        name: [len(FORMS) / sum(seconds[form][name][turn] for form in FORMS) for turn in range(repeat)]
        for name in right
    }
    peers = [name for name in mixed if name.startswith("math-verify")]
    text = (
        f"| grader | pairs/s | {' | '.join(f'× {peer}' for peer in peers)} | right |\n|{' --- |' * (3 + len(peers))}\n"
    )
    for name, own in mixed.items():
        ratios = [_spread([a / b for a, b in zip(own, mixed[peer], strict=True)], 1) for peer in peers]
        text += f"| {name} | {_spread(own, 0)} | {' | '.join(ratios)} | {right[name]:.2f} |\n"
    return text


def by_form(seconds: Seconds) -> str:
    """Each form by itself, in Markdown."""
    text = f"| form | {OURS} | {PEER} | ratio |\n| --- | --- | --- | --- |\n"
    for form, times in seconds.items():
        own, other = times[OURS], times[PEER]
        ratios = _spread([b / a for a, b in zip(own, other, strict=True)], 1)
        text += f"| {form} | {1 / median(own):,.0f} | {1 / median(other):,.0f} | {ratios} |\n"
    return text


def _spread(values: Sequence[float], digits: int) -> str:
    return " / ".join(f"{value:,.{digits}f}" for value in (min(values), median(values), max(values)))


if __name__ == "__main__":
    main()
