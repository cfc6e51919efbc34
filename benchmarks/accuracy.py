"""Precision and recall of `math` and `auto` beside math-verify, in one run, every grader in a killable worker.

    python benchmarks/accuracy.py CORPUS.jsonl [--json OUT.json] [--kind KIND ...]

CORPUS has one JSON object a line: id, kind, gold, response, expected (true or false).

Prints a table of every grader over all rows but those of kind `policy` (where a reader could disagree), over `policy`
and over each other kind; the seconds that each grader needed for its first verdict; and the files that appeared in the
scratch folder where the graders ran (a response that was executed leaves one). Columns:

    precision      accepted and right / accepted
    recall         accepted and right / right, no verdict counted as refused
    recall scored  the same among the rows with a verdict
    false +, -     wrong rows accepted; right rows refused or without a verdict
    none           share of rows without a verdict, hangs and errors included
    hangs          rows that ran past --limit seconds (10) and were killed
    errors         rows where the grader raised or died
    p50, p99       milliseconds a row inside the worker; a hang counts as the limit
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import Any

from graders import GRADERS

from rewardgate.errors import WorkerError, WorkerTimeoutError
from rewardgate.verifiers.isolation import Workers

WARM_UP = (("5", r"so \boxed{5}"), (r"\frac{1}{2}", r"thus $\boxed{0.25}$"), (r"4\sqrt{5}", r"\boxed{\sqrt{80}}"))
COLUMNS = (
    "kind", "grader", "rows", "precision", "recall", "recall scored", "false +", "false -", "none",
    "hangs", "errors", "p50 ms", "p99 ms",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One pair of the corpus and what every grader said of it."""

    id: str
    kind: str
    expected: bool
    answers: dict[str, dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--json", type=Path, help="write every figure and every row's verdicts here")
    parser.add_argument("--kind", action="append", help="only rows of this kind; may be given several times")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds a row may take before it counts as a hang")
    options = parser.parse_args()
    corpus = [json.loads(line) for line in options.corpus.read_text(encoding="utf-8").splitlines() if line]
    if options.kind:
        corpus = [row for row in corpus if row["kind"] in options.kind]
    out = None if options.json is None else options.json.absolute()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        rows, cold = graded_corpus(corpus, options.limit)
        left_behind = sorted(entry.name for entry in Path(scratch).iterdir())
        os.chdir("/")
    print(f"versions: {versions()}\n")
    lines = [line for kind, chosen in slices(rows) for line in table(kind, chosen)]
    print(markdown(lines))
    print("seconds to the first verdict (worker start and imports included):")
    print("".join(f"  {name}: {seconds:.2f}\n" for name, seconds in cold.items()))
    print(f"files that appeared in the scratch folder: {left_behind or 'none'}")
    if out is not None:
        report = {
            "corpus": options.corpus.name,
            "versions": versions(),
            "limit_s": options.limit,
            "cold_start_s": cold,
            "left_behind": left_behind,
            "table": lines,
            "rows": [vars(row) for row in rows],
        }
        out.write_text(json.dumps(report, indent=1), encoding="utf-8")


def graded_corpus(corpus: Sequence[dict[str, Any]], limit_s: float) -> tuple[list[Row], dict[str, float]]:
    """Every row with every grader's answer, graders interleaved row by row, and each grader's cold start."""
    here = str(Path(__file__).resolve().parent)
    workers = {name: Workers(search_path=[here]) for name in GRADERS}
    try:
        cold = {name: _warmed_up(workers[name], name) for name in GRADERS}
        rows = []
        for position, row in enumerate(corpus):
            names = list(GRADERS)
            # Rotated, so that no grader always runs on a machine that another has just heated or idled.
            turn = position % len(names)
            answers = {name: _answer(workers[name], name, row, limit_s) for name in (*names[turn:], *names[:turn])}
            rows.append(Row(row["id"], row["kind"], bool(row["expected"]), answers))
            if sys.stderr.isatty():
                print(f"\r{position + 1}/{len(corpus)}", end="", file=sys.stderr, flush=True)
        return rows, cold
    finally:
        for pool in workers.values():
            pool.close()


def _warmed_up(workers: Workers, name: str) -> float:
    started = perf_counter()
    workers.call("graders:graded", name, *WARM_UP[0], timeout_s=60.0)
    cold = perf_counter() - started
    for gold, response in WARM_UP[1:]:
        workers.call("graders:graded", name, gold, response, timeout_s=60.0)
    return cold


def _answer(workers: Workers, name: str, row: dict[str, Any], limit_s: float) -> dict[str, Any]:
    try:
        answer = workers.call("graders:graded", name, row["gold"], row["response"], timeout_s=limit_s)
    except WorkerTimeoutError:
        answer = {"accepted": None, "seconds": limit_s, "failure": "hang"}
    except WorkerError as error:
        answer = {"accepted": None, "seconds": None, "failure": f"error: {error}"}
    if "failure" in answer:
        # The next row must not pay for a new worker's imports; a worker that does not start is its own failure.
        with suppress(WorkerError):
            _warmed_up(workers, name)
    return answer


def slices(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """The rows of each part of the table by its name: all without policy, policy, then every other kind."""
    kinds = sorted({row.kind for row in rows})
    chosen: list[tuple[str, Callable[[Row], bool]]] = [
        ("all but policy", lambda row: row.kind != "policy"),
        *((kind, lambda row, kind=kind: row.kind == kind) for kind in sorted(kinds, key=lambda kind: kind != "policy")),
    ]
    found = [(title, [row for row in rows if holds(row)]) for title, holds in chosen]
    return [(title, part) for title, part in found if part]


def table(kind: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """One line a grader, keyed by COLUMNS; None where a figure has nothing to count."""
    lines = []
    for name in GRADERS:
        answers = [(row.expected, row.answers[name]) for row in rows]
        right = sum(expected for expected, _ in answers)
        right_scored = sum(expected and answer["accepted"] is not None for expected, answer in answers)
        hits = sum(expected and answer["accepted"] is True for expected, answer in answers)
        accepted = sum(answer["accepted"] is True for _, answer in answers)
        failures = [answer.get("failure", "") for _, answer in answers]
        times = sorted(answer["seconds"] for _, answer in answers if answer["seconds"] is not None)
        figures = (
            kind,
            name,
            len(rows),
            _ratio(hits, accepted),
            _ratio(hits, right),
            _ratio(hits, right_scored),
            accepted - hits,
            right - hits,
            _ratio(sum(answer["accepted"] is None for _, answer in answers), len(rows)),
            failures.count("hang"),
            sum(failure.startswith("error") for failure in failures),
            _milliseconds(times, 0.50),
            _milliseconds(times, 0.99),
        )
        lines.append(dict(zip(COLUMNS, figures, strict=True)))
    return lines


def markdown(lines: Sequence[dict[str, Any]]) -> str:
    """A table of `table`'s lines in Markdown."""
    text = f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}\n"
    for line in lines:
        text += f"| {' | '.join(_cell(column, line[column]) for column in COLUMNS)} |\n"
    return text


def versions() -> dict[str, str]:
    """Versions that the figures depend on."""
    names = ("rewardgate", "math-verify", "latex2sympy2_extended", "sympy")
    return {"python": sys.version.split()[0], **{name: version(name) for name in names}}


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _milliseconds(times: Sequence[float], share: float) -> float | None:
    # The nearest rank: a time that was measured, and at 99 % of few rows the slowest one.
    return 1000 * times[ceil(share * len(times)) - 1] if times else None


def _cell(column: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}" if "ms" not in column else f"{value:.2f}"
    return str(value)


if __name__ == "__main__":
    main()
