"""What a caller may hand over as a number or as a verifier, checked once, at the door."""

from math import inf, isfinite
from numbers import Integral, Real

from ..errors import ArgumentError
from .base import Verifier, verifiers

__all__ = ["as_verifier", "number", "positive", "whole"]


def as_verifier(verifier: "str | Verifier", name: str = "verifier") -> Verifier:
    """`verifier` itself, or the one registered under that name, without options.

    Args:
        name: of the argument, for error messages.

    Raises:
        UnknownNameError: nobody registered that name.
        ArgumentError: neither a name nor an object with `verify` and `version`, or the name needs options.
    """
    found = verifiers.create(verifier) if isinstance(verifier, str) else verifier
    if not isinstance(found, Verifier):
        wanted = "a registered name or an object with verify and version"
        raise ArgumentError(f"{name}: expected {wanted}, got {type(found).__name__}")
    return found


def whole(name: str, value: object, *, at_least: int) -> int:
    """`value` as an int.

    Raises:
        ArgumentError: it is no whole number, or below `at_least`.

    Example:
        >>> whole("workers", 2, at_least=0)
        2
        >>> whole("workers", "2", at_least=0)
        Traceback (most recent call last):
            ...
        rewardgate.errors.ArgumentError: workers: expected a whole number >= 0, got '2'
    """
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= at_least:
        return int(value)
    raise ArgumentError(f"{name}: expected a whole number >= {at_least}, got {value!r}")


def positive(name: str, value: object, *, what: str = "number") -> float:
    """`value` as a float above 0.

    Raises:
        ArgumentError: it is no number, not finite, or not above 0.
    """
    if isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < inf:
        return float(value)
    raise ArgumentError(f"{name}: expected a positive {what}, got {value!r}")


def number(name: str, value: object) -> float:
    """`value` as a finite float.

    Raises:
        ArgumentError: it is no number, or not finite.
    """
    if isinstance(value, Real) and not isinstance(value, bool) and isfinite(value):
        return float(value)
    raise ArgumentError(f"{name}: expected a finite number, got {value!r}")
