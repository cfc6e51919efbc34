"""`rewardgate probe`: what a verifier pays for, asked of it directly."""

import json
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ArgumentError
from .options import FormatName, PromptKey, TargetKey

if TYPE_CHECKING:
    from ..audit.probes.model import ProbeFinding, ProbeReport
    from ..audit.probes.programs import ProgramTarget
    from ..audit.probes.targets import ProbeTarget


class ProbeFailOn(StrEnum):
    """The severity from which `probe` exits with 1."""

    WARN = "warn"
    FAIL = "fail"


def probe(
    verifier: Annotated[str, typer.Argument(help="A name, pkg.mod:fn or path/file.py:fn.", metavar="X")],
    rollouts: Annotated[
        Path | None, typer.Option(help="Targets and prompts from this file; else a shipped set.")
    ] = None,
    correct_at: Annotated[float | None, typer.Option(help="Reward of a right answer. Default: worked out.")] = None,
    tries: Annotated[int, typer.Option(min=0, help="Compositions that the search asks.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of the search.")] = 0,
    timeout_s: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds one case may take.")] = 5.0,
    budget_s: Annotated[
        float, typer.Option("--budget", min=1.0, help="Seconds all cases may take; of a slow X fewer are asked.")
    ] = 30.0,
    json_path: Annotated[str | None, typer.Option("--json", help="Write everything as JSON; - for stdout.")] = None,
    sarif_path: Annotated[str | None, typer.Option("--sarif", help="Write the findings as SARIF 2.1.0.")] = None,
    junit_path: Annotated[str | None, typer.Option("--junit", help="Write the matrix as JUnit XML.")] = None,
    repros: Annotated[Path | None, typer.Option(help="Folder for stand-alone repros of the findings.")] = None,
    baseline: Annotated[Path | None, typer.Option(help="Earlier --json: only new findings fail.")] = None,
    fix_folder: Annotated[
        Path | None, typer.Option("--verify-fix", help="Ask the repros in this folder again, and nothing else.")
    ] = None,
    fail_on: Annotated[
        ProbeFailOn | None, typer.Option(help="Exit 1 from this severity on, or if inconclusive.")
    ] = None,
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    target_key: TargetKey = None,
) -> None:
    """Ask X what it pays for: right answers written differently, wrong ones dressed up; no model, no rollouts."""
    from ..audit.probes.baseline import new_findings, read_report
    from ..audit.probes.junit import junit
    from ..audit.probes.probing import probe as probe_verifier
    from ..audit.probes.repros import write_repros
    from ..audit.probes.sarif import sarif
    from ..audit.probes.terminal import render
    from ..rollouts.output import Output, told_as

    if fix_folder is not None:
        _verify_fix(verifier, fix_folder, json_path=json_path, timeout_s=timeout_s)
        return
    if [json_path, sarif_path, junit_path].count("-") > 1:
        raise ArgumentError("--json, --sarif, --junit: expected one of them on stdout at most, got several")
    known = None if baseline is None else read_report(baseline)
    writers = {
        "--json": (json_path, lambda report: report.model_dump_json(indent=2)),
        "--sarif": (sarif_path, lambda report: json.dumps(sarif(report, baseline=known), indent=2)),
        "--junit": (junit_path, lambda report: junit(report, baseline=known)),
    }
    with ExitStack() as stack:
        outputs = [
            (stack.enter_context(Output(option, path, source=rollouts)), write)
            for option, (path, write) in writers.items()
            if path is not None
        ]
        targets = None if rollouts is None else _targets(rollouts, format_name, prompt_key, target_key)
        report = probe_verifier(
            verifier,
            targets,
            targets_from="" if rollouts is None else str(rollouts),
            correct_at=correct_at,
            tries=tries,
            seed=seed,
            timeout_s=timeout_s,
            budget_s=budget_s,
        )
        if "-" not in (json_path, sarif_path, junit_path):
            with told_as("stdout", "-"):
                render(report)
        for output, write in outputs:
            output.write(write(report) + "\n")
        if repros is not None:
            written = write_repros(report, repros)
            typer.echo(f"{len(written)} repros in {repros}", err=True)
    if fail_on is not None and _fails(report, new_findings(report, known), fail_on):
        raise typer.Exit(1)


def _targets(
    file: Path, format_name: str, prompt_key: str | None, target_key: str | None
) -> "tuple[ProbeTarget | ProgramTarget, ...]":
    from ..audit.probes.targets import targets_of
    from ..rollouts.reading import read

    return targets_of(read(file, format=format_name, prompt_key=prompt_key, target_key=target_key))


def _fails(report: "ProbeReport", findings: "tuple[ProbeFinding, ...]", fail_on: ProbeFailOn) -> bool:
    grave = {"fail"} if fail_on is ProbeFailOn.FAIL else {"warn", "fail"}
    return report.status == "inconclusive" or any(one.severity in grave for one in findings)


def _verify_fix(verifier: str, folder: Path, *, json_path: str | None, timeout_s: float) -> None:
    from ..audit.probes.fixing import verify_fix
    from ..audit.probes.repros import read_repros
    from ..audit.report.text import shown
    from ..rollouts.output import Output

    report = verify_fix(read_repros(folder), verifier=verifier, timeout_s=timeout_s)
    if json_path is not None:
        with Output("--json", json_path) as out:
            out.write(report.model_dump_json(indent=2) + "\n")
    if json_path != "-":
        for row in report.rows:
            why = f" ({shown(row.detail)})" if row.detail else ""
            typer.echo(f"{row.status:<11} {row.fault}: {shown(row.sentence, 100)}{why}")
        typer.echo("all fixed" if report.is_fixed else "not fixed")
    if not report.is_fixed:
        raise typer.Exit(1)
