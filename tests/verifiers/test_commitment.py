import pytest

from rewardgate.verifiers.commitment import (
    is_attributed,
    is_denied,
    is_negated,
    is_negated_inside,
    is_placeholder,
    junction,
    retraction_end,
)


@pytest.mark.parametrize(
    ("before", "negated"),
    [
        ("not ", True),
        ("It isn't $", True),
        (r"x \neq ", True),
        ("cannot be ", True),
        ("6 rather than ", True),
        ("不是 ", True),
        ("Note: ", False),
        ("Do not forget: we get ", False),
        ("The answer is ", False),
        ("whether or not ", False),
        ("another ", False),
    ],
)
def test_a_denial_stands_right_before_what_it_denies(before: str, negated: bool) -> None:
    assert is_negated(before + "5", len(before)) is negated


@pytest.mark.parametrize(
    ("after", "denied"),
    [
        (" is not the answer", True),
        ("$ is wrong.", True),
        (" isn't correct", True),
        (" or not", True),
        (" is not the only solution", False),
        (" is the answer", False),
        (" is not hard to see", False),
    ],
)
def test_a_denial_may_follow(after: str, denied: bool) -> None:
    assert is_denied("5" + after, 1) is denied


@pytest.mark.parametrize(
    ("after", "retracted"),
    [
        (". Wait, that is wrong.", True),
        (". Hmm, that's not right.", True),
        (". Scratch that.", True),
        (". I made a mistake", True),
        (". A common mistake is to add 3; that is wrong.", False),
        (". This is correct.", False),
        (". That is all.", False),
    ],
)
def test_a_retraction_begins_a_sentence(after: str, retracted: bool) -> None:
    assert (retraction_end("5" + after, 1) >= 0) is retracted


@pytest.mark.parametrize(
    ("before", "attributed"),
    [
        ("The reference says ", True),
        ("Ground truth: $", True),
        ("reference_answer: ", True),
        ("The answer key gives ", True),
        ("According to the rubric, it is ", True),
        ("The correct answer is ", False),
        ("My answer: ", False),
    ],
)
def test_somebody_elses_answer_is_told(before: str, attributed: bool) -> None:
    assert is_attributed(before + "5", len(before)) is attributed


@pytest.mark.parametrize(
    ("gap", "joined"),
    [
        (", ", ", "),
        ("$ and $", ", "),
        ("\n", ", "),
        (r"\]" "\n" r"\[", ", "),
        ("", ", "),
        (", y = ", ", "),
        ("\n- ", ", "),
        (" or ", " or "),
        ("$. Alternatively, $", " or "),
        (". It could also be ", " or "),
        (" was tried first; now ", None),
        (". Wait, or ", None),
        (" and then we add 3 to get ", None),
        (" or, equivalently, ", None),
    ],
)
def test_answers_join_when_nothing_is_said_between_them(gap: str, joined: str | None) -> None:
    assert junction(gap) == joined


def test_a_denial_inside_is_told_from_a_relation() -> None:
    assert [
        is_negated_inside(text)
        for text in (r"\neq 5", "≠ 5", r"\text{not } 5", "not 5", r"x \neq 5", r"\text{not prime}", r"\nearrow 5")
    ] == [
        True,
        True,
        True,
        True,
        False,
        False,
        False,
    ]


def test_placeholders_are_told_from_answers() -> None:
    assert all(map(is_placeholder, ("?", r"\ldots", "Your Answer", "N/A", "the same as the reference answer")))
    assert not any(map(is_placeholder, ("0", "x", "east", "unknown quantity", "5?")))
