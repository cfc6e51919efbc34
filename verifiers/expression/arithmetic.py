r"""Exact rational arithmetic on constant expressions: `\frac{3}{4}`, `2^{10}-1`, `5!`, `3\times10^{-7}`.

A recursive-descent reader with caps on length, depth and digits. A power beyond the cap stays a `Power`
where it stands alone and is refused where more is asked of it; nothing large is ever expanded.
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["MAX_DIGITS", "CostlyError", "Power", "evaluate", "is_costly"]

MAX_DIGITS = 4_000
"""Integers beyond this many digits are not computed with (Python itself refuses to print beyond 4,300)."""

_MAX_BITS = int(MAX_DIGITS * math.log2(10))
_MAX_DEPTH = 40
_MAX_TOKENS = 400
_MAX_FACTORIAL = 1_000

_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+|\\frac|\\binom|\\sqrt|\\times|\\cdot|\\div|[-+*/^(){}!])")
_TOWER = re.compile(r"\^\{?[^{}^]*\^\{?[^{}^]*\^")
_BIG_EXPONENT = re.compile(r"\^(?:\{\(?[+-]?|\(?)(?:\d{5,}|\d+\^)")
_BIG_FACTORIAL = re.compile(
    r"(?<!\d)\d{4,}+\}?\)?!|!!!|[!)}]!\)?\}?!|\\[dt]?binom\{?\d{5}|\\Gamma\(?\d{5}|\\Gamma\(\d+\^"
)


class CostlyError(Exception):
    """The expression would take more digits, depth or tokens than may be spent on it."""


@dataclass(frozen=True, slots=True)
class Power:
    """`base` ** `exponent`, unexpanded. `base` is no perfect power, so that equal powers are equal objects.

    Of a tower (an exponent that is itself a `Power`) nothing is simplified.
    """

    base: int
    exponent: "int | Power"


def evaluate(text: str) -> Fraction | Power | None:
    r"""The exact value of the constant expression `text`; None where it is not one, or is undefined.

    Raises:
        CostlyError: it is one, but beyond the caps.

    Example:
        >>> evaluate(r"-\frac{3}{4}+2^{-2}"), evaluate("4^{500000}"), evaluate("x+1")
        (Fraction(-1, 2), Power(base=2, exponent=1000000), None)
    """
    tokens: list[str] = []
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            return None
        tokens.append(found.group(1))
        position = found.end()
        if len(tokens) > _MAX_TOKENS:
            raise CostlyError(f"more than {_MAX_TOKENS} terms")
    reader = _Reader(tokens)
    try:
        value = reader.sum(0)
    except (_NotAConstantError, ZeroDivisionError):
        return None
    return value if reader.position == len(tokens) else None


def is_costly(text: str) -> bool:
    r"""Whether `text` holds a tower, an exponent or a factorial that is refused unread.

    Example:
        >>> is_costly(r"\sin(10^{10^{5}})"), is_costly("x^{12}")
        (True, False)
    """
    return bool(_TOWER.search(text) or _BIG_EXPONENT.search(text) or _BIG_FACTORIAL.search(text))


class _NotAConstantError(Exception):
    pass


class _Reader:
    """One pass over the tokens; each method reads what its name says and returns the value."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self.position = 0

    def sum(self, depth: int) -> Fraction | Power:
        if depth > _MAX_DEPTH:
            raise CostlyError(f"nested deeper than {_MAX_DEPTH}")
        total = self._product(depth)
        while self._peek() in ("+", "-"):
            sign = 1 if self._next() == "+" else -1
            total = _bounded(_number(total) + sign * _number(self._product(depth)))
        return total

    def _product(self, depth: int) -> Fraction | Power:
        first = self.position
        product = self._signed(depth)
        divided = False
        while (token := self._peek()) is not None:
            if token in ("*", "\\times", "\\cdot"):
                self._next()
                product = _bounded(_number(product) * _number(self._signed(depth)))
            elif token in ("/", "\\div"):
                self._next()
                divided = True
                product = _bounded(_number(product) / _number(self._signed(depth)))
            elif token == "\\frac" and self.position == first + 1 and self._tokens[first].isdigit():
                # A whole number before a fraction of whole numbers is a mixed number, not a product.
                if not self._fraction_is_whole():
                    raise _NotAConstantError
                product = _number(product) + _number(self._power(depth))
            elif token in ("(", "\\frac", "\\binom", "\\sqrt") and not divided:
                product = _bounded(_number(product) * _number(self._power(depth)))
            else:
                break
        return product

    def _signed(self, depth: int) -> Fraction | Power:
        if self._peek() in ("+", "-"):
            negative = self._next() == "-"
            # Through `_product` where a mixed number follows: -3 1/2 is -(3 + 1/2).
            value = self._mixed_or_power(depth)
            return -_number(value) if negative else value
        return self._power(depth)

    def _mixed_or_power(self, depth: int) -> Fraction | Power:
        token = self._peek()
        after = self._tokens[self.position + 1] if self.position + 1 < len(self._tokens) else None
        if token is not None and token.isdigit() and after == "\\frac":
            whole = self._power(depth)
            if not self._fraction_is_whole():
                raise _NotAConstantError
            return _number(whole) + _number(self._power(depth))
        return self._power(depth)

    def _fraction_is_whole(self) -> bool:
        parts = self._tokens[self.position : self.position + 7]
        return len(parts) == 7 and parts[2].isdigit() and parts[5].isdigit() and parts[3:5] == ["}", "{"]

    def _power(self, depth: int) -> Fraction | Power:
        base = self._atom(depth)
        while self._peek() == "!":
            self._next()
            base = _factorial(_number(base))
        if self._peek() != "^":
            return base
        self._next()
        sign = 1
        if self._peek() in ("+", "-"):
            sign = -1 if self._next() == "-" else 1
        exponent = self._power(depth + 1)
        return _raised(_number(base), exponent if sign == 1 else -_number(exponent))

    def _atom(self, depth: int) -> Fraction | Power:
        token = self._next()
        if token in ("(", "{"):
            value = self.sum(depth + 1)
            self._expect(")" if token == "(" else "}")
            return value
        if token == "\\frac":
            numerator, denominator = self._braced(depth), self._braced(depth)
            return _bounded(numerator / denominator)
        if token == "\\binom":
            return _binomial(self._braced(depth), self._braced(depth))
        if token == "\\sqrt":
            return _root(self._braced(depth))
        if token[0].isdigit() or token[0] == ".":
            if len(token) > MAX_DIGITS:
                raise CostlyError(f"a number of more than {MAX_DIGITS} digits")
            return Fraction(token)
        raise _NotAConstantError

    def _braced(self, depth: int) -> Fraction:
        self._expect("{")
        value = self.sum(depth + 1)
        self._expect("}")
        return _number(value)

    def _peek(self) -> str | None:
        return self._tokens[self.position] if self.position < len(self._tokens) else None

    def _next(self) -> str:
        token = self._peek()
        if token is None:
            raise _NotAConstantError
        self.position += 1
        return token

    def _expect(self, token: str) -> None:
        if self._next() != token:
            raise _NotAConstantError


def _number(value: Fraction | Power) -> Fraction:
    if isinstance(value, Power):
        raise CostlyError("arithmetic with a power too large to expand")
    return value


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAX_BITS:
        raise CostlyError(f"a number of more than {MAX_DIGITS} digits")
    return value


def _factorial(value: Fraction) -> Fraction:
    if value.denominator != 1 or value < 0:
        raise _NotAConstantError
    if value > _MAX_FACTORIAL:
        raise CostlyError(f"a factorial beyond {_MAX_FACTORIAL}!")
    return Fraction(math.factorial(value.numerator))


def _binomial(total: Fraction, chosen: Fraction) -> Fraction:
    if total.denominator != 1 or chosen.denominator != 1 or not 0 <= chosen <= total:
        raise _NotAConstantError
    if min(chosen, total - chosen) * total.numerator.bit_length() > _MAX_BITS:
        raise CostlyError(f"a number of more than {MAX_DIGITS} digits")
    return Fraction(math.comb(total.numerator, chosen.numerator))


def _root(value: Fraction) -> Fraction:
    if value < 0:
        raise _NotAConstantError
    numerator, denominator = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if numerator**2 != value.numerator or denominator**2 != value.denominator:
        raise _NotAConstantError
    return Fraction(numerator, denominator)


def _raised(base: Fraction, exponent: Fraction | Power) -> Fraction | Power:
    if base in (0, 1) and not isinstance(exponent, Power) and exponent >= 0:
        return base if exponent else Fraction(1)
    if isinstance(exponent, Power):
        if base.denominator != 1 or base < 2:
            raise CostlyError("a tower of powers")
        return Power(base.numerator, exponent)
    if exponent.denominator != 1:
        raise _NotAConstantError
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent.numerator) * size <= _MAX_BITS:
        return base**exponent.numerator
    if base.denominator != 1 or base < 2 or exponent < 0:
        raise CostlyError(f"a power of more than {MAX_DIGITS} digits")
    root, times = _perfect_root(base.numerator)
    return Power(root, exponent.numerator * times)


def _perfect_root(value: int) -> tuple[int, int]:
    """(r, k) with r ** k == value and k as large as possible."""
    for times in range(min(value.bit_length(), 64), 1, -1):
        root = round(value ** (1 / times)) if value.bit_length() < 900 else 0
        for candidate in (root - 1, root, root + 1):
            if candidate > 1 and candidate**times == value:
                return candidate, times
    return value, 1
