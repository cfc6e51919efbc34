"""Trees: their nodes, their symbols, and numbers put in for symbols."""

from fractions import Fraction

from rewardgate.verifiers.expression.parser import parse
from rewardgate.verifiers.expression.tree import Number, Symbol, at_point, free_symbols, inverse, negated, nodes


def test_every_node_is_met_once():
    # the sum, the power with base and exponent, the function with root and index
    assert sum(1 for _ in nodes(parse(r"x^2+\sqrt{y}"))) == 1 + 3 + 3


def test_symbols_are_those_of_all_trees_sorted_and_constants_are_none():
    assert free_symbols(parse(r"y+\pi e"), parse("x_1y")) == ("x_1", "y")


def test_numbers_stand_for_the_symbols_named_and_the_rest_stays():
    point = {"x": Fraction(2)}
    assert at_point(parse(r"\sqrt{x}+x^n+3xy"), point) == parse(r"\sqrt{2}+2^n+3\cdot2y")


def test_a_number_is_negated_at_once_and_a_tree_by_a_factor():
    assert negated(Number(Fraction(3))) == Number(Fraction(-3))
    assert negated(Symbol("x")) == parse("-x")
    assert inverse(Symbol("x")) == parse("x^{-1}")
