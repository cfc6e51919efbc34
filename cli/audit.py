"""`rewardgate audit`: who is to blame for the groups that teach nothing."""

from contextlib import ExitStack
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ArgumentError, NoUsableRowsError
from .collecting import rare_collections
from .options import (
    ActorsOption,
    CacheFolder,
    Engine,
    EngineOption,
    FormatName,
    GroupKey,
    PromptIdKey,
    PromptKey,
    ResponseKey,
    RewardKey,
    ScorerOptions,
    ShowsProgress,
    TargetKey,
    TimeoutOption,
    WorkersOption,
    judged_by,
    named_scorer,
    named_verifier,
    shows_progress,
)

if TYPE_CHECKING:
    from ..prm.base import StepScorer

DEMO = Path(__file__).parent.parent / "fixtures" / "rollouts.jsonl"


class FailOn(StrEnum):
    """The severity from which `audit` exits with 1."""

    WARN = "warn"
    FAIL = "fail"


@rare_collections()
def audit(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="Rollouts, labelled steps, or a run's folder: JSONL, JSON, CSV or Parquet.", metavar="FILE"
        ),
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Audit the rollouts that ship with rewardgate.")] = False,
    verifier: Annotated[
        str | None,
        typer.Option(help="The verifier under audit: a name, pkg.mod:fn or path/file.py:fn. Default: logged rewards."),
    ] = None,
    referee: Annotated[str, typer.Option(help="The verifier that it is compared with.")] = "auto",
    scorer: Annotated[
        str | None,
        typer.Option(help="The step scorer to measure: on the mixed groups of rollouts, or on labelled steps."),
    ] = None,
    option: ScorerOptions = None,
    cache: CacheFolder = None,
    scorer_groups: Annotated[
        int, typer.Option(min=1, help="Mixed groups that the scorer is asked about, at most; drawn by --seed.")
    ] = 500,
    sft: Annotated[
        Path | None, typer.Option(help="Training traces or reference solutions; right responses are looked for in it.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="Labels that people gave to rollouts of FILE; see `rewardgate label`.")
    ] = None,
    near: Annotated[int, typer.Option(min=0, help="Successes from 0 or G up to which a group is nearly dead.")] = 1,
    correct_at: Annotated[float, typer.Option(help="Logged reward from which a rollout counts as correct.")] = 1.0,
    json_path: Annotated[str | None, typer.Option("--json", help="Write everything as JSON; - for stdout.")] = None,
    html_path: Annotated[
        str | None, typer.Option("--html", help="Write one HTML page that needs no network; - for stdout.")
    ] = None,
    freeze_path: Annotated[
        str | None, typer.Option("--freeze", help="Write findings as cases that a test can replay; - for stdout.")
    ] = None,
    fail_on: Annotated[FailOn | None, typer.Option(help="Exit 1 from this severity on.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of every draw: bootstrap, halves, groups.")] = 0,
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    response_key: ResponseKey = None,
    target_key: TargetKey = None,
    reward_key: RewardKey = None,
    group_key: GroupKey = None,
    workers: WorkersOption = 2,
    timeout_s: TimeoutOption = 30.0,
    engine: EngineOption = Engine.LOCAL,
    actors: ActorsOption = None,
    progress: ShowsProgress = None,
) -> None:
    """Say for each all-wrong group of FILE who is to blame, with evidence, and re-test after the fix.

    FILE may be the folder of a run, which may still be going on: its learning curves, its cost and its alerts are told
    too.

    Where FILE holds solutions whose steps are labelled, say whether a step scorer may be trusted with them.
    """
    from ..audit import audit as audit_groups
    from ..audit.report.json_text import report_json
    from ..audit.runs.logs import run_logs
    from ..audit.runs.part import run_part, with_run
    from ..rollouts.output import Output, told_as
    from ..rollouts.reading import read

    if demo == (file is not None):
        raise ArgumentError("FILE: expected either a file or --demo, got " + ("both" if demo else "neither"))
    if not (isfinite(correct_at) and correct_at > 0):
        raise ArgumentError(f"--correct-at: expected a positive number, got {correct_at:g}")
    source = DEMO if file is None else file
    written = {"--json": json_path, "--html": html_path, "--freeze": freeze_path}
    _refuse_one_place_for_two(written)
    if scorer is None and (option or cache):
        raise ArgumentError(f"{'--option' if option else '--cache'}: expected a --scorer to go with it, got none")
    asked = None if scorer is None else named_scorer(scorer, option, cache=cache)
    keys = (prompt_key, prompt_id_key, response_key, target_key, reward_key, group_key)
    if not demo and format_name == "auto" and not any(keys) and _holds_step_labels(source):
        for flag, given in {
            "--verifier": verifier,
            "--sft": sft,
            "--labels": labels,
            "--freeze": freeze_path,
            "--engine": None if engine is Engine.LOCAL else engine,
        }.items():
            if given is not None:
                raise ArgumentError(
                    f"{flag}: expected a file of rollouts to go with it, got labelled steps in {source}"
                )
        _audit_steps(source, (asked, scorer), written, fail_on, seed=seed, progress=shows_progress(progress))
        return
    with ExitStack() as outputs:
        out = {
            option: outputs.enter_context(Output(option, place, source=source))
            for option, place in written.items()
            if place is not None
        }
        logs = run_logs(source)
        try:
            reading = read(
                source,
                format=format_name,
                prompt_key=prompt_key,
                prompt_id_key=prompt_id_key,
                response_key=response_key,
                target_key=target_key,
                reward_key=reward_key,
                group_key=group_key,
            )
        except NoUsableRowsError:
            # A run that has just begun, or keeps no rollouts, still says how it stands.
            if logs is not None and "-" not in written.values():
                from ..audit.report.run_lines import render_run

                with told_as("stdout", "-"):
                    render_run(run_part(logs))
            raise
        report = audit_groups(
            reading,
            suspect=None if verifier is None else named_verifier(verifier, workers=workers, timeout_s=timeout_s),
            referee=named_verifier(referee, workers=workers, timeout_s=timeout_s),
            sft=sft,
            labels=labels,
            scorer=asked,
            scorer_name=scorer,
            scorer_groups=scorer_groups,
            near=near,
            correct_at=correct_at,
            seed=seed,
            progress=shows_progress(progress),
            judged_by=outputs.enter_context(judged_by(engine, actors)),
        )
        if logs is not None:
            report = with_run(report, run_part(logs))
        if "-" not in written.values():
            from ..audit.report.terminal import render

            with told_as("stdout", "-"):
                render(report)
        if "--json" in out:
            out["--json"].write(report_json(report, indent=2) + "\n")
        if "--html" in out:
            from ..audit.report.html import html_page

            out["--html"].write(html_page(report))
        if "--freeze" in out:
            from ..audit.freezing import freeze
            from ..audit.replaying import frozen_text

            out["--freeze"].write(frozen_text(freeze(report, reading)))
    _exit_by(report.severity, fail_on)


def _holds_step_labels(file: Path) -> bool:
    """Whether it is a file of labelled steps; a pipe, which can be read only once, is taken for rollouts."""
    from ..rollouts.step_formats import layout_of

    return file.is_file() and layout_of(file) is not None


def _audit_steps(
    file: Path,
    named: "tuple[StepScorer | None, str | None]",
    written: dict[str, str | None],
    fail_on: FailOn | None,
    *,
    seed: int,
    progress: bool,
) -> None:
    from ..audit.report.json_text import report_json
    from ..audit.report.steps_html import steps_page
    from ..audit.report.steps_terminal import render_steps
    from ..audit.steps import audit_steps
    from ..rollouts.output import Output, told_as
    from ..rollouts.step_formats import read_steps

    with ExitStack() as outputs:
        out = {
            option: outputs.enter_context(Output(option, place, source=file))
            for option, place in written.items()
            if place is not None
        }
        scorer, name = named
        report = audit_steps(read_steps(file), scorer=scorer, scorer_name=name, seed=seed, progress=progress)
        if "-" not in written.values():
            with told_as("stdout", "-"):
                render_steps(report)
        if "--json" in out:
            out["--json"].write(report_json(report, indent=2) + "\n")
        if "--html" in out:
            out["--html"].write(steps_page(report))
    _exit_by(report.severity, fail_on)


def _exit_by(severity: str, fail_on: FailOn | None) -> None:
    if fail_on is not None and (severity == "fail" or severity == fail_on.value):
        raise typer.Exit(1)


def _refuse_one_place_for_two(written: dict[str, str | None]) -> None:
    seen: dict[str, str] = {}
    for option, place in written.items():
        if place is None:
            continue
        if place in seen:
            raise ArgumentError(f"{option}: expected another file than {seen[place]}, got {place}")
        seen[place] = option
