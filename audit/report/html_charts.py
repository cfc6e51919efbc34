"""Which charts the HTML report shows, and of what: the model of the report on one side, `charts` on the other."""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from . import charts
from .curves import Curves, StepPoint
from .model import AuditReport, GroupTable
from .run_charts import run_charts

__all__ = ["html_charts"]

_STEP_SERIES = (
    ("success rate", "series-5", "success_rate"),
    ("mixed", "series-1", "mixed"),
    ("all wrong", "series-3", "all_wrong"),
    ("all correct", "series-4", "all_correct"),
)


def html_charts(report: AuditReport, curves: Curves | None) -> Mapping[str, Any]:
    """Markup by the name that the template asks for; a chart without data is None, or not in its list."""
    return {
        "kinds": {table.name: _kinds(table) for table in report.groups},
        "successes": [] if curves is None else _successes(report, curves),
        "pass_at_k": None if curves is None else _pass_at_k(curves),
        "steps": None if curves is None or not curves.steps else _steps(curves.steps),
        "mixed": _mixed(report),
        "run": [] if report.run is None else run_charts(report.run.curves),
    }


def _kinds(table: GroupTable) -> Markup:
    other = table.tied + table.singleton + table.unscorable
    middle = table.mixed - table.near_all_wrong - table.near_all_correct
    return charts.share_bar(
        [
            ("bar-wrong", table.all_wrong, "all wrong"),
            ("bar-near-wrong", table.near_all_wrong, "nearly all wrong"),
            ("bar-mixed", middle, "mixed"),
            ("bar-near-right", table.near_all_correct, "nearly all correct"),
            ("bar-right", table.all_correct, "all correct"),
            ("bar-other", other, "tied, single or without a reward"),
        ],
        title=f"Kinds of groups, {table.name}",
    )


def _successes(report: AuditReport, curves: Curves) -> list[tuple[str, Markup]]:
    """As scored and, where that differs, after repair."""
    by_name = {counts.name: counts for counts in curves.successes}
    shown = [by_name[name] for name in (report.scored_by, "after repair") if name in by_name]
    if len(shown) == 2 and (shown[0].size, shown[0].counts) == (shown[1].size, shown[1].counts):
        shown.pop()
    return [
        (
            counts.name,
            charts.histogram(
                counts.counts,
                expected=counts.expected,
                title=f"Groups by successes of {counts.size}, {counts.name}: {', '.join(map(str, counts.counts))}",
                x=f"successes of {counts.size}",
                y="groups",
            ),
        )
        for counts in shown
    ]


def _pass_at_k(curves: Curves) -> Markup | None:
    if not curves.pass_at_k:
        return None
    drawn = [
        charts.Line(curve.name, f"series-{place}", [(float(i), value) for i, value in enumerate(curve.values)])
        for place, curve in enumerate(curves.pass_at_k, start=1)
    ]
    # Doublings of k, and the group's size, as far from one another.
    names = [str(k) for k in max((curve.ks for curve in curves.pass_at_k), key=len)]
    return charts.lines(drawn, title="Mean pass@k over prompts", x="k", y="pass@k", names=names)


def _steps(points: tuple[StepPoint, ...]) -> Markup:
    drawn = [
        charts.Line(name, style, [(float(point.step), getattr(point, field)) for point in points])
        for name, style, field in _STEP_SERIES
    ]
    return charts.lines(drawn, title="Success rate and kinds of groups over the steps", x="step", y="share")


def _mixed(report: AuditReport) -> Mapping[str, Markup]:
    if report.mixed_groups is None:
        return {}
    return {
        row.name: charts.intervals(
            [charts.Interval(row.name, row.difference, row.low, row.high)], title=f"{row.name}: right minus wrong"
        )
        for row in report.mixed_groups.differences
        if row.difference is not None
    }
