r"""Does each target verify against itself? The first question: it needs no model, and a target that its own
verifier cannot read makes every rollout of its prompt wrong (or, with a careless verifier, right).

Each target is offered as the answer, in the form that the responses use and that the verifier reads at
all; those refused are offered in the other forms too, and the usual rewritings of targets are tried.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...rollouts.records import Target
from ...verifiers.base import Outcome, Verdict, Verifier
from ...verifiers.batch import iter_verdicts
from ...verifiers.expression.normalise import normalise
from ...verifiers.target_texts import answer_key
from ...verifiers.targets import read_target
from ..judging import Judgement
from ..report.model import FailingGold, FormVerdict, GoldFix, Golds
from ..responses.texts import clipped
from .offering import BOXED, by_use, offered
from .texts import gold_text, target_key

__all__ = ["FIXES", "GoldTest", "gold_test"]

_PROBED = 24
_MOST_ANSWERS = 2_000
_MOST_SHOWN = 200
_SHOWN_FORMS = ("bare", "$…$", BOXED)

FIXES: Mapping[str, Callable[[str], str]] = {
    "wrap targets in $…$": lambda text: text if text.strip().startswith("$") else f"${text}$",
    "wrap targets in \\boxed{}": lambda text: f"\\boxed{{{text}}}",
    "normalise targets (\\text{}, \\!, spacing)": normalise,
    "normalise targets and wrap them in $…$": lambda text: f"${normalise(text)}$",
}
"""Rewritings of targets that are tried where some fail, in the order of preference."""


@dataclass(slots=True)
class _Gold:
    target: Target
    text: str
    n_rollouts: int = 0
    groups: set[int] = field(default_factory=set)
    right_answers: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class GoldTest:
    """What the test found: the part of the report, the failing targets' keys, and the form to offer answers in."""

    part: Golds
    failing: frozenset[str]
    form: str


def gold_test(judgement: Judgement, verifier: Verifier, *, is_suspect: bool, correct_at: float) -> GoldTest:
    """Offer every distinct target to `verifier` as an answer to itself.

    Args:
        judgement: the rollouts, for the targets, the forms in use, and the right answers refused.
        verifier: the suspect; the referee where logged rewards are audited.
        is_suspect: whether fixes are worth trying.
        correct_at: reward from which the suspect's verdict counts as correct.
    """
    golds, n_targets = _distinct(judgement, correct_at)
    places = Counter(
        rollout.facts.place for _, rollout in judgement.rollouts() if rollout.facts and rollout.facts.place
    )
    form, notes = _usable_form(verifier, golds, by_use(places.items()))
    verdicts = _offer(verifier, [(gold.text, gold.target) for gold in golds.values()], form)
    refused = {key: gold for (key, gold), verdict in zip(golds.items(), verdicts, strict=True) if not _accepts(verdict)}
    if refused and all(verdict.outcome is Outcome.ERROR for verdict in verdicts):
        notes = [f"nothing is said of the targets: the verifier fails on every one ({verdicts[0].detail})"]
        refused = {}
    if n_targets > len(golds):
        notes.append(f"{n_targets - len(golds)} targets are empty or specifications: there is no text to offer")
    fixes, fixed = _try_fixes(verifier, golds, refused, form) if is_suspect and refused else ((), frozenset())
    part = Golds(
        tested_with="suspect" if is_suspect else "referee",
        form=form,
        n_targets=n_targets,
        n_tested=len(golds),
        n_failing=len(refused),
        n_rollouts=sum(gold.n_rollouts for gold in refused.values()),
        n_groups=len(set().union(*(gold.groups for gold in refused.values()))),
        n_right=sum(gold.right_answers.total() for gold in refused.values()),
        failing=_failing(verifier, refused, fixed if fixes else None),
        fixes=fixes,
        notes=tuple(notes),
    )
    return GoldTest(part, frozenset(refused), form)


def _distinct(judgement: Judgement, correct_at: float) -> tuple[dict[str, _Gold], int]:
    """The distinct targets that have a text, and how many distinct targets there are."""
    golds: dict[str, _Gold] = {}
    others: set[str] = set()
    for position, group in enumerate(judgement.groups):
        if group.target is None:
            continue
        key = target_key(group.target)
        gold = golds.get(key)
        if gold is None:
            text = gold_text(group.target)
            if text is None:
                others.add(key)
                continue
            gold = golds[key] = _Gold(group.target, text)
        gold.groups.add(position)
        gold.n_rollouts += len(group.rollouts)
        for rollout in group.rollouts:
            scored = rollout.scored
            if rollout.is_right and rollout.referee is not None and rollout.referee.extracted is not None:
                gold.right_answers[rollout.referee.extracted] += scored is None or scored < correct_at
    return golds, len(golds) + len(others)


def _usable_form(verifier: Verifier, golds: Mapping[str, _Gold], forms: Sequence[str]) -> tuple[str, list[str]]:
    """The most used form in which the verifier accepts any target at all."""
    step = max(1, len(golds) // _PROBED)
    probes = [(gold.text, gold.target) for gold in list(golds.values())[::step]][:_PROBED]
    for form in forms:
        if any(map(_accepts, _offer(verifier, probes, form))):
            notes = [] if form == forms[0] else [f"no target is accepted as {forms[0]}, the form most responses use"]
            return form, notes
    return forms[0], ["no target is accepted in any form: the fault is the verifier's, or of all targets"] * bool(
        probes
    )


def _offer(verifier: Verifier, pairs: Iterable[tuple[str, Target]], form: str) -> list[Verdict]:
    """The verdict on each text offered for its target. A text of several lines fits no wrapper."""
    rows = [(offered(text, "bare" if "\n" in text else form), target, None) for text, target in pairs]
    return list(iter_verdicts(verifier, rows))


def _accepts(verdict: Verdict) -> bool:
    return verdict.outcome is Outcome.CORRECT


def _try_fixes(
    verifier: Verifier, golds: Mapping[str, _Gold], refused: Mapping[str, _Gold], form: str
) -> tuple[tuple[GoldFix, ...], frozenset[str]]:
    """Every rewriting tried on the failing targets; the best re-tested on all of them, and on right answers."""
    tried = {name: _refused_after(verifier, refused, fix, form) for name, fix in FIXES.items()}
    best = min(tried, key=lambda name: len(tried[name]))
    if len(tried[best]) == len(refused):
        return (), frozenset()
    still = _refused_after(verifier, golds, FIXES[best], form)
    answers = [
        (answer, _rewritten(gold.target, FIXES[best]))
        for key, gold in refused.items()
        if key not in still
        for answer, count in gold.right_answers.items()
        if count
    ][:_MOST_ANSWERS]
    accepted = sum(map(_accepts, _offer(verifier, answers, form)))
    fix = GoldFix(
        name=best,
        n_targets=len(golds),
        still_failing=len(still),
        answers_tested=len(answers),
        answers_accepted=accepted,
    )
    others = [
        GoldFix(name=name, n_targets=len(refused), still_failing=len(failing))
        for name, failing in tried.items()
        if name != best
    ]
    return (fix, *others), frozenset(refused) - still


def _refused_after(
    verifier: Verifier, golds: Mapping[str, _Gold], fix: Callable[[str], str], form: str
) -> frozenset[str]:
    pairs = [(gold.text, _rewritten(gold.target, fix)) for gold in golds.values()]
    verdicts = _offer(verifier, pairs, form)
    return frozenset(key for key, verdict in zip(golds, verdicts, strict=True) if not _accepts(verdict))


def _rewritten(target: Target, fix: Callable[[str], str]) -> Target:
    """`target` with `fix` applied to the answer that it names."""
    if isinstance(target, str):
        return fix(read_target(target).raw)
    if isinstance(target, list):
        return [fix(read_target(one).raw) if isinstance(one, str) else one for one in target]
    key = answer_key(target)
    return target if key is None else {**target, key: _rewritten(target[key], fix)}


def _failing(verifier: Verifier, refused: Mapping[str, _Gold], fixed: frozenset[str] | None) -> tuple[FailingGold, ...]:
    shown = dict(list(refused.items())[:_MOST_SHOWN])
    pairs = [(gold.text, gold.target) for gold in shown.values()]
    by_form = {form: _offer(verifier, pairs, form) for form in _SHOWN_FORMS}
    return tuple(
        FailingGold(
            target=clipped(gold.target if isinstance(gold.target, str) else key),
            forms=tuple(_form_verdict(form, verdicts[position]) for form, verdicts in by_form.items()),
            n_rollouts=gold.n_rollouts,
            n_groups=len(gold.groups),
            n_right=gold.right_answers.total(),
            accepted_after_fix=None if fixed is None else key in fixed,
        )
        for position, (key, gold) in enumerate(shown.items())
    )


def _form_verdict(form: str, verdict: Verdict) -> FormVerdict:
    return FormVerdict(
        form=form, accepted=_accepts(verdict), outcome=str(verdict.outcome), detail=clipped(verdict.detail, 160)
    )
