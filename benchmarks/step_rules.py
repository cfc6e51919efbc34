"""What the arithmetic rules find in steps that were labelled by people or by construction, and what they flag wrongly.

    python benchmarks/step_rules.py STEPS.jsonl [--human GSM8K.jsonl] [--show SOURCE]

STEPS has one trace a line: source, steps, first_error (0-based, -1 = none), meta. HUMAN has one human solution a line:
`answer`, whose lines are taken as steps. A trace is flagged at its first step with score 0. Columns:

    err acc    erroneous traces flagged at the labelled step
    cor acc    clean traces not flagged
    F1         their harmonic mean, as in ProcessBench
    precision  flags at the labelled step / flags at or before it, flags in clean traces included
    coverage   steps with a score

`bbm-multistep_arithmetic, no suspects` leaves out the traces whose label contradicts their own final answer
(meta.label_suspect). `gsm8k-calc, prose` hides the `<<a=b>>` annotations, which that source's labels were made from.
"""

import argparse
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

from rewardgate.prm import StepRow, StepScore, get

ANNOTATION = re.compile(r"<<[^<>]*>>")


@dataclass(frozen=True)
class Trace:
    """One labelled solution and its scores."""

    id: str
    steps: tuple[str, ...]
    first_error: int
    scores: Sequence[StepScore]

    @property
    def flagged(self) -> int:
        """The first step that a rule proved wrong, -1 where there is none."""
        return next((index for index, score in enumerate(self.scores) if score.value == 0), -1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", type=Path)
    parser.add_argument("--human", type=Path, help="human solutions, assumed right")
    parser.add_argument(
        "--show", help="print every trace of this row of the table that is judged otherwise than labelled"
    )
    options = parser.parse_args()
    rows = read_lines(options.steps)
    started = process_time()
    tables = {name: scored(chosen) for name, chosen in slices(rows).items()}
    seconds = process_time() - started
    print("| source | n | err acc | cor acc | F1 | precision | coverage |\n| --- | --- | --- | --- | --- | --- | --- |")
    for name, traces in tables.items():
        print(f"| {name} | {len(traces)} | {' | '.join(figures(traces))} |")
    n_steps = sum(len(trace.steps) for traces in tables.values() for trace in traces)
    print(f"\n{n_steps} steps in {seconds:.2f} s of processor time: {n_steps / seconds:.0f} steps/s")
    if options.show:
        show(trace for trace in tables[options.show] if trace.flagged != trace.first_error)
    if options.human:
        human = [{"id": str(i), "steps": row["answer"].splitlines()} for i, row in enumerate(read_lines(options.human))]
        flagged = [trace for trace in scored(human) if trace.flagged >= 0]
        print(f"\nhuman solutions flagged: {len(flagged)} of {len(human)} ({len(flagged) / len(human):.2%})")
        show(flagged)


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def slices(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The rows of each source, and the two slices with fewer rows or less text."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["source"], []).append(row)
        if row["source"] == "bbm-multistep_arithmetic" and not row["meta"].get("label_suspect"):
            found.setdefault("bbm-multistep_arithmetic, no suspects", []).append(row)
        if row["source"] == "gsm8k-calc":
            prose = [ANNOTATION.sub("", step) for step in row["steps"]]
            found.setdefault("gsm8k-calc, prose", []).append({**row, "steps": prose})
    return dict(sorted(found.items()))


def scored(rows: Sequence[dict[str, Any]]) -> list[Trace]:
    scorer = get("arithmetic")
    scores = scorer.score([StepRow(row.get("problem", ""), tuple(row["steps"])) for row in rows])
    return [
        Trace(row["id"], tuple(row["steps"]), row.get("first_error", -1), row_scores)
        for row, row_scores in zip(rows, scores, strict=True)
    ]


def figures(traces: Sequence[Trace]) -> list[str]:
    wrong = [trace for trace in traces if trace.first_error >= 0]
    clean = [trace for trace in traces if trace.first_error < 0]
    hits = sum(trace.flagged == trace.first_error for trace in wrong)
    quiet = sum(trace.flagged < 0 for trace in clean)
    early = sum(0 <= trace.flagged < trace.first_error for trace in wrong)
    flags = hits + early + len(clean) - quiet
    values = [score.value for trace in traces for score in trace.scores]
    f1 = None
    if wrong and clean:
        recall, specificity = hits / len(wrong), quiet / len(clean)
        f1 = 2 * recall * specificity / (recall + specificity) if hits and quiet else 0.0
    return [
        share(hits, len(wrong)),
        share(quiet, len(clean)),
        "-" if f1 is None else f"{f1:.3f}",
        share(hits, flags),
        share(sum(value is not None for value in values), len(values)),
    ]


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%} ({part}/{whole})" if whole else "-"


def show(traces: Iterable[Trace]) -> None:
    for trace in traces:
        print(f"\n{trace.id}: labelled {trace.first_error}, flagged {trace.flagged}")
        for index in sorted({trace.first_error, trace.flagged} - {-1}):
            print(f"  {index}: {trace.steps[index]}\n     {trace.scores[index]}")


if __name__ == "__main__":
    main()
