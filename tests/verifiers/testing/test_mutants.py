import pytest
from answer_values import is_same, value_of
from hypothesis import given
from hypothesis import strategies as st
from library_tree import ROOT

from rewardgate.verifiers.testing import MUTANTS, mutants, strategies

CLAIMS = {"denied", "hedged", "not_equal", "at_least", "empty", "percent"}
"""Mutants that are wrong by what they say, not by another value."""

SAMPLES = ("-12345", "0.75", r"\frac{1}{3}", r"2\sqrt{3}-x^2", "(1,2)", "(1,2,3)", r"\{1,2\}", "[0,1)", "B", "even")


@given(strategies.targets(), st.data())
def test_a_mutant_is_not_worth_what_its_target_is(target: str, data: st.DataObject) -> None:
    mutant = data.draw(strategies.mutated(target, conventions=True))
    if mutant.name not in CLAIMS:
        assert not is_same(value_of(mutant.text), value_of(target)), mutant


@given(strategies.targets(*strategies.KINDS))
def test_no_text_stands_twice_and_none_is_the_target(target: str) -> None:
    texts = [mutant.text for mutant in mutants(target, conventions=True)]
    assert len(set(texts)) == len(texts)
    assert target not in texts


def test_every_name_is_told_and_occurs() -> None:
    names = {mutant.name for text in SAMPLES for mutant in mutants(text, conventions=True)}
    assert MUTANTS.keys() <= names
    assert all(name in MUTANTS or name.removeprefix("item_") in MUTANTS for name in names)


@pytest.mark.parametrize(
    ("target", "texts"),
    [
        ("42", ["43", "41", "-42", "420", "4", r"\neq 42", r"x \ge 42", r"\text{not }42", r"42 \text{ or } 43", ""]),
        (r"\frac{2}{3}", [r"\frac{3}{2}", r"-\frac{2}{3}", "1", r"\frac{1}{2}"]),  # 2/3 + 1/3 = 1; 2/(3+1) = 1/2
        ("0.75", ["0.74", "-0.75", "7.5", "0.075"]),
        (r"2\sqrt{3}", [r"3\sqrt{3}", r"-2\sqrt{3}", r"2\sqrt{4}"]),
        ("x^2-x", ["x^3-x", "-x^2-x", "x^2+x", "x^2", "-x"]),  # the exponent of x may not become 2: x^2 - x^2 = 0
        ("(1,2)", ["(2,1)", r"\{1,2\}", "(1,2,9)", "(2,2)"]),
        (r"\{1,2,3\}", [r"\{1,2\}", r"\{1,2,4\}", "(1,2,3)"]),
        ("[0,1)", ["[0,1]", "(0,1)", "[1,0)"]),
        (r"(-\infty,3]", [r"(-\infty,3)", r"(-\infty,4]", r"(\infty,3]"]),
        ("B", ["A", "B, A"]),
    ],
)
def test_the_usual_mistakes_are_among_them(target: str, texts: list[str]) -> None:
    assert set(texts) <= {mutant.text for mutant in mutants(target)}


@pytest.mark.parametrize(("target", "gone"), [("x^2-x", "x^2-x^2"), ("(3,3)", "(3,3)"), (r"\{1,1,2\}", r"\{2,1,2\}")])
def test_what_might_be_worth_the_target_is_no_mutant(target: str, gone: str) -> None:
    assert gone not in {mutant.text for mutant in mutants(target)}


@pytest.mark.parametrize(("target", "convention"), [("5", r"5\%"), (r"\frac{1}{3}", "0.333"), ("(1,2)", "[1,2]")])
def test_a_convention_is_left_out_unless_asked_for(target: str, convention: str) -> None:
    assert convention not in {mutant.text for mutant in mutants(target)}
    assert convention in {mutant.text for mutant in mutants(target, conventions=True)}


def test_square_brackets_around_three_values_are_no_mutant():
    assert "[1,2,3]" not in {mutant.text for mutant in mutants("(1,2,3)", conventions=True)}


@given(st.text(max_size=30))
def test_no_text_makes_it_raise(text: str) -> None:
    assert mutants(text, conventions=True)


def test_the_documentation_tells_every_name_with_its_meaning() -> None:
    page = (ROOT / "docs/testing.md").read_text(encoding="utf-8")
    for name, meaning in MUTANTS.items():
        assert f"| `{name}` | {meaning.replace('(convention)', '*convention*')} |" in page
