"""How many labels more would decide a question, or overturn the answer: numbers to plan with, no promises.

All labels count as one sample here, whatever strata they come from.
"""

from collections.abc import Callable

from ..errors import ArgumentError
from .incomplete_beta import lower_quantile, upper_quantile

__all__ = ["labels_to_decide", "labels_to_overturn", "side_of"]

_MOST_LABELS = 1_000_000


def side_of(threshold: float, n: float, x: float, *, confidence: float = 0.95) -> int:
    """On which side of `threshold` Jeffreys' interval lies: 1 above it, -1 below, 0 where it holds it.

    Args:
        threshold: in (0, 1).
        n, x: labels and events, not always whole (`stratified.effective_counts`); n above 0.
        confidence: in (0, 1), two-sided.

    Raises:
        ArgumentError: numbers outside those ranges.

    Example:
        >>> side_of(0.95, 59, 59), side_of(0.95, 20, 20), side_of(0.95, 20, 10)
        (1, 0, -1)
    """
    _check_chance("threshold", threshold)
    _check_chance("confidence", confidence)
    if not (n > 0 and 0 <= x <= n):
        raise ArgumentError(f"x: expected a number in 0..n with n above 0, got {x:g} of {n:g}")
    tail, a, b = (1 - confidence) / 2, x + 0.5, n - x + 0.5
    if x > 0 and lower_quantile(a, b, tail) > threshold:
        return 1
    return -1 if x < n and upper_quantile(a, b, tail) < threshold else 0


def labels_to_decide(n: float, x: float, *, threshold: float, confidence: float = 0.95) -> int | None:
    """How many further labels at the rate seen so far put the whole interval on one side of `threshold`.

    Args:
        n, x, threshold, confidence: as for `side_of`.

    Returns:
        0 where it lies on one side already; None where the rate is too near the threshold for a million.

    Raises:
        ArgumentError: numbers outside the ranges of `side_of`.

    Example:
        >>> labels_to_decide(20, 20, threshold=0.95), labels_to_decide(59, 59, threshold=0.95)
        (29, 0)
    """
    rate = x / n
    return _least(lambda more: side_of(threshold, n + more, x + more * rate, confidence=confidence) != 0)


def labels_to_overturn(n: float, x: float, *, threshold: float, confidence: float = 0.95) -> int | None:
    """How many further labels, every one against it, would end what the labels so far show.

    Returns:
        None where they show nothing yet: the interval holds `threshold`.

    Raises:
        ArgumentError: numbers outside the ranges of `side_of`.

    Example:
        >>> labels_to_overturn(59, 59, threshold=0.95), labels_to_overturn(300, 300, threshold=0.95)
        (1, 9)
    """
    side = side_of(threshold, n, x, confidence=confidence)
    if side == 0:
        return None
    against = 0 if side > 0 else 1
    return _least(lambda more: side_of(threshold, n + more, x + more * against, confidence=confidence) != side)


def _least(holds: Callable[[int], bool]) -> int | None:
    """The least number from 0 on for which `holds`, which once true stays true."""
    low, high = 0, 1
    if holds(0):
        return 0
    while not holds(high):
        low, high = high, 2 * high
        if low > _MOST_LABELS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _check_chance(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise ArgumentError(f"{name}: expected a number in (0, 1), got {value}")
