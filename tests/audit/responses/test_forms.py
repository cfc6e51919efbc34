import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.responses.forms import Form, commitment_form
from rewardgate.verifiers.base import extractors

EXTRACTOR = extractors.create("auto")


def form_of(text: str) -> Form:
    return commitment_form(text, EXTRACTOR.extract(text))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (r"so $\boxed{18}$.", "boxed"),
        ("<answer> 18 </answer>\n", "answer_tag"),
        ("**Answer:** 18", "phrase"),
        ("#### 18", "hash"),
        (r"It is \boxed{18}. I hope this helps!", "boxed, more text behind it"),
        (r"It is $\boxed{18}$.<|im_end|>", "boxed, a special token behind it"),
        (r"It is \boxed{18}</s>", "boxed, a special token behind it"),
        ("<think>2 * 9</think>\nSo \\boxed{18}", "boxed, a thought before it"),
        ("So\r\n\\boxed{18}", "boxed, CRLF lines"),
        ("```python\n2 * 9\n```\nSo \\boxed{18}", "boxed, a code block in the text"),
        ("I do not know.", ""),
    ],
)
def test_a_form_is_the_place_and_what_a_grader_may_trip_over(text: str, name: str) -> None:
    assert form_of(text).name == name


@pytest.mark.parametrize(
    ("inside", "written"),
    [
        ("18", ""),
        (" 18 ", ""),
        (r"\text{18}", r"\text{18}"),
        (r"\mathbf{\text{18}}", r"\mathbf{\text{18}}"),
        ("18.", "18."),
    ],
)
def test_what_dresses_the_answer_inside_its_box_is_kept(inside: str, written: str) -> None:
    assert form_of(rf"so $\boxed{{{inside}}}$").written == written


@given(st.text(alphabet="\\boxed{}18 .<|>\n$textACR", max_size=80))
def test_any_text_has_a_form(text: str) -> None:
    form = form_of(text)
    assert form.name.startswith(form.place)
    assert len(form.written) <= 80
