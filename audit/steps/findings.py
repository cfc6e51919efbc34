"""What a reader must know of a step scorer, with the thresholds that made it so."""

from collections.abc import Iterator, Sequence

from ...prm.calibration.aggregates import CONTROL
from ..chance import OVER_CHANCE, interval, over_chance
from ..report.model import Finding
from ..report.steps import AggregateRanking, FirstErrors, StepCoverage, StepQuality
from ..report.text import number, percent

__all__ = ["headline", "step_findings"]

HEARD = 0.5
MISCALIBRATED = 0.1


def step_findings(
    coverage: StepCoverage, steps: StepQuality | None, rankings: Sequence[AggregateRanking]
) -> Iterator[Finding]:
    """Findings on coverage, ranking of steps, calibration, and the ranking of solutions in every stratum."""
    if not coverage.n_scored:
        yield Finding(section="coverage", severity="fail", sentence="the scorer said nothing of any step")
        return
    share = coverage.share or 0.0
    yield Finding(
        section="coverage",
        severity="warn" if share < HEARD else "ok",
        sentence=f"{coverage.n_scored} of {coverage.n_steps} steps have a score, {coverage.n_silent} solutions none",
        threshold=f"warn below {percent(HEARD)}",
    )
    if steps is not None and steps.auc is not None:
        yield Finding(
            section="steps",
            severity=over_chance(steps.auc_low, steps.auc_high),
            sentence=f"right steps rank above wrong ones: AUC {number(steps.auc)} "
            f"{interval(steps.auc_low, steps.auc_high)} over {steps.n} steps, {steps.n_wrong} of them wrong",
            threshold=OVER_CHANCE,
        )
    if steps is not None and steps.ece is not None:
        yield Finding(
            section="steps",
            severity="warn" if steps.ece > MISCALIBRATED else "ok",
            sentence=f"scores are off by {number(steps.ece)} on average (ECE); {percent(steps.base_rate)} of the steps "
            "are right",
            threshold=f"warn above {number(MISCALIBRATED)}",
        )
    yield from _by_stratum(rankings)


def headline(first: FirstErrors | None, steps: StepQuality | None, coverage: StepCoverage) -> str:
    """The figures that a table of scorers would show, in one line."""
    parts = []
    if first is not None and first.f1 is not None:
        ends = interval(first.f1_low, first.f1_high)
        parts.append(f"first errors: F1 {number(first.f1)} {ends} at threshold {number(first.threshold)}")
    if steps is not None:
        parts.append(f"step AUC {number(steps.auc)} {interval(steps.auc_low, steps.auc_high)}")
        parts.append(f"ECE {number(steps.ece)}")
    parts.append(f"{percent(coverage.share)} of the steps scored")
    return ", ".join(parts)


def _by_stratum(rankings: Sequence[AggregateRanking]) -> Iterator[Finding]:
    """One finding a stratum, by the mean of the steps: the one aggregate that length alone does not move."""
    strata: dict[tuple[str, str, str], list[AggregateRanking]] = {}
    for row in rankings:
        if row.auc is not None:
            strata.setdefault((row.truth, row.stratum, row.name), []).append(row)
    for (truth, stratum, name), rows in strata.items():
        by_name = {row.aggregate: row for row in rows}
        mean, control = by_name["mean"], by_name[CONTROL]
        severity = over_chance(mean.auc_low, mean.auc_high)
        if stratum != "all" and severity == "ok":
            continue  # the tables say it; a finding each would hide the others
        where = "all solutions" if stratum == "all" else f"{stratum} {name or 'without a name'}"
        by = "without a wrong step" if truth == "steps" else "with a right answer"
        yield Finding(
            section="solutions",
            severity=severity,
            sentence=f"{where}: those {by} rank above the others by the mean of their steps: AUC {number(mean.auc)} "
            f"{interval(mean.auc_low, mean.auc_high)}, {mean.n_right} against {mean.n_wrong}; by having fewer steps "
            f"alone {number(control.auc)}",
            threshold=OVER_CHANCE,
        )
