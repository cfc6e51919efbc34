"""The `rewardgate` command: reads files, calls the rooms, writes one kind of output per command.

Every error that the library raises on purpose becomes one line on stderr and exit code 2. Heavy rooms are
imported by the command that needs them, so that `--help` is quick.
"""

import os
import signal
import sys
from collections import Counter
from contextlib import nullcontext
from enum import StrEnum
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.main import get_command

from . import __version__
from .errors import ArgumentError, InputError, MissingExtraError, RewardgateError

if TYPE_CHECKING:
    from .verifiers.base import Verifier

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

_UsageError: Any = typer.BadParameter.__bases__[0]
"""click's, which some versions of typer import and others bring along."""

DEMO = Path(__file__).parent / "fixtures" / "rollouts.jsonl"


class FailOn(StrEnum):
    """The severity from which `audit` exits with 1."""

    WARN = "warn"
    FAIL = "fail"


class Kind(StrEnum):
    """What `list` can list."""

    VERIFIERS = "verifiers"
    EXTRACTORS = "extractors"
    SCORERS = "scorers"
    ESTIMATORS = "estimators"
    GATES = "gates"
    FORMATS = "formats"


FileArgument = Annotated[Path, typer.Argument(help="JSONL, JSON, CSV or Parquet; .gz and .zst too.", metavar="FILE")]
FormatName = Annotated[str, typer.Option("--format", help="Format of FILE; see `rewardgate list formats`.")]
PromptKey = Annotated[str | None, typer.Option(help="Column that holds the prompt.")]
PromptIdKey = Annotated[str | None, typer.Option(help="Column that identifies the prompt.")]
ResponseKey = Annotated[str | None, typer.Option(help="Column that holds the response(s).")]
TargetKey = Annotated[str | None, typer.Option(help="Column that holds the target (the gold answer).")]
RewardKey = Annotated[str | None, typer.Option(help="Column that holds the reward(s).")]
GroupKey = Annotated[str | None, typer.Option(help="Column that identifies the group.")]
WorkersOption = Annotated[int, typer.Option(min=1, help="Killable processes for a user's own function.")]
TimeoutOption = Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds one call of it may take.")]


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    """Verify, audit and gate the rewards of language models trained by reinforcement learning."""
    if version:
        typer.echo(f"rewardgate {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit


@app.command()
def audit(
    file: Annotated[Path | None, typer.Argument(help="Rollouts: JSONL, JSON, CSV or Parquet.", metavar="FILE")] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Audit the rollouts that ship with rewardgate.")] = False,
    verifier: Annotated[
        str | None,
        typer.Option(help="The verifier under audit: a name, pkg.mod:fn or path/file.py:fn. Default: logged rewards."),
    ] = None,
    referee: Annotated[str, typer.Option(help="The verifier that it is compared with.")] = "auto",
    near: Annotated[int, typer.Option(min=0, help="Successes from 0 or G up to which a group is nearly dead.")] = 1,
    correct_at: Annotated[float, typer.Option(help="Logged reward from which a rollout counts as correct.")] = 1.0,
    json_path: Annotated[str | None, typer.Option("--json", help="Write everything as JSON; - for stdout.")] = None,
    fail_on: Annotated[FailOn | None, typer.Option(help="Exit 1 from this severity on.")] = None,
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    response_key: ResponseKey = None,
    target_key: TargetKey = None,
    reward_key: RewardKey = None,
    group_key: GroupKey = None,
    workers: WorkersOption = 2,
    timeout_s: TimeoutOption = 30.0,
    progress: Annotated[bool | None, typer.Option(help="Progress bar on stderr. Default: on a terminal.")] = None,
) -> None:
    """Say for each all-wrong group of FILE who is to blame, with evidence, and re-test after the fix."""
    from .audit import audit as audit_groups
    from .audit.report.terminal import render
    from .rollouts.output import Output, told_as
    from .rollouts.reading import read

    if demo == (file is not None):
        raise ArgumentError("FILE: expected either a file or --demo, got " + ("both" if demo else "neither"))
    if not (isfinite(correct_at) and correct_at > 0):
        raise ArgumentError(f"--correct-at: expected a positive number, got {correct_at:g}")
    source = DEMO if file is None else file
    with nullcontext() if json_path is None else Output("--json", json_path, source=source) as out:
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
        report = audit_groups(
            reading,
            suspect=None if verifier is None else _verifier(verifier, workers=workers, timeout_s=timeout_s),
            referee=_verifier(referee, workers=workers, timeout_s=timeout_s),
            near=near,
            correct_at=correct_at,
            progress=_shows_progress(progress),
        )
        if json_path != "-":
            with told_as("stdout", "-"):
                render(report)
        if out is not None:
            out.write(report.model_dump_json(indent=2) + "\n")
    if fail_on is not None and (report.severity == "fail" or report.severity == fail_on.value):
        raise typer.Exit(1)


@app.command()
def verify(
    file: FileArgument,
    verifier: Annotated[str, typer.Option(help="A name, pkg.mod:fn or path/file.py:fn.")] = "auto",
    out: Annotated[str, typer.Option(help="Where the verdicts go, one JSON line per input row; - for stdout.")] = "-",
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    response_key: ResponseKey = None,
    target_key: TargetKey = None,
    workers: WorkersOption = 2,
    timeout_s: TimeoutOption = 30.0,
    progress: Annotated[bool | None, typer.Option(help="Progress bar on stderr. Default: on a terminal.")] = None,
) -> None:
    """Write one verdict per row of FILE, in order, refused rows included."""
    from .rollouts.output import Output
    from .rollouts.reading import read_rows
    from .rollouts.writing import row_text
    from .verifiers.verdict_rows import verdict_rows

    with Output("--out", out, source=file) as target:
        judge = _verifier(verifier, workers=workers, timeout_s=timeout_s)
        rows = read_rows(
            file,
            format=format_name,
            prompt_key=prompt_key,
            prompt_id_key=prompt_id_key,
            response_key=response_key,
            target_key=target_key,
        )
        for row in verdict_rows(rows, judge, name=verifier, progress=_shows_progress(progress)):
            target.write(row_text(row) + "\n")


@app.command()
def advantages(
    file: FileArgument,
    estimator: Annotated[str, typer.Option(help="Of mixed groups; see `rewardgate list estimators`.")] = "grpo",
    scorer: Annotated[str, typer.Option(help="Scores the steps of open groups; `list scorers`.")] = "arithmetic",
    mode: Annotated[str, typer.Option("--gate", help="How step scores become credit; `list gates`.")] = "rules",
    tokenizer: Annotated[
        str | None, typer.Option(help="tokenizer.json, its folder or a hub name. Default: one advantage a step.")
    ] = None,
    verifier: Annotated[
        str | None,
        typer.Option(help="Judges outcomes: a name, pkg.mod:fn or path/file.py:fn. Default: logged rewards."),
    ] = None,
    out: Annotated[str, typer.Option(help="Where the rows go, one JSON line a rollout; - for stdout.")] = "-",
    batch_groups: Annotated[int, typer.Option(min=1, help="Groups whose scale is matched together.")] = 64,
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    response_key: ResponseKey = None,
    target_key: TargetKey = None,
    reward_key: RewardKey = None,
    group_key: GroupKey = None,
    workers: WorkersOption = 2,
    timeout_s: TimeoutOption = 30.0,
) -> None:
    """Write the gated advantages of every rollout of FILE: a step's, or with a tokenizer each token's."""
    from .prm import get as get_scorer
    from .prm.tokenizers import load_tokenizer
    from .rollouts.output import Output
    from .rollouts.reading import read
    from .rollouts.writing import row_text

    pipeline, grpo = _needs_torch("pipeline"), _needs_torch("grpo")
    grpo.estimators.factory(estimator)
    config = grpo.gate_mode(mode, estimator=estimator)
    totals = Counter[str]()
    with Output("--out", out, source=file) as target:
        judge = None if verifier is None else _verifier(verifier, workers=workers, timeout_s=timeout_s)
        reading = read(
            file,
            format=format_name,
            prompt_key=prompt_key,
            prompt_id_key=prompt_id_key,
            response_key=response_key,
            target_key=target_key,
            reward_key=reward_key,
            group_key=group_key,
            tokens=tokenizer is not None,
        )
        batches = pipeline.iter_token_advantages(
            reading,
            judge,
            get_scorer(scorer),
            config,
            None if tokenizer is None else load_tokenizer(tokenizer),
            batch_groups=batch_groups,
        )
        for batch in batches:
            for row in pipeline.advantage_rows(batch, first_row=totals["rollouts"]):
                target.write(row_text(row) + "\n")
            totals.update(pipeline.totals(batch))
        if totals["unknown"] == totals["rollouts"]:
            raise ArgumentError(f"{file}: expected a reward that is known, got none; name a --verifier")
    typer.echo(
        f"{totals['rollouts']} rollouts ({totals['unknown']} without an outcome, {totals['misfits']} whose tokens are "
        f"not their text), {reading.summary.n_refused} rows refused · {totals['opened']} of {totals['groups']} groups "
        f"opened · {scorer} asked about {totals['asked']} rollouts · {totals['nonzero']} of {totals['units']} "
        f"{'steps' if tokenizer is None else 'tokens'} have an advantage other than 0",
        err=True,
    )


@app.command("list")
def list_names(kind: Annotated[Kind, typer.Argument(help="What to list.")]) -> None:
    """List what is registered, built in and by entry points of other packages."""
    from .prm import step_scorers
    from .rollouts.formats import formats
    from .verifiers.base import extractors, verifiers

    if kind in (Kind.ESTIMATORS, Kind.GATES):
        grpo = _needs_torch("grpo")
        names = grpo.estimators if kind is Kind.ESTIMATORS else sorted(grpo.GATE_MODES)
    else:
        names = {
            Kind.VERIFIERS: verifiers,
            Kind.EXTRACTORS: extractors,
            Kind.SCORERS: step_scorers,
            Kind.FORMATS: formats,
        }[kind]
    for name in names:
        typer.echo(name)


def main() -> None:
    """The entry point: runs the command, and turns every error of ours, or of usage, into one line and exit code 2.

    Exit codes: 0; 1 where `--fail-on` says so and for nothing else; 2; 130 after Ctrl-C; 141 where the reader of
    our output went away (`| head`), as the shell reports it of any other program.
    """
    sys.exit(_exit_code(sys.argv[1:]))


def _exit_code(arguments: list[str]) -> int:
    if sys.stdout is None:  # `>&-`: the next file that is opened would be what others take for stdout
        return _refused("stdout: expected an open stream, got a closed one")
    # Not `app()`: typer answers a broken pipe with exit code 1, and an error of usage with four lines.
    command = get_command(app)
    try:
        try:
            with command.make_context("rewardgate", arguments) as context:
                command.invoke(context)
            code = 0
        except typer.Exit as done:
            code = done.exit_code
        _flush_stdout()
    except _UsageError as error:
        at = "rewardgate" if error.ctx is None else error.ctx.command_path
        return _refused(f"{error.format_message().rstrip('.')}; see {at} --help")
    except BrokenPipeError:
        # Point stdout at nothing, so that the interpreter does not complain when it flushes for the last time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except (RewardgateError, OSError) as error:
        return _refused(str(error))
    return code


def _flush_stdout() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"stdout: expected a writable file, got: {error.strerror}") from error


def _refused(message: str) -> int:
    typer.echo(f"rewardgate: {' '.join(message.split())}", err=True)
    return 2


def _verifier(spec: str, *, workers: int, timeout_s: float) -> "Verifier":
    from .verifiers.functions import load_verifier

    return load_verifier(spec, workers=workers, timeout_s=timeout_s)


def _needs_torch(room: str) -> Any:
    """The room of that name; most of what the command does goes without torch."""
    try:
        return import_module(f".{room}", __package__)
    except ImportError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError("torch is not installed; pip install 'rewardgate[torch]'") from error


def _shows_progress(progress: bool | None) -> bool:
    return (sys.stderr is not None and sys.stderr.isatty()) if progress is None else progress
