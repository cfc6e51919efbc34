"""Comparison of single values: numbers with their units, decimals with their digits, and opaque mathematics."""

from decimal import Decimal
from fractions import Fraction

from ..base import Outcome
from .nodes import Node, Opaque
from .numbers import Quantity, Value, as_fraction, in_unit_of, same_value, terminates
from .results import Comparison, Symbolic, correct, incorrect
from .units import Unit, conversion, units_conflict

__all__ = [
    "MIN_SIGNIFICANT_DIGITS", "compare_digits", "compare_quantities", "compare_values", "is_rounded", "percent_scale",
    "units_refused",
]  # fmt: skip

MIN_SIGNIFICANT_DIGITS = 6
"""A decimal stands for an irrational or non-terminating target from this many right digits on."""

_UNEVALUATED = ("\\sum", "\\prod", "\\int", "\\lim")


def compare_quantities(target: Quantity, answer: Quantity) -> Comparison:
    r"""Two numbers under the policies for units, percent, bases, exactness and digits.

    Example:
        >>> from rewardgate.verifiers.expression.numbers import read_quantity
        >>> compare_quantities(read_quantity("20%"), read_quantity("0.2")).rule
        'percent_value'
        >>> compare_quantities(read_quantity("12"), read_quantity("1200%")).rule
        'percent_for_number'
    """
    if (refused := units_refused(target, answer)) is not None:
        return refused
    if target.base != answer.base:
        return _compare_bases(target, answer)
    if 100 in percent_scale(target, answer):
        number, value = as_fraction(target.value), as_fraction(answer.value)
        if number is not None and value is not None and number == value * 100:
            return correct("percent_value", target, answer)
    converted = in_unit_of(answer, target)
    if same_value(target.value, converted.value):
        return correct("exact_number" if converted is answer else "unit_conversion", target, answer)
    if target.form == "decimal" and converted.form == "exact":
        exact, written = as_fraction(converted.value), as_decimal(target.value)
        if exact is not None and written is not None and rounds_to(exact, written):
            return correct("rounds_to_target", target, answer)
    if converted.form == "decimal" and not terminates(target.value):
        exact, written = as_fraction(target.value), as_decimal(converted.value)
        if exact is not None and written is not None and is_right_to_its_digits(written, exact):
            return correct("six_digits", target, answer)
    return incorrect("exact_number", target, answer)


def units_refused(target: Quantity, answer: Quantity) -> Comparison | None:
    """Why `answer` cannot be `target` whatever the numbers are; None where it can."""
    if answer.vague and answer.text != target.text:
        return incorrect("vague", target, answer)
    if _is_percent(answer.unit) and not _is_percent(target.unit):
        return incorrect("percent_for_number", target, answer)
    if units_conflict(target.unit, answer.unit):
        return incorrect("unit_conflict", target, answer)
    return None


def percent_scale(target: Quantity, answer: Quantity) -> tuple[int, ...]:
    """What `answer` may be multiplied by: a percent target takes its number, or its value as 1/100 of it."""
    return (1, 100) if _is_percent(target.unit) and answer.unit is None else (1,)


def compare_values(target: Node, answer: Node, symbolic: Symbolic) -> Comparison:
    """Two single values of which at least one is opaque."""
    target_unit, answer_unit = getattr(target, "unit", None), getattr(answer, "unit", None)
    if getattr(answer, "vague", False):
        return incorrect("vague", target, answer)
    same_unit = not units_conflict(target_unit, answer_unit) and conversion(answer_unit, target_unit) == 1
    if target.text == answer.text and same_unit:
        return correct("identical_text", target, answer)
    if "\\infty" in (target.text.lstrip("+-"), answer.text.lstrip("+-")):
        return incorrect("infinite", target, answer)
    for operator in _UNEVALUATED:
        if operator in answer.text and operator not in target.text:
            return incorrect("unevaluated", target, answer)
    if _is_percent(answer_unit) and not _is_percent(target_unit):
        return incorrect("percent_for_number", target, answer)
    angle = _is_degree(target_unit) != _is_degree(answer_unit) and _is_turn(
        answer if _is_degree(target_unit) else target
    )
    if units_conflict(target_unit, answer_unit) and not angle:
        return incorrect("unit_conflict", target, answer)
    target_text, answer_text = bare_latex(target), bare_latex(answer)
    if angle:
        target_text = _in_radians(target_text) if _is_degree(target_unit) else target_text
        answer_text = _in_radians(answer_text) if _is_degree(answer_unit) else answer_text
    elif (factor := conversion(answer_unit, target_unit)) != 1:
        answer_text = rf"\frac{{{factor.numerator}}}{{{factor.denominator}}}\cdot({answer_text})"
    result = symbolic(target_text, answer_text)
    if result.equal:
        return Comparison(Outcome.CORRECT, "angle" if angle else result.rule, result.detail)
    if isinstance(target, Quantity) and target.form == "decimal" and isinstance(answer, Opaque):
        written = as_decimal(target.value)
        if (
            result.answer_value is not None
            and written is not None
            and rounds_to(Fraction(result.answer_value), written)
        ):
            return correct("rounds_to_target", target, answer)
    if isinstance(answer, Quantity) and answer.form == "decimal" and isinstance(target, Opaque):
        written = as_decimal(answer.value)
        exact = None if result.target_value is None else Fraction(result.target_value)
        if exact is not None and written is not None and is_right_to_its_digits(written, exact):
            return correct("six_digits", target, answer)
    return Comparison(Outcome.INCORRECT, result.rule, result.detail)


def rounds_to(exact: Fraction, written: Decimal) -> bool:
    """Whether `exact` rounds to the decimal `written` at that decimal's own precision (ties either way).

    Example:
        >>> rounds_to(Fraction(1, 3), Decimal("0.33")), rounds_to(Fraction(1, 3), Decimal("0.34"))
        (True, False)
    """
    exponent = int(written.as_tuple().exponent)
    return abs(exact - Fraction(written)) <= Fraction(10) ** exponent / 2


def is_rounded(answer: Node, exact: Node, symbolic: Symbolic) -> bool:
    """Whether `answer` is the value `exact` rounded or cut to the digits that it has; their units must be the same.

    Example:
        >>> from rewardgate.verifiers.expression.numbers import read_quantity
        >>> third = read_quantity("1/3")
        >>> [is_rounded(read_quantity(text), third, symbolic=None) for text in ("0.33", "0.34", "1/3")]
        [True, False, False]
    """
    written = as_decimal(answer.value) if isinstance(answer, Quantity) else None
    if written is None or conversion(getattr(answer, "unit", None), getattr(exact, "unit", None)) != 1:
        return False
    if isinstance(exact, Quantity):
        value = as_fraction(exact.value)
    else:
        found = symbolic(bare_latex(exact), bare_latex(exact)).target_value
        value = None if found is None else Fraction(found)
    return value is not None and (rounds_to(value, written) or _is_cut_to(value, written))


def is_right_to_its_digits(written: Decimal, exact: Fraction) -> bool:
    """Whether `written` is `exact` rounded or cut after at least `MIN_SIGNIFICANT_DIGITS` significant digits.

    Example:
        >>> [is_right_to_its_digits(Decimal(text), Fraction(2, 3)) for text in ("0.666667", "0.666666", "0.667")]
        [True, True, False]
    """
    right = rounds_to(exact, written) or _is_cut_to(exact, written)
    return len(written.as_tuple().digits) >= MIN_SIGNIFICANT_DIGITS and right


def _is_cut_to(exact: Fraction, written: Decimal) -> bool:
    short_by = abs(exact) - abs(Fraction(written))
    unit = Fraction(10) ** int(written.as_tuple().exponent)
    return 0 <= short_by < unit and (exact < 0) == written.is_signed()


def as_decimal(value: Value) -> Decimal | None:
    """`value` where it is a decimal of a size that may be computed with."""
    return value if isinstance(value, Decimal) and as_fraction(value) is not None else None


def bare_latex(node: Node) -> str:
    """The node's LaTeX without its unit, a percentage as its number."""
    if isinstance(node, Quantity):
        exact = as_fraction(node.value)
        if exact is not None and exact.denominator == 1:
            return str(exact.numerator)
        if exact is not None:
            return rf"\frac{{{exact.numerator}}}{{{exact.denominator}}}"
    return node.text


def _compare_bases(target: Quantity, answer: Quantity) -> Comparison:
    # One of them names a base: a missing one is accepted, digit for digit; two different ones conflict.
    if target.base is not None and answer.base is not None:
        return incorrect("base_conflict", target, answer)
    return compare_digits(target, answer)


def compare_digits(target: Node, answer: Node) -> Comparison:
    """Two numbers of which one names a base, or neither of which is read as one (`FF`), digit for digit."""
    digits = [
        node.text.removeprefix("\\text{").split("_")[0].removesuffix("}").casefold().lstrip("0")
        for node in (target, answer)
    ]
    return (correct if digits[0] == digits[1] else incorrect)("base", target, answer)


def _is_percent(unit: Unit | None) -> bool:
    return unit is not None and unit.dimension == "percent"


def _is_degree(unit: Unit | None) -> bool:
    return unit is not None and unit.dimension == "angle"


def _is_turn(node: Node) -> bool:
    return "\\pi" in node.text or getattr(getattr(node, "unit", None), "dimension", "") == "radian"


def _in_radians(degrees: str) -> str:
    return rf"\frac{{({degrees})\pi}}{{180}}"
