import pytest

from rewardgate.verifiers.answers.commitment import is_attributed, is_placeholder, junction, retraction_end


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


def test_placeholders_are_told_from_answers() -> None:
    assert all(map(is_placeholder, ("?", r"\ldots", "Your Answer", "N/A", "the same as the reference answer")))
    assert not any(map(is_placeholder, ("0", "x", "east", "unknown quantity", "5?")))
