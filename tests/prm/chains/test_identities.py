"""Two expressions that are the same, and a point at which they are not."""

import pytest

from rewardgate.prm.chains.identities import Probes, where_they_differ
from rewardgate.verifiers.expression.arithmetic import CostlyError
from rewardgate.verifiers.expression.parser import parse


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("(x+1)^2", "x^2+2x+1", True),
        ("(x+1)^2", "x^2+1", False),
        (r"\sin^2 x+\cos^2 x", "1", True),
        (r"\sqrt{12}", r"2\sqrt{3}", True),
        (r"\sqrt{12}", r"3\sqrt{2}", False),
        (r"\frac{x^2-1}{x-1}", "x+1", True),
    ],
)
def test_expressions_are_the_same_where_both_have_a_value(left: str, right: str, expected: bool) -> None:
    assert Probes().is_identity(parse(left), parse(right)) is expected


def test_only_comparisons_by_value_are_counted() -> None:
    probes = Probes(1)
    for _ in range(3):
        assert probes.is_identity(parse("2x"), parse("x+x"))
    assert probes.is_identity(parse(r"\sqrt{8}"), parse(r"2\sqrt{2}"))
    with pytest.raises(CostlyError):
        probes.is_identity(parse(r"\sqrt{8}"), parse(r"2\sqrt{2}"))


def test_they_differ_at_a_point_of_small_numbers() -> None:
    # (1 + 1)^2 = 4 and 1 + 1 = 2
    assert where_they_differ(parse("(x+1)^2"), parse("x^2+1")) == ({"x": 1}, 4, 2)
    # where x = 1 the left one has no value
    assert where_they_differ(parse(r"\frac{x}{x-1}"), parse("x")) == ({"x": 3}, 1.5, 3)
    assert where_they_differ(parse("x"), parse("x")) is None
