"""Ratios, term by term and as fractions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.nodes import Node
from rewardgate.verifiers.expression.ratios import compare_ratios
from rewardgate.verifiers.expression.structures import read


def same_text(one: Node, other: Node) -> bool:
    return one.text == other.text


@pytest.mark.parametrize(
    ("target", "answer", "rule", "right"),
    [
        ("1:2:3", "2:4:6", "ratio", True),
        ("1:2:3", "1:2", "ratio", False),
        ("11:21", "21:11", "ratio", False),
        ("1:2", "-1:-2", "ratio", False),
        ("0:0", "0:0", "ratio", True),
        ("3:4", "0.75", "ratio_as_fraction", True),
        ("3:4", "3/4", "ratio_as_fraction", True),
        ("4:2", "2", "ratio", False),
        ("a:b", "a:b", "ratio", True),
        ("a:b", "b:a", "ratio", False),
    ],
)
def test_ratios_are_judged_by_their_proportions(target: str, answer: str, rule: str, right: bool):
    comparison = compare_ratios(read(target), read(answer), same_text)
    assert (comparison.rule, comparison.is_correct) == (rule, right)


@given(st.integers(1, 99), st.integers(1, 99), st.integers(1, 99))
def test_a_scaled_ratio_is_the_same(one: int, other: int, scale: int):
    scaled = read(f"{one * scale}:{other * scale}")
    assert compare_ratios(read(f"{one}:{other}"), scaled, same_text).is_correct
