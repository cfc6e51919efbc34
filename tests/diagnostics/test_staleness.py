from math import isnan
from typing import Any

import pytest

from rewardgate.diagnostics.staleness import staleness
from rewardgate.errors import ArgumentError


def test_distances_are_over_rollouts_of_which_both_versions_are_known() -> None:
    # 3, 0, 1 behind; the commit and the missing ones have no distance.
    found = staleness([5, 8, "7", "a3f", None, 8], [8, 8, 8, 8, 8, None])
    assert found == (pytest.approx(4 / 3), 3.0, pytest.approx(2 / 3), 3, 3)


def test_one_version_may_stand_for_all() -> None:
    assert staleness([1, 2], 2) == staleness([1, 2], "2") == staleness(["1", "2"], [2, 2])


def test_nothing_known_is_nan_and_never_0() -> None:
    found = staleness([None, "main", True], 3)
    assert (found.known, found.unknown) == (0, 3)
    assert all(map(isnan, (found.mean, found.worst, found.stale)))
    assert staleness([], 3).unknown == 0


@pytest.mark.parametrize(
    ("versions", "trained_at", "message"),
    [
        ([1, 4], 3, "policy_versions: expected none after 3, the version trained, got 4 in row 1"),
        ([1, 2], [3], r"trained_at: expected one version a rollout \(2\), got 1"),
    ],
)
def test_versions_that_cannot_be_are_refused(versions: list[Any], trained_at: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        staleness(versions, trained_at)
