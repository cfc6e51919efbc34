r"""Exact numbers of answers: integers of any size, fractions, decimals, powers, words, with their units.

A value is a `Decimal` (a terminating decimal as written, trailing zeros kept), a `Fraction` (anything
computed), or a `Power` too large to expand. Nothing is rounded.
"""

import re
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from .arithmetic import MAX_DIGITS, Power, evaluate
from .normalise import without_group
from .units import Unit, conversion, read_unit
from .words import read_fraction_words, read_words

__all__ = ["Quantity", "Value", "as_fraction", "in_unit_of", "read_quantity", "same_value", "terminates"]

Value = Decimal | Fraction | Power


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it was written.

    Args:
        value: its exact value, without the unit; of a percentage, the number before the sign.
        form: `"integer"`, `"decimal"` (also scientific notation) or `"exact"` (a fraction, a power, ...).
        text: the number as written, unit included.
        unit: what stands beside it; None where nothing does.
        base: the base that a subscript names, None where none does; `value` is converted from it.
        vague: it is hedged by a word such as "about".
    """

    value: Value
    form: str
    text: str
    unit: Unit | None = None
    base: int | None = None
    vague: bool = False


def read_quantity(text: str) -> Quantity | None:
    r"""The number that all of `text` (normalised) spells, with its unit, or None.

    Raises:
        CostlyError: a number, but one too large to compute.

    Example:
        >>> read_quantity("7 3/4").value, read_quantity(r"15\text{cm}^2").unit.name, read_quantity("1,234").value
        (Fraction(31, 4), 'cm^2', Decimal('1234'))
    """
    for _ in range(4):
        inner = without_group(text)
        if inner == text:
            break
        if "," in inner:
            return None  # (1,234) is a pair, and so is (1,101/6)
        text = inner
    return _read_bare(text) or _read_in_base(text) or _read_with_unit(text)


def as_fraction(value: Value) -> Fraction | None:
    """`value` as a Fraction; None where that would take more than `MAX_DIGITS` digits."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Power):
        return None
    if not value:
        return Fraction(0)
    if abs(value.adjusted()) > MAX_DIGITS or abs(int(value.as_tuple().exponent)) > MAX_DIGITS:
        return None
    return Fraction(value)


def same_value(left: Value, right: Value) -> bool:
    """Whether two values are exactly equal; decided without expanding either.

    Example:
        >>> same_value(Decimal("0.50"), Fraction(1, 2)), same_value(Power(2, 10**6), Power(2, 10**6 + 1))
        (True, False)
    """
    if type(left) is type(right):
        return left == right
    if isinstance(left, Power) or isinstance(right, Power):
        return _as_power_of_ten(left) == _as_power_of_ten(right) is not None
    first, second = as_fraction(left), as_fraction(right)
    return first is not None and first == second


def terminates(value: Value) -> bool:
    """Whether `value` has a finite decimal expansion.

    Example:
        >>> terminates(Fraction(3, 40)), terminates(Fraction(1, 3))
        (True, False)
    """
    if not isinstance(value, Fraction):
        return True
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def in_unit_of(answer: Quantity, target: Quantity) -> Quantity:
    """`answer` with its value converted into `target`'s unit, where both name convertible ones."""
    factor = conversion(answer.unit, target.unit)
    value = as_fraction(answer.value)
    if factor == 1 or value is None:
        return answer
    return replace(answer, value=value * factor, form="exact")


def _as_power_of_ten(value: Value) -> int | None:
    """The exponent where the value is written as, or unexpanded is, a power of ten."""
    if isinstance(value, Power):
        return value.exponent if value.base == 10 and isinstance(value.exponent, int) else None
    if not isinstance(value, Decimal) or value.is_signed():
        return None
    digits = "".join(map(str, value.as_tuple().digits))
    return int(value.as_tuple().exponent) + len(digits) - 1 if digits.rstrip("0") == "1" else None


_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+|(?:'\d{3})+)(?:\.\d*)?")
_GROUPING = re.compile("[ ',]")
_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)")
_SCIENTIFIC = re.compile(
    r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:[eE]([+-]?\d{1,9})|(?:\\times|\\cdot|\*|x)10\^(?:\{([+-]?\d{1,9})\}|([+-]?\d)))"
)
_MIXED_SLASH = re.compile(r"([+-]?)(\d{1,50})(?: | and )(\d{1,50})/(\d{1,50})")
_REPEATING = re.compile(r"([+-]?)(\d{0,50})\.(\d{0,50})(?:\\overline\{(\d{1,50})\}|\\dot\{?(\d)\}?|\((\d{1,50})\))")
_CONTINUED = re.compile(r"([+-]?)(\d{0,50})\.(\d{1,60})\\ldots ?")
_REPEATED = re.compile(
    r"(?P<fixed>\d{0,6}?)(?P<part>\d|\d{2,12}?)(?P=part){2,}|(?P<zeros>0{0,6})(?P<long>\d{2,12}?)(?P=long)+"
)
"""Behind other digits a part twice is chance: 2.718281828... is e."""
_IN_BASE = re.compile(
    r"(?:\\text\{|\()?([0-9A-Za-z]{1,200})[})]?_(?:(\d)|\{(\d{1,2})\}|\{?\\text\{(\w+)\}\}?|\{(\w+)\})"
)
_PREFIXED = re.compile(r"([+-]?)(?:([$€£¥₹])|\\text\{([$€£¥₹]|USD|EUR|GBP|JPY|INR)\}|(USD|EUR|GBP) ?)([+-]?)(.+)")
_ORDINAL = re.compile(r"(\d+)\^?\{?(?:\\text\{(?:st|nd|rd|th)\}|st|nd|rd|th)\}?")
_SUFFIXED = re.compile(
    r"(.*?[\d})!]\.?)( ?)"
    r"(%|\\Omega|\^\\circ(?: ?[CF])?|[€£¥₹¢]|(?:\\text\{[^{}]*\}|[A-Za-z][A-Za-z./ -]*?)(?:\^\{?-?\d\}?)?)\.?"
)
_LITERAL = re.compile(r"[+-]?[^+-]*")
_WORD_SUFFIXED = re.compile(r"([a-z]+(?:[ -][a-z]+)*?) ([a-z]+)", re.IGNORECASE)
_VAGUE_PREFIXED = re.compile(
    r"(?:\\text\{)?\s*(?:about|around|approximately|approx\.?|roughly|nearly|almost|at least|at most|more than"
    r"|less than|over|under|up to|~)\s*\}?\s*(.+)",
    re.IGNORECASE,
)
_VAGUE_UNIT = re.compile(r"\b(?:or|so|about|approx\w*|ish|roughly|less|not|no|and|plus|minus|maybe)\b", re.IGNORECASE)
_SCALE_EXPONENTS = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SCALED = re.compile(r"(.*\d) ?(?:\\text\{)?(hundred|thousand|million|billion|trillion)\b(.*?)(\})?", re.IGNORECASE)


def _read_bare(text: str) -> Quantity | None:
    if _PLAIN.fullmatch(text) or _GROUPED.fullmatch(text):
        digits = _GROUPING.sub("", text)
        return Quantity(Decimal(digits), "decimal" if "." in digits.rstrip(".") else "integer", text)
    if found := _SCIENTIFIC.fullmatch(text):
        try:
            return Quantity(
                Decimal(f"{found.group(1)}e{found.group(2) or found.group(3) or found.group(4)}"), "decimal", text
            )
        except InvalidOperation:
            return None
    if found := _MIXED_SLASH.fullmatch(text):
        sign, whole, numerator, denominator = found.groups()
        if not int(denominator):
            return None
        value = int(whole) + Fraction(int(numerator), int(denominator))
        return Quantity(-value if sign == "-" else value, "exact", text)
    if found := _REPEATING.fullmatch(text):
        return Quantity(_repeating_value(found), "exact", text)
    if found := _CONTINUED.fullmatch(text):
        return _read_continued(found)
    if (words := read_words(text.removeprefix("\\text{").removesuffix("}"))) is not None:
        return Quantity(Decimal(words), "integer", text)
    if not any(map(str.isdigit, text)):
        part = read_fraction_words(text.removeprefix("\\text{").removesuffix("}"))
        return None if part is None else Quantity(part, "exact", text)
    value = evaluate(_GROUPED.sub(lambda number: number.group().replace(",", ""), text))
    return None if value is None else Quantity(value, "exact", text)


def _read_continued(found: re.Match[str]) -> Quantity:
    """`0.1666...`: what repeats goes on for ever; else the digits that are there."""
    sign, whole, digits = found.groups()
    repeated = _REPEATED.fullmatch(digits)
    if repeated is None:
        return Quantity(Decimal(f"{sign}{whole or 0}.{digits}"), "decimal", found.group())
    fixed, part = repeated["fixed"] or repeated["zeros"] or "", repeated["part"] or repeated["long"]
    value = _REPEATING.fullmatch(f"{sign}{whole}.{fixed}({part})")
    assert value is not None
    return Quantity(_repeating_value(value), "exact", found.group())


def _repeating_value(found: re.Match[str]) -> Fraction:
    sign, whole, fixed, *repeated = found.groups()
    digits = next(part for part in repeated if part)
    value = Fraction(int(whole or "0")) + Fraction(int(fixed or "0"), 10 ** len(fixed))
    value += Fraction(int(digits), (10 ** len(digits) - 1) * 10 ** len(fixed))
    return -value if sign == "-" else value


def _read_in_base(text: str) -> Quantity | None:
    found = _IN_BASE.fullmatch(text)
    if found is None:
        return None
    digits, named = found.group(1), next(group for group in found.groups()[1:] if group)
    base = int(named) if named.isdigit() else read_words(named)
    if base is None or not 2 <= base <= 36:
        return None
    try:
        return Quantity(Decimal(int(digits, base)), "integer", text, base=base)
    except ValueError:
        return None


def _read_with_unit(text: str) -> Quantity | None:
    if found := _VAGUE_PREFIXED.fullmatch(text):
        inner = read_quantity(found.group(1))
        return None if inner is None else replace(inner, text=text, vague=True)
    if found := _PREFIXED.fullmatch(text):
        sign, *symbols, inner_sign, rest = found.groups()
        inner = _read_bare(sign + inner_sign + rest) or _scaled(sign + inner_sign + rest)
        return (
            None
            if inner is None
            else replace(inner, text=text, unit=read_unit(next(symbol for symbol in symbols if symbol)))
        )
    if found := _ORDINAL.fullmatch(text):
        return Quantity(Decimal(found.group(1)), "integer", text)
    if (scaled := _scaled(text)) is not None:
        return scaled
    found = _SUFFIXED.fullmatch(text) or _WORD_SUFFIXED.fullmatch(text)
    if found is None:
        return None
    suffix = found.group(found.lastindex or 0).strip()
    if not _LITERAL.fullmatch(found.group(1)) or not _stands_for_unit(suffix, " " in found.groups()):
        return None
    inner = _read_bare(found.group(1))
    if inner is None:
        inner = _decimal_comma(found.group(1))
    if inner is None:
        inner = _read_prefixed(found.group(1))
    if inner is None:
        return None
    return replace(inner, text=text, unit=inner.unit or read_unit(suffix), vague=bool(_VAGUE_UNIT.search(suffix)))


def _stands_for_unit(suffix: str, is_spaced: bool) -> bool:
    """Whether letters after a number are a unit and not factors: `5 apples` and `3s`, but not `5xy`."""
    if not suffix[0].isalpha():
        return len(suffix) <= 60
    unit = read_unit(suffix)
    known = unit is None or unit.dimension != "label"
    if len(suffix) == 1:
        return suffix in "msgL"
    return known or (is_spaced and len(suffix) > 2 and len(suffix) <= 60)


def _read_prefixed(text: str) -> Quantity | None:
    return _read_with_unit(text) if _PREFIXED.fullmatch(text) else None


def _decimal_comma(text: str) -> Quantity | None:
    # Beside a unit `3,50` can only be a decimal comma.
    found = re.fullmatch(r"([+-]?\d+),(\d{1,2})", text)
    return None if found is None else Quantity(Decimal(f"{found.group(1)}.{found.group(2)}"), "decimal", text)


def _scaled(text: str) -> Quantity | None:
    found = _SCALED.fullmatch(text)
    if found is None:
        return None
    inner = _read_bare(found.group(1)) or _read_prefixed(found.group(1))
    if inner is None or not isinstance(inner.value, Decimal):
        return None
    # By its exponent: a product would be rounded to the precision of the caller's decimal context.
    sign, digits, exponent = inner.value.as_tuple()
    scaled = Decimal((sign, digits, int(exponent) + _SCALE_EXPONENTS[found.group(2).casefold()]))
    return replace(inner, value=scaled, text=text, unit=inner.unit or read_unit(found.group(3).strip()))
