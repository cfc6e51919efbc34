"""Mathematics and prose told apart, whatever dollar signs are for."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.prm.chains.regions import regions

MARKS = st.sampled_from(
    ["$", "$$", r"\[", r"\]", r"\(", r"\)", r"\begin{align}", r"\end{align}", r"\\", "x", " ", "5", "="]
)


def maths(text: str) -> list[str]:
    return [text[one.start : one.end] for one in regions(text) if one.is_maths]


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("so $x=3$ and $y=4$.", ["x=3", "y=4"]),
        (r"\(x=3\) then \[y=4\] then $$z=5$$", ["x=3", "y=4", "z=5"]),
        ("\\begin{align*}\nx&=3\\\\\ny&=4\n\\end{align*}", ["\nx&=3\\\\\ny&=4\n"]),
        ("He pays $5000 + $200 = $5200.", []),
        ("It costs $3 and $5.", []),
        (r"It costs \$3, so $x=3$", ["x=3"]),
        ("$180(n-2)$ = $1070$", ["180(n-2)$ = $1070"]),
        ("$x=3$ and then $ y", ["x=3"]),
        (r"\[ x = 3 is never closed", []),
        (r"a row break \\[2pt] opens nothing \]", []),
    ],
)
def test_formulas_are_found_and_money_is_none(text: str, formulas: list[str]) -> None:
    assert maths(text) == formulas


@given(st.lists(MARKS, max_size=30).map("".join))
def test_regions_are_in_order_and_inside_the_text(text: str) -> None:
    position = 0
    for region in regions(text):
        assert position <= region.start <= region.end <= region.after <= len(text)
        position = region.after


@pytest.mark.parametrize("mark", ["$", "$x", "$$", r"\[", r"\(", r"\begin{align}", r"\\["])
def test_openers_without_closers_cost_no_more_than_their_length(mark: str) -> None:
    started = process_time()
    regions(mark * 20_000)
    assert process_time() - started < 2
