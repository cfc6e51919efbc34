"""`rewardgate list`: what is registered."""

from enum import StrEnum
from typing import Annotated

import typer

from .options import torch_room


class Kind(StrEnum):
    """What `list` can list."""

    VERIFIERS = "verifiers"
    EXTRACTORS = "extractors"
    SCORERS = "scorers"
    ESTIMATORS = "estimators"
    GATES = "gates"
    FORMATS = "formats"


def list_names(kind: Annotated[Kind, typer.Argument(help="What to list.")]) -> None:
    """List what is registered, built in and by entry points of other packages."""
    from ..prm import step_scorers
    from ..rollouts.formats import formats
    from ..verifiers.base import extractors, verifiers

    if kind in (Kind.ESTIMATORS, Kind.GATES):
        grpo = torch_room("grpo")
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
