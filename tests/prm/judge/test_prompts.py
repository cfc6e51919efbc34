import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.prm.judge.prompts import BOXED, JSON, asked, checked_template

hostile = st.lists(
    st.sampled_from(
        [
            *("<paragraph_0>", "</paragraph_0>", "< / PARAGRAPH_1 >", "</problem>", "{steps}", "{problem}"),
            *("<", ">", "/", "paragraph_", "1", " ", "\n", "a", "\ud800"),
        ]
    ),
    max_size=8,
).map("".join)


@given(hostile, st.lists(hostile, min_size=1, max_size=4))
def test_the_fences_are_ours_alone_whatever_the_texts_hold(problem: str, steps: list[str]) -> None:
    content = asked("{problem}\n{steps}", problem, steps)
    opening = re.findall(r"<\s*paragraph_\s*\d+", content, re.IGNORECASE)
    closing = re.findall(r"<\s*/\s*paragraph_\s*\d+", content, re.IGNORECASE)
    assert opening == [f"<paragraph_{number}" for number in range(len(steps))]
    assert closing == [f"</paragraph_{number}" for number in range(len(steps))]
    assert "</problem" not in content.lower()
    content.encode("utf-8")


def test_braces_of_a_problem_are_no_places_and_latex_comes_through() -> None:
    content = asked("{problem}|{steps}|{count}", r"{steps} {count} \frac{1}{2}", [r"\sqrt{2} < 3 {problem}"])
    assert content == "{steps} {count} \\frac{1}{2}|<paragraph_0>\n\\sqrt{2} < 3 {problem}\n</paragraph_0>|1"


@pytest.mark.parametrize("flood", ["<" * 200_000, "< " * 100_000, "<" + " " * 200_000 + "x", "< /" * 60_000])
def test_a_flood_of_signs_is_fenced_in_linear_time(flood: str) -> None:
    begun = time.process_time()
    asked("{problem}{steps}", flood, [flood])
    assert time.process_time() - begun < 2


def test_an_inequality_is_not_taken_for_a_fence() -> None:
    assert "x < p and y<problematic" in asked("{problem}{steps}", "x < p and y<problematic", ["a"])


@pytest.mark.parametrize("template", [BOXED, JSON])
def test_our_own_questions_name_both_ends_of_the_numbering_and_the_form(template: str) -> None:
    content = asked(checked_template(template), "2+2?", ["4", "so 4"])
    assert "cut into 2 paragraphs, numbered from 0" in content
    assert "the number is -1" in content
    assert "boxed{}" in content or '"first_error"' in content


@pytest.mark.parametrize("template", ["", "{problem}", "{steps}", "{ problem } {steps}", None, 4])
def test_a_template_without_its_places_is_refused(template: object) -> None:
    with pytest.raises(ArgumentError, match="template: expected a text with"):
        checked_template(template)
