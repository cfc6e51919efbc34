"""What the rules find in steps that were labelled by people or by construction, and what they flag wrongly.

    python benchmarks/step_rules.py STEPS.jsonl [--scorer arithmetic,expression_chain] [--human GSM8K.jsonl]
        [--responses RESPONSES.jsonl] [--adjudications FILE] [--show ROW]

STEPS has one trace a line: source, steps, first_error (0-based, -1 = none), meta. HUMAN has one human solution a line:
`answer`, whose lines are taken as steps. RESPONSES has one problem a line: `question`, `code` (several responses, cut
into steps by rule `auto`) and `score` (whether each has the right answer). A trace is flagged at its first step with
score 0. One table for each scorer, and one for all of them together, where a step is wrong that any of them proves
wrong. Columns:

    err acc     erroneous traces flagged at the labelled step
    cor acc     clean traces not flagged
    F1          their harmonic mean, as in ProcessBench
    precision   flags at the labelled step / flags at or before it, flags in clean traces included, with the interval of
                Clopper and Pearson (95 %)
    read        the same, where a flag that the file of adjudications calls right counts as one that was labelled
    coverage    steps with a score

The file of adjudications has one flag a line that contradicts a label, read by hand: id, step, the equality that was
flagged, whether the flag is `right` (the step is wrong as it stands), and why in a line. A flag that it lacks counts as
false in both columns, and is listed. `bbm-multistep_arithmetic, no suspects` leaves out the traces whose label
contradicts their own final answer (meta.label_suspect). `gsm8k-calc, prose` hides the `<<a=b>>` annotations, which that
source's labels were made from. `prmbench` is all of its classes.
"""

import argparse
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

from rewardgate.diagnostics.intervals import clopper_pearson
from rewardgate.prm import StepRow, StepScore, get
from rewardgate.prm.steps import step_spans

ANNOTATION = re.compile(r"<<[^<>]*>>")
ADJUDICATIONS = Path(__file__).with_name("step_rules_adjudications.jsonl")
HEADER = "| source | n | err acc | cor acc | F1 | precision | read | coverage |\n" + "| --- " * 8 + "|"

Adjudications = Mapping[tuple[str, int], bool]
"""Whether the flag of a trace at a step is right, as far as it was read."""


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

    @property
    def is_disputed(self) -> bool:
        """Whether it is flagged where the label says that all is right so far."""
        return self.flagged >= 0 and (self.first_error < 0 or self.flagged < self.first_error)


def main() -> None:
    options = arguments()
    rows = read_lines(options.steps)
    adjudications = {(row["id"], row["step"]): row["right"] for row in read_lines(options.adjudications)}
    sets = slices(rows)
    tables: dict[str, dict[str, list[Trace]]] = {}
    for name in options.scorer:
        started = process_time()
        tables[name] = {source: scored(chosen, name) for source, chosen in sets.items()}
        seconds = process_time() - started
        n_steps = sum(len(trace.steps) for traces in tables[name].values() for trace in traces)
        print(f"{name}: {n_steps} steps in {seconds:.2f} s of processor time, {n_steps / seconds:.0f} steps/s")
    if len(tables) > 1:
        tables[" + ".join(tables)] = {source: together([one[source] for one in tables.values()]) for source in sets}
    for name, table in tables.items():
        print(f"\n## {name}\n\n{HEADER}")
        for source, traces in table.items():
            print(f"| {source} | {len(traces)} | {' | '.join(figures(traces, adjudications))} |")
    last = list(tables.values())[-1]
    show_disputed([trace for traces in last.values() for trace in traces if trace.is_disputed], adjudications)
    if options.show:
        show(trace for trace in last[options.show] if trace.flagged != trace.first_error)
    if options.human:
        show_human(options.human, options.scorer)
    if options.responses:
        show_responses(options.responses, options.scorer)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", type=Path)
    parser.add_argument(
        "--scorer", type=lambda names: names.split(","), default=["arithmetic"], help="names, with commas between them"
    )
    parser.add_argument("--human", type=Path, help="human solutions, assumed right")
    parser.add_argument("--responses", type=Path, help="responses of a model, and whether their answers are right")
    parser.add_argument("--adjudications", type=Path, default=ADJUDICATIONS)
    parser.add_argument(
        "--show", help="print every trace of this row of the last table that is judged otherwise than labelled"
    )
    return parser.parse_args()


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def slices(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The rows of each source, and the slices with more or fewer rows or with less text."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["source"], []).append(row)
        if row["source"].startswith("prmbench-"):
            found.setdefault("prmbench", []).append(row)
        if row["source"] == "bbm-multistep_arithmetic" and not row["meta"].get("label_suspect"):
            found.setdefault("bbm-multistep_arithmetic, no suspects", []).append(row)
        if row["source"] == "gsm8k-calc":
            prose = [ANNOTATION.sub("", step) for step in row["steps"]]
            found.setdefault("gsm8k-calc, prose", []).append({**row, "steps": prose})
    return dict(sorted(found.items()))


def scored(rows: Sequence[dict[str, Any]], name: str) -> list[Trace]:
    scores = get(name).score([StepRow(row.get("problem") or "", tuple(row["steps"])) for row in rows])
    return [
        Trace(row["id"], tuple(row["steps"]), row.get("first_error", -1), row_scores)
        for row, row_scores in zip(rows, scores, strict=True)
    ]


def together(tables: Sequence[Sequence[Trace]]) -> list[Trace]:
    """The traces with, at each step, the lowest score that any of the scorers gives."""
    joined = []
    for traces in zip(*tables, strict=True):
        scores = [
            min(step, key=lambda score: 2.0 if score.value is None else score.value)
            for step in zip(*(trace.scores for trace in traces), strict=True)
        ]
        joined.append(Trace(traces[0].id, traces[0].steps, traces[0].first_error, scores))
    return joined


def figures(traces: Sequence[Trace], adjudications: Adjudications) -> list[str]:
    wrong = [trace for trace in traces if trace.first_error >= 0]
    clean = [trace for trace in traces if trace.first_error < 0]
    hits = sum(trace.flagged == trace.first_error for trace in wrong)
    quiet = sum(trace.flagged < 0 for trace in clean)
    disputed = [trace for trace in traces if trace.is_disputed]
    right = sum(adjudications.get((trace.id, trace.flagged), False) for trace in disputed)
    values = [score.value for trace in traces for score in trace.scores]
    f1 = None
    if wrong and clean:
        recall, specificity = hits / len(wrong), quiet / len(clean)
        f1 = 2 * recall * specificity / (recall + specificity) if hits and quiet else 0.0
    return [
        share(hits, len(wrong)),
        share(quiet, len(clean)),
        "-" if f1 is None else f"{f1:.3f}",
        interval(hits, hits + len(disputed)),
        interval(hits + right, hits + len(disputed)),
        share(sum(value is not None for value in values), len(values)),
    ]


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%} ({part}/{whole})" if whole else "-"


def interval(part: int, whole: int) -> str:
    if not whole:
        return "-"
    low, high = clopper_pearson(part, whole)
    return f"{share(part, whole)} [{low:.1%}, {high:.1%}]"


def show_disputed(traces: Sequence[Trace], adjudications: Adjudications) -> None:
    """Every flag that contradicts a label: what was flagged, and what became of it when it was read."""
    seen: set[tuple[str, int]] = set()
    print("\nflags that contradict the labels:")
    for trace in traces:
        place = trace.id, trace.flagged
        if place not in seen:
            seen.add(place)
            verdict = {True: "right", False: "wrong", None: "not read"}[adjudications.get(place)]
            print(f"  {trace.id}, step {trace.flagged}, labelled {trace.first_error}: {verdict}")
            print(f"    {trace.scores[trace.flagged].detail}")


def show(traces: Iterable[Trace]) -> None:
    for trace in traces:
        print(f"\n{trace.id}: labelled {trace.first_error}, flagged {trace.flagged}")
        for index in sorted({trace.first_error, trace.flagged} - {-1}):
            print(f"  {index}: {trace.steps[index]}\n     {trace.scores[index]}")


def show_human(path: Path, names: Sequence[str]) -> None:
    human = [{"id": str(i), "steps": row["answer"].splitlines()} for i, row in enumerate(read_lines(path))]
    for name in names:
        flagged = [trace for trace in scored(human, name) if trace.flagged >= 0]
        print(f"\n{name}: human solutions flagged: {len(flagged)} of {len(human)} ({len(flagged) / len(human):.2%})")
        show(flagged)


def show_responses(path: Path, names: Sequence[str]) -> None:
    """How many responses with a right and with a wrong answer are flagged, and each different flag on a right one."""
    rows: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
    for problem in read_lines(path):
        for text, is_right in zip(problem["code"], problem["score"], strict=True):
            steps = [text[start:end] for start, end in step_spans(text)]
            rows[bool(is_right)].append({"id": str(problem["idx"]), "problem": problem["question"], "steps": steps})
    for name in names:
        traces = {is_right: scored(some, name) for is_right, some in rows.items()}
        flagged = {is_right: [one for one in some if one.flagged >= 0] for is_right, some in traces.items()}
        print(
            f"\n{name}: responses flagged: of those with a right answer {share(len(flagged[True]), len(traces[True]))}"
        )
        print(f"  and with a wrong one {share(len(flagged[False]), len(traces[False]))}; on right ones:")
        for place in {(trace.id, trace.scores[trace.flagged].detail) for trace in flagged[True]}:
            print(f"  {place[0]}: {place[1]}")


if __name__ == "__main__":
    main()
