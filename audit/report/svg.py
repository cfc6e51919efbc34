"""What charts are drawn with: elements, axes and scales of inline SVG.

Everything returned is markup that is safe to insert: names and numbers are escaped, colours are classes of the style
sheet.
"""

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from markupsafe import Markup

__all__ = [
    "BOTTOM",
    "HEIGHT",
    "LEFT",
    "RIGHT",
    "TOP",
    "WIDTH",
    "Scale",
    "chart",
    "element",
    "label",
    "path_of",
    "scale_between",
    "stretches_of",
    "ticks_between",
    "x_name",
    "y_axis",
]

WIDTH, HEIGHT = 420.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 40.0, 10.0, 28.0, 34.0


class Scale(NamedTuple):
    """A straight line from values to places on the page."""

    origin: float
    place: float
    per_unit: float

    def __call__(self, value: float) -> float:
        return self.place + (value - self.origin) * self.per_unit


def chart(title: str, drawn: Iterable[Markup], *, height: float = HEIGHT) -> Markup:
    """The whole chart; a screen reader says its title."""
    return element(
        "svg", element("title", title), *drawn, class_="chart", viewBox=f"0 0 {WIDTH:g} {height:g}", role="img"
    )


def element(name: str, *children: str, **attributes: object) -> Markup:
    """An element: children and values are escaped unless they are markup, `class_` is written `class`."""
    said = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_"), f"{value:.2f}" if isinstance(value, float) else value)
        for key, value in attributes.items()
    )
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), said, Markup("").join(children))


def label(x: float, y: float, said: str, style: str, anchor: str) -> Markup:
    """A text of the style sheet's class `style`, anchored at its `start`, `middle` or `end`."""
    return element("text", said, **{"class_": style, "x": x, "y": y, "text-anchor": anchor})


def y_axis(ticks: Sequence[float], scale: Scale, name: str) -> list[Markup]:
    """A line and a number a tick, and the axis's name above."""
    drawn = [label(2.0, 10.0, name, "axis-name", "start")]
    for tick in ticks:
        drawn.append(element("line", class_="grid", x1=LEFT, x2=WIDTH - RIGHT, y1=scale(tick), y2=scale(tick)))
        drawn.append(label(LEFT - 6, scale(tick) + 3.5, f"{tick:g}", "tick", "end"))
    return drawn


def x_name(name: str) -> list[Markup]:
    """The name below the x axis."""
    return [label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, name, "axis-name", "middle")]


def scale_between(low: float, high: float, place_low: float, place_high: float) -> Scale:
    """The line that takes `low` to `place_low` and `high` to `place_high`."""
    if high == low:  # one value only: in the middle
        return Scale(low, (place_low + place_high) / 2, 0.0)
    return Scale(low, place_low, (place_high - place_low) / (high - low))


def ticks_between(low: float, top: float) -> list[float]:
    """`low`, …, the first at or above `top`, at most five steps of 1, 2 or 5 times a power of ten apart."""
    step = 10.0 ** floor(log10(top - low))
    step = next(step * factor for factor in (0.2, 0.5, 1.0, 2.0) if (top - low) / (step * factor) <= 5.000001)
    return [round(low + step * i, 12) for i in range(ceil((top - low) / step - 1e-9) + 1)]


def path_of(points: Sequence[tuple[float, float]]) -> str:
    """The `d` of a path through `points`."""
    return " ".join(f"{'ML'[i > 0]}{left:.1f} {top:.1f}" for i, (left, top) in enumerate(points))


def stretches_of(points: Sequence[tuple[float, float | None]]) -> list[list[tuple[float, float]]]:
    """The runs of points that have a y."""
    runs: list[list[tuple[float, float]]] = [[]]
    for left, high in points:
        if high is None:
            runs.append([])
        else:
            runs[-1].append((left, high))
    return [run for run in runs if run]
