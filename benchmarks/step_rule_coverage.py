r"""How often a step rule speaks, and how often it flags a trace that is right.

    python benchmarks/step_rule_coverage.py [--rules final_consistency program_state milestones] \
        [--labelled STEPS.jsonl] [--human GSM8K.jsonl] [--models GSM8K_MODELS.jsonl] [--responses QWEN.jsonl]
        [--code MBPP.jsonl] [--show 10]

STEPS has steps, first_error (-1 = none) and problem a line; HUMAN question and answer, whose lines are steps; MODELS
question and dicts with solution and is_correct; QWEN question, code (responses) and score, cut by `step_spans`. A trace
is right that is labelled clean, has the right answer, or is a human solution; in a second set the answer of each human
solution is replaced by three times itself and seven. Columns:

    speaks      traces with a score of 0 or 1 on any step
    confirms    traces with a 1 and no 0
    flags       traces with a 0, of those that are right and of the others

`milestones` needs targets. Of QWEN, the letters that the first right response of a problem gives a number ("x = 3", the
last number of each letter) are the named milestones of its other responses: a flag of a right one is a letter that
means something else there, so that this is a bound for targets whose names nobody chose with care. Of HUMAN, the
results of the human solution are the milestones, without a name, of the model solutions in MODELS.

`program_state` needs code: of CODE, rows with `canonical_solution`
or `code` and `test` or `test_list`, the reference and its asserts are one trace, and the same with one expected number
of each assert off by one the other.
"""

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from rewardgate.prm import StepRow, get
from rewardgate.prm.arithmetic.equalities import Budget
from rewardgate.prm.rules.stated import prose_of, stated_values
from rewardgate.prm.steps import step_spans

_NAME = re.compile(r"(?<![\w\\{^_])([A-Za-z])\s*$")
_ANSWER = re.compile(r"(?<=^#### )-?[0-9,]+")
_ASSERTED = re.compile(r"==\s*(-?[0-9]+)\s*$")


class Trace(NamedTuple):
    """A solution, and whether it is right."""

    row: StepRow
    is_right: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", nargs="+", default=["final_consistency", "program_state", "milestones"])
    for name in ("labelled", "human", "models", "responses", "code"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--show", type=int, default=0, help="false flags to print of each")
    options = parser.parse_args()
    sets = dict(trace_sets(options))
    if not sets:
        parser.error("expected a file of traces (--labelled, --human, --models, --responses or --code), got none")
    print("| rule | traces | n | speaks | confirms | flags, right | flags, others | ms a trace |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for rule in options.rules:
        for name, traces in sets.items():
            if name.startswith("borrowed") == (rule == "milestones") and name.startswith("code") == (
                rule == "program_state"
            ):
                report(rule, name, traces, options.show)


def trace_sets(options: argparse.Namespace) -> Iterator[tuple[str, list[Trace]]]:
    if options.labelled:
        by_source: dict[str, list[Trace]] = {}
        for row in lines_of(options.labelled):
            trace = Trace(StepRow(row["problem"], tuple(row["steps"])), row["first_error"] < 0)
            by_source.setdefault(re.sub("^(bbm|prmbench)-.*", r"\1", row["source"]), []).append(trace)
        yield from sorted(by_source.items())
    if options.human:
        rows = [(row["question"], tuple(row["answer"].splitlines())) for row in lines_of(options.human)]
        yield "human solutions", [Trace(StepRow(*row), True) for row in rows]
        changed = [(question, (*steps[:-1], _ANSWER.sub(other_answer, steps[-1]))) for question, steps in rows]
        yield "human solutions, another answer", [Trace(StepRow(*row), False) for row in changed]
    if options.models:
        rows = [
            (row["question"], one) for row in lines_of(options.models) for one in row.values() if isinstance(one, dict)
        ]
        yield (
            "model solutions",
            [
                Trace(StepRow(question, tuple(one["solution"].splitlines())), bool(one["is_correct"]))
                for question, one in rows
                if "solution" in one
            ],
        )
    if options.responses:
        yield (
            "responses",
            [
                Trace(StepRow(row["question"], tuple(text[start:end] for start, end in step_spans(text))), bool(score))
                for row in lines_of(options.responses)
                for text, score in zip(row["code"], row["score"], strict=True)
            ],
        )
        yield "borrowed letters", [trace for row in lines_of(options.responses) for trace in borrowed(row)]
    if options.human and options.models:
        human = {row["question"]: row["answer"] for row in lines_of(options.human)}
        models = [row for row in lines_of(options.models) if row["question"] in human]
        yield "borrowed results", [trace for row in models for trace in with_results(row, human[row["question"]])]
    if options.code:
        yield "code", [trace for row in lines_of(options.code) for trace in asserted(row)]


def other_answer(found: re.Match[str]) -> str:
    """Three times the answer and seven."""
    return str(3 * int(found.group().replace(",", "")) + 7)


def borrowed(row: dict[str, Any]) -> Iterator[Trace]:
    """The responses of a problem behind the first right one, with the letters of that one as milestones."""
    right = [index for index, score in enumerate(row["score"]) if score]
    if not right:
        return
    named: dict[str, str] = {}
    prose = prose_of(row["code"][right[0]])
    for one in stated_values(prose, Budget(2_000, 100_000)):
        name = _NAME.search(prose, max(0, one.start - 30), one.start)
        if name is not None:
            named[name[1]] = prose[one.operand.start : one.operand.end]
    target: dict[str, Any] = {"milestones": named}
    for text, score in list(zip(row["code"], row["score"], strict=True))[right[0] + 1 :] if named else ():
        steps = tuple(text[start:end] for start, end in step_spans(text))
        yield Trace(StepRow(row["question"], steps, target), bool(score))


def with_results(row: dict[str, Any], human: str) -> Iterator[Trace]:
    """The model solutions of a problem, with the results of the human one as milestones without a name."""
    prose = prose_of(human)
    values = list(dict.fromkeys(prose[one.operand.start : one.operand.end] for one in stated_values(prose, Budget())))
    for one in row.values():
        if isinstance(one, dict) and "solution" in one and values:
            steps = tuple(one["solution"].splitlines())
            yield Trace(StepRow(row["question"], steps, {"milestones": values}), bool(one["is_correct"]))


def asserted(row: dict[str, Any]) -> Iterator[Trace]:
    """A reference with its asserts; and, where an assert ends with a whole number, with that number off by one."""
    solution = row.get("canonical_solution") or row.get("code") or ""
    asserts = row.get("test_list") or []
    asserts = json.loads(asserts) if isinstance(asserts, str) else asserts
    if not solution or not asserts:
        return
    for is_right in (True, False):
        tests = (
            asserts if is_right else [_ASSERTED.sub(lambda found: f"== {int(found[1]) + 1}", one) for one in asserts]
        )
        if is_right or tests != asserts:
            block = "\n".join(tests)
            yield Trace(StepRow("", (f"```python\n{solution}\n```", f"```python\n{block}\n```")), is_right)


def report(rule: str, name: str, traces: Sequence[Trace], n_shown: int) -> None:
    scorer: Any = get(rule)
    started = process_time()
    scores = scorer.score([trace.row for trace in traces])
    milliseconds = 1e3 * (process_time() - started) / max(1, len(traces))
    flags = [any(score.value == 0 for score in row) for row in scores]
    speaks = [any(score.value is not None for score in row) for row in scores]
    confirms = sum(spoke and not flag for spoke, flag in zip(speaks, flags, strict=True))
    right = [flag for flag, trace in zip(flags, traces, strict=True) if trace.is_right]
    others = [flag for flag, trace in zip(flags, traces, strict=True) if not trace.is_right]
    print(
        f"| `{rule}` | {name} | {len(traces)} | {share(sum(speaks), len(traces))} | {share(confirms, len(traces))} "
        f"| {share(sum(right), len(right))} | {share(sum(others), len(others))} | {milliseconds:.2f} |"
    )
    false = (index for index, trace in enumerate(traces) if flags[index] and trace.is_right)
    for index in [index for index, _ in zip(false, range(n_shown), strict=False)]:
        for step, score in zip(traces[index].row.steps, scores[index], strict=True):
            print(f"    {score.value} {score.detail} | {step[:200]!r}")
    if hasattr(scorer, "close"):
        scorer.close()


def share(part: int, whole: int) -> str:
    return f"{part}/{whole} ({part / whole:.2%})" if whole else "–"


def lines_of(path: Path) -> Iterable[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


if __name__ == "__main__":
    main()
