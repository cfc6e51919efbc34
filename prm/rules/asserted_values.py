"""Whether what a text says of a value, or of an output, is so: as Python literals, to the digits that are written."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ...verifiers.sandbox.literals import literal

__all__ = ["printed_is", "said_is"]

_MAX_CHARACTERS = 2_000
_MAX_LINES = 200
_GROUPED = re.compile(r"(?<![\w.])(-?[0-9]{1,3}(?:,[0-9]{3})+)(?![\w,])")
_TAIL = re.compile(r"\s*(?:[.;!]|\b(?:now|here|as expected))\s*\Z")
_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]{1,3})?", re.IGNORECASE)
_CUT = ("...", "…", "Traceback", "Error")
_NONE = object()


def said_is(said: str, got: Sequence[str | None]) -> bool | None:
    """True where `said` is one of the values `got`, False where it is none of them, None where that cannot be told.

    A number may be rounded to the last digit that is written. None is said of what is no literal, of values of two
    kinds, and of numbers that are nearer than one or a hundredfold of one another.

    Example:
        >>> said_is("3.14.", ["3.14159"]), said_is("13", ["12"]), said_is("twelve", ["12"])
        (True, False, None)
    """
    wanted = _value(_TAIL.sub("", said.strip().strip("`")))
    if wanted is _NONE or not got:
        return None
    values = [_NONE if one is None else _value(one) for one in got]
    verdicts = [None if value is _NONE else _same(wanted, value, said) for value in values]
    if any(verdicts):
        return True
    return None if None in verdicts else False


def printed_is(said: str, output: str, *, is_whole: bool) -> bool | None:
    """True where `said` is what `output` shows, False where it is not, None where that cannot be told.

    Args:
        said: what the text says or shows.
        output: what was printed.
        is_whole: `said` is meant to be all of it; else it may be any line.

    Example:
        >>> printed_is("12", "12\\n", is_whole=True), printed_is("x 0.33", "x 0.3333\\n", is_whole=True)
        (True, True)
        >>> printed_is("12", "11\\n12\\n", is_whole=False), printed_is("13", "12\\n", is_whole=True)
        (True, False)
    """
    lines = [line.split() for line in output.splitlines() if line.strip()]
    told = [line.split() for line in said.strip("`").splitlines() if line.strip()]
    if not told or sum(map(len, said.split())) > 10 * _MAX_CHARACTERS:
        return None
    whole, parts = output.split(), said.strip("`").split()
    if _same_words(parts, whole):
        return True
    if any(mark in said for mark in _CUT):
        return None
    if is_whole:
        # Some of the lines may be shown, and not the others.
        is_part = all(any(_same_words(line, one) for one in lines[:_MAX_LINES]) for line in told[:_MAX_LINES])
        return None if is_part or not lines else False
    if any(_same_words(parts, line) for line in lines):
        return True
    return said_is(said, [output.strip()]) if len(lines) == 1 else None


def _value(text: str) -> Any:
    """The literal that `text` is; `_NONE` where it is none."""
    if len(text) > _MAX_CHARACTERS:
        return _NONE
    try:
        return literal(_GROUPED.sub(lambda found: found[1].replace(",", ""), text))
    except (ValueError, OverflowError, TypeError, RecursionError, MemoryError):
        return _NONE


def _same(wanted: Any, got: Any, written: str) -> bool | None:
    if _is_number(wanted) and _is_number(got):
        return _same_number(wanted, got, written)
    if isinstance(wanted, list | tuple) and isinstance(got, list | tuple):
        if len(wanted) != len(got):
            return False
        return _all(_same(one, other, written) for one, other in zip(wanted, got, strict=True))
    if type(wanted) is not type(got):
        return None
    if isinstance(wanted, dict):
        if wanted.keys() != got.keys():
            return False
        return _all(_same(one, got[key], written) for key, one in wanted.items())
    return bool(wanted == got)


def _all(verdicts: Any) -> bool | None:
    found = list(verdicts)
    return False if False in found else None if None in found else True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same_number(wanted: float, got: float, written: str) -> bool | None:
    if wanted == got:
        return True
    try:
        one, other = Fraction(wanted), Fraction(got)
    except (ValueError, OverflowError):  # infinite, or no number
        return False if wanted == wanted and got == got else None
    distance = abs(one - other)
    decimals = max((len(found.partition(".")[2]) for found in _NUMBER.findall(written)), default=0)
    if distance <= max(abs(one), abs(other)) / 10**12:
        return True
    if decimals and distance <= Fraction(1, 2 * 10**decimals):
        return True
    is_exact = isinstance(wanted, int) and isinstance(got, int)
    is_scaled = one in (other * 100, other / 100)
    return None if not is_exact and (distance < 1 or is_scaled) else False


def _same_words(told: Sequence[str], shown: Sequence[str]) -> bool:
    return len(told) == len(shown) and all(
        one == other or (_NUMBER.fullmatch(one) and _NUMBER.fullmatch(other) and said_is(one, [other]))
        for one, other in zip(told, shown, strict=True)
    )
