"""Times of day."""

import pytest

from rewardgate.verifiers.expression.clocks import compare_clocks
from rewardgate.verifiers.expression.structures import read


@pytest.mark.parametrize(
    ("target", "answer", "same"),
    [
        ("4:30 p.m.", "4:30 PM", True),
        ("4:30 p.m.", "4:30", True),
        ("4:30 p.m.", "16:30", True),
        ("4:30 p.m.", "4:30 a.m.", False),
        ("4:30 p.m.", "4:31 p.m.", False),
        ("4:30 p.m.", "4", False),
        ("16:30", "4:30 p.m.", False),
        ("4:30", "4:30 p.m.", True),
        ("12 a.m.", "0:00", True),
        ("12 p.m.", "12:00", True),
        ("3 PM", "3:00 pm", True),
        ("3 PM", "15:00", True),
        ("3 PM", "3", True),
        ("3 PM", "3 hours", False),
        ("3 PM", "1:2:3", False),
        ("3 PM", "x", False),
    ],
)
def test_a_time_is_the_same_where_nothing_contradicts(target: str, answer: str, same: bool):
    assert compare_clocks(read(target), read(answer)).is_correct is same
