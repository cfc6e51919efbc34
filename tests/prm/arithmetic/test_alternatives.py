import pytest

from rewardgate.prm.arithmetic.alternatives import is_hundredfold, is_whole_part, may_mean_otherwise
from rewardgate.prm.arithmetic.equalities import equalities
from rewardgate.prm.arithmetic.readings import readings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2/5 = 20 students", True),
        ("1 - 2/5 = 30 students", True),
        ("3/5 = 30", True),
        ("6/7 = 1.1", False),  # no count
        ("2/5 * 20 = 9 students", False),
        ("100/8 = 13 buses", True),
        ("100/8 = 14 buses", False),
        ("100/8 = 13", False),
        ("90 minutes * (1/60) = 1 hour", False),
        ("9-5 = 8 hours", True),  # from 9 to 5
        ("9-5 = 7 hours", False),
        ("10-20 = 11", True),
        ("45-45-90 = 180", True),
        ("45-45-90 = 170", False),
        ("1.200 / 4 = 300", True),
        ("1.200 / 4 = 400", False),
        ("1,125 * 8 = 9", True),
        ("1,125 * 8 = 90", False),
        ("33.33 * 3 = 100", True),
        ("33.33 * 3 = 101", False),
        ("0.2 * 50 = 11", False),  # a fifth does not look rounded
        ("3.14 * 5^2 = 78.54", True),
        ("3.14 * 5^2 = 79.54", False),
        ("- 3^2 = -9", True),
        ("- 3^2 = 10", False),
        ("8^1/3 = 2", True),
        ("($5) + $8 = $3", True),
    ],
)
def test_another_meaning_is_found_or_excluded(text: str, expected: bool) -> None:
    found = next(equalities(text))
    values = readings(found.left), readings(found.right)
    assert may_mean_otherwise(found.left, found.right, *values) is expected


def test_parts_and_percents_are_told_by_the_values() -> None:
    found = next(equalities("10/4 = 3"))
    assert is_whole_part(readings(found.left), readings(found.right))
    assert not is_hundredfold(readings(found.left), readings(found.right))
    found = next(equalities("(6 - 5)/5 = 20"))
    assert is_hundredfold(readings(found.left), readings(found.right))
