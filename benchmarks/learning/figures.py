"""Learning curves and scatter plots as SVG files that stand by themselves."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from markupsafe import Markup

from rewardgate.audit.report.svg import (
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
    ticks_between,
    x_name,
    y_axis,
)

COLOURS = ("#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df", "#57606a", "#bf3989", "#0a7ea4", "#000000")
LINE = 13.0
STYLE = """
svg { background: #fff; font: 9px system-ui, sans-serif }
text { fill: #24292f } .grid { stroke: #d8dee4; stroke-width: .5 } .axis-name, .tick { fill: #57606a }
path { fill: none; stroke-width: 1.6 } .band { stroke: none; opacity: .14 } circle { opacity: .6 }
"""

Points = Sequence[tuple[float, float]]
"""x and y, x rising."""


def curves(path: Path, title: str, x: str, y: str, lines: Mapping[str, Sequence[Points]], *, top: float = 1.0) -> None:
    """One line an arm, the mean of its runs, and a band from the lowest to the highest of them.

    Args:
        lines: arm -> the points of each run. Runs of one arm have as many points, and x is averaged too.
        top: of the y axis.
    """
    furthest = max(point[0] for runs in lines.values() for run in runs for point in run)
    across = scale_between(0.0, furthest, LEFT, WIDTH - RIGHT)
    up = scale_between(0.0, top, HEIGHT - BOTTOM, TOP)
    drawn = [*y_axis(ticks_between(0.0, top), up, y), *_x_axis(furthest, across), *x_name(x)]
    for number, (arm, runs) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = [[(across(a), up(b)) for a, b in points] for points in zip(*runs, strict=False)]
        middle = [(fmean(a for a, _ in one), fmean(b for _, b in one)) for one in places]
        low = [(a, max(b for _, b in one)) for (a, _), one in zip(middle, places, strict=True)]
        high = [(a, min(b for _, b in one)) for (a, _), one in zip(middle, places, strict=True)]
        drawn.append(element("path", class_="band", d=path_of([*low, *reversed(high)]), style=f"fill: {colour}"))
        drawn.append(element("path", d=path_of(middle), style=f"stroke: {colour}"))
        drawn.append(_named(f"{arm} (n = {len(runs)})", number, colour))
    _written(path, title, drawn, len(lines))


def scatter(path: Path, title: str, x: str, y: str, clouds: Mapping[str, Points]) -> None:
    """One colour a cloud; both axes from 0 to 1."""
    across, up = scale_between(0.0, 1.0, LEFT, WIDTH - RIGHT), scale_between(0.0, 1.0, HEIGHT - BOTTOM, TOP)
    drawn = [*y_axis(ticks_between(0.0, 1.0), up, y), *_x_axis(1.0, across), *x_name(x)]
    for number, (name, points) in enumerate(clouds.items()):
        colour = COLOURS[number % len(COLOURS)]
        drawn += [element("circle", cx=across(a), cy=up(b), r=2.2, style=f"fill: {colour}") for a, b in points]
        drawn.append(_named(f"{name} (n = {len(points)})", number, colour))
    _written(path, title, drawn, len(clouds))


def _x_axis(furthest: float, across: Callable[[float], float]) -> list[Markup]:
    ticks = [tick for tick in ticks_between(0.0, furthest) if tick <= furthest]
    return [label(across(tick), HEIGHT - BOTTOM + 11, f"{tick:g}", "tick", "middle") for tick in ticks]


def _named(said: str, number: int, colour: str) -> Markup:
    top = HEIGHT + LINE * (number // 2 + 0.5)
    left = LEFT + (number % 2) * (WIDTH - LEFT) / 2
    return element(
        "g", element("rect", x=left, y=top - 6, width=10.0, height=3.0, style=f"fill: {colour}"),
        label(left + 14, top, said, "key", "start"),
    )  # fmt: skip


def _written(path: Path, title: str, drawn: Sequence[Markup], names: int) -> None:
    height = HEIGHT + LINE * ((names + 1) // 2 + 0.5)
    heading = [element("style", Markup(STYLE)), label(WIDTH / 2, 20.0, title, "title", "middle")]
    whole = chart(title, [*heading, *drawn], height=height)
    path.write_text(str(whole).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) + "\n", encoding="utf-8")
