"""A number held against its two thresholds: what the rungs of the ladder are made of."""

from ..report.ladder import Measure, RungStatus
from ..report.text import percent

__all__ = ["Thresholds", "at_least", "at_most", "measure"]

Thresholds = tuple[float, float | None]
"""From where it warns, and from where it fails; None: never."""


def measure(name: str, value: float | None, status: RungStatus, sentence: str, threshold: str) -> Measure:
    """One whose status is known already."""
    return Measure(name=name, value=value, status=status, sentence=sentence, threshold=threshold)


def at_most(name: str, share: float, limits: Thresholds, sentence: str) -> Measure:
    """A share that should be small: it warns from the first limit on (above a limit of 0), fails from the second.

    Example:
        >>> at_most("faults", 0.015, (0.0, 0.01), "3 of 200").status, at_most("faults", 0, (0.0, 0.01), "none").status
        ('fail', 'ok')
    """
    warn, fail = limits
    status: RungStatus = "ok"
    if fail is not None and share >= fail:
        status = "fail"
    elif share > 0 and share >= warn:
        status = "warn"
    words = [f"warn {'above 0' if warn == 0 else f'from {percent(warn)} on'}"]
    words += [] if fail is None else [f"fail from {percent(fail)} on"]
    return measure(name, share, status, sentence, ", ".join(words))


def at_least(name: str, share: float, limits: Thresholds, sentence: str) -> Measure:
    """A share that should be large: it warns below the first limit, and fails below the second.

    Example:
        >>> found = at_least("mixed groups", 0.3, (0.5, 0.2), "3 of 10")
        >>> found.status, found.threshold
        ('warn', 'warn below 50 %, fail below 20 %')
    """
    warn, fail = limits
    status: RungStatus = "ok"
    if fail is not None and share < fail:
        status = "fail"
    elif share < warn:
        status = "warn"
    words = [f"warn below {percent(warn)}"] + ([] if fail is None else [f"fail below {percent(fail)}"])
    return measure(name, share, status, sentence, ", ".join(words))
