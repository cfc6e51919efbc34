r"""The numeric verifier: one number against one number, within the caller's tolerance.

The tolerance replaces the maths verifier's policy for digits; units, percent, labels and hedges are judged
alike. It computes with exact fractions, so that a bound is met or missed without a rounding of ours.
"""

from decimal import Context, Decimal
from fractions import Fraction
from math import isfinite
from time import perf_counter
from typing import TYPE_CHECKING

from ..errors import ArgumentError
from ..rollouts.messages import Completion, Prompt
from .base import Extractor, Outcome, Target, Verdict, extractors
from .expression.arithmetic import CostlyError
from .expression.nodes import Collection, Labelled, Node, Opaque
from .expression.normalise import normalise
from .expression.numbers import Quantity, as_fraction, in_unit_of
from .expression.quantities import percent_scale, units_refused
from .expression.results import Comparison, SymbolicError, shown
from .expression.structures import read
from .symbolic import SymbolicStage, SymbolicStages
from .targets import ReadTarget, is_too_long, read_targets

if TYPE_CHECKING:
    from .isolation import Workers

__all__ = ["NumericVerifier"]


class NumericVerifier:
    r"""Judges a number by its distance |a - t| from the target.

    The bound is the widest that the options allow: `rel_tol` * |t|, `abs_tol`, half a unit in the target's
    n-th significant digit, half a unit in the n-th decimal. With no option the answer must be exact.

    Args:
        rel_tol: fraction of |t|, at least 0 (0.01 means exactly 1/100).
        abs_tol: in the target's unit, at least 0.
        significant_digits: n at least 1, or None.
        decimals: n at least 0, or None.
        extractor: what finds the committed answer: a registered name, or an extractor.
        fallback: whether an expression (`\sqrt{17}`, `2\pi`) is computed in a killable worker; without it
            such an answer is UNSUPPORTED.
        timeout_s: seconds of that for one verdict.
        workers: the killable workers to use; None takes the process's shared ones when first needed.

    Raises:
        ArgumentError: an option is out of its range.
        UnknownNameError: nobody registered `extractor`.

    Example:
        >>> verdict = NumericVerifier(abs_tol=0.01).verify(r"\boxed{3.14}", "3.1416")
        >>> verdict.outcome, verdict.detail
        (<Outcome.CORRECT: 'correct'>, '|3.14 - 3.1416| = 0.0016, bound 0.01')
    """

    version = "1"

    def __init__(
        self,
        *,
        rel_tol: float = 0,
        abs_tol: float = 0,
        significant_digits: int | None = None,
        decimals: int | None = None,
        extractor: str | Extractor = "auto",
        fallback: bool = True,
        timeout_s: float = 5.0,
        workers: "Workers | None" = None,
    ) -> None:
        for name, tolerance in (("rel_tol", rel_tol), ("abs_tol", abs_tol)):
            if not (isfinite(tolerance) and tolerance >= 0):
                raise ArgumentError(f"{name}: expected a finite number >= 0, got {tolerance}")
        for name, count, least in (("significant_digits", significant_digits, 1), ("decimals", decimals, 0)):
            if count is not None and count < least:
                raise ArgumentError(f"{name}: expected None or a whole number >= {least}, got {count}")
        self._rel_tol = Fraction(str(rel_tol))
        self._abs_tol = Fraction(str(abs_tol))
        self._significant_digits = significant_digits
        self._decimals = decimals
        self._symbolic = SymbolicStages(workers, fallback, timeout_s)
        self._extractor = extractors.create(extractor) if isinstance(extractor, str) else extractor

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The verdict; never raises on any completion or target."""
        started = perf_counter()
        numbers = [number for one in read_targets(target) if (number := self._number(one)) is not None]
        if not numbers:
            detail = f"expected a number as target, got {shown(target)!r}"
            return Verdict(Outcome.BAD_TARGET, None, None, None, "bad_target", detail, perf_counter() - started)
        extracted = self._extractor.extract(completion, prompt=prompt)
        if extracted is None:
            detail = "no committed answer found"
            return Verdict(Outcome.NO_ANSWER, 0.0, None, None, "no_answer", detail, perf_counter() - started)
        if extracted.outcome is not None:
            judged = Comparison(extracted.outcome, extracted.rule, f"decided by the extractor ({extracted.method})")
        else:
            judgements = [self._judge(number, extracted.text) for number in numbers]
            judged = next((one for one in judgements if one.is_correct), judgements[0])
        reward = None if judged.outcome is Outcome.ERROR else 1.0 if judged.is_correct else 0.0
        return Verdict(
            judged.outcome,
            reward,
            extracted.text,
            extracted.span,
            judged.rule,
            judged.detail,
            perf_counter() - started,
        )

    def _number(self, target: ReadTarget) -> Quantity | None:
        if target.node is None:
            return None
        try:
            node = _computed(target.node, self._symbolic())
        except SymbolicError:
            return None
        return node if isinstance(node, Quantity) else None

    def _judge(self, target: Quantity, text: str) -> Comparison:
        answer = normalise(text)
        try:
            if is_too_long(answer):
                raise CostlyError(f"an answer of {len(answer)} characters")
            node = _computed(read(answer), self._symbolic())
        except CostlyError as error:
            return Comparison(Outcome.BUDGET, "too_costly", f"{shown(answer)}: {error}")
        except SymbolicError as error:
            return Comparison(error.outcome, error.rule, error.detail)
        if isinstance(node, Collection):
            return Comparison(Outcome.HEDGED, "hedged", f"{shown(answer)} is several values")
        if not isinstance(node, Quantity):
            return Comparison(Outcome.UNSUPPORTED, "not_a_number", f"{shown(answer)} is not read as a number")
        refused = units_refused(target, node)
        if refused is not None:
            return refused
        wanted, given = as_fraction(target.value), as_fraction(in_unit_of(node, target).value)
        if wanted is None or given is None:
            same = target.value == node.value
            outcome = Outcome.CORRECT if same else Outcome.INCORRECT
            return Comparison(outcome, "tolerance", f"{shown(answer)} and {shown(target)} compared exactly")
        bound = self._bound(wanted)
        distance = min(abs(given * scale - wanted) for scale in percent_scale(target, node))
        outcome = Outcome.CORRECT if distance <= bound else Outcome.INCORRECT
        detail = f"|{shown(answer)} - {shown(target)}| = {_decimal(distance)}, bound {_decimal(bound)}"
        return Comparison(outcome, "tolerance", detail)

    def _bound(self, target: Fraction) -> Fraction:
        bounds = [self._rel_tol * abs(target), self._abs_tol]
        if self._significant_digits is not None and target:
            bounds.append(Fraction(10) ** (_magnitude(target) + 1 - self._significant_digits) / 2)
        if self._decimals is not None:
            bounds.append(Fraction(10) ** -self._decimals / 2)
        return max(bounds)


def _computed(node: Node, symbolic: SymbolicStage) -> Node:
    """`node` without its label; an expression as the number that it is worth, where it is worth one."""
    if isinstance(node, Labelled):
        node = node.value
    if isinstance(node, Opaque):
        value = symbolic(node.text, node.text).target_value
        if value is not None:
            return Quantity(Fraction(value), "exact", node.text, node.unit)
    return node


def _magnitude(value: Fraction) -> int:
    """The exponent of the leading digit: 2 for 314, -3 for 0.00314."""
    estimate = len(str(abs(value.numerator))) - len(str(value.denominator))
    return estimate if abs(value) >= Fraction(10) ** estimate else estimate - 1


def _decimal(value: Fraction) -> str:
    # In a context of ours: the caller's may trap inexact results.
    return f"{Context(prec=6).divide(Decimal(value.numerator), Decimal(value.denominator)).normalize():f}"[:40]
