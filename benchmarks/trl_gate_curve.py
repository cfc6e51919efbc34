"""The curves of `trl_gate.py` as one SVG that stands alone: a thin line a seed, a thick one for their mean."""

from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any

from markupsafe import Markup

from rewardgate.audit.report.svg import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    element,
    label,
    path_of,
    scale_between,
    ticks_between,
    x_name,
    y_axis,
)

__all__ = ["drawn"]

_STYLE = """
svg { font: 11px sans-serif; background: #fff; } text { fill: #333; } .grid { stroke: #ddd; }
path { fill: none; stroke-width: 0.7; stroke-opacity: 0.45; } .mean { stroke-width: 2.2; stroke-opacity: 1; }
.plain { stroke: #b5541c; } .gated { stroke: #1f6f8b; } .rules { stroke: #6a8f2f; }
text.plain { fill: #b5541c; stroke: none; } text.gated { fill: #1f6f8b; stroke: none; }
text.rules { fill: #6a8f2f; stroke: none; }
"""
_SMOOTHED = 5


def drawn(runs: Sequence[dict[str, Any]], *, rollouts_a_step: int) -> str:
    """The markup: reward beside the share of rollouts with an advantage, both over the rollouts generated."""
    panels = [
        (f"mean reward of {_SMOOTHED} steps", lambda log: log["reward"]),
        (f"rollouts with an advantage (share, {_SMOOTHED} steps)", lambda log: log["nonzero_advantage"]),
    ]
    width = WIDTH * len(panels)
    return str(
        element(
            "svg",
            element("title", "TRL's trainer with and without the gate"),
            element("style", Markup(_STYLE)),
            *(
                element("g", *_panel(runs, name, value, rollouts_a_step), transform=f"translate({WIDTH * place:g} 0)")
                for place, (name, value) in enumerate(panels)
            ),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {width:g} {HEIGHT:g}",
            width=width,
            height=HEIGHT,
            role="img",
        )
    )


def _panel(
    runs: Sequence[dict[str, Any]], name: str, value: Callable[[dict[str, Any]], float], rollouts_a_step: int
) -> list[Markup]:
    most = max(len(run["curve"]) for run in runs) * rollouts_a_step
    scale_x = scale_between(0.0, float(most), LEFT + 6, WIDTH - RIGHT - 6)
    scale_y = scale_between(0.0, 1.0, HEIGHT - BOTTOM, TOP)
    parts = [*y_axis(ticks_between(0.0, 1.0), scale_y, name), *x_name("rollouts")]
    for tick in ticks_between(0.0, float(most)):
        if tick <= most:
            parts.append(label(scale_x(tick), HEIGHT - BOTTOM + 14, f"{tick:,.0f}", "tick", "middle"))
    for place, arm in enumerate(dict.fromkeys(run["arm"] for run in runs)):
        curves = [_smoothed([value(log) for log in run["curve"]]) for run in runs if run["arm"] == arm]
        curves.append([mean(values) for values in zip(*curves, strict=False)])
        for number, curve in enumerate(curves, start=1):
            at = [(scale_x((step + 1) * rollouts_a_step), scale_y(high)) for step, high in enumerate(curve)]
            style = f"{arm} mean" if number == len(curves) else arm
            parts.append(element("path", class_=style, d=path_of(at)))
        parts.append(label(WIDTH - RIGHT - 60 * place, 10.0, arm, arm, "end"))
    return parts


def _smoothed(values: Sequence[float]) -> list[float]:
    """The mean of each value and up to four before it."""
    return [mean(values[max(0, step - _SMOOTHED + 1) : step + 1]) for step in range(len(values))]
