"""Scorers without weights: what can be proved of a step by computing.

`arithmetic` recomputes every equality that a step states. It proves steps wrong; a step that it finds
nothing wrong with may still rest on a wrong idea. Use it as a veto, not as a grade.
"""

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

from ..verifiers.expression.arithmetic import CostlyError
from ..verifiers.expression.results import shown
from .arithmetic.agreement import agree
from .arithmetic.equalities import Equality, equalities
from .arithmetic.readings import readings
from .base import StepRow, StepScore

__all__ = ["ArithmeticScorer"]

_CONTEXT = Context(prec=20)


class ArithmeticScorer:
    """Recomputes the equalities of every step with exact fractions.

    Example:
        >>> row = StepRow("", ("3 pens cost 3 * $1.20 = $3.60.", "Then 10 - 3.60 = 6.40 are left.", "6.4 + 1 = 7.5"))
        >>> for score in ArithmeticScorer().score([row])[0]:
        ...     print(score.value, score.rule, score.detail)
        1.0 equalities_hold 1 equality holds
        1.0 equalities_hold 1 equality holds
        0.0 wrong_equality "6.4 + 1 = 7.5": 7.4 on the left, 7.5 on the right
    """

    version = "1"

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list of scores for each row; never raises on any text.

        A step scores 0 where one of its equalities is proved wrong, 1 where at least one was checked and all
        hold, None where nothing could be checked, or where it holds more signs of equality than are read.
        """
        return [_row_scores(row) for row in rows]


def _row_scores(row: StepRow) -> list[StepScore]:
    values = _Values()
    return [_step_score(step, values) for step in row.steps]


class _Values:
    """What the capital letters of a row stand for: the number at the end of a chain that began with the letter.

    `A = 3 * 4 = 12` gives A a value, `A = 12` alone does not: it may be a trial or a condition. A letter that was
    given two values stands for none.
    """

    def __init__(self) -> None:
        self.known: dict[str, Fraction] = {}
        self._refused: set[str] = set()
        self._name = ""
        self._is_computed = False
        self._last: Fraction | None = None

    def follow(self, equality: Equality) -> None:
        """Take the next equality of the row into account."""
        left, right = equality.left, equality.right
        if not equality.is_linked:
            self.end_chain()
            self._name = left.plain if left.is_number and left.plain in left.names else ""
        if self._name:
            self._is_computed |= not right.is_number
            self._last = next((reading.value for reading in readings(right)), None) if right.is_number else None

    def end_chain(self) -> None:
        """No further equality belongs to the chain: its last number is the value."""
        name, value = self._name, self._last
        if name and value is not None and self._is_computed:
            if self.known.get(name, value) != value:
                self._refused.add(name)
            self.known[name] = value
            if name in self._refused:
                del self.known[name]
        self._name, self._is_computed, self._last = "", False, None


def _step_score(step: str, values: _Values) -> StepScore:
    checked = 0
    wrong: StepScore | None = None
    is_costly = False
    try:
        for equality in equalities(step):
            holds = _holds(equality, step, values)
            if holds is False and wrong is None:
                wrong = _wrong(equality, step, values)
            values.follow(equality)
            checked += holds is True
    except CostlyError:
        is_costly = True
    values.end_chain()
    if wrong is not None:
        return wrong
    if is_costly:
        return StepScore(None, "too_costly", f"more signs of equality than are read; {checked} of them hold")
    if not checked:
        return StepScore(None, "nothing_to_check", "no equality between two constants")
    return StepScore(1.0, "equalities_hold", f"{checked} {'equality holds' if checked == 1 else 'equalities hold'}")


def _holds(equality: Equality, step: str, values: _Values) -> bool | None:
    holds = agree(
        equality.left,
        equality.right,
        is_approximate=equality.is_approximate,
        is_continued=equality.is_continued,
        values=values.known,
    )
    return None if holds is False and equality.is_reserved(step) else holds


def _wrong(equality: Equality, step: str, values: _Values) -> StepScore:
    left, right = (readings(side, values.known)[0].value for side in (equality.left, equality.right))
    detail = f'"{shown(equality.written(step))}": {_decimal(left)} on the left, {_decimal(right)} on the right'
    return StepScore(0.0, "wrong_equality", detail)


def _decimal(value: Fraction) -> str:
    """`value` as a decimal where it has a short one, otherwise as a fraction."""
    decimal = _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))
    return shown(f"{decimal:f}" if Fraction(decimal) == value else value)
