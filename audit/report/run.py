"""The part of the report that a training run's own logs give: how it stands, its curves, its cost, its alerts."""

from collections.abc import Mapping
from typing import Literal

from ...diagnostics.pool_rules import Pool
from .evidence import Number, Part
from .ladder import RungName

__all__ = ["RunAlert", "RunCurve", "RunFigure", "RunLedger", "RunLine", "RunReadout", "RunStatus"]

RunStatus = Literal["running", "silent", "finished", "stopped", "failed", "unknown"]


class RunLine(Part):
    """One figure over the steps: (step, mean of the steps since the point before); None where it was not known."""

    figure: str
    points: tuple[tuple[int, Number], ...]


class RunCurve(Part):
    """Figures of one unit, to be seen together."""

    title: str
    unit: str
    lines: tuple[RunLine, ...]


class RunFigure(Part):
    """One figure in five numbers. `first` and `last` are means over the first and the last tenth of its `n` values."""

    name: str
    n: int
    first: Number
    last: Number
    lowest: Number
    highest: Number


class RunAlert(Part):
    """An alert of the monitor, as it was logged."""

    step: int
    event: str
    name: str
    layer: RungName
    figure: str
    level: Literal["warn", "fail"]
    value: Number
    threshold: str
    sentence: str
    change: str


class RunLedger(Part):
    """What sampling cost: the sums of the ledger's `steps` rows by column, and what was sampled for each that was kept.

    `rollouts_per_kept` and `tokens_per_kept` are None where nothing was kept.
    """

    steps: int
    totals: Mapping[str, float]
    rollouts_per_kept: Number
    tokens_per_kept: Number


class RunReadout(Part):
    """What the folder of a run says of it.

    `silent`: the run said that it goes on, and has logged nothing for far longer than a step took. `step` is the last
    one logged, of `steps` planned. `last_line_age_s` is seconds from the last line of `metrics.jsonl` to the audit;
    `step_seconds` the median between two lines. `resumptions` counts starts from a checkpoint. `alerts` are all events
    in order; `active` those that are raised at the end, by layer and what fails first; `change_first` is the layer that
    they name. `pools` are prompts by pool at the last step that logged them.
    """

    folder: str
    status: RunStatus
    step: int | None
    steps: int | None
    checkpoint: str | None = None
    error: str | None = None
    last_line_age_s: Number = None
    step_seconds: Number = None
    resumptions: int = 0
    curves: tuple[RunCurve, ...] = ()
    figures: tuple[RunFigure, ...] = ()
    ledger: RunLedger | None = None
    alerts: tuple[RunAlert, ...] = ()
    active: tuple[RunAlert, ...] = ()
    change_first: RungName | None = None
    pools: Mapping[Pool, int] | None = None
    notes: tuple[str, ...] = ()
