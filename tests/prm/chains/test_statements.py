"""Chains of sides, in displays, in rows and in prose; what has no certain reading is there and unread."""

import pytest

from rewardgate.prm.chains.statements import Statement, applied_letters, statements


def read(text: str) -> list[Statement]:
    return list(statements(text, applied_letters(text)))


def sides(text: str) -> list[tuple[str, ...]]:
    return [one.sides for one in read(text)]


def test_rows_that_begin_with_a_sign_go_on_with_the_chain_above() -> None:
    text = "\\begin{align*}\n(x+1)^2 &= x^2+2x+1 \\\\\n&= x(x+2)+1 \\\\[2pt]\ny &= 3\n\\end{align*}"
    assert sides(text) == [("(x+1)^2", "x^2+2x+1", "x(x+2)+1"), ("y", "3")]


@pytest.mark.parametrize(
    "text",
    [r"$2x=4 \implies x=2$", r"$2x=4,\ x=2$", r"$2x=4$ so $x=2$", r"$2x=4 \text{ and } x=2$", r"\[2x=4\\x=2\]"],
)
def test_signs_that_separate_equations_separate_them(text: str) -> None:
    assert sides(text) == [("2x", "4"), ("x", "2")]


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        (r"$x \le 3$", ("\\le",)),
        (r"$1 < x \leq 3$", ("<", "\\le")),
        (r"$x \approx 3$", ("\\approx",)),
        ("$x:=3$", ("?",)),
    ],
)
def test_signs_have_one_spelling(text: str, signs: tuple[str, ...]) -> None:
    assert [one.signs for one in read(text)] == [signs]


@pytest.mark.parametrize(
    "text",
    [
        "$x = 1, -2$",
        r"$x = \pm 3$",
        "$x = 5$ percent",
        r"$x = 40\%$",
        "$x = 0.333...$",
        r"$\vec{u} = 2$",
        "$AB = 5$",
        r"$x \equiv 3 \pmod 7$",
        "f(2) = 5 and $f(x+1) = 7$",
        "$e = 3$",
        "2 x 3 = 6",
        "$f^{-1}(2) = 1$",
        r"$f'(x) = 2$",
    ],
)
def test_what_may_mean_something_else_is_not_read(text: str) -> None:
    assert read(text)
    assert all(None in one.trees for one in read(text))


def test_a_side_that_is_not_read_leaves_the_others() -> None:
    (chain,) = read("$f(x) = (x+1)^2 = x^2+2x+1$")
    assert [tree is not None for tree in chain.trees] == [False, True, True]


def test_the_offsets_are_those_of_the_text() -> None:
    text = "So 2x = 4, and $y = 3$."
    assert [text[one.start : one.end] for one in read(text)] == ["2x = 4", "y = 3"]


def test_letters_are_functions_where_they_are_applied() -> None:
    assert applied_letters("f(2) = 5, 2x(3) = 6, g(x)") == {"f", "g"}
