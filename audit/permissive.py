"""Does the verifier under audit also accept what is wrong? Asked with the answers of groups that are all right.

Each such answer is offered for the target of the next such group, and changed a little for its own; the referee must
refuse the offer first, so that two prompts with one answer accuse nobody. A few hundred calls bound the rate.
"""

import re
from collections import Counter
from collections.abc import Iterator

from ..diagnostics.intervals import clopper_pearson
from ..diagnostics.support import rate_upper_bound
from ..rollouts.records import Target
from ..verifiers.base import Outcome, Verifier
from ..verifiers.batch import iter_verdicts
from .golds.offering import offered
from .golds.texts import gold_text, target_key
from .judging import REFUSED, Judgement
from .report.duplicates import Permissive, PermissiveCase
from .responses.texts import clipped

__all__ = ["permissive_part"]

_MOST_TARGETS = 100
_MOST_SHOWN = 20
_NUMBER = re.compile(r"-?\d+\Z")


def permissive_part(
    judgement: Judgement, suspect: Verifier, referee: Verifier, form: str, *, correct_at: float
) -> Permissive | None:
    """What `suspect` accepts of offers that `referee` refuses; None where no group is all right.

    Args:
        judgement: all groups, scored by the suspect.
        suspect: the verifier under audit.
        referee: whom it is compared with.
        form: in which answers are offered (`offering.FORMS`).
        correct_at: reward from which a rollout counts as correct.
    """
    offers = list(_offers(judgement, correct_at))
    rows = [(offered(answer, "bare" if "\n" in answer else form), target, None) for _, answer, target in offers]
    wrong = [
        (offer, row)
        for offer, row, verdict in zip(offers, rows, iter_verdicts(referee, rows), strict=True)
        if verdict.outcome in REFUSED
    ]
    if not wrong:
        return None
    verdicts = iter_verdicts(suspect, [row for _, row in wrong])
    accepted = [
        offer for (offer, _), verdict in zip(wrong, verdicts, strict=True) if verdict.outcome is Outcome.CORRECT
    ]
    n_offered, n_accepted = (Counter(kind for kind, _, _ in some) for some in ([offer for offer, _ in wrong], accepted))
    return Permissive(
        n_offered=len(wrong),
        n_accepted=len(accepted),
        upper_bound=clopper_pearson(len(accepted), len(wrong), confidence=0.9).high
        if accepted
        else rate_upper_bound(len(wrong)),
        by_kind={kind: (n_accepted[kind], count) for kind, count in n_offered.items()},
        cases=tuple(
            PermissiveCase(kind=kind, target=clipped(gold_text(target) or "", 80), answer=clipped(answer, 80))
            for kind, answer, target in accepted[:_MOST_SHOWN]
        ),
    )


def _offers(judgement: Judgement, correct_at: float) -> Iterator[tuple[str, str, Target]]:
    """(kind, answer, target) of what should be refused."""
    answers: dict[str, tuple[str, Target]] = {}
    for group in judgement.groups:
        is_all_right = all(one.scored is not None and one.scored >= correct_at for one in group.rollouts)
        text = gold_text(group.target)
        if is_all_right and text is not None and group.target is not None:
            answers.setdefault(target_key(group.target), (text, group.target))
        if len(answers) == _MOST_TARGETS:
            break
    pairs = list(answers.values())
    for (answer, target), (other, _) in zip(pairs, pairs[1:] + pairs[:1], strict=True):
        yield "another prompt's target", other, target
        if _NUMBER.match(answer):
            yield "one more", str(int(answer) + 1), target
            yield "ten times", str(int(answer) * 10), target
            yield "negated", str(-int(answer)), target
        yield "empty", "", target
