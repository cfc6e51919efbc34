"""A training run on a terminal: how it stands, what it warns of, its figures from first to last, and its cost."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from .indent import Indented
from .printing import STYLES, print_parts
from .run import RunAlert, RunFigure, RunLedger, RunLine, RunReadout
from .text import number, shown

__all__ = ["cost_sentences", "render_run", "run_lines", "standing"]

SHOWN = (
    *("success/mean", "held_out/*pass@*", "groups/mixed_rate", "groups/all_wrong_rate", "groups/acr"),
    *("signal/live_rollouts", "signal/live_tokens", "signal/rollouts_per_live", "verdicts/no_answer"),
    *("verdicts/unscored", "length/mean", "length/truncated", "sampled/entropy", "update/*clipped_high"),
    *("update/sampler_*effective_share", "update/grad_norm"),
)
"""Figures that a terminal has room for, by the names that the monitor logs them under."""

MOST_NOTES = 5
_BLOCKS = "▁▂▃▄▅▆▇█"
_WIDTH = 24
_STATUS = {
    "running": "is running",
    "silent": "says that it goes on, and is silent",
    "finished": "has finished",
    "stopped": "was asked to stop",
    "failed": "failed",
    "unknown": "does not say how it stands",
}


def render_run(run: RunReadout, console: Console | None = None) -> None:
    """Print a run of which there are no rollouts to audit; `console` as in `terminal.render`."""
    print_parts((Text("THE RUN", style="bold"), *(Indented(line, 2) for line in run_lines(run))), console)


def run_lines(run: RunReadout) -> Iterator[RenderableType]:
    """The lines to print, in order; no markup is read from what the logs say."""
    yield Text(standing(run))
    if run.error:
        yield Text(f"it said: {shown(run.error, 300)}", style="yellow")
    for alert in run.active:
        yield from _alert_lines(alert)
    figures = list(_chosen(run.figures))
    if figures:
        yield _table(figures, {line.figure: line for curve in run.curves for line in curve.lines})
    if run.ledger is not None:
        yield from (Text(sentence) for sentence in cost_sentences(run.ledger))
    for note in run.notes[:MOST_NOTES]:
        yield Text(f"note: {shown(note)}", style="dim")


def standing(run: RunReadout) -> str:
    """How the run stands, in a sentence.

    Example:
        >>> standing(RunReadout(folder="runs/a", status="running", step=3, steps=9, last_line_age_s=4, step_seconds=2))
        'runs/a is running: step 3 of 9, last line 4 s ago, 2 s a step'
    """
    parts = [] if run.step is None else [f"step {run.step}" + (f" of {run.steps}" if run.steps else "")]
    if run.last_line_age_s is not None and run.status in ("running", "silent", "unknown"):
        parts.append(f"last line {_time(run.last_line_age_s)} ago")
    if run.step_seconds is not None:
        parts.append(f"{_time(run.step_seconds)} a step")
    if run.resumptions:
        parts.append(f"resumed {run.resumptions} time{'' if run.resumptions == 1 else 's'}")
    said = f"{shown(run.folder)} {_STATUS[run.status]}"
    return f"{said}: {', '.join(parts)}" if parts else said


def cost_sentences(ledger: RunLedger) -> Iterator[str]:
    """What sampling cost, a sentence a unit.

    Example:
        >>> totals = {"generated": 40, "kept_mixed": 10, "discarded_all_wrong": 30, "rollouts": 320, "seconds": 75}
        >>> for sentence in cost_sentences(
        ...     RunLedger(steps=5, totals=totals, rollouts_per_kept=4, tokens_per_kept=None)
        ... ):
        ...     print(sentence)
        5 steps sampled 320 rollouts in 1.2 min: 4.000 rollouts for each that was kept
        40 groups: kept 10 mixed; discarded 30 all wrong
    """
    totals = ledger.totals
    sampled = [f"{totals[unit]:,.0f} {unit}" for unit in ("rollouts", "tokens") if unit in totals]
    spent = f" in {_time(totals['seconds'])}" if "seconds" in totals else ""
    ratios = [("rollouts", ledger.rollouts_per_kept), ("tokens", ledger.tokens_per_kept)]
    each = [f"{number(ratio)} {unit}" for unit, ratio in ratios if ratio is not None]
    if sampled:
        cost = f": {' and '.join(each)} for each that was kept" if each else ""
        yield f"{ledger.steps} steps sampled {' and '.join(sampled)}{spent}{cost}"
    parts = []
    for fate in ("kept", "discarded"):
        counts = {name.removeprefix(f"{fate}_"): count for name, count in totals.items() if name.startswith(f"{fate}_")}
        kinds = [f"{count:,.0f} {shown(kind.replace('_', ' '), 40)}" for kind, count in counts.items() if count]
        parts += [f"{fate} {', '.join(kinds)}"] if kinds else []
    if "generated" in totals and parts:
        yield f"{totals['generated']:,.0f} groups: {'; '.join(parts)}"


def _alert_lines(alert: RunAlert) -> Iterator[RenderableType]:
    line = Text(f"{alert.level.upper()} ", style=STYLES[alert.level])
    line.append(f"{alert.layer}, since step {alert.step}: {shown(alert.sentence, 300)}", style="default")
    line.append(f" ({shown(alert.threshold, 100)})", style="dim")
    yield line
    yield Indented(Text(f"→ {shown(alert.change, 300)}"), 5)


def _chosen(figures: Sequence[RunFigure]) -> Iterator[RunFigure]:
    for pattern in SHOWN:
        yield from (figure for figure in figures if fnmatchcase(figure.name, pattern))


def _table(figures: Sequence[RunFigure], lines: dict[str, RunLine]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("figure", overflow="fold")
    for name in ("first", "last", "lowest", "highest"):
        table.add_column(name, justify="right")
    table.add_column("over the steps", no_wrap=True)
    for one in figures:
        drawn = _sparkline(lines[one.name]) if one.name in lines else ""
        values = (one.first, one.last, one.lowest, one.highest)
        table.add_row(Text(shown(one.name, 60)), *map(number, values), drawn)
    return table


def _sparkline(line: RunLine) -> str:
    """The curve in blocks, from its lowest to its highest point; a space where it is not known."""
    values = [value for _, value in line.points]
    width = min(_WIDTH, len(values))
    parts = [values[len(values) * i // width : len(values) * (i + 1) // width] for i in range(width)]
    known = [[value for value in part if value is not None] for part in parts]
    means = [sum(part) / len(part) if part else None for part in known]
    low = min((mean for mean in means if mean is not None), default=0.0)
    high = max((mean for mean in means if mean is not None), default=0.0)
    top = len(_BLOCKS) - 1
    return "".join(
        " " if mean is None else _BLOCKS[round(top * (mean - low) / (high - low)) if high > low else 0]
        for mean in means
    )


def _time(seconds: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.2g} s"
