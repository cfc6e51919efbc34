"""The learning curves of a run: a chart a unit, each on the scale of what it shows."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from markupsafe import Markup

from . import charts
from .run import RunCurve, RunLine
from .svg import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    chart,
    element,
    label,
    path_of,
    scale_between,
    stretches_of,
    ticks_between,
    x_name,
    y_axis,
)
from .text import number

__all__ = ["RunChart", "run_charts"]

_MOST_TICKS = 7
_MOST_DOTS = 40


class RunChart(NamedTuple):
    """A drawn curve: its title, its unit, its markup, and what stands below it: a name, its class, first and last."""

    title: str
    unit: str
    drawn: Markup
    names: Sequence[tuple[str, str, float | None, float | None]]


def run_charts(curves: Sequence[RunCurve]) -> list[RunChart]:
    """One chart a curve; lines are told apart by the classes of the style sheet, in the order of their figures."""
    return [
        RunChart(
            curve.title,
            curve.unit,
            _shares(curve) if _is_shares(curve) else _numbers(curve),
            [(line.figure, _style(place), *_ends(line)) for place, line in enumerate(curve.lines)],
        )
        for curve in curves
    ]


def _is_shares(curve: RunCurve) -> bool:
    values = [value for line in curve.lines for _, value in line.points if value is not None]
    return curve.unit == "share" and all(0 <= value <= 1 for value in values)


def _shares(curve: RunCurve) -> Markup:
    drawn = [
        charts.Line(line.figure, _style(place), [(float(step), value) for step, value in line.points])
        for place, line in enumerate(curve.lines)
    ]
    return charts.lines(drawn, title=f"{curve.title} over the steps", x="step", y=curve.unit)


def _numbers(curve: RunCurve) -> Markup:
    """On a scale from 0, or from the lowest point where that lies below, or far above, 0."""
    points = [(step, value) for line in curve.lines for step, value in line.points if value is not None]
    steps = sorted({step for step, _ in points})
    low, high = min(value for _, value in points), max(value for _, value in points)
    if 0 < low <= 0.7 * high:
        low = 0.0
    if high == low:  # a flat line still has a scale: one around it
        low, high = low - abs(low) / 2 - (low == 0), high + abs(high) / 2 + (high == 0)
    power = floor(log10(max(abs(low), abs(high))))
    power = 0 if -3 < power < 5 else power  # ticks of few characters: the axis has room for five
    unit = 10.0**power
    ticks = ticks_between(low / unit, high / unit)
    scale_x = scale_between(steps[0], steps[-1], LEFT + 6, WIDTH - RIGHT - 6)
    scale_y = scale_between(ticks[0], ticks[-1], HEIGHT - BOTTOM, TOP)
    drawn = [*y_axis(ticks, scale_y, f"{curve.unit}, × 1e{power}" if power else curve.unit), *x_name("step")]
    for step in steps[:: max(1, ceil(len(steps) / _MOST_TICKS))]:
        drawn.append(label(scale_x(step), HEIGHT - BOTTOM + 14, f"{step}", "tick", "middle"))
    for place, line in enumerate(curve.lines):
        for stretch in stretches_of([(float(step), value) for step, value in line.points]):
            at = [(scale_x(step), scale_y(value / unit)) for step, value in stretch]
            drawn.append(element("path", class_=f"line {_style(place)}", d=path_of(at)))
            if len(steps) <= _MOST_DOTS:
                for (left, top), (step, value) in zip(at, stretch, strict=True):
                    tip = element("title", f"{line.figure}, step {step:g}: {number(value)}")
                    drawn.append(element("circle", tip, class_=f"dot {_style(place)}", cx=left, cy=top, r=2.6))
    return chart(f"{curve.title} over the steps", drawn)


def _ends(line: RunLine) -> tuple[float | None, float | None]:
    known = [value for _, value in line.points if value is not None]
    return (known[0], known[-1]) if known else (None, None)


def _style(place: int) -> str:
    return f"series-{place % 5 + 1}"
