from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.causes.rounding import is_rounded


@pytest.mark.parametrize(
    ("target", "answer", "expected"),
    [
        ("12.35", "12.3457", True),  # |12.3457 - 12.35| = .0043 <= .005
        ("12.3457", "12.35", True),
        ("12.35", "12.3557", False),  # .0057 > .005
        (r"7\pi", "21.99", True),  # 21.991
        (r"\frac{1}{3}", "0.333", True),
        (r"\frac{1}{3}", "0.33", False),  # two digits
        ("420", "420.04", False),  # nothing rounds to a whole number
        ("420", "421", False),
        ("12.35", "12.35", False),  # the same
        ("x+1", "2.22", False),
        ("0.00123", "0.0012345", True),
    ],
)
def test_one_number_in_two_precisions(target: str, answer: str, expected: bool) -> None:
    assert is_rounded(target, answer) is expected


@given(st.integers(1, 10**6), st.integers(1, 4))
def test_a_rounded_decimal_is_found_from_both_sides(thousandths: int, decimals: int) -> None:
    exact = Decimal(thousandths * 10 + 1).scaleb(-5) + 10  # never as short as its rounding
    rounded = exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    digits = len(rounded.as_tuple().digits)
    assert is_rounded(str(exact), str(rounded)) is (digits >= 3)
    assert is_rounded(str(rounded), str(exact)) is (digits >= 3)


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_whole_numbers_never_are(one: int, other: int) -> None:
    assert not is_rounded(str(one), str(other))
