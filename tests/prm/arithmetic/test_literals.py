import pytest

from rewardgate.prm.arithmetic.literals import Literal, literal_at
from rewardgate.prm.arithmetic.tokens import tokens_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 + 1", Literal("12", 1)),
        ("3 1/2", Literal("(3+1/2)", 4)),
        ("3 and 1/2", Literal("(3+1/2)", 5, is_doubtful=True)),
        ("3 and 3/2", Literal("3", 1)),
        ("3-1/2", Literal("3", 1, is_doubtful=True)),
        ("3 - 1/2", Literal("3", 1)),
        (r"3\frac12", Literal(r"3\frac{1}{2}", 2)),
        ("6.02 × 10^23", Literal("(6.02*10^23)", 5, is_power=True)),
        ("6.02 x 10^{-23}", Literal("(6.02*10^-23)", 8, is_power=True)),
        ("6.02·10⁻²³", Literal("(6.02*10^-23)", 4, is_power=True)),
        ("3 * 10", Literal("3", 1)),
        ("3 * 100^2", Literal("3", 1)),
        ("3000 * 10^2", Literal("3000", 1)),
        ("3 * 10^(2 + 1)", Literal("3", 1)),
        ("3 * 10^99999", Literal("3", 1)),
        ("3 * 10^", Literal("3", 1)),
    ],
)
def test_a_number_may_take_several_tokens(text: str, expected: Literal) -> None:
    assert literal_at(tokens_of(text), 0) == expected


def test_what_stands_before_a_number_decides_how_far_it_goes() -> None:
    assert literal_at(tokens_of("/ 1/2"), 1, before="/") == Literal("(1/2)", 3)
    assert literal_at(tokens_of("2 × 10^3"), 0, before="/").is_doubtful
    assert literal_at(tokens_of("2 × 10^3"), 0, before="^") == Literal("2", 1)
