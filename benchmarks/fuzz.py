r"""Random texts against extraction, reading with comparison, and the whole maths verifier: none raises, none lingers.

    python benchmarks/fuzz.py [--minutes 1] [--target extraction|expression|verify] [--seed 0] [--limit-ms 50]
    python benchmarks/fuzz.py --target verify --show 123456

Texts are spliced from tokens of answers and their ruins, rewritten targets, wrapped answers and single characters, and
some of their parts are repeated. Each is made from the seed and its number alone, so that a number names it for ever
(`--show` prints the text and what is said of it). They run in a process that is killed where it hangs.

    extraction   the extractor `auto` on the text
    expression   `math` without its symbolic stage, the text being the answer, against a target made likewise
    verify       `math` whole, the text being the completion, against a target made likewise

Prints a row a target: texts, texts a second, exceptions (ERROR verdicts among them), texts that took longer than the
limit three times running, hangs, and milliseconds at the median, the 99th percentile, the 99.9th and the worst; then
each failure by its number, with the text cut down to what still fails. Exit status 1 where anything raised or hung.
"""

import argparse
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

from rewardgate.errors import WorkerError
from rewardgate.verifiers import Extracted, Outcome, extractors
from rewardgate.verifiers.isolation import Workers
from rewardgate.verifiers.math import MathVerifier
from rewardgate.verifiers.testing import ANCHORS, SURROUNDINGS, mutants, rewrites, wrapped
from rewardgate.verifiers.testing.floods import TOKENS

CHUNK = 250
HANG_S = 10.0
"""A chunk takes less than a second; one that takes so long is taken apart."""
MOST_CHARACTERS = 40_000
ANSWERS = (
    "42", "-7", "1,234", "0.50", r"\frac{1}{2}", r"-\frac{22}{7}", r"2\sqrt{3}", "x^2-3x+1", r"\frac{1}{2}\pi", "(1,2)",
    r"\{1,2,3\}", "[0,1)", r"(-\infty,3]", "B", "even", "y = 2x + 3", "3:4", r"25\%", r"5\text{ cm}", r"101_2", "1e-8",
    r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"x<-1\text{ or }x>1", r"2\pm\sqrt{3}", r"3+4i", "3:15 p.m.", r"30^\circ",
    r"10^{100}", "100!", r"\log_3 9", r"\sin\frac{\pi}{6}", r"0.1\overline{6}", r"x \equiv 2 \pmod{5}", r"\emptyset",
)  # fmt: skip
MATHS = (
    r"\frac", r"\dfrac", r"\sqrt", r"\sqrt[3]", r"\pi", r"\infty", r"\cdot", r"\times", r"\pm", r"\le", r"\ge", r"\cup",
    r"\in", r"\mathbb{R}", r"\binom", r"\overline", r"\circ", r"\text{ or }", r"\left", r"\right", r"\ln", r"\sum",
    r"\begin{pmatrix}", r"\end{pmatrix}", "&", r"\\", "!", "|", "<", ">", "=", ":", ";", "/", "*", "**", "%", r"\%",
    "e", "i", "x", "y", "10", "999999999999", "0", ".", "π", "√", "²", "∞", "≤", "×", "°", " km", " dollars", "five",
    " p.m.",
)  # fmt: skip


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
    parser.add_argument("--target", action="append", choices=sorted(TARGETS), help="may be given several times")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit-ms", type=float, default=50.0)
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print one text and what is said of it")
    options = parser.parse_args()
    targets = options.target or ["extraction", "expression", "verify"]
    if options.show is not None:
        show(targets, options.seed, options.show)
        return
    print("| target | texts | a second | raised | slow | hung | p50 ms | p99 ms | p99.9 ms | worst ms |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    found = {name: fuzzed(name, options.minutes * 60, options.seed, options.limit_ms) for name in targets}
    for name, results in found.items():
        report(name, results, options.seed, options.limit_ms)
    sys.exit(any(results.raised or results.hung for results in found.values()))


def fuzzed(name: str, seconds: float, seed: int, limit_ms: float) -> Found:
    found = Found()
    started = monotonic()
    with Workers(search_path=[str(Path(__file__).resolve().parent)]) as workers:
        workers.call("fuzz:chunk", name, seed, 0, 1, limit_ms, timeout_s=120.0)  # imports, and what starts processes
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
    target = TARGETS[name]
    for number in found.hung[:10]:
        print(f"\n{name} {number} hung: {clipped(text_of(seed, number))}")
    for number, told in list(found.raised.items())[:10]:
        aim = target_of(seed, number)
        small = cut_down(text_of(seed, number), lambda text, aim=aim: bool(problem(target, text, aim)))
        print(f"\n{name} {number} raised {told}\n  target {aim!r}\n  text   {clipped(small)}")
    for number, spent in sorted(found.slow.items(), key=lambda one: -one[1])[:10]:
        aim = target_of(seed, number)
        small = cut_down(text_of(seed, number), lambda text, aim=aim: spent_ms(target, text, aim) > limit_ms)
        print(f"\n{name} {number} took {spent:.0f} ms\n  target {aim!r}\n  text   {clipped(small)}")


def show(targets: list[str], seed: int, number: int) -> None:
    text, target = text_of(seed, number), target_of(seed, number)
    print(f"target {target!r}\ntext   {text!r}")
    for name in targets:
        print(f"{name}: {TARGETS[name](text, target)} in {spent_ms(TARGETS[name], text, target):.2f} ms")


def chunk(name: str, seed: int, first: int, count: int, limit_ms: float) -> dict[str, Any]:
    """What texts `first` … come to; runs in the worker."""
    judge = TARGETS[name]
    milliseconds, raised, slow = [], {}, {}
    for number in range(first, first + count):
        text, target = text_of(seed, number), target_of(seed, number)
        started = perf_counter()
        told = problem(judge, text, target)
        spent = 1e3 * (perf_counter() - started)
        if told:
            raised[str(number)] = told
        # Twice more, so that somebody else's turn on this core counts against no text.
        if spent > limit_ms:
            spent = min(spent, spent_ms(judge, text, target), spent_ms(judge, text, target))
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


def spent_ms(judge: Callable[[str, str], Any], text: str, target: str) -> float:
    started = perf_counter()
    problem(judge, text, target)
    return 1e3 * (perf_counter() - started)


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


def text_of(seed: int, number: int) -> str:
    """The text of that number."""
    draw = random.Random(f"{seed}:{number}")
    pieces = [_piece(draw) for _ in range(draw.choice((1, 1, 2, 3, 5, 8, 20)))]
    text = "".join(pieces)
    for _ in range(draw.choice((0, 0, 1, 2))):
        text = _changed(draw, text)
    return text[:MOST_CHARACTERS]


def target_of(seed: int, number: int) -> str:
    """The target of that number: an answer as people write it, or at times anything."""
    draw = random.Random(f"{seed}:{number}:target")
    answer = draw.choice(ANSWERS)
    return answer if draw.random() < 0.9 else _changed(draw, answer)[:400]


def _piece(draw: random.Random) -> str:
    kind = draw.random()
    if kind < 0.3:
        return draw.choice(TOKENS)
    if kind < 0.55:
        return draw.choice(MATHS)
    answer = draw.choice(ANSWERS)
    if kind < 0.6:
        return answer
    if kind < 0.75:
        return draw.choice(rewrites(answer, conventions=True)).text
    if kind < 0.8:
        return draw.choice(mutants(answer, conventions=True)).text
    if kind < 0.95:
        text = draw.choice(rewrites(answer, conventions=True)).text
        return wrapped(text, anchor=draw.choice(list(ANCHORS)), surrounding=draw.choice(list(SURROUNDINGS))).text
    return chr(draw.choice((draw.randrange(32, 127), draw.randrange(0x250), draw.randrange(0x2000, 0x2BFF))))


def _changed(draw: random.Random, text: str) -> str:
    """`text` with a slice left out, moved, repeated a little or very often, or a character changed."""
    start = draw.randrange(len(text) + 1)
    end = min(len(text), start + draw.choice((1, 2, 4, 8, 30)))
    kind = draw.randrange(5)
    if kind == 0:
        return text[:start] + text[end:]
    if kind == 1:
        return text[:start] + text[end:] + text[start:end]
    if kind == 2:
        return text[:start] + text[start:end] * draw.choice((2, 3, 10)) + text[end:]
    if kind == 3:
        return text[:start] + text[start:end] * draw.choice((100, 1_000, 4_000)) + text[end:]
    return text[:start] + draw.choice((*TOKENS, *MATHS)) + text[end:]


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


TARGETS: dict[str, Callable[[str, str], Any]] = {
    "extraction": lambda text, target: _extractor().extract(text),
    "expression": lambda text, target: _reader().verify(text, target),
    "verify": lambda text, target: _math().verify(text, target),
}


if __name__ == "__main__":
    main()
