"""The cases of the matrix: every row for every target that has such a one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .decoys import DECOYS
from .forms import FORMS, Form
from .model import Expectation, ProbeCase
from .notations import NOTATIONS, SURROUNDINGS
from .program_mutants import OPERATORS
from .targets import ProbeTarget
from .wrong import WRONG, next_answer

__all__ = ["PROGRAM", "UNREADABLE", "Row", "form_cases", "right_cases", "rows_by_name", "wrong_cases"]

PROGRAM = "format: program"
"""The family of the row of reference programs."""

UNREADABLE = "\\left(\\sqrt["
"""A target that nobody can read: what it pays, it pays to every answer."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a row of the matrix is; `fault` and `is_convention` as in `wrong` and `decoys`."""

    probe: str
    expectation: Expectation
    family: str
    meaning: str
    fault: str = ""
    is_convention: bool = False


def rows_by_name() -> dict[str, Row]:
    """Every row, in the order of the matrix: formats, notations, surroundings, wrong answers, decoys."""
    rows = [
        Row(one.name, "accept", f"format: {one.family}", one.offer("7")) for one in FORMS.values() if one.is_expected
    ]
    rows += [Row(one.name, "accept", "notation", one.meaning) for one in NOTATIONS.values()]
    rows += [Row(one.name, "accept", "surroundings", one.meaning) for one in SURROUNDINGS.values()]
    rows += [
        Row(one.name, "reject", "wrong answer", one.meaning, one.fault, one.is_convention) for one in WRONG.values()
    ]
    rows += [Row(one.name, "reject", "decoy", one.meaning, one.fault, one.is_convention) for one in DECOYS.values()]
    rows.append(
        Row("unreadable_target", "reject", "wrong answer", "anything, for a target without a meaning", "error_paid")
    )
    rows.append(Row("reference_program", "accept", PROGRAM, "the reference program"))
    rows.append(Row("no_program", "reject", "program", "an empty response", "empty"))
    rows += [Row(f"mutant_{name}", "reject", "program", _slip(name), "mutant_survives") for name in OPERATORS]
    return {row.probe: row for row in rows}


def _slip(operator: str) -> str:
    return f"the reference with one slip: {operator.replace('_', ' ')}"


def form_cases(targets: Sequence[ProbeTarget], form: Form) -> list[ProbeCase]:
    """Each target's own answer in one format."""
    return [_case(form.name, "accept", target, form.offer(target.answer), (form.name,)) for target in targets]


def right_cases(targets: Sequence[ProbeTarget], forms: Mapping[str, Form]) -> Iterator[ProbeCase]:
    """Other notations and surroundings of each target.

    Args:
        targets: those whose reference is accepted.
        forms: target -> the format in which it is.
    """
    for target in targets:
        form = forms[target.target]
        for notation in NOTATIONS.values():
            answer = notation.write(target)
            if answer is not None and answer != target.answer:
                yield _case(notation.name, "accept", target, form.offer(answer), (notation.name, form.name))
        for surrounding in SURROUNDINGS.values():
            response = surrounding.around(form.offer(target.answer))
            yield _case(surrounding.name, "accept", target, response, (form.name, surrounding.name))


def wrong_cases(
    targets: Sequence[ProbeTarget], forms: Mapping[str, Form], others: Sequence[ProbeTarget]
) -> Iterator[ProbeCase]:
    """Wrong answers and decoys for each target, in the format in which its reference is accepted.

    Args:
        targets, forms: as in `right_cases`.
        others: where wrong answers are taken from.
    """
    for target in targets:
        form = forms[target.target]
        for one in WRONG.values():
            answer = one.write(target, others)
            if answer is not None and answer != target.answer:
                yield _case(one.name, "reject", target, form.offer(answer), (one.name, form.name))
        wrong = next_answer(target, others)
        if wrong is not None:
            yield from _decoys(target, wrong, form)
        unreadable = ProbeTarget(UNREADABLE, UNREADABLE, "other", target.prompt)
        yield _case("unreadable_target", "reject", unreadable, form.offer(wrong or "7"), ("unreadable_target",))


def _decoys(target: ProbeTarget, wrong: str, form: Form) -> Iterator[ProbeCase]:
    offer: Callable[[str], str] = form.offer
    for decoy in DECOYS.values():
        # Without a mark around it, every mention of an answer is in the format; and a thought ends at its first tag.
        needs_mark = decoy.is_convention or decoy.name == "answer_in_thought"
        if needs_mark and (not form.before.strip() or form.family == "thought"):
            continue
        response = decoy.write(target, wrong, offer)
        if response is not None:
            yield _case(decoy.name, "reject", target, response, (decoy.name, form.name))


def _case(
    probe: str, expectation: Expectation, target: ProbeTarget, response: str, recipe: tuple[str, ...]
) -> ProbeCase:
    return ProbeCase(probe, expectation, target.target, response, target.prompt, recipe)
