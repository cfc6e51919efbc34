"""The ladder: which layer to change first.

Clipping, KL terms and estimators can only act on a signal that exists. So the layers are asked in the order in which
they make it: is the verifier right, are the targets, are the prompts of the right difficulty, do their groups differ,
are there successes at all, would anybody notice; and only then, is the estimator the right one. The first rung that
fails is the one to change: what stands above it is measured through it.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...diagnostics.lag import PolicyLag
from ...diagnostics.pool_rules import Pool
from ...diagnostics.staleness import Staleness
from ..report.ladder import RUNGS, Ladder, Measure, Rung, RungName, RungStatus
from ..report.model import AuditReport, GroupTable
from .gate import of_gate
from .rungs import (
    comparable,
    of_estimators,
    of_exploration,
    of_golds,
    of_monitoring,
    of_pools,
    of_supply,
    of_verifier,
)
from .thresholds import measure

if TYPE_CHECKING:
    from ..probes.model import ProbeReport
    from ..report.explore import ExploreReadout

__all__ = ["ladder"]

_WORST_FIRST: tuple[RungStatus, ...] = ("fail", "warn", "ok")


def ladder(
    report: AuditReport,
    *,
    probe: "ProbeReport | None" = None,
    pools: Mapping[Pool, int] | None = None,
    explore: "ExploreReadout | None" = None,
    lag: PolicyLag | None = None,
    staleness: Staleness | None = None,
) -> Ladder:
    """The rungs, and the first of them that fails.

    Args:
        report: of the rollouts. From the mixed groups on, it is read as it will be after the repair of what it found
            repairable: broken targets make no shortage of mixed groups. What the monitor of its run warns of stands on
            the rung that it names.
        probe: of the same verifier.
        pools: prompts by pool, as `PromptPools.counts` tells.
        explore: of prompts without a success.
        lag: of the same rollouts.
        staleness: of the same rollouts.

    Example:
        >>> from importlib.resources import files
        >>> from rewardgate.audit import audit
        >>> from rewardgate.rollouts.reading import read
        >>> found = ladder(audit(read(str(files("rewardgate.fixtures") / "rollouts.jsonl"))))
        >>> found.change_first, [rung.status for rung in found.rungs][:4]
        ('verifier', ['fail', 'fail', 'not measured', 'ok'])
    """
    # Names are those of RUNGS, which gives the order.
    table = _last_table(report)
    measures: dict[RungName, list[Measure]] = {
        "verifier": list(of_verifier(report, probe)),
        "golds": list(of_golds(report)),
        "pools": list(of_pools(pools)),
        "mixed-group supply": list(of_supply(table)),
        "exploration and bootstrap": [*of_exploration(report, table, explore), *of_gate(report.gate_trust)],
        "monitoring": list(of_monitoring(report, lag, staleness)),
        "estimators": list(of_estimators(report, table)),
    }
    for alert in () if report.run is None else report.run.active:
        sentence = f"{alert.sentence}, since step {alert.step}"
        measures[alert.layer].append(measure(alert.name, alert.value, alert.level, sentence, alert.threshold))
    missing = _missing(report, table, probe=probe, pools=pools, explore=explore, lag=lag)
    rungs = tuple(
        Rung(
            name=name,
            asks=asks,
            status=_worst(measures[name]),
            measures=tuple(measures[name]),
            enable=missing.get(name, ""),
        )
        for name, asks in RUNGS
    )
    return Ladder(rungs=rungs, change_first=_first(rungs), sentence=_sentence(rungs))


def _worst(measures: Sequence[Measure]) -> RungStatus:
    for status in _WORST_FIRST:
        if any(measure.status == status for measure in measures):
            return status
    return "not measured"


def _first(rungs: tuple[Rung, ...]) -> RungName | None:
    for status in ("fail", "warn"):
        for rung in rungs:
            if rung.status == status:
                return rung.name
    return None


def _sentence(rungs: tuple[Rung, ...]) -> str:
    first = _first(rungs)
    position = next((position for position, rung in enumerate(rungs) if rung.name == first), len(rungs))
    unseen = ", ".join(rung.name for rung in rungs[:position] if rung.status == "not measured")
    if position == len(rungs):
        return "no layer warns or fails" + (f" of those measured; not measured: {unseen}" if unseen else "")
    deciding = rungs[position].deciding
    why = "" if deciding is None else f": {deciding.sentence}"
    return f"change the {first} first{why}" + (f"; not measured before it: {unseen}" if unseen else "")


def _last_table(report: AuditReport) -> GroupTable:
    """The groups as they will be after repair; as scored where nothing could be repaired."""
    by_name = {table.name: table for table in report.groups}
    return report.groups[-1] if report.repair is not None else by_name.get(report.scored_by, report.groups[-1])


def _missing(
    report: AuditReport,
    table: GroupTable,
    *,
    probe: "ProbeReport | None",
    pools: Mapping[Pool, int] | None,
    explore: "ExploreReadout | None",
    lag: PolicyLag | None,
) -> dict[RungName, str]:
    """What would let a rung be measured, or measured in full; rungs that lack nothing are absent."""
    missing: dict[RungName, list[str]] = {name: [] for name, _ in RUNGS}
    if report.paid_but_wrong is None:
        missing["verifier"].append("log responses and targets, and name a --referee that is not the verifier itself")
    if probe is None:
        missing["verifier"].append("run `rewardgate probe` on the verifier")
    if report.golds is None:
        missing["golds"].append("log the target, or name it with --target-key")
    if pools is None:
        missing["pools"].append("run `rewardgate pools` on the dumps of several steps")
    if not comparable(table):
        for name in ("mixed-group supply", "exploration and bootstrap"):
            missing[name].append("log several rollouts a prompt, with their rewards")
    if explore is None and table.all_wrong:
        missing["exploration and bootstrap"].append(
            "draw more samples from the prompts without a success: 0 of G does not tell rare from impossible"
        )
    if report.gate_trust is None and comparable(table):
        missing["exploration and bootstrap"].append(
            "do not open a gate before its step scorer was measured here: name it with --scorer"
        )
    if lag is None:
        missing["monitoring"].append("log the log-probabilities of the sampler and of the trainer")
    if not table.mixed:
        missing["estimators"].append("there is no mixed group to tell by")
    return {name: "; ".join(ways) for name, ways in missing.items() if ways}
