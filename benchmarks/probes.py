"""Which planted faults `rewardgate probe` names, and which honest graders it accuses, beside falsepass in one run.

    python benchmarks/probes.py [--falsepass PYTHON] [--grader NAME …] [--json FILE] [--skip-ours]

PYTHON is the interpreter of an environment of its own into which `pip install falsepass==0.11` was done. The panel
stands in probe_panel/: graders with one planted fault each, honest strict ones, and two that are told and not counted
because their design is defended by some. Each judges 25 questions whose prompts ask for the form that it reads.

A fault counts as named when a finding shows it: by a completion that the grader and its honest twin judge differently,
or, for faults of behaviour (chance, state, NaN, hangs), which no single completion shows, by what the finding says. An
honest grader counts as accused when any finding warns or fails; falsepass's rows that it calls a human's call
(strictness: P2, P14, T7, S2) accuse nobody. Seconds are those of a warm run: everything is imported in the process
that asks. Behind them stand processor seconds, over all processes, which a busy machine does not stretch.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

FOLDER = Path(__file__).resolve().parent / "probe_panel"
sys.path.append(str(FOLDER))

from panel import PANEL, Grader, asked, function_of  # noqa: E402 (its folder is on the path only now)
from rows import rows  # noqa: E402

TIMEOUT_S = 5.0  # one case under rewardgate
LIMIT_S = 60.0  # one grader under falsepass, which has no time limit of its own


@dataclass(frozen=True)
class Shown:
    """One finding: what it says, and a completion that shows it where it has one."""

    said: str
    accuses: bool
    prompt: str = ""
    completion: str | None = None
    target: str = ""


@dataclass(frozen=True)
class Judged:
    """What one tool found out about one grader; `problem` where it came to no end."""

    findings: Sequence[Shown] = ()
    seconds: float | None = None
    processor_s: float | None = None
    problem: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--falsepass", type=Path, metavar="PYTHON", help="python of falsepass's own environment")
    parser.add_argument("--grader", action="append", default=[], help="these graders only")
    parser.add_argument("--skip-ours", action="store_true")
    parser.add_argument("--json", type=Path, help="write every finding of both tools")
    options = parser.parse_args()
    tools: dict[str, Callable[[Grader], Judged]] = {}
    if not options.skip_ours:
        tools["rewardgate"] = by_rewardgate
        by_rewardgate(PANEL[0])  # imports, once
    if has_falsepass(options.falsepass):
        tools["falsepass"] = lambda grader: by_falsepass(grader, options.falsepass)
    graders = [grader for grader in PANEL if not options.grader or grader.name in options.grader]
    print_header(list(tools))
    results: dict[str, dict[str, Judged]] = {}
    for grader in graders:
        results[grader.name] = {tool: judge(grader) for tool, judge in tools.items()}
        print_row(grader, results[grader.name])
    for tool in tools:
        print_summary(tool, [(grader, results[grader.name][tool]) for grader in graders])
    if options.json:
        plain = {
            name: {
                tool: {**vars(judged), "findings": list(map(vars, judged.findings))} for tool, judged in tools.items()
            }
            for name, tools in results.items()
        }
        options.json.write_text(json.dumps(plain, indent=1), encoding="utf-8")


def has_falsepass(python: Path | None) -> bool:
    """Whether that interpreter imports falsepass; says so loudly where not."""
    if python is None:
        print("falsepass: NOT RUN: no --falsepass PYTHON was given\n", file=sys.stderr)
        return False
    asking = [str(python), "-c", "import falsepass; print(falsepass.__version__)"]
    try:
        answer = subprocess.run(asking, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as failure:
        print(f"falsepass: NOT RUN: {python} does not import it: {failure}\n", file=sys.stderr)
        return False
    print(f"falsepass {answer.stdout.strip()}, {python}\n")
    return True


def by_rewardgate(grader: Grader) -> Judged:
    """Our own probes, whose processes start fresh for each grader."""
    from rewardgate.audit.probes.probing import probe
    from rewardgate.audit.probes.targets import read_target_of
    from rewardgate.errors import RewardgateError

    targets = [read_target_of(row.target, prompt=row.prompt) for row in rows(grader.kind, grader.form)]
    started, processor = perf_counter(), processor_seconds()
    try:
        report = probe(f"{FOLDER / grader.file}:{grader.name}", targets, timeout_s=TIMEOUT_S)
    except RewardgateError as failure:
        return Judged(problem=str(failure))
    seconds, processor = perf_counter() - started, processor_seconds() - processor
    findings = [
        Shown(
            said=f"{finding.fault}: {finding.sentence}",
            accuses=finding.severity != "info",
            prompt=case.prompt or "" if case else "",
            completion=case.response if case else None,
            target=case.target if case else "",
        )
        for finding in report.findings
        for case in finding.evidence or (None,)
    ]
    if report.status == "inconclusive":
        findings.append(Shown(f"inconclusive: {report.headline}", accuses=True))
    return Judged(findings, seconds, processor)


def by_falsepass(grader: Grader, python: Path) -> Judged:
    """falsepass in a process of its own, which is killed after LIMIT_S."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(python), str(FOLDER / "falsepass_run.py"), folder, grader.name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, cwd=folder)
        except subprocess.TimeoutExpired:
            return Judged(problem=f"no end within {LIMIT_S:.0f} s")
    if done.returncode:
        return Judged(problem=done.stderr.strip().splitlines()[-1])
    answer = json.loads(done.stdout.splitlines()[-1])
    findings = [
        Shown(
            said=found["said"],
            accuses=not found["is_strictness"],
            prompt=found["prompt"],
            completion=found["completion"] if isinstance(found["completion"], str) else None,
            target=found["target"],
        )
        for found in answer["findings"]
    ]
    return Judged(findings, answer["seconds"], answer["processor_s"])


def processor_seconds() -> float:
    """Of this process and of the children that it waited for."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def naming(grader: Grader, judged: Judged) -> Shown | None:
    """The finding that shows what is planted, one that warns or fails first; None where none does."""
    by_weight = sorted(judged.findings, key=lambda shown: not shown.accuses)
    return next((shown for shown in by_weight if names(grader, shown)), None)


def names(grader: Grader, shown: Shown) -> bool:
    """Whether this finding shows the planted fault."""
    if not grader.twin:
        return shown.accuses and any(word in shown.said.lower() for word in grader.shows)
    if shown.completion is None:
        return False
    faulty, twin = function_of(grader.file, grader.name), function_of("faulty.py", grader.twin)
    paid, honest = (asked(one, shown.prompt, shown.completion, shown.target) for one in (faulty, twin))
    return paid != honest


def accused(judged: Judged) -> Shown | None:
    """A finding that warns or fails; None where there is none."""
    return next((shown for shown in judged.findings if shown.accuses), None)


def told(grader: Grader, judged: Judged) -> tuple[str, str]:
    """The verdict's word and what was said."""
    if judged.problem:
        return "no result", judged.problem
    if grader.fault and not grader.is_by_design:
        shown, other = naming(grader, judged), accused(judged)
        if shown:
            return ("named" if shown.accuses else "explained only"), shown.said
        return ("MISSED", "") if other is None else ("ANOTHER", other.said)
    shown = accused(judged)
    if grader.is_by_design:
        return ("told", shown.said) if shown else ("quiet", "")
    return ("ACCUSED", shown.said) if shown else ("clean", "")


def print_header(tools: Sequence[str]) -> None:
    columns = ["grader", "planted", *(f"{tool}{part}" for tool in tools for part in ("", " said", " s (processor)"))]
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")


def print_row(grader: Grader, results: dict[str, Judged]) -> None:
    cells = [grader.name, grader.fault or "(healthy)"]
    for judged in results.values():
        word, said = told(grader, judged)
        said = " ".join(said.replace("|", "/").split())
        cells += [word, said if len(said) <= 110 else f"{said[:109]}…"]
        cells.append("" if judged.seconds is None else f"{judged.seconds:.2f} ({judged.processor_s:.2f})")
    print(f"| {' | '.join(cells)} |", flush=True)


def print_summary(tool: str, results: Sequence[tuple[Grader, Judged]]) -> None:
    faulty = [told(grader, judged)[0] for grader, judged in results if grader.fault and not grader.is_by_design]
    healthy = [told(grader, judged)[0] for grader, judged in results if not grader.fault]
    seconds = sorted(judged.seconds for _, judged in results if judged.seconds is not None)
    spread = f"{seconds[len(seconds) // 2]:.2f} s median, {seconds[-1]:.2f} s longest" if seconds else "no run ended"
    print(
        f"\n{tool}: {faulty.count('named')} of {len(faulty)} planted faults named, "
        f"{healthy.count('ACCUSED')} of {len(healthy)} honest graders accused; {spread}; {os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
