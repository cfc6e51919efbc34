import numpy as np
import pytest

from rewardgate.errors import ArgumentError
from rewardgate.prm.calibration import ScoredTrace


def scored(values: list[float], labels: list[float], first_error: int | None = -1) -> ScoredTrace:
    return ScoredTrace(problem_id="p", values=np.array(values), labels=np.array(labels), first_error=first_error)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([0.5], [1.0, 1.0]), r"labels: expected one a value \(1\), got shape \(2,\)"),
        (([1.5], [1.0]), r"values: expected numbers in \[0, 1\] or NaN, got 1.5"),
        (([0.5], [2.0]), r"labels: expected numbers in \[0, 1\] or NaN, got 2"),
        (([0.5], [1.0], 1), "first_error: expected -1 or a step below 1, got 1"),
    ],
)
def test_a_trace_that_cannot_be_is_refused(arguments: tuple, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        scored(*arguments)


def test_a_trace_of_which_nothing_was_said_is_silent() -> None:
    assert scored([np.nan], [1.0]).is_silent
    assert not scored([np.nan, 0.0], [1.0, 1.0]).is_silent
