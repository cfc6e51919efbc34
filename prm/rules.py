"""Scorers without weights: what can be proved of a step by computing.

`arithmetic` recomputes every equality that a step states. It proves steps wrong; a step that it finds
nothing wrong with may still rest on a wrong idea. Use it as a veto, not as a grade.
"""

from collections.abc import Sequence

from .agreement import agrees, shown_value
from .base import StepRow, StepScore
from .equalities import equalities

__all__ = ["ArithmeticScorer"]


class ArithmeticScorer:
    """Recomputes the equalities of every step with exact fractions."""

    version = "1"

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list of scores for each row; never raises on any text."""
        return [[score_step(step) for step in row.steps] for row in rows]


def score_step(step: str) -> StepScore:
    """The score of one step's text."""
    checked = 0
    for equality in equalities(step):
        verdict = agrees(equality)
        if verdict is None:
            continue
        checked += 1
        if not verdict:
            values = f"{shown_value(equality.left)} and {shown_value(equality.right)}"
            return StepScore(0.0, "wrong_equality", f"{equality.written(step)}: {values}")
    if not checked:
        return StepScore(None, "nothing_to_check", "no equality whose two sides are constants")
    return StepScore(1.0, "equalities_hold", f"{checked} checked")
