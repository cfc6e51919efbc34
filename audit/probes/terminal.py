"""A probe's report on a terminal: controls, the three numbers, the matrix, conduct, findings; the headline last.

Targets and responses may be a stranger's words: they go through `text.shown` and into rich as `Text`.
"""

from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ..report.indent import Indented
from ..report.text import number, percent, shown
from .forms import FORMS
from .model import Behaviour, CaseVerdict, Controls, Headlines, ProbeFinding, ProbeReport, ProbeRow, Rate

__all__ = ["render"]

WIDTH_WHEN_PIPED = 100
_STYLES = {"info": "dim", "warn": "yellow", "fail": "bold red"}
_STATUS_STYLES = {"ok": "green", "findings": "bold red", "inconclusive": "yellow"}
_TEXT_CHARS = 60


def render(report: ProbeReport, console: Console | None = None) -> None:
    """Print `report`.

    Args:
        report: what `probe` returned.
        console: where; by default stdout, at least 100 columns wide where that is no terminal.
    """
    if console is None:
        console = Console(highlight=False)
        if not console.is_terminal and console.width < WIDTH_WHEN_PIPED:
            console = Console(width=WIDTH_WHEN_PIPED, highlight=False)
    for part in _parts(report):
        console.print(Indented(part, 0), highlight=False, end="")


def _parts(report: ProbeReport) -> Iterator[RenderableType]:
    yield Text(
        f"{shown(report.verifier)} · {report.n_targets} targets ({shown(report.targets_from)}) · {report.n_cases} "
        f"cases · {report.seconds:.1f} s"
    )
    yield Text(shown(report.told), style="dim")
    yield _heading(1, "CONTROLS")
    yield from (Indented(part, 2) for part in _controls(report.controls))
    if report.headlines is not None:
        yield _heading(2, "THREE NUMBERS")
        yield from (Indented(part, 2) for part in _headlines(report.headlines))
    for position, (expectation, name) in enumerate((("accept", "MUST ACCEPT"), ("reject", "MUST REJECT")), start=3):
        rows = [row for row in report.rows if row.expectation == expectation]
        if rows:
            yield _heading(position, name)
            yield Indented(_matrix(rows), 2)
    yield _heading(5, "CONDUCT")
    yield from (Indented(part, 2) for part in _conduct(report.behaviour, report.search))
    yield _heading(6, "FINDINGS")
    for finding in report.findings:
        yield from (Indented(part, 2) for part in _finding(finding))
    if not report.findings:
        yield Indented(Text("none", style="dim"), 2)
    for entry in report.not_measured:
        yield Indented(Text(f"not measured: {entry.what}: {entry.why}; {entry.enable}", style="dim"), 2)
    yield Text()
    yield Text.assemble((f"{report.status.upper()}  ", _STATUS_STYLES[report.status]), (shown(report.headline), "bold"))


def _heading(position: int, name: str) -> Text:
    return Text(f"\n{position} {name}", style="bold")


def _controls(controls: Controls) -> Iterator[RenderableType]:
    yield Text(
        f"{controls.n_references_accepted}/{controls.n_references} references accepted, "
        f"{controls.n_empty_accepted}/{controls.n_empty} empty responses"
    )
    if controls.reason:
        yield Text(shown(controls.reason), style="yellow")
    read = [f"{row.form} {row.n_accepted}/{row.n}" for row in controls.forms if row.n_accepted]
    if read:
        yield Text(f"reads: {', '.join(read)}")
    unread = [row.form for row in controls.forms if not row.n_accepted and FORMS[row.form].is_expected]
    if unread:
        yield Text(f"never reads: {', '.join(unread)}", style="dim")
    if controls.form is not None:
        yield Text(f"asked from here on as {shown(FORMS[controls.form].offer('7'))}", style="dim")


def _headlines(numbers: Headlines) -> Iterator[RenderableType]:
    ceiling, lazy = numbers.false_pass_ceiling, numbers.lazy
    worst = f", {ceiling.worst_probe}" if ceiling.worst_probe else ""
    yield Text(f"false-pass ceiling  {_rate(ceiling)}{worst}")
    if lazy is not None and lazy.mean_reward is not None:
        yield Text(
            f"lazy-policy reward  {number(lazy.mean_reward)} (n = {lazy.n}, ≤ {percent(lazy.upper_bound)} at 95 %), "
            f'"{lazy.strategy}", which is right for {lazy.n_right}'
        )
    yield Text(f"false-fail rate     {_rate(numbers.false_fail)}")


def _rate(rate: Rate) -> str:
    if rate.rate is None:
        return "not measured"
    told = f"{percent(rate.rate)} ({rate.count}/{rate.n}, ≤ {percent(rate.upper_bound)} at 95 % for targets like these)"
    return told + ("; underpowered, not evidence of absence" if rate.is_underpowered else "")


def _matrix(rows: list[ProbeRow]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("row", no_wrap=True)
    table.add_column("accepted", justify="right", no_wrap=True)
    table.add_column("95 %", justify="right", no_wrap=True)
    table.add_column("what it is, and the worst example", overflow="fold")
    for row in rows:
        sign = "≤" if row.expectation == "reject" else "≥"
        bound = "–" if row.bound is None else f"{sign} {percent(row.bound)}{'*' if row.is_underpowered else ''}"
        style = "" if not row.n_unexpected else "dim" if row.explained else "bold red"
        table.add_row(Text(row.probe, style=style), f"{row.n_accepted}/{row.n}", bound, _meaning(row))
    table.add_section()
    if any(row.is_underpowered for row in rows):
        table.add_row("", "", "", Text("* underpowered: not evidence of absence", style="dim"))
    return table


def _meaning(row: ProbeRow) -> Text:
    told = Text(shown(row.meaning, _TEXT_CHARS))
    lost = [
        f"{count} {name}"
        for count, name in (
            (row.n_errors, "without a verdict"),
            (row.n_timeouts, "timed out"),
            (row.n_crashes, "crashed"),
        )
        if count
    ]
    if lost:
        told.append(f"; {', '.join(lost)}", style="yellow")
    if row.explained:
        return told.append(f"; {row.explained}", style="dim")
    if row.worst is not None:
        told.append(f"; {_case(row.worst)}", style="dim")
    return told


def _case(case: CaseVerdict) -> str:
    said = {True: "accepted", False: "refused", None: case.outcome}[case.accepted]
    return f"{shown(case.response, _TEXT_CHARS) or '(empty)'} for {shown(case.target, _TEXT_CHARS)}: {said}"


def _conduct(behaviour: Behaviour, search: object) -> Iterator[RenderableType]:
    for name, holds in (
        ("the same call, the same verdict", behaviour.is_deterministic),
        ("in any order, alone or in a batch", behaviour.is_order_free),
        ("in another thread", behaviour.works_in_thread),
        ("inside an event loop", behaviour.works_in_event_loop),
    ):
        said = {True: "yes", False: "no", None: "not measured"}[holds]
        yield Text(f"{name}: {said}", style="bold red" if holds is False else "")
    pairs, latency = behaviour.asymmetry, behaviour.latency
    if pairs is not None:
        yield Text(f"target and answer exchanged: {pairs.n_asymmetric} of {pairs.n_pairs} pairs judged otherwise")
    if latency is not None and latency.median_s is not None and latency.worst_s is not None:
        worst = f"worst {number(latency.worst_s)} ({latency.worst_probe})"
        yield Text(f"seconds a call: median {number(latency.median_s)}, {worst}")
    if isinstance(search, dict):
        yield Text(f"compositions tried: {search['tried']}, {search['unexpected']} judged unexpectedly")


def _finding(finding: ProbeFinding) -> Iterator[RenderableType]:
    line = Text(f"{finding.severity:<5}", style=_STYLES[finding.severity])
    yield line.append(shown(finding.sentence), style="default" if finding.severity != "info" else "dim")
    if finding.severity == "info":
        return
    yield Indented(Text(finding.explanation, style="dim"), 5)
    for case in finding.evidence[:1]:
        yield Indented(Text(_case(case), style="dim"), 5)
