"""`rewardgate label`: people's labels of a sample of rollouts, and what they say of the verdicts."""

from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ArgumentError
from .options import (
    FileArgument,
    FormatName,
    GroupKey,
    PromptIdKey,
    PromptKey,
    ResponseKey,
    RewardKey,
    ShowsProgress,
    TargetKey,
    TimeoutOption,
    WorkersOption,
    named_verifier,
    shows_progress,
)

if TYPE_CHECKING:
    from rich.console import Console

    from ..audit.labels.draws import Draw
    from ..audit.labels.store import LabelStore

label = typer.Typer(rich_markup_mode=None, help="Label a sample by hand; export and import it.")

LabelsPath = Annotated[
    Path | None, typer.Option("--labels", help="The file of labels. Default: FILE.labels.sqlite, beside FILE.")
]
Annotator = Annotated[str | None, typer.Option(help="Who labels. Default: the user's name.")]


@label.command()
def run(
    file: FileArgument,
    labels: LabelsPath = None,
    annotator: Annotator = None,
    n: Annotated[
        int | None, typer.Option("--n", min=1, help="Prompts to draw; a larger number adds some. [59]")
    ] = None,
    within: Annotated[
        str | None, typer.Option(help="Draw only from strata whose names begin so (wrong/all_wrong).")
    ] = None,
    rollouts_per_prompt: Annotated[int | None, typer.Option(min=1, help="To label of each prompt. [1]")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the draw. [0]")] = None,
    verifier: Annotated[
        str | None, typer.Option(help="Whose verdicts: a name, pkg.mod:fn or path/file.py:fn. Default: logged rewards.")
    ] = None,
    referee: Annotated[str, typer.Option(help="The verifier that doubts are drawn from.")] = "auto",
    correct_at: Annotated[
        float | None, typer.Option(help="Logged reward from which a rollout counts as correct. [1]")
    ] = None,
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    response_key: ResponseKey = None,
    target_key: TargetKey = None,
    reward_key: RewardKey = None,
    group_key: GroupKey = None,
    workers: WorkersOption = 2,
    timeout_s: TimeoutOption = 30.0,
    progress: ShowsProgress = None,
) -> None:
    """Label a sample of FILE, blind: is the response right, whatever its verdict? Goes on where it was left.

    A terminal is asked key by key; from a pipe, one key a line.
    """
    from ..audit.labels.drawing import DrawOptions, draw_for
    from ..audit.labels.keys import read_keys
    from ..audit.labels.screen import LabelScreen
    from ..audit.labels.session import label_session
    from ..audit.labels.store import LabelStore
    from ..audit.labels.texts import label_items
    from ..audit.report.printing import stdout_console
    from ..rollouts.reading import read

    reading = read(
        file,
        format=format_name,
        prompt_key=prompt_key,
        prompt_id_key=prompt_id_key,
        response_key=response_key,
        target_key=target_key,
        reward_key=reward_key,
        group_key=group_key,
    )
    who = _name(annotator)
    with LabelStore(_labels_path(file, labels)) as store:
        options = DrawOptions(
            scored_by=verifier,
            correct_at=correct_at,
            seed=seed,
            rollouts_per_prompt=rollouts_per_prompt,
            within=within,
            n_prompts=n,
        )
        draw = draw_for(
            store,
            reading,
            file,
            options,
            load=lambda spec: named_verifier(spec, workers=workers, timeout_s=timeout_s),
            referee=referee,
            progress=shows_progress(progress),
        )
        console = stdout_console()
        label_session(label_items(reading, draw.sample), store, who, read_keys(), LabelScreen(console))
        _tell(draw, store, console)


@label.command("export")
def export_labels(
    file: FileArgument,
    labels: LabelsPath = None,
    out: Annotated[str, typer.Option(help="Where the CSV goes; - for stdout.")] = "-",
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    response_key: ResponseKey = None,
    target_key: TargetKey = None,
    reward_key: RewardKey = None,
    group_key: GroupKey = None,
) -> None:
    """Write the labels of FILE as CSV, with the texts; what is not labelled yet has an empty label to fill in."""
    from ..audit.labels.csv_files import csv_text
    from ..audit.labels.drawing import draw_of
    from ..audit.labels.store import LabelStore
    from ..audit.labels.texts import label_items
    from ..rollouts.output import Output
    from ..rollouts.reading import read

    with LabelStore(_labels_path(file, labels), must_exist=True) as store, Output("--out", out, source=file) as target:
        draw = draw_of(store, file)
        reading = read(
            file,
            format=format_name,
            prompt_key=prompt_key,
            prompt_id_key=prompt_id_key,
            response_key=response_key,
            target_key=target_key,
            reward_key=reward_key,
            group_key=group_key,
        )
        for line in csv_text(label_items(reading, draw.sample), store.current().values()):
            target.write(line)


@label.command("import")
def import_labels(
    file: FileArgument,
    table: Annotated[Path, typer.Argument(help="What `label export` wrote, filled in.", metavar="CSV")],
    labels: LabelsPath = None,
    annotator: Annotated[str | None, typer.Option(help="Whose labels they are, where a row does not say.")] = None,
) -> None:
    """Add the labels of CSV to those of FILE. A row that cannot be used is told on stderr and left out."""
    from ..audit.labels.csv_files import import_csv
    from ..audit.labels.drawing import draw_of
    from ..audit.labels.store import LabelStore
    from ..audit.report.printing import stdout_console

    with LabelStore(_labels_path(file, labels), must_exist=True) as store:
        draw = draw_of(store, file)
        found = import_csv(table, store, annotator=annotator)
        for refusal in found.refusals:
            typer.echo(str(refusal), err=True)
        typer.echo(
            f"{found.n_added} labels added, {found.n_known} known already, {found.n_empty} rows without a label, "
            f"{len(found.refusals)} refused",
            err=True,
        )
        _tell(draw, store, stdout_console())


def _tell(draw: "Draw", store: "LabelStore", console: "Console") -> None:
    """What the labels say so far."""
    from ..audit.labels.reliability import reliability
    from ..audit.report.reliability_lines import reliability_lines

    for part in reliability_lines(reliability(draw, store.current().values())):
        console.print(part)


def _labels_path(file: Path, labels: Path | None) -> Path:
    return Path(f"{file if file.name else file.absolute()}.labels.sqlite") if labels is None else labels


def _name(annotator: str | None) -> str:
    if annotator is not None and not annotator.strip():
        raise ArgumentError(f"--annotator: expected a name, got {annotator!r}")
    try:
        return getuser() if annotator is None else annotator.strip()
    except (KeyError, OSError, ImportError) as error:  # a user without a name: a container's number
        raise ArgumentError("--annotator: expected a name, as this user has none") from error
