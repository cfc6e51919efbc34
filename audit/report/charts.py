"""Charts of the HTML report, drawn as inline SVG: nothing is loaded, and colours follow the page's theme.

Every function returns markup that is safe to insert: names and numbers are escaped, colours are classes of
the style sheet. A chart has a title that a screen reader says; the table beside it holds the same numbers.
"""

from collections.abc import Sequence
from math import ceil, floor
from typing import NamedTuple

from markupsafe import Markup

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

__all__ = ["Interval", "Line", "histogram", "intervals", "lines", "share_bar"]

_MOST_TICKS = 9


class Line(NamedTuple):
    """One named curve; a point whose y is None is a gap. `style` is a class of the style sheet."""

    name: str
    style: str
    points: Sequence[tuple[float, float | None]]


class Interval(NamedTuple):
    """An estimate with its ends; None where it has none."""

    name: str
    value: float
    low: float | None
    high: float | None


def histogram(counts: Sequence[int], *, expected: Sequence[float] | None, title: str, x: str, y: str) -> Markup:
    """A bar a value 0, 1, …, with what a model expects as dots over them.

    Args:
        counts: bar heights.
        expected: as many dots; None for none.
        title: said by a screen reader.
        x, y: axis names.
    """
    top = max([*counts, *(expected or ()), 1])
    ticks = ticks_between(0, top)
    scale_y = scale_between(0, ticks[-1], HEIGHT - BOTTOM, TOP)
    slot = (WIDTH - LEFT - RIGHT) / max(1, len(counts))
    drawn = [*y_axis(ticks, scale_y, y), *x_name(x)]
    every = ceil(len(counts) / 17)
    for value, count in enumerate(counts):
        left, height = LEFT + slot * value, scale_y(0) - scale_y(count)
        style = "bar-wrong" if value == 0 else "bar-right" if value == len(counts) - 1 else "bar-mixed"
        # A bar of 1 beside one of 10,000 is still to be seen.
        height = max(height, 1.5) if count else 0.0
        tip = element("title", f"{value}: {count}")
        drawn.append(
            element("rect", tip, class_=style, x=left + slot * 0.12, y=scale_y(0) - height, width=slot * 0.76,
                 height=height, rx=min(2.0, slot / 8))
        )  # fmt: skip
        if value % every == 0:
            drawn.append(label(left + slot / 2, HEIGHT - BOTTOM + 14, str(value), "tick", "middle"))
        if count and len(counts) <= 17:
            # Above the dot, where the bar ends below it.
            highest = max(count, 0 if expected is None else expected[value] + 4 / abs(scale_y.per_unit))
            above = min(scale_y(0) - height, scale_y(highest)) - 4
            drawn.append(label(left + slot / 2, above, str(count), "count", "middle"))
    if expected is not None:
        dots = [(LEFT + slot * (value + 0.5), scale_y(much)) for value, much in enumerate(expected)]
        drawn.append(element("path", class_="overlay", d=path_of(dots)))
        drawn += [element("circle", class_="overlay-dot", cx=left, cy=top, r=min(3.0, slot / 4)) for left, top in dots]
    return chart(title, drawn)


def lines(curves: Sequence[Line], *, title: str, x: str, y: str, names: Sequence[str] | None = None) -> Markup:
    """Curves of shares in [0, 1] over a common axis, which begins at 0 unless all of them stay in its upper half.

    Args:
        curves: at least one point among them, or nothing but the axes is drawn.
        title: said by a screen reader.
        x, y: axis names.
        names: what is written at x = 0, 1, …; None writes the numbers.
    """
    points = [(left, high) for curve in curves for left, high in curve.points if high is not None]
    first, last = (min(p[0] for p in points), max(p[0] for p in points)) if points else (0.0, 1.0)
    lowest = min((high for _, high in points), default=0.0)
    ticks = ticks_between(min(0.9, floor(lowest * 10) / 10) if lowest > 0.5 else 0.0, 1.0)
    scale_x = scale_between(first, last, LEFT + 6, WIDTH - RIGHT - 6)
    scale_y = scale_between(ticks[0], ticks[-1], HEIGHT - BOTTOM, TOP)
    drawn = [*y_axis(ticks, scale_y, y), *x_name(x)]
    values = sorted({left for left, _ in points})

    def said(value: float) -> str:
        return f"{value:g}" if names is None else names[int(value)]

    every = max(1, ceil(len(values) / _MOST_TICKS))
    for value in values[::every]:
        drawn.append(label(scale_x(value), HEIGHT - BOTTOM + 14, said(value), "tick", "middle"))
    for curve in curves:
        for stretch in stretches_of(curve.points):
            at = [(scale_x(left), scale_y(high)) for left, high in stretch]
            drawn.append(element("path", class_=f"line {curve.style}", d=path_of(at)))
            if len(values) <= 40:
                for (left, high), (value, share) in zip(at, stretch, strict=True):
                    tip = element("title", f"{curve.name}, {x} {said(value)}: {number(share)}")
                    drawn.append(element("circle", tip, class_=f"dot {curve.style}", cx=left, cy=high, r=2.6))
    return chart(title, drawn)


def share_bar(parts: Sequence[tuple[str, int, str]], *, title: str) -> Markup:
    """One bar, as wide as the page lets it be, divided among `parts`: (class, count, name)."""
    total = sum(count for _, count, _ in parts)
    left, drawn = 0.0, []
    for style, count, name in parts:
        if count:
            width = 100 * count / total
            tip = element("title", f"{name}: {count}")
            drawn.append(element("rect", tip, class_=style, x=left, y=0, width=width, height=10))
            left += width
    return element(
        "svg", element("title", title), *drawn,
        class_="share", viewBox="0 0 100 10", preserveAspectRatio="none", role="img",
    )  # fmt: skip


def intervals(rows: Sequence[Interval], *, title: str) -> Markup:
    """A dot with its whiskers a row, on one scale around a line at 0."""
    ends = [end for row in rows for end in (row.value, row.low, row.high, 0.0) if end is not None]
    reach = max(map(abs, ends), default=1.0) or 1.0
    scale = scale_between(-reach, reach, 8, WIDTH - 8)
    height = 26.0 * len(rows) + 8
    drawn = [element("line", class_="axis", x1=scale(0), x2=scale(0), y1=0, y2=height)]
    for position, row in enumerate(rows):
        middle = 26.0 * position + 17
        tip = element("title", f"{row.name}: {number(row.value)} [{number(row.low)}, {number(row.high)}]")
        if row.low is not None and row.high is not None:
            drawn.append(element("line", class_="whisker", x1=scale(row.low), x2=scale(row.high), y1=middle, y2=middle))
        drawn.append(element("circle", tip, class_="dot series-1", cx=scale(row.value), cy=middle, r=4))
    return chart(title, drawn, height=height)
