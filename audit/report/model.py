"""What an audit found, as data: the one machine-readable report, and what the terminal prints from.

Everything is frozen. A number that could not be computed is None (null in JSON), never 0 and never NaN.
Texts of prompts and responses are clipped; they are a stranger's words, so a renderer must escape them.
"""

import math
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

__all__ = [
    "SCHEMA_VERSION",
    "AnswerTally",
    "AuditReport",
    "CauseCount",
    "Evidence",
    "FailingGold",
    "Finding",
    "FormVerdict",
    "GoldFix",
    "Golds",
    "GroupCard",
    "GroupTable",
    "MixedGroups",
    "NotMeasured",
    "OutcomeDifference",
    "PaidButWrong",
    "Prediction",
    "ReadingFacts",
    "Repair",
    "Review",
    "ReviewItem",
    "Severity",
    "Stake",
    "Support",
]

SCHEMA_VERSION = "rewardgate.audit/1"

Severity = Literal["ok", "warn", "fail"]


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


Number = Annotated[float | None, BeforeValidator(_finite)]
"""A float; None where there is nothing to compute it from."""


class Part(BaseModel):
    """A part of the report: frozen, and without fields that nobody declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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
    `std` divides by n.
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


class Evidence(Part):
    """One rollout that shows what is claimed: where it stands, what was read, and who said what."""

    source: str
    reward: Number
    cause: str | None
    why: str
    extracted: str | None
    span: tuple[int, int] | None
    referee: str
    referee_rule: str
    referee_detail: str
    suspect_detail: str = ""
    excerpt: str = ""


class AnswerTally(Part):
    """How many rollouts of a group commit to the same answer."""

    answer: str
    count: int


class Support(Part):
    """What `successes` of `scored` rollouts leave open about the success rate p.

    `upper_bound` is one-sided, at 95 %. `more_samples` maps a rate to how many further rollouts show at
    least one success with probability 95 % if p is that rate.
    """

    successes: int
    scored: int
    upper_bound: Number
    more_samples: Mapping[str, int]


class GroupCard(Part):
    """One group that gives no (or hardly any) advantage, with the cause that it takes and its evidence."""

    group_id: str
    prompt: str
    target: str
    kind: str
    repaired_kind: str
    successes: int
    scored: int
    size: int
    cause: str
    is_repairable: bool
    rollout_causes: Mapping[str, int]
    answers: tuple[AnswerTally, ...] = ()
    support: Support | None = None
    evidence: tuple[Evidence, ...] = ()


class CauseCount(Part):
    """How many wrong-scored rollouts, and how many degenerate and nearly degenerate groups, take a cause."""

    cause: str
    rollouts: int
    groups: int
    near_groups: int


class PaidButWrong(Part):
    """Rollouts scored right that the referee finds wrong: no cause of a dead group, so counted apart."""

    n_rollouts: int
    n_groups: int
    by_rule: Mapping[str, int]
    examples: tuple[Evidence, ...] = ()


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


class ReviewItem(Part):
    """Something a person should look at, because no cause may be drawn from it."""

    reason: str
    group_id: str
    source: str
    target: str
    extracted: str | None
    detail: str


class Review(Part):
    """The queue: counts by reason, and its first items."""

    counts: Mapping[str, int]
    items: tuple[ReviewItem, ...] = ()


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
    review: Review
    not_measured: tuple[NotMeasured, ...]
    seconds: float
