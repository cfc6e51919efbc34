"""Whether one of two equations follows from the other."""

import pytest

from rewardgate.prm.chains.equations import agree, only_solution, zeros
from rewardgate.prm.chains.polynomials import Polynomial
from rewardgate.verifiers.expression.parser import parse


def of(text: str) -> Polynomial:
    left, right = text.split("=")
    found = zeros(parse(left), parse(right))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2x+3=7", "2x=4"),
        ("x^2=4", "x=2"),  # a case
        ("x-4=3", "(x-4)^2=9"),  # squared
        ("x(x-3)=0", "x-3=0"),  # divided by x
        ("x/2=x/3+1", "3x=2x+6"),
        ("65/52=(18-x)/x", "65x=52(18-x)"),
        ("650x=520y", "5x=4y"),
        ("a^2=b^2", "a=b"),
        (r"\frac{x^2-1}{x-1}=3", "x+1=3"),
    ],
)
def test_what_follows_or_is_followed_agrees(one: str, other: str) -> None:
    assert agree(of(one), of(other)) is True
    assert agree(of(other), of(one)) is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2x+3=7", "2x=10"),
        ("x^2-6x+5=0", "(x-1)(x-6)=0"),  # 5 is lost and 6 gained
        ("x/520=y/650", "x=52y*65"),
        ("2p=29/50", "p=29/50"),
        (r"\frac{x^2-1}{x-1}=0", "x=1"),  # not where the quotient is undefined
    ],
)
def test_what_neither_follows_nor_is_followed_does_not(one: str, other: str) -> None:
    assert agree(of(one), of(other)) is False
    assert agree(of(other), of(one)) is False


def test_nothing_is_said_where_no_point_is_found() -> None:
    assert agree(of("x^2+y^2=1"), of("x^2+y^2=4")) is None  # neither is linear in a letter
    assert zeros(parse(r"\sqrt{x}"), parse("2")) is None


def test_the_only_solution_is_one_however_often_it_counts() -> None:
    assert [only_solution(of(text)) for text in ("3x=12", "(x-3)^2=0", "x^2=4", "x+y=1")] == [4, 3, None, None]
