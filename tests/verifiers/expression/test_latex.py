"""LaTeX variants of one answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.latex import closing_bracket, without_latex_variants


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"\dfrac{1}{2}", r"\frac{1}{2}"),
        (r"\frac12", r"\frac{1}{2}"),
        (r"\frac1{72}", r"\frac{1}{72}"),
        (r"\frac\pi3", r"\frac{\pi}{3}"),
        (r"\sqrt2", r"\sqrt{2}"),
        (r"4\sqrt(2)", r"4\sqrt{2}"),
        (r"900,\!000,\!000", "900000000"),
        (r"3{,}250", "3250"),
        (r"\left( 1, 2 \right)", "( 1, 2 )"),
        (r"90^{\circ}", r"90^\circ"),
        (r"\text{13}", "13"),
        (r"\mathbf{7}", "7"),
        (r"\boxed{\boxed{7}}", "7"),
        (r"\color{red}{7}", "7"),
        (r"\phantom{5}", ""),
        (r"5\phantom{6}", "5"),
        (r"10\text{ m}", r"10\text{m}"),  # a unit, not a variable
        (r"\text{ m }", "m"),
        (r"\text{ two  words }", r"\text{two words}"),
        (r"\$5", "$5"),
        ("$5$", "5"),
        ("costs $5", "costs $5"),  # one dollar sign is money
        (r"1\\2", r"1\\2"),
    ],
)
def test_each_variant_has_one_spelling(text: str, plain: str):
    assert without_latex_variants(text) == plain


def test_an_unclosed_group_is_left_as_it_stands():
    assert without_latex_variants(r"\text{abc") == r"\text{abc"
    assert closing_bracket("{{}", 0) == -1


@given(st.text(alphabet="\\{}()[]$fracsqrtext boxed0123456789^_,!", max_size=80))
def test_no_digit_of_any_text_is_lost_or_moved(text: str):
    assert digits(without_latex_variants(text)) == digits(text)


def test_deep_groups_are_bounded():
    assert digits(without_latex_variants(r"\text{" * 5_000 + "5" + "}" * 5_000)) == "5"


def digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
