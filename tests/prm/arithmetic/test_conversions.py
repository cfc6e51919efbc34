from fractions import Fraction

import pytest

from rewardgate.prm.arithmetic.conversions import may_convert


@pytest.mark.parametrize(
    ("ratio", "label", "factor", "expected"),
    [
        (60, "time", 3600, True),  # 120 = 2 hours
        (24, "time", 86400, True),  # 48 = 2 days
        (40, "time", 3600, False),
        (1, "time", 3600, False),  # the same unit is no other
        (Fraction(1, 7), "time", 86400, True),  # 2 = 14 days: weeks
        (12, "calendar", 12, True),
        (4, "quart", 1, True),  # 12 = 3 quarts: cups
        (16, "volume", Fraction(473176473, 125000000), True),  # 48 = 3 gallons
        (43560, "acr", 1, True),
        (1024, "kb", 1, True),
        (144, "gro", 1, True),
        (1000, "kj", 1, True),  # joules
        (12, "box", 1, False),
    ],
)
def test_a_bare_number_may_count_in_another_unit_of_the_kind(
    ratio: Fraction | int, label: str, factor: Fraction | int, expected: bool
) -> None:
    assert may_convert(Fraction(ratio), [label], Fraction(factor)) is expected


def test_a_number_without_a_unit_converts_into_nothing() -> None:
    assert not may_convert(Fraction(1000), [], Fraction(1))
