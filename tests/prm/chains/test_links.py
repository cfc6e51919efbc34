"""Which signs of equality claim that two expressions are the same."""

import pytest

from rewardgate.prm.chains.identities import Probes
from rewardgate.prm.chains.links import Link, difference_shown, links
from rewardgate.prm.chains.statements import statements


def linked(text: str, *, is_rewriting: bool = False) -> list[Link]:
    (chain,) = statements(f"${text}$")
    return links(chain, Probes(), is_rewriting=is_rewriting)


def claims(text: str, *, is_rewriting: bool = False) -> list[bool]:
    return [link.is_claim for link in linked(text, is_rewriting=is_rewriting)]


@pytest.mark.parametrize(
    "text",
    [
        "(x+1)^2 = x^2+1",
        "(25x+150)/10 = 25x+15",
        "(a+b)(a-b) = a^2+b^2",
        r"\sqrt{12} = 3\sqrt{2}",
        r"\binom{8}{2} = 27",
    ],
)
def test_what_differs_in_one_term_was_meant_to_be_the_same(text: str) -> None:
    assert claims(text) == [True]


@pytest.mark.parametrize(
    "text", ["(x+1)^2 = x^2+9", "2x+3 = x+7", "2A = 4A", "x = 3x", "3 = 5", "x^2 = 2x", "3x = 12y"]
)
def test_what_may_be_an_equation_to_solve_is_no_claim(text: str) -> None:
    assert not any(claims(text))


def test_a_true_rewriting_makes_a_chain_one_of_rewritings() -> None:
    # x(x^2 + 3x) = x^3 + 3x^2, not x^3 + x^2 + 2x; the first link is true
    right = "x(x(1+x)+2x)-6 = x(x^2+x+2x)-6 = x^3+3x^2-6"
    wrong = "x(x(1+x)+2x)+x-6 = x(x^2+x+2x)+x-6 = x^3+x^2+3x-6"
    assert [link.holds for link in linked(right)] == [True, True]
    assert claims(right) == [False, False]
    assert [link.holds for link in linked(wrong)] == [True, False]


def test_where_nothing_but_another_form_is_asked_for_every_equation_is_a_claim() -> None:
    text = "4(3r+5)-6(r^2+r) = 12r+20-6r^2+6r+1"
    assert (claims(text), claims(text, is_rewriting=True)) == ([False], [True])
    assert claims(r"\sqrt{a^2} = a", is_rewriting=True) == [False]  # a may be known to be positive


def test_the_difference_is_shown_at_a_point() -> None:
    (link,) = linked("(x+1)^2 = x^2+1")
    assert difference_shown(link) == "4 on the left, 2 on the right at x = 1"
    (link,) = linked(r"\sqrt{16} = 5")
    assert difference_shown(link) == "4 on the left, 5 on the right"
    (link,) = linked(r"\frac{1}{7^{40}} = 1")
    # 7^40 is 6.3668e33
    assert difference_shown(link) == "1.57065e-34 on the left, 1 on the right"
