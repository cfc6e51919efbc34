"""What the file as a whole says, gathered before any single rollout is explained.

With a verifier to ask, an answer that it refused is handed to it alone: if it now accepts, it had not found
the answer. With logged rewards only, accepted and refused right answers are compared with one another.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from ...verifiers.base import Outcome, Verifier
from ...verifiers.batch import iter_verdicts
from ...verifiers.rows import Triple
from ..golds.damaged import damaged_targets
from ..golds.foreign import foreign_targets
from ..golds.offering import offered
from ..golds.texts import gold_text, target_key
from ..golds.verifying import GoldTest
from ..judging import Judgement
from ..report.model import FailingGold, FormVerdict, Golds
from ..responses.forms import Form
from ..responses.texts import clipped
from .deciding import Clues
from .misplaced import misplaced_rewards
from .notation import is_plain, same_text

__all__ = ["gather_clues", "with_golds_refused_as_written"]

_MOST_RETESTS = 5_000
_MOST_SHOWN = 200
_LEAST_ACCEPTED = 8
_LEAST_REFUSED = 2


@dataclass(slots=True)
class _Fared:
    """How many right answers of one place or form were accepted, and how many refused."""

    accepted: int = 0
    refused: int = 0

    def add(self, is_accepted: bool) -> None:
        self.accepted += is_accepted
        self.refused += not is_accepted


@dataclass(slots=True)
class _AsWritten:
    """How right answers written exactly as one target fared, in places where answers are found."""

    target: str = ""
    accepted: int = 0
    refused: int = 0
    n_rollouts: int = 0
    groups: set[int] = field(default_factory=set)


def gather_clues(judgement: Judgement, golds: GoldTest | None, suspect: Verifier | None, *, correct_at: float) -> Clues:
    """The clues for `causes.rollout_cause`.

    Args:
        judgement: all rollouts.
        golds: what the test of the targets found; None where there was nothing to test.
        suspect: the verifier under audit; None where logged rewards are audited.
        correct_at: reward from which a rollout counts as correct.
    """
    if suspect is not None:
        failing = frozenset() if golds is None else golds.failing
        why = "the verifier refuses this target as an answer to itself"
        form = "bare" if golds is None else golds.form
        return Clues(
            failing_golds=dict.fromkeys(failing, why),
            broken_targets=damaged_targets(judgement, correct_at=correct_at),
            foreign_targets=foreign_targets(judgement, correct_at=correct_at),
            accepted_alone=_accepted_alone(judgement, failing, suspect, form, correct_at),
            audits_suspect=True,
            has_targets=judgement.has_targets,
        )
    refused_places, refused_forms, accepted_forms = _by_form(judgement, correct_at)
    failing = {
        key: f"all {seen.refused} answers written exactly as this target were scored wrong"
        for key, seen in _as_written(judgement, frozenset(refused_places), correct_at).items()
    }
    return Clues(
        failing_golds=failing,
        broken_targets=damaged_targets(judgement, correct_at=correct_at),
        foreign_targets=foreign_targets(judgement, correct_at=correct_at),
        misplaced_rewards=misplaced_rewards(judgement, correct_at=correct_at),
        refused_places=refused_places,
        refused_forms=refused_forms,
        accepted_forms=accepted_forms,
        has_targets=judgement.has_targets,
    )


def with_golds_refused_as_written(part: Golds, judgement: Judgement, clues: Clues, *, correct_at: float) -> Golds:
    """The gold test of an audit of logged rewards, with the targets that the logged grader itself refuses."""
    seen = _as_written(judgement, frozenset(clues.refused_places), correct_at)
    if not seen:
        return part
    failing = [
        FailingGold(
            target=clipped(one.target),
            forms=(FormVerdict(form="as in the responses", accepted=False, outcome="scored wrong"),),
            n_rollouts=one.n_rollouts,
            n_groups=len(one.groups),
            n_right=one.refused,
        )
        for one in seen.values()
    ]
    groups = set().union(*(one.groups for one in seen.values()))
    return part.model_copy(
        update={
            "n_failing": part.n_failing + len(failing),
            "n_rollouts": part.n_rollouts + sum(one.n_rollouts for one in failing),
            "n_groups": part.n_groups + len(groups),
            "n_right": part.n_right + sum(one.n_right for one in failing),
            "failing": (*part.failing, *failing[:_MOST_SHOWN]),
        }
    )


def _accepted_alone(
    judgement: Judgement, failing: frozenset[str], suspect: Verifier, form: str, correct_at: float
) -> dict[tuple[str, str], bool]:
    """For every right answer that the suspect refused: does it accept the answer handed over alone?"""
    asked: dict[tuple[str, str], Triple] = {}
    for group, rollout in judgement.rollouts():
        if not rollout.is_right or (rollout.scored is not None and rollout.scored >= correct_at):
            continue
        key, answer = target_key(group.target), rollout.referee.extracted if rollout.referee else None
        if rollout.facts is not None and rollout.facts.form.written:
            answer = rollout.facts.form.written
        if key in failing or answer is None or (key, answer) in asked:
            continue
        asked[key, answer] = (offered(answer, "bare" if "\n" in answer else form), group.target, None)
        if len(asked) == _MOST_RETESTS:
            break
    verdicts = iter_verdicts(suspect, asked.values())
    return {pair: verdict.outcome is Outcome.CORRECT for pair, verdict in zip(asked, verdicts, strict=True)}


def _by_form(judgement: Judgement, correct_at: float) -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    """Places where the logged grader finds no answer, forms in which it finds none, and forms in which it does.

    A place is refused where right answers that stand there are never accepted. Of a form only plain answers
    written as their target count: nothing but the form tells those from accepted ones.
    """
    places: defaultdict[str, _Fared] = defaultdict(_Fared)
    forms: defaultdict[Form, _Fared] = defaultdict(_Fared)
    for group, rollout in judgement.rollouts():
        if not rollout.is_right or rollout.scored is None or rollout.facts is None or not rollout.facts.place:
            continue
        form, is_accepted = rollout.facts.form, rollout.scored >= correct_at
        places[form.place].add(is_accepted)
        target = gold_text(group.target) or ""
        answer = (rollout.referee and rollout.referee.extracted) or ""
        if not form.written and is_plain(target) and same_text(target, answer):
            forms[form].add(is_accepted)
    found_in = {name for name, fared in places.items() if fared.accepted}
    usual = ", ".join(sorted(found_in)) or "boxed"
    refused_places = {
        name: f"the answer stands where the grader finds none ({name}; found in: {usual})"
        for name, fared in places.items()
        # A box is where graders look; with nothing accepted anywhere, the box is not what is wrong.
        if not fared.accepted and fared.refused and (found_in or name != "boxed")
    }
    accepted_forms = frozenset(
        form.name for form, fared in forms.items() if fared.accepted >= max(_LEAST_ACCEPTED, fared.refused)
    )
    refused_forms = {
        form.name: f"the grader finds no answer that stands so: {form.name}"
        for form, fared in forms.items()
        if form.around and not fared.accepted and fared.refused >= _LEAST_REFUSED and accepted_forms
    }
    return refused_places, refused_forms, accepted_forms


def _as_written(judgement: Judgement, refused_places: frozenset[str], correct_at: float) -> dict[str, _AsWritten]:
    """Targets in LaTeX or with structure whose exact copies were all refused: the grader cannot read them.

    Plain numbers and words are left out: every parser reads those, so that the fault lies elsewhere.
    """
    seen: defaultdict[str, _AsWritten] = defaultdict(_AsWritten)
    for position, group in enumerate(judgement.groups):
        text = gold_text(group.target)
        if text is None or is_plain(text):
            continue
        one = seen[target_key(group.target)]
        one.target = text
        one.n_rollouts += len(group.rollouts)
        one.groups.add(position)
        for rollout in group.rollouts:
            if not rollout.is_right or rollout.scored is None or rollout.facts is None or rollout.referee is None:
                continue
            if rollout.facts.place in refused_places or not same_text(text, rollout.referee.extracted or ""):
                continue
            one.accepted += rollout.scored >= correct_at
            one.refused += rollout.scored < correct_at
    return {key: one for key, one in seen.items() if one.refused and not one.accepted}
