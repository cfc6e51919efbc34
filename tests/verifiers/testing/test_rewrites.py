import pytest
from answer_values import is_same, value_of
from hypothesis import given
from hypothesis import strategies as st
from library_tree import ROOT

from rewardgate.verifiers.testing import REWRITES, rewrites, strategies

SAMPLES = (
    "12345", "-12345", "100000", "0.50", "-0.0001", r"\frac{1}{3}", r"-\frac{3}{2}", "-1/2", r"2\sqrt{3}", "x^2-1",
    r"\frac{1}{2}x^{12}", r"(1,\frac{1}{2},3)", r"\{1,2\}", "[0,1)", "B", "even",
)  # fmt: skip


@given(strategies.targets(), st.data())
def test_a_rewrite_is_worth_what_its_target_is(target: str, data: st.DataObject) -> None:
    rewrite = data.draw(strategies.rewritten(target, conventions=True))
    assert is_same(value_of(rewrite.text), value_of(target)), rewrite


@given(strategies.targets(*strategies.KINDS))
def test_the_target_comes_first_and_no_text_stands_twice(target: str) -> None:
    found = rewrites(target, conventions=True)
    assert (found[0].name, found[0].text) == ("as_written", target)
    assert len({rewrite.text for rewrite in found}) == len(found)


def test_every_name_is_told_and_occurs() -> None:
    names = {rewrite.name for text in SAMPLES for rewrite in rewrites(text, conventions=True)}
    assert REWRITES.keys() <= names
    assert {name.removeprefix("item_") for name in names} <= REWRITES.keys() | {"dfrac"}


@pytest.mark.parametrize(
    ("target", "texts"),
    [
        ("1234", ["1,234", "1{,}234", r"1\,234", "1234.0"]),
        ("1500", [r"1.5\times10^{3}"]),
        ("-7", ["−7", r"\text{-7}", "$-7$"]),
        (r"\frac{1}{2}", [r"\dfrac{1}{2}", "1/2", r"\frac12", "0.5"]),
        (r"-\frac{2}{3}", [r"\frac{-2}{3}", "-2/3", r"-\frac23"]),
        ("0.5", [".5", "0.50", r"\frac{1}{2}"]),
        (r"2\sqrt{3}", ["2*sqrt(3)", "2√3", r"2\cdot \sqrt{3}"]),
        ("x^2-1", ["x^{2}-1", "x²-1", "-1+x^2", r"\left(x^2-1\right)"]),
        (r"\{1,2\}", [r"\{2,1\}", r"\{1, 2\}", r"\left\{1,2\right\}", r"\{1.0,2\}"]),
        ("$7$", ["7", r"\(7\)", r"\text{7}", "7.0"]),
        ("C", ["(C)", "C.", r"\text{C}"]),
    ],
)
def test_the_usual_notations_are_among_them(target: str, texts: list[str]) -> None:
    assert set(texts) <= {rewrite.text for rewrite in rewrites(target)}


@pytest.mark.parametrize(
    ("target", "convention"),
    [("5", "x = 5"), ("5", "+5"), ("12345", "12 345"), ("[0,1)", r"0 \le x < 1"), (r"\frac{3}{2}", r"1\frac{1}{2}")],
)
def test_a_convention_is_left_out_unless_asked_for(target: str, convention: str) -> None:
    assert convention not in {rewrite.text for rewrite in rewrites(target)}
    assert convention in {rewrite.text for rewrite in rewrites(target, conventions=True)}


@pytest.mark.parametrize("target", ["(1,2)", r"\{1000,2\}", "[0,1000)"])
def test_among_commas_no_thousands_are_separated_by_one(target: str) -> None:
    assert not any("thousands" in rewrite.name for rewrite in rewrites(target, conventions=True))


@pytest.mark.parametrize("text", ["", "$", "y = 2x", "[1,2,3]", r"\frac{1}{0}", "x+x", "(1,2", r"0\pi", "x" * 500])
def test_what_the_grammar_does_not_know_keeps_its_text(text: str) -> None:
    assert {rewrite.text.strip() for rewrite in rewrites(text)} <= {text, rf"\text{{{text}}}", rf"\textbf{{{text}}}"}


@given(st.text(max_size=30))
def test_no_text_makes_it_raise(text: str) -> None:
    assert rewrites(text, conventions=True)


def test_the_documentation_tells_every_name_with_its_meaning() -> None:
    page = (ROOT / "docs/testing.md").read_text(encoding="utf-8")
    for name, meaning in REWRITES.items():
        assert f"| `{name}` | {meaning.replace('(convention)', '*convention*')} |" in page
