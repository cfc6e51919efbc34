"""Why a rollout was scored wrong, and what its group dies of: a closed set, asked in a fixed order.

Repairing the reward pipeline comes before blaming the policy, so causes that lie in it are asked first. A
cause says what the evidence shows; where nothing shows anything it is `undetermined`, which is not the
same as "too hard".
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ...verifiers.base import Outcome
from ..golds.texts import gold_text, target_key
from ..judging import Judged, JudgedGroup
from ..responses.forms import ANCHORED, Form
from .notation import Difference, difference, is_plain
from .rounding import is_rounded

__all__ = ["Cause", "CauseFound", "Clues", "most_common_cause", "rollout_cause", "target_fault"]


class Cause(StrEnum):
    """Why a rollout that was scored wrong was; in the order in which they are asked.

    GOLD          the target does not verify against itself, or cannot be used
    SCORING_FAULT the verifier failed: an error, a time-out, no reward
    EXTRACTION    right, but the verifier did not find the answer
    FORMAT        right, in another notation of the same value
    TOLERANCE     right within rounding
    UNITS         right, with or without a unit
    STRUCTURE     right, in another order or other brackets
    TOOL_FORMAT   it calls a tool in a way that cannot be parsed
    TRUNCATED     it was cut off
    NO_ANSWER     it commits to no answer
    HEDGED        it commits to several
    UNDETERMINED  nothing of these: a wrong answer, by all that the file shows
    """

    GOLD = "gold"
    SCORING_FAULT = "scoring_fault"
    EXTRACTION = "false_negative:extraction"
    FORMAT = "false_negative:format"
    TOLERANCE = "false_negative:tolerance"
    UNITS = "false_negative:units"
    STRUCTURE = "false_negative:structure"
    TOOL_FORMAT = "tool_format"
    TRUNCATED = "truncated"
    NO_ANSWER = "no_answer"
    HEDGED = "hedged"
    UNDETERMINED = "undetermined"

    @property
    def is_repairable(self) -> bool:
        """Whether repairing the reward pipeline alone, without new samples, can change the reward."""
        return self in _REPAIRABLE


_REPAIRABLE = frozenset(
    {
        Cause.GOLD,
        Cause.SCORING_FAULT,
        Cause.EXTRACTION,
        Cause.FORMAT,
        Cause.TOLERANCE,
        Cause.UNITS,
        Cause.STRUCTURE,
    }
)

_BY_DIFFERENCE = {
    Difference.NONE: Cause.EXTRACTION,
    Difference.FORMAT: Cause.FORMAT,
    Difference.TOLERANCE: Cause.TOLERANCE,
    Difference.UNITS: Cause.UNITS,
    Difference.STRUCTURE: Cause.STRUCTURE,
}


@dataclass(frozen=True, slots=True)
class CauseFound:
    """A cause and the sentence that says what shows it."""

    cause: Cause
    why: str


@dataclass(frozen=True, slots=True)
class Clues:
    """What was found out about the whole file before any rollout is explained.

    Args:
        failing_golds: keys of targets that their own verifier refuses, and how that is known.
        broken_targets: keys of targets that are visibly no bare answer, and in what.
        foreign_targets: ids of groups whose target is another prompt's, and how that is known.
        refused_places: where an answer may stand without the logged grader finding it, and how that is known.
        refused_forms: the same of `Form.name`, in places where it does find answers.
        misplaced_rewards: ids of groups whose rewards stand in another order than their rollouts, and in which.
        accepted_forms: forms in which the logged grader accepted plain answers written as their targets.
        accepted_alone: (target key, answer as written) -> whether the suspect accepts the answer handed over
            alone; empty where logged rewards are audited.
        audits_suspect: whether a verifier is audited, or logged rewards.
        has_targets: whether the file has targets at all.
    """

    failing_golds: Mapping[str, str] = field(default_factory=dict)
    broken_targets: Mapping[str, str] = field(default_factory=dict)
    foreign_targets: Mapping[str, str] = field(default_factory=dict)
    refused_places: Mapping[str, str] = field(default_factory=dict)
    refused_forms: Mapping[str, str] = field(default_factory=dict)
    misplaced_rewards: Mapping[str, str] = field(default_factory=dict)
    accepted_forms: frozenset[str] = frozenset()
    accepted_alone: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    audits_suspect: bool = False
    has_targets: bool = True


def target_fault(group: JudgedGroup, clues: Clues, *, correct_at: float) -> str | None:
    """What is wrong with the target of `group`; None where nothing shows that anything is.

    Where some of its rollouts were paid and others not, the grader can read the target, whatever the
    referee thinks of it.
    """
    key = target_key(group.target)
    why = clues.failing_golds.get(key) or clues.broken_targets.get(key) or clues.foreign_targets.get(group.group_id)
    if why is not None:
        return why
    if len({one.scored is not None and one.scored >= correct_at for one in group.rollouts}) > 1:
        return None
    if group.target is None:
        return "the file has no target for this prompt" if clues.has_targets else None
    refused = (one.referee for one in group.rollouts if one.referee and one.referee.outcome is Outcome.BAD_TARGET)
    verdict = next(refused, None)
    return None if verdict is None else f"the referee cannot use the target: {verdict.detail}"


def rollout_cause(rollout: Judged, group: JudgedGroup, clues: Clues, *, gold_fault: str | None) -> CauseFound:
    """The first cause that holds for a rollout that was not scored correct.

    Args:
        rollout: scored below `correct_at`, or not at all.
        group: its group, for the target.
        clues: of the whole file.
        gold_fault: what `target_fault` says of the group.
    """
    outcome = None if rollout.referee is None else rollout.referee.outcome
    if gold_fault is not None:
        return CauseFound(Cause.GOLD, gold_fault)
    if (fault := _scoring_fault(rollout, audits_suspect=clues.audits_suspect)) is not None:
        return CauseFound(Cause.SCORING_FAULT, fault)
    if outcome is Outcome.CORRECT and (order := clues.misplaced_rewards.get(group.group_id)) is not None:
        return CauseFound(Cause.SCORING_FAULT, order)
    if outcome is Outcome.CORRECT and not (_is_cut_before_an_answer(rollout) or _only_calls(rollout)):
        return _false_negative(rollout, group, clues)
    return _in_the_text(rollout, group, outcome)


def _scoring_fault(rollout: Judged, *, audits_suspect: bool) -> str | None:
    if audits_suspect:
        suspect = rollout.suspect
        if suspect is not None and suspect.outcome in (Outcome.ERROR, Outcome.BUDGET):
            return f"the verifier failed ({suspect.outcome}, {suspect.rule}): {suspect.detail}"
        if suspect is not None and suspect.reward is None:
            return f"the verifier gave no reward ({suspect.outcome}, {suspect.rule}): {suspect.detail}"
        return None
    if rollout.scored is None:
        return "the logged reward is null"
    if rollout.error:
        return f"the row logs an error beside the reward {rollout.scored:g}: {rollout.error}"
    if rollout.is_right and rollout.outcome is not None and rollout.outcome >= 1 > rollout.scored:
        return f"its outcome reward is {rollout.outcome:g}, and the sum that was learned from {rollout.scored:g}"
    return None


def _is_cut_before_an_answer(rollout: Judged) -> bool:
    """Whether the response was cut off, and what was read as its answer is only the last number in it."""
    facts = rollout.facts
    if facts is None or facts.place in ANCHORED:
        return False
    return facts.breaks_off if facts.is_truncated is None else facts.is_truncated


def _only_calls(rollout: Judged) -> bool:
    """Whether what was read as an answer may be any number in a call that cannot be parsed."""
    facts = rollout.facts
    return facts is not None and bool(facts.calls.fault) and facts.place not in ANCHORED


def _false_negative(rollout: Judged, group: JudgedGroup, clues: Clues) -> CauseFound:
    assert rollout.referee is not None
    answer = rollout.referee.extracted or ""
    target = gold_text(group.target) or ""
    form = Form() if rollout.facts is None else rollout.facts.form
    if clues.accepted_alone.get((target_key(group.target), form.written or answer)):
        return CauseFound(Cause.EXTRACTION, "the verifier accepts this answer when it is handed over alone")
    if form.place in clues.refused_places:
        return CauseFound(Cause.EXTRACTION, clues.refused_places[form.place])
    differs = difference(target, answer, rule=rollout.referee.rule)
    if differs is Difference.NONE and form.written:
        return CauseFound(Cause.FORMAT, f"the box holds the target as {form.written}")
    if form.name in clues.refused_forms:
        return CauseFound(Cause.EXTRACTION, clues.refused_forms[form.name])
    if differs is not Difference.NONE:
        return CauseFound(_BY_DIFFERENCE[differs], _WHY[differs])
    if form.name in clues.accepted_forms and is_plain(target):
        return CauseFound(
            Cause.SCORING_FAULT,
            f"the grader accepts plain answers written as their target ({form.name}) and refused this one: "
            "the reward is no verdict on it",
        )
    return CauseFound(Cause.EXTRACTION, "the answer is written exactly as the target and was refused")


_WHY = {
    Difference.FORMAT: "the same value in another notation",
    Difference.TOLERANCE: "another decimal, equal within rounding",
    Difference.UNITS: "the same value, with another unit or without",
    Difference.STRUCTURE: "the same parts in another order or other brackets",
}


def _in_the_text(rollout: Judged, group: JudgedGroup, outcome: Outcome | None) -> CauseFound:
    """The causes that lie in the response, once nothing speaks for it being right."""
    facts = rollout.facts
    if facts is None:
        return CauseFound(Cause.NO_ANSWER, "no response was logged")
    if facts.calls.fault:
        return CauseFound(Cause.TOOL_FORMAT, f"{_FAULTS[facts.calls.fault]}: {facts.calls.shown}")
    has_no_answer = outcome is Outcome.NO_ANSWER or (outcome is None and not facts.place)
    has_no_answer |= _is_cut_before_an_answer(rollout)
    if facts.is_truncated:
        return CauseFound(Cause.TRUNCATED, "the file says that it was cut off at the length limit")
    if facts.breaks_off and has_no_answer and facts.is_truncated is None:
        return CauseFound(Cause.TRUNCATED, "the text breaks off before any answer")
    if has_no_answer:
        return CauseFound(Cause.NO_ANSWER, "no committed answer in the text")
    if outcome is Outcome.HEDGED:
        return CauseFound(Cause.HEDGED, "several answers that exclude one another")
    answer = None if rollout.referee is None else rollout.referee.extracted
    if outcome is Outcome.INCORRECT and answer and is_rounded(gold_text(group.target) or "", answer):
        return CauseFound(Cause.TOLERANCE, "the same number in another precision, which the referee takes as another")
    return CauseFound(Cause.UNDETERMINED, "")


_FAULTS = {
    "bad_json": "a tool call that is not JSON",
    "not_a_call": "a tool call that names no function",
    "unclosed": "a tool call that is never closed",
    "bad_xml": "a tool call with broken XML",
    "unanswered_xml": "a tool call in XML that nothing answered: the host's parser may expect JSON",
    "other_markers": "a tool call in markers that no chat template writes, or in none",
    "not_parsed": "a tool call in the text of a message whose tool_calls field is empty",
}


def most_common_cause(causes: Sequence[Cause]) -> Cause:
    """The cause of most rollouts; of equally frequent ones the one asked first."""
    counts = Counter(causes)
    return max(Cause, key=lambda cause: counts[cause])
