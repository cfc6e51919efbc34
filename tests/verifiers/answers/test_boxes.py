from itertools import pairwise

from completions import anchored_text
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.answers.boxes import closing_brace, find_boxes


def insides(text: str) -> list[str]:
    return [text[box.inner_start : box.inner_end] for box in find_boxes(text).closed]


def test_only_the_outermost_box_counts() -> None:
    assert insides(r"\boxed{a \fbox{b}} \boxed{c}") == [r"a \fbox{b}", "c"]


def test_escaped_braces_are_text() -> None:
    assert insides(r"\boxed{\{1, 2\}}") == [r"\{1, 2\}"]
    assert insides(r"\boxed{\left\{x\right.} y") == [r"\left\{x\right."]


def test_an_unclosed_box_does_not_swallow_complete_ones() -> None:
    found = find_boxes(r"\boxed{1} \boxed{ a typo, then \boxed{2}")
    assert insides(r"\boxed{1} \boxed{ a typo, then \boxed{2}") == ["1", "2"]
    assert found.unclosed_start == 10


def test_words_like_boxed_are_no_command() -> None:
    assert insides("the boxed answer, in \\boxed form, unboxed") == []


def test_a_box_takes_the_next_token_without_braces() -> None:
    assert insides(r"\boxed 7, \boxed-3. \boxed\frac{1}{2}") == ["7,", "-3.", r"\frac{1}{2}"]


@given(st.text(alphabet="{}\\a", max_size=60))
def test_closing_brace_agrees_with_counting(text: str) -> None:
    depth, at, expected = 1, 0, -1
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            expected = at
            break
        at += 1
    assert closing_brace(text, 0) == expected


@given(anchored_text)
def test_boxes_are_in_order_and_apart(text: str) -> None:
    closed = find_boxes(text).closed
    for box in closed:
        assert 0 <= box.start < box.inner_start <= box.inner_end <= box.end <= len(text)
    assert all(one.end <= other.start for one, other in pairwise(closed))
