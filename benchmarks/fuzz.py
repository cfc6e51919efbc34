r"""Random texts against each stage of the maths verifier: none raises, none lingers.

    python benchmarks/fuzz.py [--minutes 1] [--target tokens|parse|comparison|extraction|verify] [--limit-ms 50]
    python benchmarks/fuzz.py --target verify --show 123456

The texts are those of `fuzz_texts.py`: spliced ones for `extraction` and `verify`; for the others every second one is
a random expression, whose target is mostly the same expression written once more. They run in a process that is killed
where it hangs.

    tokens       the tokens of the text, normalised where it is not too long for an answer
    parse        its tree
    comparison   `math` without its symbolic stage, the text being the answer
    extraction   the extractor `auto` on the text
    verify       `math` whole, the text being the completion

Prints a row a target: texts, texts a second, exceptions (ERROR verdicts among them; that a text is unreadable is an
answer, and none), texts that took longer than the limit three times running, hangs, and milliseconds of processor time
(of `verify`, which waits for another process, by the clock) at the median, the 99th percentile, the 99.9th and the
worst; then each failure by its number (`--show` prints the text and what is said of it), with the text cut down to
what still fails. Exit status 1 where anything raised or hung.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from time import monotonic, perf_counter, process_time
from typing import Any

from fuzz_texts import expression, spliced

from rewardgate.errors import WorkerError
from rewardgate.verifiers import Extracted, Outcome, extractors
from rewardgate.verifiers.expression.normalise import normalise
from rewardgate.verifiers.expression.parser import parse
from rewardgate.verifiers.expression.tokens import UnreadableError, tokenise
from rewardgate.verifiers.isolation import Workers
from rewardgate.verifiers.math import MathVerifier
from rewardgate.verifiers.targets import is_too_long

CHUNK = 250
HANG_S = 10.0
"""A chunk takes less than a second; one that takes so long is taken apart."""


@dataclass(slots=True)
class Found:
    """What one target's texts came to."""

    milliseconds: list[float] = field(default_factory=list)
    raised: dict[int, str] = field(default_factory=dict)
    slow: dict[int, float] = field(default_factory=dict)
    hung: list[int] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0, help="for each target")
    parser.add_argument("--target", action="append", choices=TARGETS, help="may be given several times")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit-ms", type=float, default=50.0)
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print one text and what is said of it")
    options = parser.parse_args()
    targets = options.target or list(TARGETS)
    if options.show is not None:
        for name in targets:
            show(name, options.seed, options.show)
        return
    print("| target | texts | a second | raised | slow | hung | p50 ms | p99 ms | p99.9 ms | worst ms |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    found = {name: fuzzed(name, options.minutes * 60, options.seed, options.limit_ms) for name in targets}
    for name, results in found.items():
        report(name, results, options.seed, options.limit_ms)
    sys.exit(any(results.raised or results.hung for results in found.values()))


def fuzzed(name: str, seconds: float, seed: int, limit_ms: float) -> Found:
    found = Found()
    with Workers(search_path=[str(Path(__file__).resolve().parent)]) as workers:
        workers.call("fuzz:chunk", name, seed, 0, 1, limit_ms, timeout_s=120.0)  # imports, and what starts processes
        started = monotonic()
        first = 0
        while monotonic() - started < seconds:
            collect(workers, found, name, seed, first, CHUNK, limit_ms)
            first += CHUNK
        spent = monotonic() - started
    ordered = sorted(found.milliseconds) or [0.0]
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.99, 0.999, 1.0)]
    figures = " | ".join(f"{value:.2f}" for value in at)
    counts = f"{len(found.raised)} | {len(found.slow)} | {len(found.hung)}"
    print(f"| {name} | {len(ordered):,} | {len(ordered) / spent:,.0f} | {counts} | {figures} |", flush=True)
    return found


def collect(workers: Workers, found: Found, name: str, seed: int, first: int, count: int, limit_ms: float) -> None:
    """The results of a chunk; of each of its texts alone where one of them hung."""
    try:
        answer = workers.call(
            "fuzz:chunk", name, seed, first, count, limit_ms, timeout_s=HANG_S if count == 1 else 120.0
        )
    except WorkerError as failure:
        if count == 1:
            found.hung.append(first)
            print(f"{name} {first}: {failure}", file=sys.stderr)
            return
        for number in range(first, first + count):
            collect(workers, found, name, seed, number, 1, limit_ms)
        return
    found.milliseconds += answer["milliseconds"]
    found.raised |= {int(number): told for number, told in answer["raised"].items()}
    found.slow |= {int(number): spent for number, spent in answer["slow"].items()}


def report(name: str, found: Found, seed: int, limit_ms: float) -> None:
    judge = TARGETS[name]
    for number in found.hung[:10]:
        print(f"\n{name} {number} hung: {clipped(row(name, seed, number)[0])}")
    for number, told in list(found.raised.items())[:10]:
        text, target = row(name, seed, number)
        small = cut_down(text, lambda shorter, target=target: bool(problem(judge, shorter, target)))
        print(f"\n{name} {number} raised {told}\n  target {clipped(target)}\n  text   {clipped(small)}")
    for number, spent in sorted(found.slow.items(), key=lambda one: -one[1])[:10]:
        text, target = row(name, seed, number)
        small = cut_down(text, lambda shorter, target=target: timed(judge, shorter, target)[1] > limit_ms)
        print(f"\n{name} {number} took {spent:.0f} ms\n  target {clipped(target)}\n  text   {clipped(small)}")


def show(name: str, seed: int, number: int) -> None:
    text, target = row(name, seed, number)
    print(f"target {target!r}\ntext   {text!r}")
    try:
        said = TARGETS[name](text, target)
    except Exception as raised:  # any: it is shown
        said = repr(raised)
    print(f"{name}: {said} in {timed(TARGETS[name], text, target)[1]:.2f} ms")


def row(name: str, seed: int, number: int) -> tuple[str, str]:
    """The text and the target of that number, as the target under test gets them."""
    is_expression = number % 2 and name in ("tokens", "parse", "comparison")
    return expression(seed, number) if is_expression else spliced(seed, number)


def chunk(name: str, seed: int, first: int, count: int, limit_ms: float) -> dict[str, Any]:
    """What texts `first` … come to; runs in the worker."""
    judge = TARGETS[name]
    milliseconds, raised, slow = [], {}, {}
    for number in range(first, first + count):
        text, target = row(name, seed, number)
        told, spent = timed(judge, text, target)
        if told:
            raised[str(number)] = told
        # Twice more, so that somebody else's turn on this core counts against no text.
        if spent > limit_ms:
            spent = min(spent, timed(judge, text, target)[1], timed(judge, text, target)[1])
            if spent > limit_ms:
                slow[str(number)] = spent
        milliseconds.append(spent)
    return {"milliseconds": milliseconds, "raised": raised, "slow": slow}


def problem(judge: Callable[[str, str], Any], text: str, target: str) -> str:
    try:
        said = judge(text, target)
    except Exception as raised:  # any: that is what is looked for
        return f"{type(raised).__name__}: {str(raised)[:200]}"
    return f"{said.rule}: {said.detail[:200]}" if getattr(said, "outcome", None) is Outcome.ERROR else ""


def timed(judge: Callable[[str, str], Any], text: str, target: str) -> tuple[str, float]:
    """The problem, and the milliseconds without what is remembered of an earlier try."""
    parse.cache_clear()
    clock = perf_counter if judge is TARGETS["verify"] else process_time
    started = clock()
    told = problem(judge, text, target)
    return told, 1e3 * (clock() - started)


def cut_down(text: str, fails: Callable[[str], bool], *, seconds: float = 10.0) -> str:
    """A part of `text` that still fails, by leaving out ever smaller pieces for so long."""
    until = monotonic() + seconds
    size = len(text) // 2
    while size:
        position = 0
        while position < len(text):
            if monotonic() > until:
                return text
            shorter = text[:position] + text[position + size :]
            if fails(shorter):
                text = shorter
            else:
                position += size
        size //= 2
    return text


def clipped(text: str) -> str:
    return repr(text) if len(text) < 600 else f"{text[:300]!r} … {len(text):,} characters … {text[-100:]!r}"


class _Whole:
    """The whole completion is the answer."""

    def extract(self, completion: Any, *, prompt: Any = None) -> Extracted:
        return Extracted(completion, (0, len(completion)), "whole")


@lru_cache(maxsize=1)
def _math() -> MathVerifier:
    return MathVerifier()


@lru_cache(maxsize=1)
def _reader() -> MathVerifier:
    return MathVerifier(_Whole(), fallback=False)


@lru_cache(maxsize=1)
def _extractor() -> Any:
    return extractors.create("auto")


def _read(reader: Callable[[str], Any], text: str) -> Any:
    if is_too_long(text):
        return None
    try:
        return reader(normalise(text))
    except UnreadableError as unreadable:
        return unreadable


TARGETS: dict[str, Callable[[str, str], Any]] = {
    "tokens": lambda text, target: _read(tokenise, text),
    "parse": lambda text, target: _read(parse, text),
    "comparison": lambda text, target: _reader().verify(text, target),
    "extraction": lambda text, target: _extractor().extract(text),
    "verify": lambda text, target: _math().verify(text, target),
}


if __name__ == "__main__":
    main()
