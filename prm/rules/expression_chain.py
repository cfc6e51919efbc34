r"""Chains of expressions and equations with letters: what is rewritten keeps its value, what is solved its solutions.

It proves steps wrong: `(25x+150)/10 = 25x+15`, or `x = 18` behind `\frac{2}{9}x = 6`. Like the rule for arithmetic it
is a veto and no grade: whether the equation was the right one to set up, it does not know.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from ...rollouts.messages import prompt_text
from ...verifiers.expression.arithmetic import CostlyError
from ...verifiers.expression.results import shown
from ...verifiers.expression.tree import free_symbols
from ...verifiers.unicode_text import half_width
from ..arithmetic.surroundings import MAX_AROUND, is_taken_back, may_be_rounded
from ..base import StepRow, StepScore
from ..chains.derivations import Derivation, Derivations
from ..chains.identities import Probes
from ..chains.links import Link, difference_shown, is_turned, links
from ..chains.statements import Statement, applied_letters, statements
from ..chains.words import asks_to_rewrite, has_other_algebra, holds_only_where, neglects, tries

__all__ = ["MAX_CHARACTERS", "MAX_ROW_STATEMENTS", "ExpressionChainScorer"]

MAX_CHARACTERS = 10_000
"""Characters of a step, or of a prompt, that are read; a longer step is not."""

MAX_ROW_STATEMENTS = 300
"""Equations and inequalities that are read in one row."""

MAX_ROW_CHARACTERS = 60_000
"""Characters of one row's steps that are read."""


_HEADS = re.compile(r"[ $*)]{0,4}:(?!=)")


class ExpressionChainScorer:
    """Compares the sides of every chain, and every equation with the one before it.

    Example:
        >>> row = StepRow("", ("2x + 3 = 7", "so 2x = 4", "which gives x = 3", "(x + 1)^2 = x^2 + 1"))
        >>> for score in ExpressionChainScorer().score([row])[0]:
        ...     print(score.value, score.rule, score.detail)
        None nothing_to_check no rewriting, and no equation made of another
        1.0 chains_hold 1 link holds
        0.0 other_solution "x = 3" does not follow from "2x = 4", which gives 2, not 3
        0.0 unequal_expressions "(x+1)^2 = x^2+1": 4 on the left, 2 on the right at x = 1
    """

    version = "1"

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list of scores for each row; never raises on any text.

        A step scores 0 where one of its chains is proved wrong (`unequal_expressions`, `other_solution`), 1 where at
        least one link was checked and none is refuted, None where nothing could be checked, or where the step or the
        row up to it holds more than is read. What may be an equation to solve is not taken for a rewriting, and of two
        equations only those are compared of which the second is said, or bound, to come from the first.
        """
        return [list(_row_scores(row)) for row in rows]


def _row_scores(row: StepRow) -> Iterator[StepScore]:
    judge = _Judge(prompt_text(row.prompt)[:MAX_CHARACTERS], row.steps)
    for step, following in zip_longest(row.steps, row.steps[1:], fillvalue=""):
        yield judge.score(step, following)


class _Judge:
    """Scores the steps of one row in order: an equation of one step is the premise of the next.

    Args:
        prompt: what the row answers.
        steps: its steps; which letters are functions is looked for in all of them.
    """

    def __init__(self, prompt: str, steps: Sequence[str]) -> None:
        self._functions = applied_letters("\n".join([prompt, *steps])[:MAX_ROW_CHARACTERS])
        self._is_rewriting = asks_to_rewrite(prompt)
        self._is_foreign = has_other_algebra(prompt)
        self._derivations = Derivations(statements(half_width(prompt), self._functions))
        self._probes = Probes()
        self._n_statements = MAX_ROW_STATEMENTS
        self._n_characters = MAX_ROW_CHARACTERS

    def score(self, step: str, following: str) -> StepScore:
        """The score of `step`; the step after it may take it back."""
        step = half_width(step)
        self._n_characters -= len(step)
        if len(step) > MAX_CHARACTERS or self._n_characters < 0:
            self._derivations.forget()
            return StepScore(None, "too_costly", "more text than is read")
        self._is_foreign = self._is_foreign or has_other_algebra(step)
        if self._is_foreign:
            return StepScore(None, "other_algebra", "the signs may be meant in another arithmetic")
        context = f"{step}\n{following[:MAX_AROUND]}"
        wrong: StepScore | None = None
        checked = 0
        position = 0
        try:
            for statement in statements(step, self._functions):
                self._derivations.say(step[position : statement.start])
                position = statement.end
                found, n_checked = self._judged(statement, step, context)
                wrong = wrong or found
                checked += n_checked
        except CostlyError:
            return wrong or StepScore(None, "too_costly", f"more equations than are read; {checked} links hold")
        self._derivations.say(step[position:] + "\n")
        if wrong is not None:
            return wrong
        if not checked:
            return StepScore(None, "nothing_to_check", "no rewriting, and no equation made of another")
        return StepScore(1.0, "chains_hold", f"{checked} {'link holds' if checked == 1 else 'links hold'}")

    def _judged(self, statement: Statement, step: str, context: str) -> tuple[StepScore | None, int]:
        """The score if one of its links is proved wrong, and how many hold."""
        self._n_statements -= 1
        if self._n_statements < 0:
            raise CostlyError("more equations than are read")
        text = " ".join(step[statement.start : statement.end].split())
        found = links(statement, self._probes, is_rewriting=self._is_rewriting)
        refuted = [link for link in found if link.is_claim and not self._is_excused(link, statement, context)]
        checked = sum(link.holds is True for link in found)
        derivation = self._derivations.take(statement, text, is_case=_HEADS.match(step, statement.end) is not None)
        if refuted:
            sides = shown(" = ".join(refuted[0].texts))
            return StepScore(0.0, "unequal_expressions", f'"{sides}": {difference_shown(refuted[0])}'), checked
        if derivation.holds is False and not is_taken_back(context, statement.start, statement.end):
            return _does_not_follow(derivation, text), checked
        return None, checked + (derivation.holds is True)

    def _is_excused(self, link: Link, statement: Statement, context: str) -> bool:
        """Whether a careful reader could hold a false link for something else than a false claim."""
        place = (context, statement.start, statement.end)
        if is_taken_back(*place):
            return True
        if free_symbols(link.left):
            before = context[max(0, statement.start - MAX_AROUND) : statement.start]
            behind = context[statement.end : statement.end + MAX_AROUND]
            return neglects(before) or holds_only_where(behind) or self._derivations.is_known(link.left, link.right)
        # Rounded numbers and prose are the arithmetic rule's; a value that is put in may be put in as a trial.
        is_rounded = any("." in side or "[" in side.replace("\\sqrt[", "") for side in link.texts)
        if statement.is_prose or is_rounded or may_be_rounded(*place) or is_turned(link):
            return True
        return not link.is_continued and tries(context[max(0, statement.start - MAX_AROUND) : statement.end])


def _does_not_follow(derivation: Derivation, text: str) -> StepScore:
    detail = f'"{shown(text)}" does not follow from "{shown(derivation.premise)}"'
    if derivation.solutions is not None:
        before, after = derivation.solutions
        detail += f", which gives {before}, not {after}"
    return StepScore(0.0, "other_solution", detail)
