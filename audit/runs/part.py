"""What a training run's own logs add to the audit of its rollouts."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from math import ceil
from statistics import median
from typing import Any

from pydantic import ValidationError

from ...diagnostics.pool_rules import POOLS, Pool
from ..findings import headline
from ..ladder.standing import ladder
from ..report.ladder import RUNGS
from ..report.model import AuditReport, Finding
from ..report.run import RunAlert, RunCurve, RunFigure, RunLedger, RunLine, RunReadout, RunStatus
from .curves import MOST_STEPS
from .logs import RunLogs, StepRow

__all__ = ["run_part", "with_run"]

SILENT_S = 120.0
SILENT_STEPS = 20
"""A run that says it goes on is silent after so many of its steps, and so many seconds, without a line."""

MOST_LINES = 5
"""Lines of one chart."""
MOST_FIGURES = 300
MOST_ALERTS = 500

CURVES = (
    ("Success", "share", ("success/mean", "success/q10", "success/q50", "success/q90")),
    ("Held-out prompts", "share", ("held_out/*pass@*",)),
    ("Kinds of groups", "share", ("groups/mixed_rate", "groups/all_wrong_rate", "groups/all_correct_rate")),
    ("Signal", "share", ("signal/live_rollouts", "signal/live_tokens", "groups/acr")),
    ("Sampled for each that moves the policy", "times", ("signal/rollouts_per_live", "signal/tokens_per_live")),
    ("Verdicts", "share", ("verdicts/incorrect", "verdicts/no_answer", "verdicts/hedged", "verdicts/unscored",
                           "length/truncated")),
    ("Length", "tokens", ("length/mean", "length/mean_correct", "length/mean_wrong", "length/q95")),
    ("Entropy", "nats a token", ("sampled/entropy",)),
    ("Clipped", "share", ("update/*clipped_high", "update/*clipped_low")),
    ("Tokens that count as the policy's own", "share", ("update/sampler_*effective_share",)),
    ("KL", "nats a token", ("update/kl", "update/live_kl", "update/k3", "update/live_k3", "update/sampler_*k3")),
    ("Ratio to the old policy", "times", ("update/ratio_q01", "update/ratio_q50", "update/ratio_q99",
                                          "update/live_ratio_q01", "update/live_ratio_q99")),
    ("Ratio to the sampler", "times", ("update/sampler_*ratio_q01", "update/sampler_*ratio_q50",
                                       "update/sampler_*ratio_q99")),
    ("Gradient", "norm", ("update/grad_norm", "update/degenerate_grad_norm")),
    ("Gate", "share", ("gate/gated_share", "gate/coverage", "gate/opened_share")),
    ("Pools", "prompts", ("pools/hard", "pools/frontier", "pools/easy", "pools/quarantine")),
    ("Time", "seconds", ("seconds/wait", "seconds/generate", "seconds/judge", "seconds/credit", "seconds/update")),
)  # fmt: skip
"""What is drawn: title, unit, and the figures, by the names that the monitor logs them under."""

_NOT_SUMMED = ("degenerate_share", "overhead")
"""Columns of a ledger that are ratios: of several steps they have no sum."""

_ORDER = {name: place for place, (name, _) in enumerate(RUNGS)}


def run_part(logs: RunLogs, *, now: Callable[[], float] = time.time) -> RunReadout:
    """The run, as its logs have it.

    Args:
        logs: of its folder.
        now: seconds since the epoch, for how long ago it last said something.
    """
    steps = [row.step for row in logs.metrics]
    times = [row.numbers["time"] for row in logs.metrics if "time" in row.numbers]
    between = [later - before for before, later in pairwise(times) if later >= before]
    age, pace = (now() - times[-1] if times else None), (median(between) if between else None)
    alerts, notes = _alerts(logs.alerts)
    active = _active(alerts)
    return RunReadout(
        folder=str(logs.folder),
        status=_status(logs.state, age, pace),
        step=steps[-1] if steps else _whole(logs.state.get("step")),
        steps=_whole(logs.state.get("steps")),
        checkpoint=_text(logs.state.get("checkpoint")),
        error=_text(logs.state.get("error")),
        last_line_age_s=age,
        step_seconds=pace,
        resumptions=logs.resumptions,
        curves=tuple(_curves(logs.metrics)),
        figures=tuple(_figures(logs.metrics)),
        ledger=_ledger(logs.ledger),
        alerts=alerts[-MOST_ALERTS:],
        active=active,
        change_first=next((one.layer for level in ("fail", "warn") for one in active if one.level == level), None),
        pools=_pools(logs.metrics),
        notes=(*logs.notes, *notes),
    )


def with_run(report: AuditReport, run: RunReadout) -> AuditReport:
    """`report` with the run: its alerts among the findings and, with its pools, on the rungs of the ladder."""
    found = (*report.findings, *_findings(run))
    worst = headline(found)
    report = report.model_copy(
        update={"run": run, "findings": found, "severity": worst.severity, "headline": worst.sentence}
    )
    return report.model_copy(update={"ladder": ladder(report, lag=report.lag, pools=run.pools)})


def _findings(run: RunReadout) -> Iterable[Finding]:
    at = "before its first step" if run.step is None else f"after step {run.step}"
    if run.status == "failed":
        yield Finding(
            section="run", severity="warn", sentence=f"the run failed {at}: {run.error or 'it did not say why'}"
        )
    if run.status == "silent":
        minutes = (run.last_line_age_s or 0.0) / 60
        yield Finding(
            section="run",
            severity="warn",
            sentence=f"the run says that it goes on and has logged nothing for {minutes:.0f} minutes {at}",
            threshold=f"warn from {SILENT_STEPS} times its usual step on, {SILENT_S:.0f} s at least",
        )
    for alert in run.active:
        sentence = f"{alert.layer}: {alert.sentence}, since step {alert.step}"
        yield Finding(section="run", severity=alert.level, sentence=sentence, threshold=alert.threshold)


def _status(state: Mapping[str, Any], age: float | None, pace: float | None) -> RunStatus:
    said = state.get("status")
    if said in ("finished", "stopped", "failed"):
        return said
    if said != "running":
        return "unknown"
    is_silent = age is not None and pace is not None and age > max(SILENT_S, SILENT_STEPS * pace)
    return "silent" if is_silent else "running"


def _alerts(rows: Iterable[Mapping[str, Any]]) -> tuple[tuple[RunAlert, ...], list[str]]:
    """The events that are alerts of ours; of others only their number is told."""
    found, n_left = list[RunAlert](), 0
    for row in rows:
        try:
            found.append(RunAlert.model_validate({name: row.get(name) for name in RunAlert.model_fields}))
        except ValidationError:
            n_left += 1
    return tuple(found), [f"alerts.jsonl: {n_left} lines are no alerts: left out"] if n_left else []


def _active(alerts: Iterable[RunAlert]) -> tuple[RunAlert, ...]:
    """What is raised after all events: by layer, what fails before what warns."""
    raised: dict[tuple[str, str], RunAlert] = {}
    for alert in alerts:
        key = (alert.name, alert.figure)
        if alert.event == "cleared":
            raised.pop(key, None)
        else:
            raised[key] = alert
    return tuple(sorted(raised.values(), key=lambda alert: (_ORDER[alert.layer], alert.level)))


def _curves(rows: Sequence[StepRow]) -> Iterable[RunCurve]:
    names = list(dict.fromkeys(name for row in rows for name in row.numbers))
    for title, unit, patterns in CURVES:
        chosen = [name for pattern in patterns for name in names if fnmatchcase(name, pattern)][:MOST_LINES]
        lines = tuple(RunLine(figure=name, points=tuple(_points(rows, name))) for name in dict.fromkeys(chosen))
        lines = tuple(line for line in lines if len(line.points) > 1)
        if lines:
            yield RunCurve(title=title, unit=unit, lines=lines)


def _points(rows: Sequence[StepRow], name: str) -> Iterable[tuple[int, float | None]]:
    """One a step, or one for as many steps as make `MOST_STEPS` points: their mean."""
    width = ceil(len(rows) / MOST_STEPS)
    for first in range(0, len(rows), width):
        part = rows[first : first + width]
        known = [row.numbers[name] for row in part if name in row.numbers]
        if known:
            yield part[-1].step, float(f"{sum(known) / len(known):.6g}")
        elif width == 1 and not name.startswith("held_out/"):  # evaluated now and then: that is no gap
            yield part[-1].step, None


def _figures(rows: Sequence[StepRow]) -> Iterable[RunFigure]:
    values: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.numbers.items():
            if name != "time":
                values.setdefault(name, []).append(value)
    for name, known in list(values.items())[:MOST_FIGURES]:
        tenth = ceil(len(known) / 10)
        yield RunFigure(
            name=name,
            n=len(known),
            first=sum(known[:tenth]) / tenth,
            last=sum(known[-tenth:]) / tenth,
            lowest=min(known),
            highest=max(known),
        )


def _ledger(rows: Sequence[StepRow]) -> RunLedger | None:
    if not rows:
        return None
    totals: dict[str, float] = {}
    for row in rows:
        for name, value in row.numbers.items():
            if name not in _NOT_SUMMED:
                totals[name] = totals.get(name, 0.0) + value

    def per_kept(unit: str) -> float | None:
        sampled, kept = totals.get(unit), totals.get(f"{unit}_kept")
        return sampled / kept if sampled is not None and kept else None

    return RunLedger(
        steps=len(rows), totals=totals, rollouts_per_kept=per_kept("rollouts"), tokens_per_kept=per_kept("tokens")
    )


def _pools(rows: Sequence[StepRow]) -> Mapping[Pool, int] | None:
    for row in reversed(rows):
        found = {pool: row.numbers[f"pools/{pool}"] for pool in POOLS if f"pools/{pool}" in row.numbers}
        if found:
            return {pool: int(count) for pool, count in found.items()}
    return None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Any) -> str | None:
    return value[:500] if isinstance(value, str) else None
