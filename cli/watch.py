"""`rewardgate watch`: an audit of a log that is still being written."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from ..errors import InputError
from .options import TimeoutOption, WorkersOption, named_verifier


def watch(
    log: Annotated[Path, typer.Argument(help="JSON lines with a step, while they are written.", metavar="LOG")],
    every: Annotated[int, typer.Option(min=1, help="Steps between two looks.")] = 5,
    referee: Annotated[str, typer.Option(help="The verifier that the logged rewards are compared with.")] = "auto",
    once: Annotated[bool, typer.Option("--once", help="Look at what is there, and end.")] = False,
    workers: WorkersOption = 2,
    timeout_s: TimeoutOption = 30.0,
    start: Annotated[int, typer.Option(min=0, hidden=True, help="The byte of LOG to begin at.")] = 0,
    parent: Annotated[int | None, typer.Option(hidden=True, help="End with this process.")] = None,
) -> None:
    """Audit LOG every few steps while it grows: a line on stderr for each new finding, all looks as JSON beside it."""
    from ..audit.runs.watching import Watch, end_with, follow

    with TemporaryDirectory(prefix="rewardgate-watch-") as scratch:
        if parent is not None:
            end_with(parent, 0, Path(scratch))
            os.nice(10)  # the run that is watched has the right of way
        judge = named_verifier(referee, workers=workers, timeout_s=timeout_s)
        if parent is None and not log.exists():
            if once:
                raise InputError(f"{log}: expected a log to look at, got no such file")
            _say(f"{log}: no such file yet; waiting for its first rows")
        watching = Watch(log, Path(scratch), every=every, referee=judge, start=start, say=_say)
        if not once:
            follow(watching, log)
        watching.catch_up()
        watching.finish()


def _say(line: str) -> None:
    typer.echo(f"rewardgate: {line}", err=True)
