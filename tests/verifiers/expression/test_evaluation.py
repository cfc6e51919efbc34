"""Evaluation: one point, one field, and a budget that ends it."""

from fractions import Fraction

import pytest

from rewardgate.verifiers.expression.enclosures import FLOATS, UndefinedError, mp_field
from rewardgate.verifiers.expression.evaluation import Budget, BudgetError, evaluate
from rewardgate.verifiers.expression.parser import parse


def test_rational_trees_have_exact_values():
    point = {"x": Fraction(1, 3)}
    assert evaluate(parse(r"\frac{x^2+1}{x}"), point, FLOATS, Budget(100)) == Fraction(10, 3)  # (1/9 + 1) * 3


def test_a_spent_budget_ends_the_evaluation():
    with pytest.raises(BudgetError):
        evaluate(parse("x+x+x"), {"x": Fraction(1)}, FLOATS, Budget(3))
    with pytest.raises(BudgetError):  # many digits cost more: 192 / 16 = 12 an operation
        evaluate(parse(r"\pi"), {}, mp_field(192), Budget(11))
    with pytest.raises(BudgetError):  # 50 factors, two operations each
        evaluate(parse(r"\binom{x}{50}"), {"x": Fraction(1, 2)}, FLOATS, Budget(100))


def test_the_span_is_the_size_of_the_largest_value_on_the_way():
    budget = Budget(10_000)
    evaluate(parse("2^{100}-2^{100}+1"), {}, mp_field(192), budget)
    assert budget.span == 100


def test_a_bare_logarithm_has_the_base_that_is_asked_for():
    natural, decadic = (
        evaluate(parse(r"\log100"), {}, mp_field(192), Budget(10_000), decadic=decadic) for decadic in (False, True)
    )
    assert abs(mp_field(192).enclosed(decadic).middle - 2) < 1e-50
    assert abs(mp_field(192).enclosed(natural).middle - 4.605170185988091) < 1e-14  # ln 100


def test_the_imaginary_unit_is_a_value_in_a_complex_field_only():
    with pytest.raises(UndefinedError):
        evaluate(parse("i"), {}, FLOATS, Budget(10))
    square = evaluate(parse("i^2"), {}, mp_field(96, is_complex=True), Budget(1_000))
    assert mp_field(96).functions.almosteq(mp_field(96, is_complex=True).enclosed(square).middle, -1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [(r"\sqrt{-2}", False), ("(-8)^{1/3}", True), (r"\ln(-1)", True), (r"\sqrt{2}i", False), (r"\sqrt{i}", True)],
)
def test_functions_of_several_complex_values_are_noted(text: str, expected: bool):
    budget = Budget(10_000)
    evaluate(parse(text), {}, mp_field(96, is_complex=True), budget)
    assert budget.is_branched is expected
