"""What several commands ask for, and what they make of it."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ArgumentError, MissingExtraError

if TYPE_CHECKING:
    from ..prm.base import StepScorer
    from ..verifiers.base import Verifier

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
ScorerOptions = Annotated[
    list[str] | None,
    typer.Option("--option", help="Of the scorer: the value as JSON or as it stands. Repeat.", metavar="KEY=VALUE"),
]
CacheFolder = Annotated[
    Path | None, typer.Option("--cache", help="Folder in which step scores are kept, and found by the next run.")
]
ShowsProgress = Annotated[
    bool | None, typer.Option("--progress/--no-progress", help="Progress bar on stderr. Default: on a terminal.")
]


class Engine(StrEnum):
    """Where rows are judged."""

    LOCAL = "local"
    RAY = "ray"


EngineOption = Annotated[
    Engine, typer.Option("--engine", help="Where rows are judged: here, or by actors of Ray (docs/scale.md).")
]
ActorsOption = Annotated[
    int | None, typer.Option("--actors", min=1, help="With --engine ray: how many. Default: one a processor.")
]
BlockRows = Annotated[
    int, typer.Option("--block-rows", min=64, help="With --engine ray: rows judged and written together.")
]


def named_verifier(spec: str, *, workers: int, timeout_s: float) -> "Verifier":
    """The verifier of that name, or of that `pkg.mod:fn` or `path/file.py:fn` in killable workers."""
    from ..verifiers.functions import load_verifier

    return load_verifier(spec, workers=workers, timeout_s=timeout_s)


def named_scorer(spec: str, pairs: list[str] | None, *, cache: Path | None = None) -> "StepScorer":
    """The step scorer of that name, or of that `pkg.mod:name` or `path/file.py:name` in a killable worker, built with
    `key=value` pairs; with a cache in front of it where there is one.

    Raises:
        ArgumentError: a cache for a scorer of the user's own that has no version: nothing tells when it has changed.
    """
    from ..prm.functions import NO_VERSION, load_scorer

    options = option_values(pairs or [])
    scorer = load_scorer(spec, options)
    if cache is None:
        return scorer
    if scorer.version == NO_VERSION:
        raise ArgumentError(f"cache: expected a scorer with a `version`, got {spec}")
    from ..prm.cache import CachedScorer

    return CachedScorer(scorer, cache, name=spec, options=options)


def option_values(pairs: Iterable[str]) -> dict[str, Any]:
    """`key=value` pairs as a mapping, a value being what JSON makes of it, else the text itself."""
    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.isidentifier():
            raise ArgumentError(f"--option: expected key=value, got {pair!r}")
        if key in options:
            raise ArgumentError(f"--option: expected {key} once, got it twice")
        try:
            options[key] = json.loads(value)
        except (ValueError, RecursionError):
            options[key] = value
    return options


def torch_room(room: str) -> Any:
    """The room of that name; most of what the command does goes without torch."""
    try:
        return import_module(f"..{room}", __package__)
    except ImportError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError("torch is not installed; pip install 'rewardgate[torch]'") from error


def folder_of(out: str) -> Path:
    """The folder that `--out` names."""
    if out == "-":
        raise ArgumentError("--out: expected a folder with --engine ray, got stdout")
    return Path(out)


@contextmanager
def rows_counted(progress: bool | None) -> Iterator[Callable[[int], None] | None]:
    """A bar on stderr, where one is drawn, that is told how many rows there are."""
    if not shows_progress(progress):
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.completed:,.0f} rows"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("rows", total=None)
        yield lambda n_rows: bar.update(task, completed=n_rows)


@contextmanager
def judged_by(engine: Engine, actors: int | None) -> Iterator[Callable[..., Any]]:
    """What makes an audit's pass over all texts."""
    if engine is Engine.LOCAL:
        from ..audit.judging import judge

        yield judge
        return
    from ..integrations.ray import judging

    with judging(actors) as judge:
        yield judge


def shows_progress(progress: bool | None) -> bool:
    """Whether a bar is drawn: as asked for, else on a terminal."""
    return (sys.stderr is not None and sys.stderr.isatty()) if progress is None else progress
