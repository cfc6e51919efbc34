"""`rewardgate train`: a run from its configuration to its last step, or on from where it was stopped."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import torch_room
from .stopping import stop_requests

if TYPE_CHECKING:
    from ..training.monitor import StepReport

_SHOWN = {
    "success": "success/mean",
    "mixed": "groups/mixed_rate",
    "live tokens": "signal/live_tokens",
    "loss": "update/loss",
    "grad": "update/grad_norm",
    "length": "length/mean",
}


def train(
    file: Annotated[Path, typer.Argument(help="The run's configuration, TOML.", metavar="RUN.toml")],
    changes: Annotated[
        list[str] | None, typer.Argument(help="section.name=value: instead of what the file says.", metavar="CHANGES")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what the run would do and cost.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the newest checkpoint; from the start where there is none.")
    ] = False,
) -> None:
    """Train a policy as RUN.toml says. Ctrl-C or SIGTERM ends the run behind its step, with a checkpoint."""
    config = torch_room("training.config_text").read_config(file, changes or [])
    if dry_run:
        for line in torch_room("training.planning").plan_of(config).lines():
            typer.echo(line)
        return
    trainer = torch_room("training.loop").Trainer(config)
    with stop_requests("rewardgate: the run ends behind this step; again to end it now") as should_stop:
        result = trainer.run(resume=resume, should_stop=should_stop, tell=partial(_print, config.steps))
    ended = "finished" if result.is_finished else "stopped; --resume goes on"
    typer.echo(f"step {result.step} of {config.steps}: {ended} · {result.checkpoint}", err=True)


def _print(steps: int, step: int, report: "StepReport") -> None:
    figures = report.figures
    shown = [f"{name} {figures[key]:.3g}" for name, key in _SHOWN.items() if figures.get(key, None) is not None]
    shown += [
        f"held-out {name.removeprefix('held_out/')} {value:.3g}" for name, value in figures.items() if "pass@" in name
    ]
    typer.echo(" · ".join([f"step {step} of {steps}", *(one for one in shown if not one.endswith(" nan"))]))
    for alert in report.alerts:
        typer.echo(f"  {alert.sentence}", err=True)
