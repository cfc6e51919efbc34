"""The two figures of an audit of a step scorer: the reliability diagram, and what ranks where."""

from collections.abc import Sequence

from markupsafe import Markup

from .steps import AggregateRanking, ReliabilityBin
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
    x_name,
    y_axis,
)
from .text import number, percent

__all__ = ["AGGREGATE_STYLES", "rankings_figure", "reliability_diagram"]

AGGREGATE_STYLES = {
    "product": "series-1",
    "min": "series-3",
    "mean": "series-4",
    "last": "series-2",
    "fewer steps": "series-5",
}
"""Aggregate -> the class of its colour."""

_TENTHS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
_ROW, _BAND = 7.0, 46.0
_NAME_WIDTH = 150.0
_MOST_CHARACTERS = 26


def reliability_diagram(bins: Sequence[ReliabilityBin], base_rate: float | None) -> Markup:
    """Share of right steps over their mean score, a dot a bin as large as it is full, the diagonal, and the base rate.

    Bars from below say how many steps a bin holds, on a scale of their own.
    """
    scale_x = scale_between(0.0, 1.0, LEFT + 6, WIDTH - RIGHT - 6)
    scale_y = scale_between(0.0, 1.0, HEIGHT - BOTTOM, TOP)
    drawn = [*y_axis(_TENTHS, scale_y, "share right"), *x_name("score")]
    drawn += [label(scale_x(tick), HEIGHT - BOTTOM + 14, f"{tick:g}", "tick", "middle") for tick in _TENTHS]
    most = max([one.n for one in bins], default=0) or 1
    for one in bins:
        height = 0.25 * (scale_y(0) - scale_y(1)) * one.n / most
        left, width = scale_x(one.low), scale_x(one.high) - scale_x(one.low)
        if one.n:
            height = max(height, 1.5)  # a bin of one beside one of thousands is still to be seen
            drawn.append(
                element("rect", element("title", f"{one.n} steps scored {one.low:g} to {one.high:g}"),
                        class_="bar-near-right", x=left + 1, y=scale_y(0) - height, width=width - 2, height=height)
            )  # fmt: skip
    diagonal = [(scale_x(0), scale_y(0)), (scale_x(1), scale_y(1))]
    drawn.append(element("path", class_="overlay", d=path_of(diagonal)))
    if base_rate is not None:
        drawn.append(
            element("line", element("title", f"base rate {number(base_rate)}"), class_="axis",
                    x1=scale_x(0), x2=scale_x(1), y1=scale_y(base_rate), y2=scale_y(base_rate))
        )  # fmt: skip
    known = [(one.mean_score, one.share_right, one.n) for one in bins]
    dots = [(score, share, n) for score, share, n in known if score is not None and share is not None]
    drawn.append(element("path", class_="line series-1", d=path_of([(scale_x(x), scale_y(y)) for x, y, _ in dots])))
    for score, share, n in dots:
        tip = element("title", f"{n} steps, mean score {number(score)}: {percent(share)} right")
        drawn.append(
            element("circle", tip, class_="dot series-1", cx=scale_x(score), cy=scale_y(share), r=2.5 + 3 * n / most)
        )
    said = ", ".join(f"{number(score)}: {number(share)} of {n}" for score, share, n in dots)
    return chart(f"Reliability diagram, mean score: share right of steps. {said}", drawn)


def rankings_figure(rows: Sequence[AggregateRanking]) -> Markup:
    """The AUC of every aggregate with its interval, a band a stratum, around the line of chance.

    Args:
        rows: of one truth, in order; rows of one stratum stand together.
    """
    strata: dict[tuple[str, str], list[AggregateRanking]] = {}
    for row in rows:
        strata.setdefault((row.stratum, row.name), []).append(row)
    height = _BAND * len(strata) + 30
    scale = scale_between(0.0, 1.0, _NAME_WIDTH, WIDTH - RIGHT)
    drawn = [
        element("line", class_="axis" if tick == 0.5 else "grid", x1=scale(tick), x2=scale(tick), y1=4, y2=height - 22)
        for tick in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    drawn += [label(scale(tick), height - 8, f"{tick:g}", "tick", "middle") for tick in (0.0, 0.25, 0.5, 0.75, 1.0)]
    said = []
    for band, ((stratum, name), shown) in enumerate(strata.items()):
        top = _BAND * band + 12
        drawn.append(label(0.0, top + 8, _short(name, stratum), "tick", "start"))
        drawn.append(label(0.0, top + 21, f"{shown[0].n_right} against {shown[0].n_wrong}", "axis-name", "start"))
        for place, row in enumerate(shown):
            if row.auc is None:
                continue
            middle, style = top + _ROW * place, AGGREGATE_STYLES[row.aggregate]
            ends = f"[{number(row.auc_low)}, {number(row.auc_high)}]"
            tip = element("title", f"{name or stratum}, {row.aggregate}: AUC {number(row.auc)} {ends}")
            if row.auc_low is not None and row.auc_high is not None:
                drawn.append(
                    element("line", class_=f"line {style}", x1=scale(row.auc_low), x2=scale(row.auc_high), y1=middle,
                            y2=middle)
                )  # fmt: skip
            drawn.append(element("circle", tip, class_=f"dot {style}", cx=scale(row.auc), cy=middle, r=3.0))
            said.append(f"{name or stratum} {row.aggregate} {number(row.auc)}")
    return chart(f"AUC of aggregates: {', '.join(said)}", drawn, height=height)


def _short(name: str, stratum: str) -> str:
    name = name or f"no {stratum}"
    return name if len(name) <= _MOST_CHARACTERS else f"{name[: _MOST_CHARACTERS - 1]}…"
