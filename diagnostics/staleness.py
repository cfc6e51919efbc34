"""How old the data is: versions between the policy that sampled a rollout and the one that learned from it."""

from collections.abc import Sequence
from math import nan
from typing import NamedTuple

import numpy as np

from ..errors import ArgumentError

__all__ = ["Staleness", "staleness"]


class Staleness(NamedTuple):
    """Distances of policy versions, in whatever unit they count; NaN where none is known.

    Args:
        mean, worst: over rollouts of which both versions are known.
        stale: share of them that another version sampled.
        known: rollouts of which both versions are known.
        unknown: the others.
    """

    mean: float
    worst: float
    stale: float
    known: int
    unknown: int


def staleness(
    policy_versions: Sequence[str | int | None], trained_at: str | int | Sequence[str | int | None]
) -> Staleness:
    """How many versions old rollouts were when they were learned from.

    Args:
        policy_versions: (B,) of the policy that sampled each; whole numbers, or their numerals. What is no number
            (a commit, a date) has no distance and counts as unknown.
        trained_at: the version that was updated with them, one for all or (B,).

    Raises:
        ArgumentError: lengths that differ, or a rollout from a version later than the one it updated.

    Example:
        >>> staleness([7, 8, "8", None], 8)
        Staleness(mean=0.3333333333333333, worst=1.0, stale=0.3333333333333333, known=3, unknown=1)
    """
    n = len(policy_versions)
    trained = [trained_at] * n if isinstance(trained_at, str | int) else list(trained_at)
    if len(trained) != n:
        raise ArgumentError(f"trained_at: expected one version a rollout ({n}), got {len(trained)}")
    distances: list[int] = []
    for row, (now, then) in enumerate(zip(map(_number, trained), map(_number, policy_versions), strict=True)):
        if now is None or then is None:
            continue
        if then > now:
            raise ArgumentError(
                f"policy_versions: expected none after {now}, the version trained, got {then} in row {row}"
            )
        distances.append(now - then)
    if not distances:
        return Staleness(nan, nan, nan, 0, n)
    behind = np.array(distances)
    return Staleness(
        mean=float(behind.mean()),
        worst=float(behind.max()),
        stale=float((behind > 0).mean()),
        known=len(behind),
        unknown=n - len(behind),
    )


def _number(version: str | int | None) -> int | None:
    if version is None or isinstance(version, bool):
        return None
    if isinstance(version, str):
        return int(version) if version.isascii() and version.isdigit() else None
    return version
