"""Where two expressions with symbols are compared: rational points of both signs and several sizes."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

__all__ = ["rational_points", "shown_point", "spread_out", "whole_points"]

_VALUES = tuple(
    Fraction(*pair)
    for pair in (
        (7, 3), (-5, 4), (1, 9), (13, 6), (-11, 2), (23, 7), (-2, 7), (31, 3), (5, 11), (-17, 9), (3, 2), (47, 4),
        (-1, 5), (9, 13), (29, 12), (-37, 6), (19, 10), (6, 17), (-8, 3), (71, 5), (-3, 13), (15, 14), (41, 16),
        (-23, 3),
    )
)  # fmt: skip
_WHOLE_POINTS = 12


def rational_points(symbols: tuple[str, ...]) -> Iterator[dict[str, Fraction]]:
    count = len(_VALUES)
    for shift in range(count):
        # Steps without a common divisor with the count, so that signs and sizes meet in many ways.
        yield {name: _VALUES[(shift + index * (5 + 2 * shift)) % count] + index for index, name in enumerate(symbols)}


def whole_points(symbols: tuple[str, ...]) -> Iterator[dict[str, Fraction]]:
    for shift in range(1, _WHOLE_POINTS + 1):
        yield {name: Fraction((shift * (index + 1) + index) % 17 + 1) for index, name in enumerate(symbols)}


def spread_out(points: list[dict[str, Fraction]], count: int) -> list[dict[str, Fraction]]:
    """`count` of `points`, the first and the last among them."""
    return [points[index * (len(points) - 1) // (count - 1)] for index in range(count)]


def shown_point(point: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items())
