import pytest
from hypothesis import given
from hypothesis import strategies as st
from step_texts import responses

from rewardgate.prm.arithmetic.equalities import Budget
from rewardgate.prm.rules.stated import number_in, prose_of, same_value, stated_values
from rewardgate.verifiers.expression.arithmetic import CostlyError


def stated(text: str) -> list[str]:
    return [one.operand.plain for one in stated_values(prose_of(text), Budget())]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("15 - 3 = 12", ["12"]),
        ("x = 12 pens.", ["12"]),
        ("5 * 3 = 10 + 5 = 15, so x = 15", ["15", "15"]),
        ("$12+24= $<<12+24=36>>36.", ["36"]),
        (r"\(x = \frac{3}{4}\)", [r"\frac{3}{4}"]),
        ("It equals 7.", ["7"]),
        ("10 / 3 ≈ 3.33", ["3.33"]),
        ("3 + 4 = 7 = x", []),
        ("x != 2, x <= 3, x == 4, f => 5", []),
        ("y = 2x and z = a + 3", []),
        ("nothing", []),
    ],
)
def test_a_result_stands_behind_a_sign_of_equality_that_nothing_continues(text: str, values: list[str]) -> None:
    assert stated(text) == values


@given(responses)
def test_results_stand_where_they_say(text: str) -> None:
    prose = prose_of(text)
    assert len(prose) == len(text)
    for one in stated_values(prose, Budget()):
        assert prose[one.start] in "=≈\\e"
        assert one.start < one.operand.start < one.operand.end == one.end


def test_more_signs_than_the_budget_holds_are_an_error() -> None:
    with pytest.raises(CostlyError):
        list(stated_values("x = 1, " * 100, Budget(50, 10_000)))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("12", "12.0", True),
        ("1/2", "0.5", True),
        ("3.33", "10/3", True),
        ("3.34", "10/3", None),
        ("40%", "0.4", True),
        ("40", "40%", True),
        ("2 hours", "7200", True),
        ("2", "120", None),
        ("12", "-12", None),
        ("3.7", "4", None),
        ("12", "13", False),
        ("42", "24", False),
        ("1994", "2000", None),
        ("1,234", "1235", False),
        ("0", "5", False),
    ],
)
def test_two_numbers_are_one_where_a_reading_of_both_agrees(one: str, other: str, same: bool | None) -> None:
    first, second = number_in(one), number_in(other)
    assert first is not None
    assert second is not None
    assert same_value(first, second) is same
    assert same_value(second, first) is same


@given(st.integers(-(10**12), 10**12))
def test_a_number_is_itself(number: int) -> None:
    one = number_in(str(number))
    assert one is not None
    assert same_value(one, one) is True


@pytest.mark.parametrize("text", ["", "x", "12 or 13", "3x", "12 + 1", "1, 2", "twelve or so", "\\", "9" * 400])
def test_what_is_no_single_number_is_none(text: str) -> None:
    assert number_in(text) is None
