"""An equation against the one before it, by what is said between them."""

import pytest

from rewardgate.prm.chains.derivations import Derivation, Derivations
from rewardgate.prm.chains.statements import statements
from rewardgate.verifiers.expression.arithmetic import CostlyError
from rewardgate.verifiers.expression.parser import parse


def derived(text: str, given: str = "") -> list[Derivation]:
    derivations = Derivations(statements(given))
    found = []
    position = 0
    for statement in statements(text):
        derivations.say(text[position : statement.start])
        found.append(derivations.take(statement, text[statement.start : statement.end]))
        position = statement.end
    return found


@pytest.mark.parametrize(
    "text",
    [
        "2x + 3 = 7, so x = 3",
        "193 - x - 13 = 160\n-x + 18 = 160",
        r"\[ 2x+3=7 \implies 2x=10 \]",
        "We solve $x^2-6x+5=0$ by factoring: $(x-1)(x-6)=0$",
        "x/520 = y/650. Cross-multiplying, we get 520x = 650y",
        "$a+3b=0$. Subtracting $3b$ from both sides gives $a=3b$",
    ],
)
def test_an_equation_that_cannot_come_from_the_one_before_it_is_refuted(text: str) -> None:
    assert derived(text)[-1].holds is False


@pytest.mark.parametrize(
    "text",
    [
        "2x + 3 = 7, so x = 2",
        "$x^2=4$, so $x=2$",
        "$x-4=3$. Squaring both sides, $(x-4)^2=9$",
        "x/520 = y/650. Cross-multiplying, we get 650x = 520y",
    ],
)
def test_one_that_can_is_confirmed(text: str) -> None:
    assert derived(text)[-1].holds is True


@pytest.mark.parametrize(
    "text",
    [
        "$x-1=0$ or $x-5=0$",
        "2x = 4. If 2x = 6",
        "2x = 4. Let x be the second number: 3x = 12",
        "2x = 4. In the other case, 2x = 6",
        "$x-1=0$ or $x-5=0$, so $x=1$",
        "$x-3=5$, $x-3=-5$",
        "$x-3=5$ and $x-3=-5$",
        "For $n=1$, $2n+1=3$. For $n=2$, $2n+1=5$.",
        "a) $2x=4$ b) $3x=12$",
        "2x = 4. If 2x = 6, 4x = 12. So x = 2. Thus 4x = 8",
        "x = 4, x = 5",  # two values, or one corrected
        "$x+y=5$ and $x-y=1$",
        "We add the two equations $x+y=5$ and $x-y=1$ to get $3x+y=7$",
        "$x+y=5$. Substituting, $2x+3y=7$",
        "3x = 100, so x = 33.33",
        "3x = 100, so x = 33",
        "$2x=4$, $y=f(x)$, so $x=3$",  # what is between them may have said more
        "$2x < 4$, so $x < 3$",
        "2x = 4, so y = 3",
    ],
)
def test_nothing_is_said_where_it_may_come_from_elsewhere(text: str) -> None:
    assert derived(text)[-1].holds is None


def test_what_holds_of_any_number_stands_between_no_two_equations() -> None:
    assert derived("2x + 3 = 7. As 2(3 + 1) = 8 and (x+1)^2 = x^2+2x+1, x = 3")[-1].holds is False


def test_a_sum_of_multiples_of_known_equations_is_no_error() -> None:
    text = "$x+y=5$, $x-y=1$. Simplifying, $5x+y=13$"  # 3 (x+y) + 2 (x-y) = 15 + 2 = 17
    assert derived(text)[-1].holds is False
    assert derived(text.replace("13", "17"))[-1].holds is None
    assert derived("$x-y=1$. Simplifying, $5x+y=17$", given="$x+y=5$")[-1].holds is None


def test_both_solutions_are_told() -> None:
    assert derived("2x + 3 = 7, so x = 3")[-1] == Derivation(False, "2x + 3 = 7", (2, 3))


def test_an_equation_that_follows_from_a_known_one_is_known() -> None:
    derivations = Derivations(statements("$x^2+2x=x^2+6$"))
    assert derivations.is_known(parse("x"), parse("3"))
    assert not derivations.is_known(parse("x"), parse("4"))


def test_what_is_made_of_a_contradiction_is_one() -> None:
    derivations = Derivations(statements("$2(x+1)+1=2x+5$"))
    assert derivations.is_known(parse("2x+3"), parse("2x+5"))
    assert not Derivations().is_known(parse("2x+3"), parse("2x+5"))


def test_comparisons_are_counted() -> None:
    text = ". Simplifying, ".join(f"{size}x + y = {size}" for size in range(2, 300))
    with pytest.raises(CostlyError):
        derived(text)
