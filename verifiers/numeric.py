r"""The numeric verifier: one number against one number, within the caller's tolerance.

The tolerance replaces the maths verifier's policy for digits; units, percent, labels and hedges are judged
alike. It computes with exact fractions, so that a bound is met or missed without a rounding of ours.
"""

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from math import inf
from numbers import Integral, Real
from time import perf_counter
from typing import TYPE_CHECKING

from ..errors import ArgumentError
from ..rollouts.messages import Completion, Prompt, is_completion
from .base import Extracted, Extractor, Outcome, Target, Verdict, as_extractor
from .expression.arithmetic import CostlyError
from .expression.nodes import Collection, Labelled, Node, Opaque
from .expression.normalise import normalise
from .expression.numbers import Quantity, as_fraction, in_unit_of
from .expression.quantities import percent_scale, units_refused
from .expression.results import Comparison, Symbolic, SymbolicError, shown
from .expression.structures import read
from .probed import probed
from .rows import unreadable
from .symbolic import SymbolicStages
from .targets import ReadTarget, is_too_long, read_targets

if TYPE_CHECKING:
    from .isolation import Workers

__all__ = ["NumericVerifier"]

_MOST_PLAIN_CHARACTERS = 20
"""A distance or bound that is longer is printed in scientific form."""


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
        ArgumentError: an option breaks its rule.
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
        self._rel_tol = _tolerance("rel_tol", rel_tol)
        self._abs_tol = _tolerance("abs_tol", abs_tol)
        self._significant_digits = _count("significant_digits", significant_digits, at_least=1)
        self._decimals = _count("decimals", decimals, at_least=0)
        self._symbolic = SymbolicStages(workers, fallback, timeout_s)
        self._extractor = as_extractor(extractor)

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The verdict; never raises on any completion or target."""
        started = perf_counter()
        targets = [read for one in read_targets(target) if (read := self._target(one)) is not None]
        if not targets:
            detail = f"expected a number as target, got {shown(target)!r}"
            return Verdict(Outcome.BAD_TARGET, None, rule="bad_target", detail=detail, seconds=perf_counter() - started)
        if not is_completion(completion):
            return unreadable(completion)
        extracted = self._extractor.extract(completion, prompt=prompt)
        if extracted is None:
            detail = "no committed answer found"
            return Verdict(Outcome.NO_ANSWER, 0.0, rule="no_answer", detail=detail, seconds=perf_counter() - started)
        judged, reward = self._judged(targets, extracted)
        return Verdict(
            judged.outcome,
            reward,
            extracted.text,
            extracted.span,
            judged.rule,
            judged.detail,
            perf_counter() - started,
        )

    def _target(self, target: ReadTarget) -> Quantity | Comparison | None:
        """The number; why nobody could read it, where that is not the caller's fault; None where it is no number."""
        if not target.text:
            return None
        try:
            if target.node is None:
                raise SymbolicError(Outcome.BUDGET, "too_costly", shown(target.text), target_alone=True)
            node = _computed(target.node, probed(self._symbolic()))
        except SymbolicError as error:
            if error.outcome is Outcome.UNSUPPORTED:
                return None
            return Comparison(error.outcome, error.rule, error.detail)
        return node if isinstance(node, Quantity) else None

    def _judged(
        self, targets: Sequence[Quantity | Comparison], extracted: Extracted
    ) -> tuple[Comparison, float | None]:
        """The judgement against the first target that accepts, with its reward; else an unknown one, else the first."""
        if extracted.outcome is not None:
            decided = f"decided by the extractor ({extracted.method})"
            return Comparison(extracted.outcome, extracted.rule, decided), 0.0
        judgements: list[tuple[Comparison, float | None]] = []
        for target in targets:
            if isinstance(target, Comparison):
                judgements.append((target, None))
                continue
            judged = self._compared(target, extracted.text)
            if judged.is_correct:
                return judged, 1.0
            judgements.append((judged, None if judged.outcome is Outcome.ERROR else 0.0))
        return next((one for one in judgements if one[1] is None), judgements[0])

    def _compared(self, target: Quantity, text: str) -> Comparison:
        answer = normalise(text)
        try:
            if is_too_long(answer):
                raise CostlyError(f"an answer of {len(answer)} characters")
            node = _computed(read(answer), probed(self._symbolic()))
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


def _tolerance(name: str, value: object) -> Fraction:
    if isinstance(value, Real | Decimal) and not isinstance(value, bool) and 0 <= float(value) < inf:
        return Fraction(str(value))  # by its text, so that 0.01 is 1/100 and not the float next to it
    raise ArgumentError(f"{name}: expected a finite number >= 0, got {value!r}")


def _count(name: str, value: object, *, at_least: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= at_least:
        return int(value)
    raise ArgumentError(f"{name}: expected None or a whole number >= {at_least}, got {value!r}")


def _computed(node: Node, symbolic: Symbolic) -> Node:
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
    # By Decimal, since Python refuses to write an integer of more than 4,300 digits as text.
    estimate = Decimal(value.numerator).adjusted() - Decimal(value.denominator).adjusted()
    return estimate if abs(value) >= Fraction(10) ** estimate else estimate - 1


def _decimal(value: Fraction) -> str:
    # In a context of ours: the caller's may trap inexact results.
    context = Context(prec=6)
    rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(context)
    plain = f"{rounded:f}"
    return plain if len(plain) <= _MOST_PLAIN_CHARACTERS else f"{rounded:e}"
