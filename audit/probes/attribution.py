"""Which fault explains that a wrong answer was paid: one broad fault shows in many rows, and is one fault.

A verifier that looks for the target's text anywhere pays lists, denials and thoughts too; naming each would send a
person to twelve repairs where there is one to make.
"""

import re
from collections.abc import Callable, Sequence

from .cases import rows_by_name
from .controls import Controlled
from .forms import Form
from .matrix import Matrix
from .model import CaseVerdict
from .targets import ProbeTarget

__all__ = ["attribution"]

_OFFERS_NEIGHBOUR = frozenset({
    "plus_one", "near", "nearly_one_more", "other_decimals", "embedded", "continued", "long_wrong", "mentioned_before",
    "mentioned_behind", "or_first", "or_last", "two_target_first", "two_target_last",
})  # fmt: skip
_NUMBERS = frozenset({"integer", "decimal", "fraction", "quantity", "money", "degree"})
_HALF = 0.5


def attribution(grid: Matrix, controlled: Controlled, targets: Sequence[ProbeTarget]) -> Callable[[CaseVerdict], str]:
    """A function from a wrong answer that was paid to the name of its fault.

    The first that holds: everything is paid · nonsense is paid for this target · nothing is paid for this target, and
    the response holds nothing in the format · the target's text stands where this verifier looks · the target's letter
    stands in a word · what begins with the target, or is a part of it, is paid · nothing is paid for it, and what was
    offered need not have been found · the value is one that this verifier takes for the target · the row's own fault.
    """
    known = {target.target: target for target in targets}
    nonsense, nothing = _paid_targets(grid, "question_marks"), _paid_targets(grid, "empty")
    mark = "" if controlled.home is None else controlled.home.before.strip()
    pays_all = min(_share(grid, "other_target"), _share(grid, "plus_one"), _share(grid, "question_marks")) > 0.9
    place, value, parts = _where_it_looks(grid), _what_it_rounds(grid), _share(grid, "cut_short") > _HALF
    # With more decimals a text begins with the target, and is near it too: where what is near is paid, that is why.
    is_loose = max(_share(grid, "near"), _share(grid, "other_decimals")) > _HALF
    begins, letters = _share(grid, "continued") > _HALF and not is_loose, _share(grid, "letter_in_word") > _HALF
    faults = {name: row.fault for name, row in rows_by_name().items()}

    def attribute(one: CaseVerdict) -> str:
        target = known.get(one.target)
        answer = one.target if target is None else target.answer
        if pays_all:
            return "any_answer"
        if one.target in nonsense:
            return "error_paid"
        if one.target in nothing and (not mark or mark not in one.response or one.probe == "empty_slot"):
            return "empty"
        if place and _stands_in(answer, one.response, is_part=place == "substring"):
            return place
        if letters and target is not None and target.kind == "letter" and answer in one.response:
            return "letter_in_word"
        if begins and _slot(one.response, controlled.forms.get(one.target)).startswith(answer):
            return "prefix"
        if parts and _slot(one.response, controlled.forms.get(one.target)) in answer:
            return "part"
        if one.target in nothing:
            return "empty"
        is_near = one.probe in _OFFERS_NEIGHBOUR or _share(grid, one.probe) < _HALF
        if value and is_near and target is not None and target.kind in _NUMBERS:
            return value
        return faults.get(one.probe) or faults.get(one.recipe[0] if one.recipe else "", "") or "composition"

    return attribute


def _share(grid: Matrix, probe: str) -> float:
    row = grid.rows.get(probe)
    return row.n_accepted / row.n if row is not None and row.n else 0.0


def _paid_targets(grid: Matrix, probe: str) -> set[str]:
    return {one.target for one in grid.unexpected(probe)}


def _share_beside(grid: Matrix, probe: str) -> float:
    """The same, over targets for which the wrong answer that these responses end in is refused by itself."""
    paid = _paid_targets(grid, "plus_one")
    judged = [one for one in grid.verdicts.get(probe, ()) if one.accepted is not None and one.target not in paid]
    return sum(one.accepted is True for one in judged) / len(judged) if judged else 0.0


def _where_it_looks(grid: Matrix) -> str:
    if min(_share(grid, "embedded"), _share(grid, "list")) > _HALF:
        return "substring"
    before, behind = (_share_beside(grid, f"mentioned_{where}") > _HALF for where in ("before", "behind"))
    if before and behind:
        return "mention"
    return "first_number" if before else "last_number" if behind else ""


def _what_it_rounds(grid: Matrix) -> str:
    decimals = max(_share(grid, "nearly_one_more"), _share(grid, "other_decimals"))
    if decimals > _HALF and _share(grid, "plus_one") < _HALF:
        return "truncation" if _share(grid, "plus_one") == 0 else "loose_tolerance"
    if _share(grid, "near") > _HALF:
        return "loose_tolerance" if _share(grid, "plus_one") else "tolerance"
    return ""


def _slot(response: str, form: Form | None) -> str:
    """What a response offers in its format; all of it where it has none."""
    return response if form is None else response.removeprefix(form.before).removesuffix(form.after)


def _stands_in(answer: str, response: str, *, is_part: bool) -> bool:
    if is_part or not answer:
        return bool(answer) and answer in response
    return re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", response) is not None
