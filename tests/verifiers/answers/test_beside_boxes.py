import pytest
from completions import anchored_text
from hypothesis import given

from rewardgate.verifiers import Extracted, Outcome
from rewardgate.verifiers.answers.beside_boxes import beside, has_lead
from rewardgate.verifiers.answers.boxes import find_boxes
from rewardgate.verifiers.extraction import boxed


def read(text: str) -> Extracted:
    found = boxed().extract(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"x=-\boxed{12}", "-12"),
        (r"$x = - \boxed{12}$", "-12"),
        (r"$-\boxed{12}$", "-12"),
        (r"The answer is -\boxed{12}", "-12"),
        (r"x = −\boxed{12}", "-12"),
        (r"x = -\boxed{\frac{1}{2}}", r"-\frac{1}{2}"),
        (r"x = -\boxed{a + 1}", "-(a + 1)"),
        (r"x = +\boxed{12}", "12"),
        (r"x = \pm\boxed{3}", r"\pm3"),
        (r"x = -\boxed{1}, y = -\boxed{2}", "x = -1, y = -2"),
        (r"(\boxed{3}, -\boxed{4})", "3, -4"),
    ],
)
def test_a_sign_before_a_box_belongs_to_its_answer(text: str, answer: str) -> None:
    assert (read(text).outcome, read(text).text) == (None, answer)


@pytest.mark.parametrize(
    "text",
    [
        r"answer - \boxed{5}",
        r"The answer – \boxed{5}",
        r"Answer-\boxed{5}",
        "- \\boxed{5}",
        "Roots:\n- \\boxed{5}",
        r"Part (a) - \boxed{5}",
        r"Step 2 - \boxed{5}",
        r"$x$ - \boxed{5}",
        r"$10 - 5 = \boxed{5}$",
        r"\text{so } \boxed{5}",
        r"{\boxed{5}}",
        r"\mathbf{\boxed{5}}",
        r"\textcolor{red}{\boxed{5}}",
        r"$x = 1 \quad \boxed{5}$",
        r"**\boxed{5}**",
        r"1. \boxed{5}",
        r"The answer is \boxed{5}!",
        r"\boxed{5} - as we wished",
        r"7 + \boxed{5} = 12",
        r"$2\boxed{5} = 10$",
    ],
)
def test_bullets_dashes_wrappers_and_blanks_are_no_part_of_an_answer(text: str) -> None:
    assert (read(text).outcome, read(text).text) == (None, "5")


@pytest.mark.parametrize(
    "text",
    [
        r"2\boxed{3}",
        r"$2 \boxed{3}$",
        r"$\frac{1}{2}\boxed{3}$",
        r"$2 - \boxed{3}$",
        r"\boxed{1} + \boxed{3}",
        r"$5\times\boxed{3}$",
        r"x = \sqrt{\boxed{3}}",
        r"$x^{\boxed{3}}$",
        r"$\frac{\boxed{3}}{4}$",
        r"$\boxed{3} + 4$",
        r"\boxed{3}\cdot 5",
    ],
)
def test_a_part_of_a_term_is_not_the_answer(text: str) -> None:
    assert (read(text).outcome, read(text).rule) == (Outcome.UNSUPPORTED, "part_of_a_term")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"\boxed{3}/\boxed{4}", r"\frac{3}{4}"),
        (r"$\frac{\boxed{3}}{\boxed{4}}$", r"\frac{3}{4}"),
        (r"\boxed{3}/4", "3/4"),
        (r"\boxed{3}^2", "3^2"),
        (r"$\boxed{5}!$", "5!"),
        (r"$\boxed{3}\pi$", r"3\pi"),
        (r"$\boxed{a+b}\sqrt{2}$", r"(a+b)\sqrt{2}"),
        (r"$-\boxed{2}\sqrt{3}$", r"-2\sqrt{3}"),
    ],
)
def test_a_term_that_can_be_read_in_one_way_is_read(text: str, answer: str) -> None:
    assert (read(text).outcome, read(text).text) == (None, answer)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"x < \boxed{42}", "x < 42"),
        (r"$1 < x \le \boxed{42}$", r"1 < x \le 42"),
        (r"so it is at least \boxed{42}", "at least 42"),
        (r"It is less than $\boxed{42}$.", "less than 42"),
    ],
)
def test_a_bound_before_a_box_belongs_to_its_answer(text: str, answer: str) -> None:
    assert read(text).text == answer


@pytest.mark.parametrize(
    "text",
    [
        r"-> \boxed{42}",
        r"x => \boxed{42}",
        r"> \boxed{42}",
        r"<b>\boxed{42}</b>",
        r"The least is \boxed{42}",
        r"x \Rightarrow \boxed{42}",
    ],
)
def test_an_arrow_a_quote_and_a_tag_are_no_bound(text: str) -> None:
    assert read(text).text == "42"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"$\boxed{12} \text{ m}$.", r"12 \text{ m}"),
        (r"\boxed{12} cm", "12 cm"),
        (r"\boxed{3} hours to fill it", "3 hours"),
        (r"\boxed{60}^\circ", r"60 ^\circ"),
        (r"\boxed{12}\,\mathrm{cm}^2", r"12 \mathrm{cm}^2"),
        (r"\boxed{1,234} square meters", "1,234 square meters"),
    ],
)
def test_a_unit_behind_a_box_belongs_to_its_answer(text: str, answer: str) -> None:
    assert read(text).text == answer


@pytest.mark.parametrize(
    "text",
    [
        r"\boxed{12} in all",
        r"\boxed{12} is the answer",
        r"\boxed{12} apples",
        r"\boxed{12} miles per hour",
        r"\boxed{12} km/h/s",
        r"The percentage is \boxed{12}\%",
        r"$12/100 = 12\%$, so \boxed{12}\%",
        r"\boxed{12} \text{ (as wanted)}",
        r"\boxed{12}^\circ C",
    ],
)
def test_other_words_behind_a_box_are_no_unit(text: str) -> None:
    assert read(text).text == "12"


def test_a_span_reaches_from_the_sign_to_the_unit() -> None:
    text = r"so $-\boxed{12}\text{ m}$, and not $\pm$"
    span = read(text).span
    assert span is not None
    assert text[slice(*span)] == r"-\boxed{12}\text{ m}"
    assert read(r"\boxed{12} m").span == (7, 12)
    assert read(r"x < \boxed{12}").span is None


def test_a_box_with_its_own_unit_takes_no_second_one() -> None:
    assert read(r"\boxed{12\text{ cm}} m").text == r"12\text{ cm}"
    assert read(r"\boxed{B} m").text == "B"


@given(anchored_text)
def test_only_what_has_a_lead_takes_one(text: str) -> None:
    for box in find_boxes(text).closed:
        found = beside(text, box.start, box.end, text[box.inner_start : box.inner_end])
        assert 0 <= found.start <= box.start < box.end <= found.end <= len(text)
        assert has_lead(text, box.start) or (found.lead == "" and found.start == box.start)


def test_a_percent_sign_behind_a_box_is_the_answers_where_nothing_else_speaks_of_percent() -> None:
    assert read(r"The rate is $\boxed{12}\%$").text == r"12 \%"
