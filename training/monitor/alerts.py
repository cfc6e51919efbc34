"""Alerts: a figure held against its limits step after step, raised once and cleared once.

A figure is smoothed over its last known values. An alert that was raised is cleared only when the smoothed figure has
come back by `SLACK` of the limit: one that hovers there is one alert, not thirty.

The first rung of the audit's ladder with an alert is the layer to change first: what stands above it is measured
through it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from math import isfinite
from typing import Any, Literal

from ...audit.ladder.thresholds import Thresholds, at_least, at_most
from ...audit.report.ladder import RUNGS, RungName
from ...audit.report.text import percent
from ...errors import ArgumentError

__all__ = ["SLACK", "Alert", "AlertRule", "Alerts", "Level", "change_first"]

Level = Literal["warn", "fail"]
Event = Literal["raised", "lowered", "cleared"]

SLACK = 0.2
"""How far back over its limit a figure must come, as a share of the limit, before an alert is cleared."""

_ORDER: dict[RungName, int] = {name: place for place, (name, _) in enumerate(RUNGS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRule:
    """What raises an alert, which layer it speaks of, and what to change there.

    Args:
        name: a short snake_case name.
        layer: the rung of the ladder.
        figure: of the step's figures; with `*`, every one that matches has an alert of its own.
        limits: from where it warns and from where it fails; None: never.
        side: `at_most`: large figures are bad; `at_least`: small ones are.
        of: what is held against the limits: the figure itself, its size, or its ratio to its `start` (the mean of the
            first `window` values) or to the `best` (highest) smoothed value so far.
        window: known values that it is smoothed over; none is raised before there are as many.
        least: a start or a best that is not above this is nothing to compare with.
        says: what it means, with the smoothed `{value}` or, of a share, its `{percent}`.
        change: what to change first.

    Raises:
        ArgumentError: no such layer, or a window below 1.
    """

    name: str
    layer: RungName
    figure: str
    limits: Thresholds
    side: Literal["at_most", "at_least"] = "at_most"
    of: Literal["itself", "size", "start", "best"] = "itself"
    window: int = 5
    least: float = 0.0
    says: str
    change: str

    def __post_init__(self) -> None:
        if self.layer not in _ORDER:
            raise ArgumentError(f"layer: expected one of {', '.join(_ORDER)}, got {self.layer!r}")
        if self.window < 1:
            raise ArgumentError(f"window: expected at least 1 step, got {self.window}")

    def level(self, value: float, before: Level | None) -> Level | None:
        """How a smoothed value stands: a level that was reached is left only well behind its limit."""
        warn, fail = self.limits
        if fail is not None and self._is_beyond(value, fail, slack=SLACK if before == "fail" else 0.0):
            return "fail"
        return "warn" if self._is_beyond(value, warn, slack=0.0 if before is None else SLACK) else None

    def _is_beyond(self, value: float, limit: float, *, slack: float) -> bool:
        if self.side == "at_least":
            return value < limit * (1 + slack)
        return value > 0 and value >= limit * (1 - slack)

    def threshold(self, value: float) -> str:
        """From where it warns and fails, in words."""
        held = at_most if self.side == "at_most" else at_least
        return held(self.name, value, self.limits, "").threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One alert that was raised, went up or down a level, or was cleared.

    Args:
        step: of the event.
        event: `raised`, to either level; `lowered`, from fail to warn; `cleared`.
        name, layer, figure, change: of its rule, and the figure that it is about.
        level: reached; where it was cleared, the one that it had.
        value: the smoothed figure that decided.
        threshold: from where it warns and fails.
        sentence: what it means, for a person.
    """

    step: int
    event: Event
    name: str
    layer: RungName
    figure: str
    level: Level
    value: float
    threshold: str
    sentence: str
    change: str


@dataclass(slots=True)
class _Watched:
    """One figure under one rule: its last values, what it is compared with, and how it stands."""

    values: list[float] = field(default_factory=list)
    reference: float | None = None
    level: Level | None = None


class Alerts:
    """The alerts of a run, fed with the figures of one step after the other.

    Args:
        rules: in any order.

    Raises:
        ArgumentError: two rules of one name.

    Example:
        >>> rule = AlertRule(name="cut_off", layer="exploration and bootstrap", figure="length/truncated",
        ...                  limits=(0.05, 0.25), window=2, says="{percent} of the completions were cut off",
        ...                  change="raise max_tokens")
        >>> alerts = Alerts([rule])
        >>> [[alert.event for alert in alerts.step(step, {"length/truncated": share})]
        ...  for step, share in enumerate((0.3, 0.3, 0.2, 0.02, 0.02), start=1)]
        [[], ['raised'], [], ['lowered'], ['cleared']]
    """

    def __init__(self, rules: Sequence[AlertRule]) -> None:
        names = [rule.name for rule in rules]
        if len(set(names)) < len(names):
            raise ArgumentError(f"rules: expected names that differ, got {', '.join(names)}")
        self._rules = tuple(rules)
        self._watched: dict[str, _Watched] = {}
        self._active: dict[str, Alert] = {}

    @property
    def active(self) -> tuple[Alert, ...]:
        """What is raised: by layer, what fails before what warns."""
        return tuple(sorted(self._active.values(), key=lambda alert: (_ORDER[alert.layer], alert.level)))

    def step(self, step: int, figures: Mapping[str, float]) -> list[Alert]:
        """What the figures of a step raise and clear; a figure that is not known changes nothing."""
        found: list[Alert] = []
        for rule in self._rules:
            for name in _matching(rule.figure, figures):
                if isfinite(figures[name]):
                    key = f"{rule.name}:{name}"
                    alert = self._held(rule, name, step, self._watched.setdefault(key, _Watched()), figures[name])
                    if alert is None:
                        continue
                    found.append(alert)
                    if alert.event == "cleared":
                        del self._active[key]
                    else:
                        self._active[key] = alert
        return sorted(found, key=lambda alert: _ORDER[alert.layer])

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run needs, as plain JSON values."""
        watched = {key: asdict(one) for key, one in self._watched.items()}
        return {"watched": watched, "active": {key: asdict(alert) for key, alert in self._active.items()}}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` returned; what belongs to rules that are no longer there is left out."""
        names = {rule.name for rule in self._rules}

        def known(key: str) -> bool:
            return key.partition(":")[0] in names

        self._watched = {key: _Watched(**one) for key, one in state["watched"].items() if known(key)}
        self._active = {key: Alert(**one) for key, one in state["active"].items() if known(key)}

    def _held(self, rule: AlertRule, figure: str, step: int, watched: _Watched, value: float) -> Alert | None:
        watched.values = [*watched.values, abs(value) if rule.of == "size" else value][-rule.window :]
        if len(watched.values) < rule.window:
            return None
        smooth = sum(watched.values) / len(watched.values)
        if rule.of in ("start", "best"):
            reference = watched.reference
            if reference is None or reference <= rule.least or (rule.of == "best" and smooth > reference):
                watched.reference = reference = smooth
            if reference <= rule.least:
                return None
            smooth /= reference
        before, watched.level = watched.level, rule.level(smooth, watched.level)
        if watched.level == before:
            return None
        level = watched.level or before
        assert level is not None  # they differ
        return Alert(
            step=step,
            event=_event(before, watched.level),
            name=rule.name,
            layer=rule.layer,
            figure=figure,
            level=level,
            value=smooth,
            threshold=rule.threshold(smooth),
            sentence=_sentence(rule, figure, smooth),
            change=rule.change,
        )


def change_first(active: Sequence[Alert]) -> RungName | None:
    """The first rung with an alert that fails, or else the first with one that warns."""
    by_layer = sorted(active, key=lambda alert: _ORDER[alert.layer])
    for level in ("fail", "warn"):
        for alert in by_layer:
            if alert.level == level:
                return alert.layer
    return None


def _event(before: Level | None, after: Level | None) -> Event:
    if after is None:
        return "cleared"
    return "lowered" if before == "fail" else "raised"


def _matching(pattern: str, figures: Mapping[str, float]) -> Iterator[str]:
    if "*" not in pattern:
        return iter([pattern] if pattern in figures else [])
    return (name for name in figures if fnmatchcase(name, pattern))


def _sentence(rule: AlertRule, figure: str, value: float) -> str:
    said = rule.says.format(value=f"{value:.3g}", percent=percent(value))
    return f"{said} ({figure}{f', mean of {rule.window}' if rule.window > 1 else ''})"
