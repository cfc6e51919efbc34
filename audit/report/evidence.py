"""The parts of the report that speak of single groups and rollouts, and what every part is made of."""

import math
from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

__all__ = [
    "AnswerTally",
    "CauseCount",
    "Evidence",
    "GroupCard",
    "Number",
    "PaidButWrong",
    "Part",
    "Review",
    "ReviewItem",
    "Support",
]


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


Number = Annotated[float | None, BeforeValidator(_finite)]
"""A float; None where there is nothing to compute it from."""


class Part(BaseModel):
    """A part of the report: frozen, and without fields that nobody declared.

    Built when first used: an audit uses a few of them, and building all takes as long as auditing a small file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


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

    `upper_bound` is one-sided, at 95 %. `more_samples` maps a rate p to how many further samples would
    decide: a success in them shows support, and if they all fail too, p is excluded at 95 %.
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


class ReviewItem(Part):
    """Something a person should look at, because no cause may be drawn from it.

    `reason` is `second_opinion_accepts` (scored wrong, and math-verify accepts the response),
    `consensus_against_target` (most rollouts of a group agree on one answer, and it is not the target) or
    `referee_undecided` (the referee could not read or afford the comparison).
    """

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
