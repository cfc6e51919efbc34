"""Charts of the HTML report, drawn as inline SVG: nothing is loaded, and colours follow the page's theme.

Every function returns markup that is safe to insert: names and numbers are escaped, colours are classes of
the style sheet. A chart has a title that a screen reader says; the table beside it holds the same numbers.
"""

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from markupsafe import Markup

from .text import number

__all__ = ["Interval", "Line", "histogram", "intervals", "lines", "share_bar"]

_WIDTH, _HEIGHT = 420.0, 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 10.0, 28.0, 34.0
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
    ticks = _ticks(0, top)
    scale_y = _scale(0, ticks[-1], _HEIGHT - _BOTTOM, _TOP)
    slot = (_WIDTH - _LEFT - _RIGHT) / max(1, len(counts))
    drawn = [*_y_axis(ticks, scale_y, y), *_x_name(x)]
    every = ceil(len(counts) / 17)
    for value, count in enumerate(counts):
        left, height = _LEFT + slot * value, scale_y(0) - scale_y(count)
        style = "bar-wrong" if value == 0 else "bar-right" if value == len(counts) - 1 else "bar-mixed"
        # A bar of 1 beside one of 10,000 is still to be seen.
        height = max(height, 1.5) if count else 0.0
        tip = _tag("title", f"{value}: {count}")
        drawn.append(
            _tag("rect", tip, class_=style, x=left + slot * 0.12, y=scale_y(0) - height, width=slot * 0.76,
                 height=height, rx=min(2.0, slot / 8))
        )  # fmt: skip
        if value % every == 0:
            drawn.append(_text(left + slot / 2, _HEIGHT - _BOTTOM + 14, str(value), "tick", "middle"))
        if count and len(counts) <= 17:
            # Above the dot, where the bar ends below it.
            highest = max(count, 0 if expected is None else expected[value] + 4 / abs(scale_y.per_unit))
            above = min(scale_y(0) - height, scale_y(highest)) - 4
            drawn.append(_text(left + slot / 2, above, str(count), "count", "middle"))
    if expected is not None:
        dots = [(_LEFT + slot * (value + 0.5), scale_y(much)) for value, much in enumerate(expected)]
        drawn.append(_tag("path", class_="overlay", d=_path(dots)))
        drawn += [_tag("circle", class_="overlay-dot", cx=left, cy=top, r=min(3.0, slot / 4)) for left, top in dots]
    return _svg(title, drawn)


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
    ticks = _ticks(min(0.9, floor(lowest * 10) / 10) if lowest > 0.5 else 0.0, 1.0)
    scale_x = _scale(first, last, _LEFT + 6, _WIDTH - _RIGHT - 6)
    scale_y = _scale(ticks[0], ticks[-1], _HEIGHT - _BOTTOM, _TOP)
    drawn = [*_y_axis(ticks, scale_y, y), *_x_name(x)]
    values = sorted({left for left, _ in points})

    def said(value: float) -> str:
        return f"{value:g}" if names is None else names[int(value)]

    every = max(1, ceil(len(values) / _MOST_TICKS))
    for value in values[::every]:
        drawn.append(_text(scale_x(value), _HEIGHT - _BOTTOM + 14, said(value), "tick", "middle"))
    for curve in curves:
        for stretch in _stretches(curve.points):
            at = [(scale_x(left), scale_y(high)) for left, high in stretch]
            drawn.append(_tag("path", class_=f"line {curve.style}", d=_path(at)))
            if len(values) <= 40:
                for (left, high), (value, share) in zip(at, stretch, strict=True):
                    tip = _tag("title", f"{curve.name}, {x} {said(value)}: {number(share)}")
                    drawn.append(_tag("circle", tip, class_=f"dot {curve.style}", cx=left, cy=high, r=2.6))
    return _svg(title, drawn)


def share_bar(parts: Sequence[tuple[str, int, str]], *, title: str) -> Markup:
    """One bar, as wide as the page lets it be, divided among `parts`: (class, count, name)."""
    total = sum(count for _, count, _ in parts)
    left, drawn = 0.0, []
    for style, count, name in parts:
        if count:
            width = 100 * count / total
            tip = _tag("title", f"{name}: {count}")
            drawn.append(_tag("rect", tip, class_=style, x=left, y=0, width=width, height=10))
            left += width
    return _tag(
        "svg", _tag("title", title), *drawn,
        class_="share", viewBox="0 0 100 10", preserveAspectRatio="none", role="img",
    )  # fmt: skip


def intervals(rows: Sequence[Interval], *, title: str) -> Markup:
    """A dot with its whiskers a row, on one scale around a line at 0."""
    ends = [end for row in rows for end in (row.value, row.low, row.high, 0.0) if end is not None]
    reach = max(map(abs, ends), default=1.0) or 1.0
    scale = _scale(-reach, reach, 8, _WIDTH - 8)
    height = 26.0 * len(rows) + 8
    drawn = [_tag("line", class_="axis", x1=scale(0), x2=scale(0), y1=0, y2=height)]
    for position, row in enumerate(rows):
        middle = 26.0 * position + 17
        tip = _tag("title", f"{row.name}: {number(row.value)} [{number(row.low)}, {number(row.high)}]")
        if row.low is not None and row.high is not None:
            drawn.append(_tag("line", class_="whisker", x1=scale(row.low), x2=scale(row.high), y1=middle, y2=middle))
        drawn.append(_tag("circle", tip, class_="dot series-1", cx=scale(row.value), cy=middle, r=4))
    return _svg(title, drawn, height=height)


def _svg(title: str, drawn: Iterable[Markup], *, height: float = _HEIGHT) -> Markup:
    return _tag("svg", _tag("title", title), *drawn, class_="chart", viewBox=f"0 0 {_WIDTH:g} {height:g}", role="img")


def _tag(name: str, *children: str, **attributes: object) -> Markup:
    """An element: children and values are escaped unless they are markup, `class_` is written `class`."""
    said = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_"), f"{value:.2f}" if isinstance(value, float) else value)
        for key, value in attributes.items()
    )
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), said, Markup("").join(children))


def _text(x: float, y: float, said: str, style: str, anchor: str) -> Markup:
    return _tag("text", said, **{"class_": style, "x": x, "y": y, "text-anchor": anchor})


def _y_axis(ticks: Sequence[float], scale: "_Scale", name: str) -> list[Markup]:
    drawn = [_text(2.0, 10.0, name, "axis-name", "start")]
    for tick in ticks:
        drawn.append(_tag("line", class_="grid", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=scale(tick), y2=scale(tick)))
        drawn.append(_text(_LEFT - 6, scale(tick) + 3.5, f"{tick:g}", "tick", "end"))
    return drawn


def _x_name(name: str) -> list[Markup]:
    return [_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 4, name, "axis-name", "middle")]


class _Scale(NamedTuple):
    """A straight line from values to places on the page."""

    origin: float
    place: float
    per_unit: float

    def __call__(self, value: float) -> float:
        return self.place + (value - self.origin) * self.per_unit


def _scale(low: float, high: float, place_low: float, place_high: float) -> _Scale:
    if high == low:  # one value only: in the middle
        return _Scale(low, (place_low + place_high) / 2, 0.0)
    return _Scale(low, place_low, (place_high - place_low) / (high - low))


def _ticks(low: float, top: float) -> list[float]:
    """`low`, …, the first at or above `top`, at most five steps of 1, 2 or 5 times a power of ten apart."""
    step = 10.0 ** floor(log10(top - low))
    step = next(step * factor for factor in (0.2, 0.5, 1.0, 2.0) if (top - low) / (step * factor) <= 5.000001)
    return [round(low + step * i, 12) for i in range(ceil((top - low) / step - 1e-9) + 1)]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{'ML'[i > 0]}{left:.1f} {top:.1f}" for i, (left, top) in enumerate(points))


def _stretches(points: Sequence[tuple[float, float | None]]) -> list[list[tuple[float, float]]]:
    """The runs of points that have a y."""
    runs: list[list[tuple[float, float]]] = [[]]
    for left, high in points:
        if high is None:
            runs.append([])
        else:
            runs[-1].append((left, high))
    return [run for run in runs if run]
