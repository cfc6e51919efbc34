"""The result of a comparison, and what the symbolic stage is asked and answers."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from ..base import Outcome

__all__ = ["Comparison", "Symbolic", "SymbolicError", "SymbolicResult", "correct", "incorrect", "shown"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """An outcome, the rule that decided and both parsed forms; the verdict without its extraction."""

    outcome: Outcome
    rule: str
    detail: str

    @property
    def is_correct(self) -> bool:
        return self.outcome is Outcome.CORRECT


@dataclass(frozen=True, slots=True)
class SymbolicResult:
    """What the symbolic stage found out about two pieces of LaTeX.

    Args:
        equal: whether they are equal.
        target_value: the target's real value to 40 digits; None where it is no real constant.
        answer_value: the answer's likewise.
        detail: both forms as the stage read them.
        rule: names the stage and what it found.
    """

    equal: bool
    target_value: Decimal | None
    answer_value: Decimal | None
    detail: str
    rule: str = "math_verify"


Symbolic = Callable[[str, str], SymbolicResult]


def correct(rule: str, target: object, answer: object) -> Comparison:
    """CORRECT by `rule`."""
    return Comparison(Outcome.CORRECT, rule, f"{shown(answer)} = {shown(target)}")


def incorrect(rule: str, target: object, answer: object, *, outcome: Outcome = Outcome.INCORRECT) -> Comparison:
    """INCORRECT (or another failing `outcome`) by `rule`."""
    return Comparison(outcome, rule, f"{shown(answer)} is not {shown(target)}")


def shown(node: object) -> str:
    """A node's text, or a foreign value's, cut to what one line of a report can hold. Never raises."""
    try:
        text = str(getattr(node, "text", node))
    except (ValueError, RecursionError):  # Python writes neither long integers nor deeply nested lists as text
        text = f"{type(node).__name__} that cannot be printed"
    return text if len(text) <= 120 else f"{text[:100]}… ({len(text)} characters)"


class SymbolicError(Exception):
    """The symbolic stage gave no answer; `rule` names why and `target_alone` who caused it.

    Args:
        outcome: UNSUPPORTED, BUDGET or ERROR.
        rule: names the reason.
        detail: one line for a person.
        target_alone: the target triggers it without the answer, so that nothing is said of the answer.
    """

    def __init__(self, outcome: Outcome, rule: str, detail: str, *, target_alone: bool = False) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.rule = rule
        self.detail = detail
        self.target_alone = target_alone
