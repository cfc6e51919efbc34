"""Scorers without weights: what can be proved of a step by computing.

`arithmetic` recomputes every equality that a step states. It proves steps wrong; a step that it finds
nothing wrong with may still rest on a wrong idea. Use it as a veto, not as a grade.
"""

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import zip_longest

from ...rollouts.messages import prompt_text
from ...verifiers.expression.arithmetic import CostlyError
from ...verifiers.expression.results import shown
from ..arithmetic.agreement import agree
from ..arithmetic.alternatives import is_hundredfold, is_turned, is_whole_part
from ..arithmetic.equalities import Budget, Equality, equalities
from ..arithmetic.readings import readings
from ..arithmetic.surroundings import (
    MAX_AROUND,
    has_other_arithmetic,
    is_estimated,
    is_in_degrees,
    is_taken_back,
    may_be_rounded,
    speaks_of_percent,
)
from ..base import StepRow, StepScore

__all__ = ["MAX_ROW_CHARACTERS", "MAX_ROW_SIGNS", "ArithmeticScorer"]

MAX_ROW_SIGNS = 1_000
"""Signs of equality that are looked at in one row."""

MAX_ROW_CHARACTERS = 40_000
"""Characters beside signs that are read in one row."""

_MAX_PROMPT = 20_000

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

        A step scores 0 where one of its equalities is proved wrong, 1 where at least one was checked and none is
        refuted, None where nothing could be checked, or where the step, or the row up to it, holds more signs of
        equality than are read (`MAX_SIGNS` and `MAX_CHARACTERS` of `equalities` in a step, `MAX_ROW_SIGNS` and
        `MAX_ROW_CHARACTERS` in a row). What a careful reader could hold for right is not refuted: another unit,
        an arithmetic that the prompt or an earlier step names, what the words around it or the next step take back.
        """
        return [_row_scores(row) for row in rows]


def _row_scores(row: StepRow) -> list[StepScore]:
    judge = _Judge(prompt_text(row.prompt)[:_MAX_PROMPT])
    return [judge.score(step, following) for step, following in zip_longest(row.steps, row.steps[1:], fillvalue="")]


class _Judge:
    """Scores the steps of one row in order: what the prompt or a step says may hold for the steps after it.

    Args:
        prompt: what the row answers. Where it speaks of another arithmetic, or states a false equality itself
            ("if 2 + 3 = 10 and 7 + 2 = 63, ..."), no equality of the row is refuted.
    """

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._budget = Budget(MAX_ROW_SIGNS, MAX_ROW_CHARACTERS)
        self._unsearched = [prompt]
        self._is_foreign: bool | None = None

    def score(self, step: str, following: str) -> StepScore:
        """The score of `step`; the step after it may take it back."""
        self._unsearched.append(step)
        context = f"{step}\n{following[:MAX_AROUND]}"
        checked = 0
        is_costly = False
        try:
            for equality in equalities(step, self._budget):
                holds = _judged(equality, context)
                if holds is False and not self._has_other_arithmetic():
                    return _wrong(equality, step)
                checked += holds is True
        except CostlyError:
            is_costly = True
        if is_costly:
            return StepScore(None, "too_costly", f"more signs of equality than are read; {checked} of them hold")
        if not checked:
            return StepScore(None, "nothing_to_check", "no equality between two constants")
        return StepScore(1.0, "equalities_hold", f"{checked} {'equality holds' if checked == 1 else 'equalities hold'}")

    def _has_other_arithmetic(self) -> bool:
        """Whether anything so far speaks of one; asked only where something would be refuted."""
        if self._is_foreign is None:
            self._is_foreign = _states_falsehood(self._prompt)
        self._is_foreign = self._is_foreign or any(map(has_other_arithmetic, self._unsearched))
        self._unsearched = []
        return self._is_foreign


def _judged(equality: Equality, context: str) -> bool | None:
    left, right = equality.left, equality.right
    holds = agree(left, right, is_approximate=equality.is_approximate, is_continued=equality.is_continued)
    if holds is not False:
        return holds
    place = (context, left.start, right.end)
    values = (readings(left), readings(right))
    is_excused = (
        is_taken_back(*place)
        or (is_whole_part(*values) and may_be_rounded(*place))
        or (is_hundredfold(*values) and speaks_of_percent(*place))
        or (is_turned(*values) and is_in_degrees(context, right.end))
        or (is_estimated(*place) and agree(left, right, is_approximate=True) is not False)
    )
    return None if is_excused else False


def _states_falsehood(text: str) -> bool:
    try:
        return any(_judged(equality, text) is False for equality in equalities(text))
    except CostlyError:
        return False


def _wrong(equality: Equality, step: str) -> StepScore:
    left, right = (readings(side)[0].value for side in (equality.left, equality.right))
    detail = f'"{shown(equality.written(step))}": {_decimal(left)} on the left, {_decimal(right)} on the right'
    return StepScore(0.0, "wrong_equality", detail)


def _decimal(value: Fraction) -> str:
    """`value` as a decimal where it has a short one, otherwise as a fraction."""
    decimal = _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))
    return shown(f"{decimal:f}" if Fraction(decimal) == value else value)
