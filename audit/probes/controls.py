"""Before anything is held against a verifier: does it pay a reference and not nothing, and how must it be asked?

A verifier that accepts no reference in any format cannot be probed. One that insists on a format is probed in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .asking import NOT_ASKED, Asker
from .cases import form_cases
from .forms import FORMS, Form
from .model import CaseVerdict, Controls, FormRow, KindRow, ProbeCase
from .targets import ProbeTarget
from .wrong import next_answer

__all__ = ["Controlled", "controlled", "wrong_answer"]

_MOST_TARGETS = 25
_SHARE = 0.2  # of the budget, for each of two stages


@dataclass(frozen=True, slots=True)
class Controlled:
    """What the controls found.

    Args:
        part: of the report.
        verdicts: on references, by format.
        readable: targets whose reference is accepted in some format.
        forms: target -> the format in which it is offered from now on: the home format, else the next that works.
        home: the format in which most references are accepted; None where none is.
    """

    part: Controls
    verdicts: Mapping[str, Sequence[CaseVerdict]]
    readable: Sequence[ProbeTarget]
    forms: Mapping[str, Form]
    home: Form | None


def wrong_answer(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str:
    """A wrong answer for any target, of its kind where there is one.

    Example:
        >>> from rewardgate.audit.probes.targets import read_target_of
        >>> wrong_answer(read_target_of("7"), []), wrong_answer(read_target_of("Paris"), [])
        ('8', 'none of these')
    """
    return next_answer(target, others) or "none of these"


def controlled(asker: Asker, targets: Sequence[ProbeTarget], *, correct_at: float | None) -> Controlled:
    """Ask for references, empty responses and wrong answers.

    Args:
        asker: the verifier; its `correct_at` is set here.
        targets: at least one.
        correct_at: the reward from which an answer counts as accepted. None takes 1, or the reward of the references
            where they get less than that and more than an empty response.
    """
    tried = targets[:: max(1, len(targets) // _MOST_TARGETS)][:_MOST_TARGETS]
    cases = [case for form in FORMS.values() for case in form_cases(tried, form)]
    nothing = [ProbeCase("empty", "reject", target.target, "", target.prompt, ("empty",)) for target in tried]
    asker.correct_at = 1.0 if correct_at is None else correct_at
    answers = asker.ask_ahead([*cases, *nothing], share=_SHARE)
    references, empty = answers[: len(cases)], answers[len(cases) :]
    if correct_at is None and (found := _usual_reward(references, empty)) is not None:
        asker.correct_at = found
        references, empty = (list(map(asker.judged_again, some)) for some in (references, empty))
    verdicts = {name: references[place * len(tried) : (place + 1) * len(tried)] for place, name in enumerate(FORMS)}
    home, forms = _home(tried, verdicts)
    if home is not None and len(tried) < len(targets):
        forms |= _forms_of_rest(asker, [one for one in targets if one not in tried], verdicts)
    readable = [target for target in targets if target.target in forms]
    wrong = [
        ProbeCase("plus_one", "reject", one.target, forms[one.target].offer(wrong_answer(one, targets)), one.prompt)
        for one in readable[:_MOST_TARGETS]
    ]
    said = asker.ask(wrong, share=_SHARE / 4)
    # A verifier that pays everything separates nothing, however often it accepts the reference.
    pays_nothing = any(one.accepted is False for one in [*empty, *said])
    part = Controls(
        separates=bool(readable) and pays_nothing,
        form=None if home is None else home.name,
        forms=tuple(_form_row(name, rows) for name, rows in verdicts.items()),
        kinds=_kind_rows(targets, readable),
        n_references=len(targets),
        n_references_accepted=len(readable),
        n_empty=sum(one.accepted is not None for one in empty),
        n_empty_accepted=sum(one.accepted is True for one in empty),
        reason=_reason(asker, tried, references, is_readable=bool(readable), pays_nothing=pays_nothing),
    )
    return Controlled(part, verdicts, readable, forms, home)


def _usual_reward(references: Sequence[CaseVerdict], empty: Sequence[CaseVerdict]) -> float | None:
    """The reward of a right answer where it is below 1; None where it is not, or tells nothing from nothing."""
    if any(one.accepted for one in references):
        return None
    best = max((one.reward for one in references if one.reward is not None), default=0.0)
    nothing = max((one.reward for one in empty if one.reward is not None), default=0.0)
    return best if best > max(nothing, 0.0) else None


def _home(
    tried: Sequence[ProbeTarget], verdicts: Mapping[str, Sequence[CaseVerdict]]
) -> tuple[Form | None, dict[str, Form]]:
    order = _by_acceptance(verdicts)
    forms: dict[str, Form] = {}
    for place, target in enumerate(tried):
        accepted = next((name for name in order if verdicts[name][place].accepted), None)
        if accepted is not None:
            forms[target.target] = FORMS[accepted]
    return (FORMS[order[0]] if forms else None), forms


def _by_acceptance(verdicts: Mapping[str, Sequence[CaseVerdict]]) -> list[str]:
    """Formats, the one in which most references are accepted first; ties in the order of `FORMS`."""
    return sorted(FORMS, key=lambda name: -sum(one.accepted is True for one in verdicts[name]))


def _forms_of_rest(
    asker: Asker, rest: Sequence[ProbeTarget], verdicts: Mapping[str, Sequence[CaseVerdict]]
) -> dict[str, Form]:
    """The same for the targets that were not tried in every format: the formats that accept anything, best first."""
    forms: dict[str, Form] = {}
    for name in _by_acceptance(verdicts):
        if not any(one.accepted for one in verdicts[name]):
            break
        open_targets = [target for target in rest if target.target not in forms]
        said = asker.ask(form_cases(open_targets, FORMS[name]), share=_SHARE / 2)
        accepted = [target for target, one in zip(open_targets, said, strict=True) if one.accepted]
        forms |= dict.fromkeys((target.target for target in accepted), FORMS[name])
    return forms


def _form_row(name: str, rows: Sequence[CaseVerdict]) -> FormRow:
    form = FORMS[name]
    return FormRow(
        form=name,
        family=form.family,
        example=form.offer("7"),
        n=sum(one.outcome != NOT_ASKED for one in rows),
        n_accepted=sum(one.accepted is True for one in rows),
    )


def _kind_rows(targets: Sequence[ProbeTarget], readable: Sequence[ProbeTarget]) -> tuple[KindRow, ...]:
    accepted = {target.target for target in readable}
    return tuple(
        KindRow(
            kind=kind,
            n=sum(target.kind == kind for target in targets),
            n_accepted=sum(target.kind == kind and target.target in accepted for target in targets),
        )
        for kind in dict.fromkeys(target.kind for target in targets)
    )


def _reason(
    asker: Asker,
    tried: Sequence[ProbeTarget],
    references: Sequence[CaseVerdict],
    *,
    is_readable: bool,
    pays_nothing: bool,
) -> str:
    """Why the controls separate nothing; empty where they do."""
    if is_readable:
        return "" if pays_nothing else "it pays references, empty responses and wrong answers alike"
    if _accepts_swapped(asker, tried):
        return "it accepts its references with the two arguments swapped: it takes the response for the target"
    outcomes = {one.outcome for one in references if one.outcome != NOT_ASKED}
    if not outcomes:
        return "none of its references could be asked in time"
    if outcomes <= {"refused", "incorrect", "no_answer", "unsupported", "bad_target", "hedged"}:
        return f"it accepts no reference in any of {len(FORMS)} formats"
    failed = next(one for one in references if one.accepted is None and one.outcome != NOT_ASKED)
    return f"it accepts no reference, and gives no verdict on some ({failed.outcome}: {failed.detail})"


def _accepts_swapped(asker: Asker, tried: Sequence[ProbeTarget]) -> bool:
    swapped = [
        replace(case, probe="swapped", target=case.response, response=case.target)
        for name in ("boxed", "answer_tag", "hash", "answer_line")
        for case in form_cases(tried[:4], FORMS[name])
    ]
    return any(one.accepted for one in asker.ask(swapped))
