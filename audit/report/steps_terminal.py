"""The audit of a step scorer on a terminal: what was said, where errors are seen, what ranks, and what it means."""

from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from .indent import Indented
from .printing import print_parts, verdict_lines
from .steps import AggregateRanking, StepsReport
from .text import number, percent, shown

__all__ = ["render_steps"]

_MOST_RULES = 8
_BAR_WIDTH = 20


def render_steps(report: StepsReport, console: Console | None = None) -> None:
    """Print `report`.

    Args:
        report: what `audit_steps` returned.
        console: where; by default stdout, at least 100 columns wide where that is no terminal.
    """
    print_parts(_parts(report), console)


def _parts(report: StepsReport) -> Iterator[RenderableType]:
    yield from _read(report)
    sections = (
        ("COVERAGE", _coverage),
        ("FIRST ERRORS", _first_errors),
        ("STEPS", _steps),
        ("SOLUTIONS", _solutions),
        ("NOT MEASURED", _not_measured),
    )
    for position, (name, section) in enumerate(sections, start=1):
        yield Text(f"\n{position} {name}", style="bold")
        yield from (Indented(part, 2) for part in section(report))
    yield from verdict_lines(report.findings, report.severity, report.headline)


def _read(report: StepsReport) -> Iterator[RenderableType]:
    reading = report.reading
    yield Text(
        f"{reading.n_traces} solutions of {reading.n_problems} problems, {reading.n_steps} steps · {reading.n_rows} "
        f"rows read as {reading.layout}, {reading.n_refused} refused"
    )
    version = f" {shown(report.scorer_version)}" if report.scorer_version else ""
    yield Text(
        f"scored by {shown(report.scorer)}{version} · intervals: 95 %, by problem, seed {report.seed}", style="dim"
    )
    yield Text(
        f"{percent(report.share_erroneous)} of the solutions have a wrong step, {percent(report.share_final_wrong)} a "
        "wrong final answer, of those labelled",
        style="dim",
    )
    for note in reading.notes:
        yield Text(f"note: {shown(note)}", style="dim")
    for refusal in reading.refusals[:3]:
        yield Text(f"refused: {shown(refusal)}", style="yellow")


def _coverage(report: StepsReport) -> Iterator[RenderableType]:
    found = report.coverage
    yield Text(
        f"{found.n_scored} of {found.n_steps} steps have a score ({percent(found.share)}); of {found.n_silent} of "
        f"{report.reading.n_traces} solutions the scorer said nothing"
    )
    if found.rules:
        rules = ", ".join(f"{shown(rule, 40)} {count}" for rule, count in list(found.rules.items())[:_MOST_RULES])
        yield Text(f"rules: {rules}", style="dim")


def _first_errors(report: StepsReport) -> Iterator[RenderableType]:
    if not report.first_errors:
        yield _absent()
        return
    if report.threshold is not None:
        yield Text(
            f"threshold {number(report.threshold)} chosen on {report.n_chosen_on} solutions of "
            f"{report.n_problems_chosen_on} problems (seed {report.seed}), reported on those of the other problems"
        )
    table = _table("", "erroneous", "found", "correct", "found", "F1", ">95 %", "precision", "silent")
    for row in report.first_errors:
        table.add_row(
            Text(shown(row.name, 60) or "no source"),
            str(row.n_erroneous),
            percent(row.accuracy_erroneous),
            str(row.n_correct),
            percent(row.accuracy_correct),
            number(row.f1),
            _ends(row.f1_low, row.f1_high),
            number(row.precision),
            str(row.n_silent_erroneous + row.n_silent_correct),
        )
    yield table
    yield Text("F1 as ProcessBench's, the harmonic mean of both; silent solutions count as misses", style="dim")


def _steps(report: StepsReport) -> Iterator[RenderableType]:
    found = report.steps
    if found is None:
        yield _absent()
        return
    yield Text(
        f"{found.n} of {found.n_labelled} labelled steps are scored; {percent(found.base_rate)} of them are right"
    )
    yield Text(
        f"AUC {number(found.auc)} {_ends(found.auc_low, found.auc_high)} · ECE {number(found.ece)} "
        f"{_ends(found.ece_low, found.ece_high)}"
    )
    table = _table("score", "steps", "mean score", "right", ">")
    for one in found.bins:
        bar = "█" * round(_BAR_WIDTH * (one.share_right or 0.0))
        table.add_row(
            f"{one.low:.1f}–{one.high:.1f}", str(one.n), number(one.mean_score), percent(one.share_right), bar
        )
    yield table
    if report.by_source:
        table = _table("source", "steps", "wrong", "base rate", "AUC", ">95 %", "ECE")
        for row in report.by_source:
            auc, ends = number(row.auc), _ends(row.auc_low, row.auc_high)
            figures = (str(row.n), str(row.n_wrong), percent(row.base_rate), auc, ends, number(row.ece))
            table.add_row(Text(shown(row.source, 40) or "no source"), *figures)
        yield table


def _solutions(report: StepsReport) -> Iterator[RenderableType]:
    if not report.aggregates:
        yield _absent()
        return
    for truth, said in (("steps", "without a wrong step"), ("answer", "with a right final answer")):
        strata: dict[tuple[str, str], list[AggregateRanking]] = {}
        for row in report.aggregates:
            if row.truth == truth:
                strata.setdefault((row.stratum, row.name), []).append(row)
        if not strata:
            continue
        names = [row.aggregate for row in next(iter(strata.values()))]
        yield Text(f"AUC of solutions {said} over the others, by aggregate of their step scores")
        table = _table("", "right", "wrong", "silent", *(f">{name}" for name in names))
        for (stratum, name), rows in strata.items():
            of = "" if stratum == "all" else f"{stratum} "
            figures = (f"{number(row.auc)} {_ends(row.auc_low, row.auc_high)}" for row in rows)
            counts = (rows[0].n_right, rows[0].n_wrong, rows[0].n_silent)
            table.add_row(Text(f"{of}{shown(name, 40)}"), *map(str, counts), *figures)
        yield table


def _not_measured(report: StepsReport) -> Iterator[RenderableType]:
    for entry in report.not_measured:
        yield Text(f"{entry.what}: {entry.why}; {entry.enable}", style="dim")


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:.2f}, {high:.2f}]"


def _absent() -> Text:
    return Text("not measured: see 5", style="dim")


def _table(*columns: str) -> Table:
    """A table without lines; a column whose name begins with `>` holds text and is set flush left."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(columns[0], overflow="fold")
    for column in columns[1:]:
        table.add_column(column.removeprefix(">"), justify="left" if column.startswith(">") else "right")
    return table
