r"""Sets of numbers are the same where they hold the same points, however they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.normalise import normalise
from rewardgate.verifiers.expression.solution_sets import describes_set, same_set
from rewardgate.verifiers.expression.structures import read


def same(target: str, answer: str) -> bool | None:
    nodes = read(normalise(target)), read(normalise(answer))
    assert all(map(describes_set, nodes))
    return same_set(*nodes)


@pytest.mark.parametrize(
    ("target", "answer"),
    [
        ("(-2,2)", "x^2<4"),
        ("[-2,8]", r"|x-3|\le5"),
        (r"(-\infty,-2)\cup(2,\infty)", "|x|>2"),
        (r"(-\sqrt2,\sqrt2)", "x^2<2"),
        (r"(0,\infty)", "x^3>0"),
        ("(0,1)", "1/x>1"),
        (r"[0,\infty)", r"\sqrt{x}\ge0"),
        (r"x\ne0", r"\mathbb{R}\setminus\{0\}"),
        (r"\mathbb{R}-\{2,-1\}", r"(-\infty,-1)\cup(-1,2)\cup(2,\infty)"),
        ("(3,5)", "x>3 and x<5"),
        ("3<x<5", "x>3, x<5"),
        (r"(-\infty,2)\cup(5,\infty)", "x<2, x>5"),
        (r"(-\infty,2)\cup(5,\infty)", "x<2 and x>5"),
        ("x<2 or x>5", "x<2, x>5"),
        (r"(1,3)\cup\{5\}", r"\{5\}\cup(1,3)"),
        (r"(1,4)", r"(1,3)\cup[3,4)"),
        (r"(0.5,\infty)", "2x>1"),
    ],
)
def test_two_ways_of_writing_one_set_are_the_same(target: str, answer: str) -> None:
    assert same(target, answer) is True
    assert same(answer, target) is True


@pytest.mark.parametrize(
    ("target", "answer"),
    [
        ("[-2,2]", "x^2<4"),
        ("(-2,2)", r"x^2\le4"),
        ("(-2,2)", "x^2<4.0001"),
        ("(-1.414,1.414)", "x^2<2"),
        ("(-2,2)", "|x|>2"),
        (r"(0,\infty)", r"x^2>0"),
        (r"[0,\infty)", r"\sqrt{x}>0"),
        ("(3,5)", "x>3 or x<5"),
        (r"(1,4)", r"(1,3)\cup(3,4)"),
        (r"(-\infty,2)\cup(5,\infty)", "x>2, x<5"),
        (r"x\ne0", r"\mathbb{R}\setminus\{1\}"),
        (r"(2,\infty)", "2>x"),
    ],
)
def test_two_sets_that_differ_in_a_point_are_different(target: str, answer: str) -> None:
    assert same(target, answer) is False
    assert same(answer, target) is False


@pytest.mark.parametrize(
    ("target", "answer"),
    [
        ("(a,b)", "x^2<4"),  # an end that is no number
        ("(-2,2)", "x^2+y^2<4"),  # two variables
        ("y>2, y<5", "(x-3)(x-4)<0"),  # of two names, and no end on one side
        ("x>0", "t^2>4"),
    ],
)
def test_nothing_is_said_where_it_is_not_certain(target: str, answer: str) -> None:
    assert same(target, answer) is None


@given(
    ends=st.lists(st.fractions(-30, 30, max_denominator=12), min_size=2, max_size=2, unique=True).map(sorted),
    shift=st.fractions(-1, 1, max_denominator=40),
)
def test_the_interval_of_a_quadratic_is_its_own_and_no_other(ends: list, shift) -> None:
    low, high = ends
    relation = f"(x-({low}))(x-({high}))<0"
    assert same(f"({low},{high})", relation) is True
    if shift:
        assert same(f"({low},{high + abs(shift)})", relation) is False
    assert same(f"[{low},{high})", relation) is False
