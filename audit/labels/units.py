"""What can be labelled: every scored rollout, with the stratum that it lies in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ...diagnostics.groups import GroupKind, group_kinds
from ...errors import ArgumentError
from ...rollouts.reading import Reading
from ...verifiers.base import Verifier
from ..causes.deciding import Cause
from ..causes.examining import examine
from ..causes.explaining import Explained
from ..judging import REFUSED, Judged, Judgement, judge

__all__ = ["CORRECT", "WRONG", "LabelStratum", "Unit", "scored_units", "storable", "unit_key", "units_of"]

CORRECT: Literal["correct"] = "correct"
WRONG: Literal["wrong"] = "wrong"


class LabelStratum(NamedTuple):
    """Rollouts that are alike before anybody has read them.

    Args:
        verdict: `correct` or `wrong`, as scored.
        kind: of the group, a `GroupKind`.
        is_flagged: whether something speaks against the verdict: a repairable cause, a target at fault, the
            referee or the second opinion.

    Example:
        >>> str(LabelStratum("wrong", "all_wrong", True)), LabelStratum.named("correct/mixed/plain").is_flagged
        ('wrong/all_wrong/flagged', False)
    """

    verdict: str
    kind: str
    is_flagged: bool

    def __str__(self) -> str:
        return f"{self.verdict}/{self.kind}/{'flagged' if self.is_flagged else 'plain'}"

    @classmethod
    def named(cls, name: str) -> "LabelStratum":
        """The stratum of that name.

        Raises:
            ArgumentError: it is no such name.
        """
        parts = name.split("/")
        known = (CORRECT, WRONG), tuple(GroupKind), ("flagged", "plain")
        if len(parts) != 3 or not all(part in names for part, names in zip(parts, known, strict=True)):
            raise ArgumentError(f"stratum: expected verdict/kind/flagged or verdict/kind/plain, got {name!r}")
        return cls(parts[0], parts[1], parts[2] == "flagged")


@dataclass(frozen=True, slots=True)
class Unit:
    """One scored rollout: `position` counts from 0 within its group."""

    group_id: str
    position: int
    prompt_id: str
    stratum: LabelStratum

    @property
    def key(self) -> str:
        """What a label is filed under."""
        return unit_key(self.group_id, self.position)


def unit_key(group_id: str, position: int) -> str:
    """What a label of that rollout of that group is filed under: the same for every reading of the same file."""
    return f"{storable(group_id)}#{position}"


def storable(text: str) -> str:
    """`text` with what UTF-8 cannot say (half of a surrogate pair, which JSON may hold) written as an escape.

    Example:
        >>> storable("p\\ud800 é")
        'p\\\\ud800 é'
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def scored_units(
    judgement: Judgement, explained: Sequence[Explained], *, correct_at: float, wrong_at: float
) -> list[Unit]:
    """Every rollout with a reward and a response; one that was not scored has no verdict to be right or wrong.

    Args:
        judgement: all groups.
        explained: the causes, one entry a group.
        correct_at, wrong_at: as in `audit`.
    """
    index = [position for position, group in enumerate(judgement.groups) for _ in group.rollouts]
    scored = [rollout.scored for _, rollout in judgement.rollouts()]
    kinds = group_kinds(scored, index, correct_at=correct_at, wrong_at=wrong_at).kinds
    units = []
    for group, one, kind in zip(judgement.groups, explained, kinds, strict=True):
        for position, case in enumerate(one.cases):
            rollout = case.rollout
            if rollout.scored is None or rollout.facts is None:
                continue
            is_correct = rollout.scored >= correct_at
            cause = None if case.found is None else case.found.cause
            is_flagged = one.gold_fails or _is_doubted(rollout, cause, is_correct=is_correct)
            stratum = LabelStratum(CORRECT if is_correct else WRONG, str(kind), is_flagged)
            units.append(Unit(storable(group.group_id), position, storable(group.prompt_id), stratum))
    return units


def units_of(
    reading: Reading,
    *,
    suspect: Verifier | None,
    referee: Verifier,
    correct_at: float = 1.0,
    wrong_at: float = 0.0,
    progress: bool = False,
) -> list[Unit]:
    """The units of a file that nobody has audited yet: judged, explained and put into strata.

    Args:
        reading: iterated once.
        suspect: the verifier under audit; None audits the rewards as logged.
        referee: what flags are drawn with, besides the suspect's own failures.
        correct_at, wrong_at, progress: as in `audit`.

    Raises:
        ArgumentError: nothing in the file is scored.
        NoUsableRowsError: the file holds nothing usable.
    """
    correct_at = correct_at if suspect is None else 1.0
    judgement = judge(reading, suspect=suspect, referee=referee, correct_at=correct_at, progress=progress)
    found = examine(judgement, suspect=suspect, referee=referee, correct_at=correct_at, wrong_at=wrong_at)
    units = scored_units(judgement, found.explained, correct_at=correct_at, wrong_at=wrong_at)
    if not units:
        raise ArgumentError("rollouts: expected rewards and responses to label, got none; name a --verifier")
    return units


def _is_doubted(rollout: Judged, cause: Cause | None, *, is_correct: bool) -> bool:
    if is_correct:
        return rollout.referee is not None and rollout.referee.outcome in REFUSED
    return rollout.second_opinion is True or (cause is not None and cause.is_repairable)
