"""An AUC held against chance: what it takes to say that a score ranks right above wrong."""

from .report.model import Severity
from .report.text import number

__all__ = ["OVER_CHANCE", "interval", "over_chance"]

CHANCE = 0.5
OVER_CHANCE = "warn where the 95 % interval holds 0.5, or there is none; fail where it lies below"


def over_chance(low: float | None, high: float | None) -> Severity:
    """Whether an AUC with that interval is surely above chance, may be chance, or is surely below it.

    Without an interval nothing is sure, whatever the figure.

    Example:
        >>> over_chance(0.55, 0.7), over_chance(0.3, 0.7), over_chance(0.2, 0.4), over_chance(None, None)
        ('ok', 'warn', 'fail', 'warn')
    """
    if low is None or high is None:
        return "warn"
    if high < CHANCE:
        return "fail"
    return "ok" if low > CHANCE else "warn"


def interval(low: float | None, high: float | None) -> str:
    """`[low, high]`, or that there is none.

    Example:
        >>> interval(0.25, 0.75), interval(None, None)
        ('[0.250, 0.750]', '[no interval]')
    """
    return "[no interval]" if low is None else f"[{number(low)}, {number(high)}]"
