"""The three numbers that a person takes away: false-pass ceiling, lazy-policy reward, false-fail rate."""

from .lazy import LazyPlay
from .matrix import UNDERPOWERED_BELOW, Matrix, upper_bound
from .model import Headlines, ProbeRow, Rate

__all__ = ["headlines"]


def headlines(grid: Matrix, lazy: LazyPlay | None, n_targets: int) -> Headlines:
    """The three numbers of a matrix.

    Args:
        grid: its rows.
        lazy: what laziness earned.
        n_targets: of the audit: no rate is known better than so many prompts allow.
    """
    wrong = [row for row in grid.rows.values() if row.expectation == "reject" and not row.explained and _judged(row)]
    worst = max(wrong, key=lambda row: (row.n_accepted / _judged(row), _judged(row)), default=None)
    right = [row for row in grid.rows.values() if row.expectation == "accept" and not row.family.startswith("format")]
    refused = sum(row.n_unexpected for row in right)
    n_right = sum(map(_judged, right))
    return Headlines(
        false_pass_ceiling=_rate(
            0 if worst is None else worst.n_accepted,
            0 if worst is None else _judged(worst),
            worst.probe if worst is not None and worst.n_accepted else "",
        ),
        lazy=None if lazy is None else lazy.best,
        # Rows of one target stand and fall together: the bound counts targets, not cases.
        false_fail=_rate(refused, n_right, "", n_independent=min(n_targets, n_right)),
    )


def _judged(row: ProbeRow) -> int:
    """Cases with a verdict."""
    return row.n - row.n_errors - row.n_timeouts - row.n_crashes


def _rate(count: int, n: int, worst: str, *, n_independent: int | None = None) -> Rate:
    m = n if n_independent is None else n_independent
    scaled = count if m == n else -(-count * m // n) if n else 0
    return Rate(
        count=count,
        n=n,
        rate=count / n if n else None,
        upper_bound=upper_bound(scaled, m),
        is_underpowered=m < UNDERPOWERED_BELOW,
        worst_probe=worst,
    )
