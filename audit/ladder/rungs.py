"""What each rung of the ladder is held against: its numbers, their thresholds, and how they stand."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ...diagnostics.lag import PolicyLag
from ...diagnostics.pool_rules import Pool
from ...diagnostics.staleness import Staleness
from ..causes.deciding import Cause
from ..findings import DEGENERATE, FAILING_GOLDS, FALSE_NEGATIVES, IN_THE_TEXT, PAID, SCORING_FAULTS
from ..report.ladder import Measure, RungStatus
from ..report.model import AuditReport, GroupTable
from ..report.text import percent
from .thresholds import at_least, at_most, measure

if TYPE_CHECKING:
    from ..probes.model import ProbeReport
    from ..report.explore import ExploreReadout

__all__ = [
    "comparable",
    "of_estimators",
    "of_exploration",
    "of_golds",
    "of_monitoring",
    "of_pools",
    "of_supply",
    "of_verifier",
]

# Thresholds: from where a number warns, and from where it fails. They are ours. The shares outside the clip range are
# those at which rldoctor 0.2 warns and calls it critical; the others say in their rung what they cost.
AGAINST_CONSENSUS = 0.05
QUARANTINED = 0.05
FRONTIER = (0.3, 0.1)
SUPPLY = (DEGENERATE, 0.2)
ALL_WRONG = (0.1, 0.5)
OUT_OF_FORM = (IN_THE_TEXT, 0.25)
WITHOUT_SUCCESS = (0.1, 0.5)
OUTSIDE_THE_CLIP = (0.2, 0.4)
EFFECTIVE = (0.5, 0.1)
NEAR_AN_END = 0.5

_OF_FORM = (Cause.TOOL_FORMAT, Cause.TRUNCATED, Cause.NO_ANSWER, Cause.HEDGED)
_MONITORED = {
    "the step": ("step",),
    "the policy's version": ("policy_version",),
    "whether a response was cut off": ("truncated", "finish_reason"),
    "the number of tokens": ("n_tokens", "token_ids"),
    "the sampler's log-probabilities": ("rollout_logprobs",),
}
"""What a monitor needs of every rollout -> roles of a file that say it."""


def comparable(table: GroupTable) -> int:
    """Groups with at least two scored rollouts."""
    return table.all_wrong + table.mixed + table.all_correct + table.tied


def of_verifier(report: AuditReport, probe: "ProbeReport | None") -> Iterator[Measure]:
    """Does it pay what is right, and only that?"""
    yield from _audited(report)
    yield from _probed(probe)


def _audited(report: AuditReport) -> Iterator[Measure]:
    n = max(1, report.reading.n_rollouts)
    by_cause = {count.cause: count.rollouts for count in report.causes}
    if report.causes:
        faults = by_cause.get(Cause.SCORING_FAULT, 0)
        yield at_most(
            "scoring faults",
            faults / n,
            (0.0, SCORING_FAULTS),
            f"{faults} of {n} rollouts have no reward, or one that says nothing: scoring failed",
        )
    if report.paid_but_wrong is None:  # the referee could not judge, or is the verifier itself
        return
    refused = sum(count for cause, count in by_cause.items() if cause.startswith("false_negative"))
    yield at_most(
        "right answers refused",
        refused / n,
        (0.0, FALSE_NEGATIVES),
        f"{refused} of {n} rollouts are right and were not paid",
    )
    paid = report.paid_but_wrong.n_rollouts
    yield at_most(
        "wrong answers paid", paid / n, (0.0, PAID), f"{paid} of {n} rollouts were paid and the referee refuses"
    )


def _probed(probe: "ProbeReport | None") -> Iterator[Measure]:
    if probe is None:
        return
    ceiling = None if probe.headlines is None else probe.headlines.false_pass_ceiling.rate
    status: RungStatus = "ok" if probe.severity == "info" else probe.severity
    if probe.status == "inconclusive":
        status = "warn"
    yield measure("probes", ceiling, status, probe.headline, "as the probe's worst finding; inconclusive warns")


def of_golds(report: AuditReport) -> Iterator[Measure]:
    """Do the targets hold?"""
    golds = report.golds
    if golds is None or not golds.n_tested:
        return
    yield at_most(
        "targets that fail",
        golds.n_failing / max(1, golds.n_targets),
        (0.0, FAILING_GOLDS),
        f"{golds.n_failing} of {golds.n_targets} targets do not verify against themselves",
    )
    against = report.review.counts.get("consensus_against_target", 0)
    yield at_most(
        "targets against consensus",
        against / max(1, report.reading.n_groups),
        (AGAINST_CONSENSUS, None),
        f"in {against} of {report.reading.n_groups} groups most rollouts agree on another answer than the target",
    )


def of_pools(pools: Mapping[Pool, int] | None) -> Iterator[Measure]:
    """Are the prompts at the right difficulty for this policy?"""
    if pools is None or not sum(pools.values()):
        return
    drawn = sum(count for pool, count in pools.items() if pool.is_drawn)
    frontier, quarantined = pools.get(Pool.FRONTIER, 0), pools.get(Pool.QUARANTINE, 0)
    yield at_least(
        "frontier",
        frontier / drawn if drawn else 0.0,
        FRONTIER,
        f"{frontier} of {drawn} prompts are neither too hard nor too easy ({pools.get(Pool.HARD, 0)} hard, "
        f"{pools.get(Pool.EASY, 0)} easy)",
    )
    yield at_most(
        "quarantine",
        quarantined / (drawn + quarantined) if drawn + quarantined else 0.0,
        (QUARANTINED, None),
        f"{quarantined} of {drawn + quarantined} prompts wait for their target or verifier",
    )


def of_supply(table: GroupTable) -> Iterator[Measure]:
    """Do sampled groups give advantages at all?"""
    n = comparable(table)
    if not n:
        return
    share = table.mixed / n
    cost = f"{1 / share:.1f} groups sampled for each that teaches" if share else "none that teaches"
    yield at_least("mixed groups", share, SUPPLY, f"{table.mixed} of {n} groups are mixed {_when(table)}: {cost}")


def of_exploration(report: AuditReport, table: GroupTable, explore: "ExploreReadout | None") -> Iterator[Measure]:
    """Are there successes to learn from?"""
    yield from _without_success(report, table)
    yield from _explored(explore)


def _without_success(report: AuditReport, table: GroupTable) -> Iterator[Measure]:
    n = comparable(table)
    if not n:
        return
    yield at_most(
        "all-wrong groups",
        table.all_wrong / n,
        ALL_WRONG,
        f"{table.all_wrong} of {n} groups show no success {_when(table)}: rare or impossible",
    )
    if report.paid_but_wrong is not None or report.cards:
        formless = sum(count.groups for count in report.causes if count.cause in _OF_FORM)
        yield at_most(
            "groups that fail in form",
            formless / n,
            OUT_OF_FORM,
            f"{formless} of {n} groups die of responses cut off, without an answer, hedging or in a broken call",
        )


def _explored(explore: "ExploreReadout | None") -> Iterator[Measure]:
    if explore is None or not explore.prompts:
        return
    n = len(explore.prompts)
    yield at_most(
        "explored without success",
        explore.without_success / n,
        WITHOUT_SUCCESS,
        f"{explore.without_success} of {n} explored prompts show no success in {explore.n_scored / n:.0f} samples each",
    )


def of_monitoring(report: AuditReport, lag: PolicyLag | None, stale: Staleness | None) -> Iterator[Measure]:
    """Would anybody see it go wrong?"""
    yield from _logged(report)
    yield from _lagging(lag, stale)


def _logged(report: AuditReport) -> Iterator[Measure]:
    absent = [what for what, roles in _MONITORED.items() if not set(roles) & set(report.reading.fields)]
    n = len(_MONITORED)
    yield at_least(
        "facts logged",
        (n - len(absent)) / n,
        (1.0, None),
        f"not logged: {', '.join(absent)}" if absent else f"all {n} facts that a monitor needs are logged",
    )


def _lagging(lag: PolicyLag | None, stale: Staleness | None) -> Iterator[Measure]:
    if lag is not None and lag.tokens:
        outside = lag.below + lag.above
        yield at_most(
            "tokens outside the clip range",
            outside,
            OUTSIDE_THE_CLIP,
            f"{percent(outside)} of {lag.tokens} tokens have a ratio outside the clip range, KL {lag.k3:.2g} a token",
        )
        yield at_least(
            "effective samples",
            lag.effective_share,
            EFFECTIVE,
            f"{lag.tokens} sampled tokens weigh as much as {lag.effective_share * lag.tokens:.0f} of the policy's own",
        )
    if stale is not None and stale.known:
        is_blind = stale.stale > 0 and (lag is None or not lag.tokens)
        yield measure(
            "stale rollouts",
            stale.stale,
            "warn" if is_blind else "ok",
            f"{percent(stale.stale)} of {stale.known} rollouts come from an earlier policy, by up to {stale.worst:g} "
            "versions",
            "warn where no log-probabilities say how far it has moved",
        )


def of_estimators(report: AuditReport, table: GroupTable) -> Iterator[Measure]:
    """Does the estimator weigh the groups that are left as it should?"""
    if not table.mixed:
        return
    near = table.near_all_wrong + table.near_all_correct
    yield at_most(
        "mixed groups near an end",
        near / table.mixed,
        (NEAR_AN_END, None),
        f"{near} of {table.mixed} mixed groups are within {report.near} of all wrong or all correct: dividing by the "
        "standard deviation weighs them up, and there estimators differ most",
    )
    differences = () if report.mixed_groups is None else report.mixed_groups.differences
    length = next((part for part in differences if part.name.startswith("median length")), None)
    if length is not None and length.low is not None and length.high is not None:
        unit = length.name.rpartition(", ")[2]
        yield measure(
            "length by outcome",
            length.difference,
            "warn" if length.low > 0 or length.high < 0 else "ok",
            f"right responses less wrong ones: {length.difference or 0:+.0f} {unit} [{length.low:.0f}, "
            f"{length.high:.0f}]; a mean over tokens and one over responses weigh them differently",
            "warn where the 95 % interval excludes 0",
        )


def _when(table: GroupTable) -> str:
    return "after repair" if table.name == "after repair" else "as scored"
