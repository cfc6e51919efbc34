"""Where two expressions with symbols are compared: rational points of both signs and several sizes."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

__all__ = ["rational_points", "shown_point", "spread_out", "whole_points"]

_VALUES = tuple(
    # of every size, in no order
    Fraction(*pair)
    for pair in (
        (7, 3), (5, 4), (1, 9), (13, 6), (11, 2), (23, 7), (2, 7), (31, 3), (5, 11), (17, 9), (3, 2), (47, 4),
        (1, 5), (9, 13), (29, 12), (37, 6), (19, 10), (6, 17), (8, 3), (71, 5), (3, 13), (15, 14), (41, 16),
        (143, 6),
    )
)  # fmt: skip
_SIGNED_POINTS = 32
_POSITIVE_POINTS = 12
_WHOLE_POINTS = 12


def rational_points(symbols: tuple[str, ...]) -> Iterator[dict[str, Fraction]]:
    """Points of all patterns of signs in turn, then some at which all symbols are positive."""
    patterns = 2 ** len(symbols)
    for shift in range(_SIGNED_POINTS + _POSITIVE_POINTS):
        # An odd factor meets every pattern before it meets one again, the positive one first.
        negative = 37 * shift % patterns if shift < _SIGNED_POINTS else 0
        yield {
            name: (_size(shift, index) + index) * (-1 if negative >> index & 1 else 1)
            for index, name in enumerate(symbols)
        }


def _size(shift: int, index: int) -> Fraction:
    # Steps that differ from point to point, so that sizes meet in many ways too.
    return _VALUES[(shift + index * (5 + 2 * shift)) % len(_VALUES)]


def whole_points(symbols: tuple[str, ...]) -> Iterator[dict[str, Fraction]]:
    for shift in range(1, _WHOLE_POINTS + 1):
        yield {name: Fraction((shift * (index + 1) + index) % 17 + 1) for index, name in enumerate(symbols)}


def spread_out(points: list[dict[str, Fraction]], count: int) -> list[dict[str, Fraction]]:
    """`count` of `points`, the first and the last among them."""
    return [points[index * (len(points) - 1) // (count - 1)] for index in range(count)]


def shown_point(point: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items())
