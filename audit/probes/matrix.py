"""The matrix: what was said of the cases of each row, and which rows that are not as expected accuse nobody.

A verifier that never reads a notation, or always takes the last of several boxes, is strict and consistent: that is
explained. One that reads the notation of some numbers and not of others is not.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...diagnostics.intervals import clopper_pearson
from .asking import LOST, NOT_ASKED
from .cases import Row, rows_by_name
from .model import CaseVerdict, ProbeRow
from .targets import ProbeTarget

__all__ = ["UNDERPOWERED_BELOW", "Matrix", "matrix", "upper_bound"]

UNDERPOWERED_BELOW = 11
"""Cases below which even a rate of one in four would show nothing in more than one audit of 20: .75^10 > .05."""

_CONFIDENCE = 0.9  # two-sided, so that each end is a one-sided 95 % bound
_HEDGES = (("or_first", "or_last"), ("two_target_first", "two_target_last"))


@dataclass(frozen=True, slots=True)
class Matrix:
    """The rows as they stand in the report, and the verdicts behind each."""

    rows: Mapping[str, ProbeRow]
    verdicts: Mapping[str, Sequence[CaseVerdict]]

    def unexpected(self, probe: str) -> list[CaseVerdict]:
        """The verdicts of a row that are not the right ones."""
        return [one for one in self.verdicts.get(probe, ()) if is_unexpected(one)]


def is_unexpected(verdict: CaseVerdict) -> bool:
    """Whether there is a verdict, and it is the wrong one."""
    return verdict.accepted is not None and verdict.accepted != (verdict.expectation == "accept")


def upper_bound(count: int, n: int) -> float | None:
    """The one-sided 95 % upper bound on a rate.

    Example:
        >>> round(upper_bound(0, 25), 3), upper_bound(0, 0)
        (0.113, None)
    """
    return clopper_pearson(count, n, confidence=_CONFIDENCE).high if n else None


def matrix(verdicts: Iterable[CaseVerdict], readable: Sequence[ProbeTarget]) -> Matrix:
    """The matrix of `verdicts`, which are on targets that the verifier reads.

    Args:
        verdicts: of any rows, in any order.
        readable: the targets, for their kinds.
    """
    by_probe: dict[str, list[CaseVerdict]] = defaultdict(list)
    for one in verdicts:
        if one.outcome != NOT_ASKED:
            by_probe[one.probe].append(one)
    kinds = {target.target: target.kind for target in readable}
    rows = {
        name: _row(row, by_probe[name], _excuse(row, by_probe, kinds))
        for name, row in rows_by_name().items()
        if by_probe.get(name)
    }
    return Matrix(rows, by_probe)


def _row(row: Row, verdicts: Sequence[CaseVerdict], excuse: str) -> ProbeRow:
    judged = [one for one in verdicts if one.accepted is not None]
    accepted = sum(one.accepted is True for one in judged)
    bound = None
    if judged:
        interval = clopper_pearson(accepted, len(judged), confidence=_CONFIDENCE)
        bound = interval.high if row.expectation == "reject" else interval.low
    timeouts, crashes = (sum(one.outcome == outcome for one in verdicts) for outcome in LOST)
    return ProbeRow(
        probe=row.probe,
        expectation=row.expectation,
        family=row.family,
        meaning=row.meaning,
        n=len(verdicts),
        n_accepted=accepted,
        n_errors=len(verdicts) - len(judged) - timeouts - crashes,
        n_timeouts=timeouts,
        n_crashes=crashes,
        bound=bound,
        is_underpowered=len(judged) < UNDERPOWERED_BELOW,
        explained=excuse,
        worst=_worst(verdicts),
    )


def _worst(verdicts: Sequence[CaseVerdict]) -> CaseVerdict | None:
    """A wrong verdict rather than none, the shortest response rather than a long one."""
    wrong = [one for one in verdicts if is_unexpected(one)] or [one for one in verdicts if one.accepted is None]
    return min(wrong, key=lambda one: len(one.response), default=None)


def _excuse(row: Row, by_probe: Mapping[str, Sequence[CaseVerdict]], kinds: Mapping[str, str]) -> str:
    """Why a row that is not as expected is no fault; empty where it is one, or nothing is unexpected."""
    verdicts = by_probe[row.probe]
    if not any(map(is_unexpected, verdicts)):
        return ""
    if row.expectation == "accept":
        return _strictness(row, verdicts, kinds)
    return _convention(row, by_probe) if row.is_convention else ""


def _strictness(row: Row, verdicts: Sequence[CaseVerdict], kinds: Mapping[str, str]) -> str:
    """Refused for every target of a kind, or for none: then it is what the verifier does not read."""
    cells: dict[str, list[bool]] = defaultdict(list)
    for one in verdicts:
        if one.accepted is not None:
            cells[kinds.get(one.target, "other")].append(one.accepted)
    if any(any(cell) and not all(cell) for cell in cells.values()):
        return ""
    what = "this format" if row.family.startswith("format") else "this notation"
    if row.family == "surroundings":
        what = "an answer in these surroundings"
    refused = [kind for kind, cell in cells.items() if not any(cell)]
    if len(refused) == len(cells):
        return f"it never reads {what}"
    return f"it reads {what} for {_listed(kind for kind in cells if kind not in refused)}, never for {_listed(refused)}"


def _convention(row: Row, by_probe: Mapping[str, Sequence[CaseVerdict]]) -> str:
    """A verifier that takes the first, or the last, answer pays no hedge: only one that takes either does."""
    for pair in _HEDGES:
        if row.probe in pair:
            paid = [{one.target for one in by_probe.get(probe, ()) if one.accepted} for probe in pair]
            if paid[0] & paid[1]:
                return ""
            return f"of several answers it takes the {'first' if row.probe == pair[0] else 'last'}: no hedge is paid"
    if row.probe == "plus_minus":
        takes_first = any(one.accepted for one in by_probe.get("or_first", ()))
        return "of several values it takes the first: what stands behind is not read" if takes_first else ""
    if row.probe == "retracted":
        return "of several answers it takes the first, corrected or not"
    return "it reads its format inside a thought too; take thoughts away before it sees them"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
