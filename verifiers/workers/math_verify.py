r"""What a killable worker runs where exact numbers and structures do not decide: math-verify, kept on a leash.

math-verify parses and compares; around it stand checks of its known false accepts: constants are compared
by 40 digits relative to their size (its own comparison rounds tiny numbers to 0), expressions with
variables at points where both are real, and a parse that silently dropped the end of the text is refused.
No time limit is set in here, because the caller kills the worker; nothing foreign is printed, because
`str()` of an expression may never end. Only plain data goes back.

Source: math-verify 0.9.0, https://github.com/huggingface/Math-Verify.
"""

import logging
import re
from functools import lru_cache
from typing import Any

__all__ = ["compare"]

_DIGITS = 40
_POINTS = (
    (7, 3), (-5, 4), (11, 8), (-2, 7), (13, 6), (1, 9), (-17, 5), (19, 10), (23, 11), (-3, 13),
)  # fmt: skip
_ENOUGH_POINTS = 3
_LAST_SYMBOL = "q_{91}"
_PLAIN = re.compile(r"-?\\frac\{-?\d+\}\{\d+\}|-?\d+")
_DECIMAL = re.compile(r"(?<![\d.])(\d*)\.(\d+)(?![\d.])")


def compare(target: str, answer: str) -> dict[str, Any]:
    r"""Whether the LaTeX `answer` equals the LaTeX `target`.

    Returns:
        `{"unreadable": "target" | "answer" | "pair"}` (the pair where each is readable but sympy fails to
        compare them), or `{"equal": bool, "target_value": str | None,
        "answer_value": str | None, "rule": str}`, the values being the decimal digits of real constants.

    Example:
        >>> compare(r"\sqrt{80}", r"4\sqrt{5}")["equal"]
        True
    """
    values: list[Any] = []
    parsed: list[Any] = []
    for side, latex in (("target", target), ("answer", answer)):
        try:
            parsed.append(_parsed(latex))
            values.append(_constant(parsed[-1]))
        except MemoryError:
            raise
        except Exception:  # whatever sympy raises on what it cannot read
            return {"unreadable": side}
        if parsed[-1] is None:
            return {"unreadable": side}
    try:
        equal, rule = _judged(*parsed, *values)
    except MemoryError:
        raise
    except Exception as error:
        return {"unreadable": "pair", "rule": type(error).__name__}
    for side, latex, expression in (("target", target, parsed[0]), ("answer", answer, parsed[1])):
        if (
            (equal or values != [None, None])
            and _is_expression(expression)
            and not _PLAIN.fullmatch(latex)
            and not _is_whole(latex)
        ):
            return {"unreadable": side}
    return {"equal": bool(equal), "target_value": _digits(values[0]), "answer_value": _digits(values[1]), "rule": rule}


@lru_cache(maxsize=256)
def _is_whole(latex: str) -> bool:
    """Whether the parser reads `latex` to its end: a symbol put there must come out again."""
    parsed = _parsed(f"{latex}+{_LAST_SYMBOL}")
    return parsed is not None and any(symbol.name == _LAST_SYMBOL for symbol in parsed.free_symbols)


@lru_cache(maxsize=256)
def _parsed(latex: str) -> Any:
    logging.getLogger("math_verify").setLevel(logging.CRITICAL)
    from latex2sympy2_extended import NormalizationConfig
    from math_verify import LatexExtractionConfig, parse

    # Decimals as fractions: the parser would round them to 15 digits, and what it computes with them.
    exact = _DECIMAL.sub(
        lambda number: rf"\frac{{{number.group(1)}{number.group(2)}}}{{{10 ** len(number.group(2))}}}", latex
    )
    found = parse(
        f"${exact}$",
        # Units are typed on our side; its own list would drop a variable named m.
        extraction_config=[
            LatexExtractionConfig(
                normalization_config=NormalizationConfig(
                    basic_latex=True, units=False, malformed_operators=True, nits=True, boxed="none", equations=False
                )
            )
        ],
        fallback_mode="no_fallback",
        extraction_mode="first_match",
        parsing_timeout=0,
    )
    return _with_imaginary_unit(found[0]) if found else None


def _with_imaginary_unit(parsed: Any) -> Any:
    from sympy import I

    if not _is_expression(parsed):
        return parsed
    return parsed.xreplace({symbol: I for symbol in parsed.free_symbols if symbol.name == "i"})


def _is_expression(parsed: Any) -> bool:
    from sympy import Expr

    return isinstance(parsed, Expr)


def _constant(parsed: Any) -> Any:
    """The number that a constant expression is worth, to `_DIGITS` digits; None for everything else."""
    from sympy import N, nan, oo, zoo

    if not _is_expression(parsed) or parsed.free_symbols or not parsed.is_commutative:
        return None
    value = N(parsed.doit(), _DIGITS)
    return value if value.is_number and not value.has(nan, oo, -oo, zoo) and _is_numeric(value) else None


def _is_numeric(value: Any) -> bool:
    real, imaginary = value.as_real_imag()
    return bool(real.is_Number and imaginary.is_Number)


def _digits(value: Any) -> str | None:
    if value is None:
        return None
    real, imaginary = value.as_real_imag()
    return str(real) if abs(imaginary) <= abs(real) * 10**-30 else None


def _judged(first: Any, second: Any, first_value: Any, second_value: Any) -> tuple[bool, str]:
    if first_value is not None and second_value is not None:
        return _close(first_value, second_value, first, second), "constant"
    if _is_expression(first) and _is_expression(second):
        if first_value is None and not first.free_symbols:
            return False, "undefined"
        if second_value is None and not second.free_symbols:
            return False, "undefined"
        agreement = _agree(first, second)
        if agreement is not None:
            return agreement, "points"
    relation = _same_relation(first, second)
    if relation is not None:
        return relation, "relation"
    return _verified(first, second), "math_verify"


def _verified(first: Any, second: Any) -> bool:
    from math_verify import verify

    return bool(verify(first, second, timeout_seconds=0))


def _close(first_value: Any, second_value: Any, first: Any, second: Any) -> bool:
    size = max(abs(first_value), abs(second_value))
    if size == 0:
        return True
    if abs(first_value - second_value) <= size * 10**-30:
        return True
    # Cancellation leaves noise where an exact zero stands; only a proof tells it from a tiny number.
    if min(abs(first_value), abs(second_value)) == 0 and size < 10**-30:
        return (first - second).equals(0) is True
    return False


def _agree(first: Any, second: Any) -> bool | None:
    """Whether two expressions have the same values where both are real; None where too few points tell."""
    symbols = sorted(first.free_symbols | second.free_symbols, key=lambda symbol: symbol.name)
    if not symbols or len(symbols) > 8:
        return None
    real = complex_ = 0
    for shift in range(len(_POINTS)):
        values = [_value_at(expression, symbols, shift) for expression in (first, second)]
        if None in values:
            continue
        same = bool(abs(values[0] - values[1]) <= max(abs(values[0]), abs(values[1])) * 10**-20)
        if all(value.is_real for value in values):
            if not same:
                return False
            real += 1
        else:
            complex_ += same
    if real >= _ENOUGH_POINTS:
        return True
    return True if real + complex_ == len(_POINTS) else None


def _value_at(expression: Any, symbols: list[Any], shift: int) -> Any:
    from sympy import N, Rational, nan, oo, zoo

    point = {
        symbol: Rational(*_POINTS[(index * 3 + shift) % len(_POINTS)]) + index for index, symbol in enumerate(symbols)
    }
    try:
        value = N(expression.subs(point).doit(), 30)
    except (TypeError, ValueError, ArithmeticError):  # sympy's ways to say that there is no value here
        return None
    return value if value.is_number and not value.has(nan, oo, -oo, zoo) and _is_numeric(value) else None


def _same_relation(first: Any, second: Any) -> bool | None:
    """Two equations, or inequalities, whose two sides differ by the same function up to a constant factor."""
    from sympy.core.relational import Equality, Relational

    if not (isinstance(first, Relational) and isinstance(second, Relational)):
        return None
    if isinstance(first, Equality) != isinstance(second, Equality):
        return False
    sides: list[tuple[Any, Any]] = [(relation.lhs, relation.rhs) for relation in (first, second)]
    differences = [left - right for left, right in sides]
    if not all(map(_is_expression, differences)):
        return None
    symbols = sorted(differences[0].free_symbols | differences[1].free_symbols, key=lambda symbol: symbol.name)
    if not symbols or len(symbols) > 8:
        return None
    ratios = []
    for shift in range(len(_POINTS)):
        values = [_value_at(difference, symbols, shift) for difference in differences]
        if None not in values and values[0] != 0 and values[1] != 0:
            ratios.append(values[0] / values[1])
    if len(ratios) < _ENOUGH_POINTS or any(abs(ratio - ratios[0]) > abs(ratios[0]) * 10**-20 for ratio in ratios):
        return None if len(ratios) < _ENOUGH_POINTS else False
    if isinstance(first, Equality):
        return True
    same_way = type(first) is type(second)
    flipped = type(first) is type(second.reversed)
    return bool(ratios[0].is_real) and ((ratios[0] > 0 and same_way) or (ratios[0] < 0 and flipped))
