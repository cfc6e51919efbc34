"""What an audit found, as data: the one machine-readable report, and what the terminal prints from.

Everything is frozen. A number that could not be computed is None (null in JSON), never 0 and never NaN.
Texts of prompts and responses are clipped; they are a stranger's words, so a renderer must escape them.
"""

from collections.abc import Mapping
from typing import Literal, get_args

from ...diagnostics.lag import PolicyLag
from .curves import Curves
from .duplicates import Duplicates, Permissive, Phantom
from .evidence import (
    AnswerTally,
    CauseCount,
    Evidence,
    GroupCard,
    Number,
    PaidButWrong,
    Part,
    Review,
    ReviewItem,
    Support,
)
from .gate_trust import GateTrust
from .ladder import Ladder
from .reliability import Reliability
from .run import RunReadout

__all__ = [
    "SCHEMA_VERSION",
    "SEVERITIES",
    "AnswerTally",
    "AuditReport",
    "CauseCount",
    "Curves",
    "Duplicates",
    "Evidence",
    "FailingGold",
    "Finding",
    "FormVerdict",
    "GateTrust",
    "GoldFix",
    "Golds",
    "GroupCard",
    "GroupTable",
    "MixedGroups",
    "NotMeasured",
    "OutcomeDifference",
    "PaidButWrong",
    "Permissive",
    "Phantom",
    "Prediction",
    "ReadingFacts",
    "Repair",
    "Review",
    "ReviewItem",
    "RunReadout",
    "Severity",
    "Stake",
    "Support",
]

SCHEMA_VERSION = "rewardgate.audit/1"

Severity = Literal["ok", "warn", "fail"]

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""From harmless to grave."""


class ReadingFacts(Part):
    """How the file was read: role -> column, and how many rows could not be used (the first refusals as text)."""

    format: str
    fields: Mapping[str, str]
    n_rows: int
    n_rollouts: int
    n_groups: int
    group_sizes: Mapping[int, int]
    n_refused: int
    refusals: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class FormVerdict(Part):
    """What a verifier said of a target offered to itself in one form (`bare`, `$…$`, `\\boxed{}`, …)."""

    form: str
    accepted: bool
    outcome: str
    detail: str = ""


class FailingGold(Part):
    """A target that does not verify against itself.

    `n_right` counts the rollouts that the referee finds right and that were scored wrong nevertheless.
    """

    target: str
    forms: tuple[FormVerdict, ...]
    n_rollouts: int
    n_groups: int
    n_right: int
    accepted_after_fix: bool | None = None


class GoldFix(Part):
    """A rewriting of all targets, and what the verifier under audit said after it.

    `still_failing` counts targets that are refused after the fix, whether they failed before it or not;
    `answers_accepted` of `answers_tested` right answers that were refused before are accepted after it.
    """

    name: str
    n_targets: int
    still_failing: int
    answers_tested: int = 0
    answers_accepted: int = 0


class Golds(Part):
    """Whether targets verify against themselves. `form` is how they were offered: as the responses do it."""

    tested_with: str
    form: str
    n_targets: int
    n_tested: int
    n_failing: int
    n_rollouts: int
    n_groups: int
    n_right: int
    failing: tuple[FailingGold, ...] = ()
    fixes: tuple[GoldFix, ...] = ()
    notes: tuple[str, ...] = ()


class GroupTable(Part):
    """Groups by kind under one way of scoring. Rates count groups with at least two scored rollouts.

    The two `near` counts are parts of `mixed`: at most `near` successes from one of the ends.
    `std` divides by n. `success_rate` is the mean over prompts, with its 95 % bootstrap interval by prompt.
    """

    name: str
    n_groups: int
    all_wrong: int
    mixed: int
    all_correct: int
    tied: int
    singleton: int
    unscorable: int
    near_all_wrong: int
    near_all_correct: int
    success_rate: Number
    success_low: Number
    success_high: Number
    acr: Number
    nonzero_advantage_rate: Number
    mean_std: Number


class Prediction(Part):
    """Share of groups without a success and without a failure: observed, with one rate p, beta-binomial."""

    observed_no_success: Number
    observed_all_success: Number
    rate: Number
    iid_no_success: Number
    iid_all_success: Number
    fitted_no_success: Number
    fitted_all_success: Number
    rho: Number


class Repair(Part):
    """What the groups become once the repairable causes are repaired: before -> after, with ids."""

    changes: Mapping[str, int]
    n_rollouts_flipped: int
    become_mixed: tuple[str, ...] = ()
    become_all_correct: tuple[str, ...] = ()
    become_unscorable: tuple[str, ...] = ()


class Stake(Part):
    """Share of rollouts and of tokens whose advantage was not what the repaired rewards give.

    `missing`: none or zero as scored, nonzero after repair. `wrong_sign`: the signs differ. `spurious`:
    nonzero as scored, zero after repair. Dividing by the group's std changes no sign and no zero, so the
    shares are those of both estimators; the two mean errors are mean |A as scored - A repaired| with
    A = R - mean (Dr. GRPO) and A = (R - mean) / std, std dividing by n - 1 (GRPO).
    """

    n_rollouts: int
    unit: str
    n_units: int
    missing_rollouts: Number
    missing_units: Number
    wrong_sign_rollouts: Number
    wrong_sign_units: Number
    spurious_rollouts: Number
    spurious_units: Number
    mean_error_dr_grpo: Number
    mean_error_grpo: Number

    @property
    def touched_rollouts(self) -> float:
        """Missing and wrong-sign together."""
        return (self.missing_rollouts or 0.0) + (self.wrong_sign_rollouts or 0.0)


class OutcomeDifference(Part):
    """One property of the responses of mixed groups, by outcome, with a 95 % bootstrap interval by prompt."""

    name: str
    correct: Number
    wrong: Number
    difference: Number
    low: Number
    high: Number


class MixedGroups(Part):
    """Length and format by outcome in the groups that do give advantages."""

    n_groups: int
    n_correct: int
    n_wrong: int
    length_unit: str
    differences: tuple[OutcomeDifference, ...] = ()


class NotMeasured(Part):
    """What this file could not tell, why, and what would make it tell."""

    what: str
    why: str
    enable: str


class Finding(Part):
    """One thing found, its severity, and the threshold that made it so."""

    section: str
    severity: Severity
    sentence: str
    threshold: str = ""


class AuditReport(Part):
    """Everything that `audit` found. `severity` is the worst finding's, `headline` its sentence."""

    schema_version: str = SCHEMA_VERSION
    rewardgate_version: str
    severity: Severity
    headline: str
    findings: tuple[Finding, ...]
    reading: ReadingFacts
    scored_by: str
    referee: str
    second_opinion: str | None
    near: int
    correct_at: float
    wrong_at: float
    seed: int
    golds: Golds | None
    groups: tuple[GroupTable, ...]
    prediction: Prediction | None
    causes: tuple[CauseCount, ...]
    cards: tuple[GroupCard, ...]
    n_cards_left_out: int
    paid_but_wrong: PaidButWrong | None
    repair: Repair | None
    stake: Stake | None
    mixed_groups: MixedGroups | None
    duplicates: Duplicates | None = None
    permissive: Permissive | None = None
    phantom: Phantom | None = None
    reliability: Reliability | None = None
    review: Review
    curves: Curves | None = None
    not_measured: tuple[NotMeasured, ...]
    seconds: float
    ladder: Ladder | None = None
    gate_trust: GateTrust | None = None
    lag: PolicyLag | None = None
    run: RunReadout | None = None
