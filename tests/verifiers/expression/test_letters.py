"""Choice letters in a maths answer."""

import pytest

from rewardgate.verifiers.expression.letters import compare_letters


@pytest.mark.parametrize(
    ("target", "answer", "same"),
    [
        ("B", "B", True),
        ("B", "(b)", True),
        ("(E)", "E", True),
        ("E", "E: A polygenic risk score", True),
        ("C", "C. the moon", True),
        ("C", "D", False),
        ("x", "y", None),
        ("V", "2x", None),
        ("B", "BC", None),
        ("B", "B+1", None),
        ("5", "B", None),
    ],
)
def test_only_a_letter_stands_for_a_letter(target: str, answer: str, same: bool | None):
    assert compare_letters(target, answer) is same
