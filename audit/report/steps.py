"""What an audit of a step scorer found, as data: the machine-readable report, and what terminal and page print from.

A number that could not be computed is None (null in JSON), never 0 and never NaN. Every interval is a 95 % bootstrap
by problem, None where fewer than two problems, or too few of them, say anything.
"""

from collections.abc import Mapping
from typing import Literal

from .evidence import Number, Part
from .model import Finding, NotMeasured, Severity

__all__ = [
    "STEPS_SCHEMA_VERSION",
    "AggregateRanking",
    "FirstErrors",
    "ReliabilityBin",
    "SourceSteps",
    "StepCoverage",
    "StepFacts",
    "StepQuality",
    "StepsReport",
    "Stratum",
    "Truth",
]

STEPS_SCHEMA_VERSION = "rewardgate.steps/1"

Stratum = Literal["all", "source", "difficulty"]

Truth = Literal["steps", "answer"]
"""What a solution is right by: no step of it is wrong, or its final answer is right."""


class StepFacts(Part):
    """What was read: the layout of the file, and what could not be used (the first refusals as text)."""

    file: str
    layout: str
    n_rows: int
    n_traces: int
    n_problems: int
    n_steps: int
    n_refused: int
    refusals: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class StepCoverage(Part):
    """How much the scorer said. An unknown step is in no other figure; a solution without any score is silent.

    `rules` counts the scorer's own reasons, the unknown ones too; empty where the scores stood in the file.
    """

    n_steps: int
    n_scored: int
    share: Number
    n_silent: int
    rules: Mapping[str, int]


class FirstErrors(Part):
    """Where the first error is seen, on one set of solutions at one threshold.

    Of the erroneous ones `n_hit` are flagged at the labelled step and `n_early` before it; of the correct ones
    `n_quiet` are not flagged and `n_flagged` are. Silent ones, of which the scorer said nothing, are misses of either
    kind.
    `f1` is ProcessBench's: the harmonic mean of both accuracies. `precision`: of the flags at or before the first
    error, those at it, flags in correct solutions counting against. Shares are None where all are silent.
    """

    name: str
    threshold: float
    n_erroneous: int
    n_hit: int
    n_early: int
    n_silent_erroneous: int
    n_correct: int
    n_quiet: int
    n_flagged: int
    n_silent_correct: int
    accuracy_erroneous: Number = None
    accuracy_erroneous_low: Number = None
    accuracy_erroneous_high: Number = None
    accuracy_correct: Number = None
    accuracy_correct_low: Number = None
    accuracy_correct_high: Number = None
    f1: Number = None
    f1_low: Number = None
    f1_high: Number = None
    precision: Number = None


class ReliabilityBin(Part):
    """The steps scored in [low, high), the last bin with its upper end."""

    low: float
    high: float
    n: int
    mean_score: Number
    share_right: Number


class StepQuality(Part):
    """Scores of single steps against their labels; `n` are both scored and labelled.

    `base_rate` is the share of right steps among them: what a scorer that knew nothing would best say of each.
    """

    n_labelled: int
    n: int
    n_wrong: int
    base_rate: Number
    auc: Number
    auc_low: Number
    auc_high: Number
    ece: Number
    ece_low: Number
    ece_high: Number
    bins: tuple[ReliabilityBin, ...]


class SourceSteps(Part):
    """The same figures of one source, without the diagram."""

    source: str
    n: int
    n_wrong: int
    base_rate: Number
    auc: Number
    auc_low: Number
    auc_high: Number
    ece: Number


class AggregateRanking(Part):
    """How one aggregate of the step scores ranks right solutions above wrong ones, in one stratum.

    `stratum` is `"all"`, `"source"` or `"difficulty"`, and `name` which one. `n_silent` solutions have no score, and
    are left out. An AUC whose interval holds 0.5 says that the aggregate may rank no better than chance there. The
    aggregate `fewer steps` is a control that asks no scorer.
    """

    truth: Truth
    stratum: Stratum
    name: str
    aggregate: str
    n_right: int
    n_wrong: int
    n_silent: int
    mean_right: Number
    mean_wrong: Number
    auc: Number
    auc_low: Number
    auc_high: Number


class StepsReport(Part):
    """Everything that `audit_steps` found. `severity` is the worst finding's, `headline` says the three figures.

    `first_errors` hold, in this order: the reported half at the chosen threshold, the whole file at 0.5, and every
    source of the reported half at the chosen threshold.
    """

    schema_version: str = STEPS_SCHEMA_VERSION
    rewardgate_version: str
    severity: Severity
    headline: str
    findings: tuple[Finding, ...]
    reading: StepFacts
    scorer: str
    scorer_version: str
    seed: int
    resamples: int
    share_erroneous: Number
    share_final_wrong: Number
    coverage: StepCoverage
    threshold: Number
    n_chosen_on: int
    n_problems_chosen_on: int
    first_errors: tuple[FirstErrors, ...]
    steps: StepQuality | None
    by_source: tuple[SourceSteps, ...]
    aggregates: tuple[AggregateRanking, ...]
    not_measured: tuple[NotMeasured, ...]
    seconds: float
