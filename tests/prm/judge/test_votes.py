import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.prm.judge.answers import Answer
from rewardgate.prm.judge.votes import vote_scores


def values(*first_errors: int, n_steps: int) -> list[float | None]:
    answers = [Answer(index) for index in first_errors]
    return [score.value for score in vote_scores(answers, n_steps, n_asked=len(answers))]


@pytest.mark.parametrize(
    ("first_errors", "wanted"),
    [
        ((-1,), [1.0, 1.0, 1.0]),
        ((0,), [0.0, None, None]),
        ((2,), [1.0, 1.0, 0.0]),
        ((1, 1, 1, -1), [1.0, 0.25, None]),  # of step 2 one vote in four speaks
        ((0, -1), [0.5, None, None]),  # a half is not more than a half
        ((0, -1, -1), [2 / 3, 1.0, 1.0]),
        ((0, 1, 2), [2 / 3, 0.5, None]),  # step 1: one for, one against, one silent
    ],
)
def test_a_score_is_the_share_of_those_that_speak_of_the_step(
    first_errors: tuple[int, ...], wanted: list[float | None]
) -> None:
    assert values(*first_errors, n_steps=3) == pytest.approx(wanted)


@given(st.lists(st.integers(-1, 4), min_size=1, max_size=9))
def test_scores_equal_a_count_by_hand_and_the_order_of_the_votes_means_nothing(first_errors: list[int]) -> None:
    scores = values(*first_errors, n_steps=5)
    for step, value in enumerate(scores):
        right = sum(1 for index in first_errors if index == -1 or index > step)
        wrong = sum(1 for index in first_errors if index == step)
        if (right + wrong) / len(first_errors) > 0.5:
            assert value == pytest.approx(right / (right + wrong))
        else:
            assert value is None
    assert values(*reversed(first_errors), n_steps=5) == scores


def test_the_detail_shows_the_votes_and_a_reason_against() -> None:
    answers = [Answer(1, "it adds wrongly"), Answer(-1, "all hold"), Answer(-1)]
    first, second = vote_scores(answers, 2, n_asked=4)
    assert first == (1.0, "held_right", "of 4 votes 3 right, 0 wrong, 0 silent, 1 without a readable answer")
    assert second.rule == "split_votes"
    assert second.detail.endswith("2 right, 1 wrong, 0 silent, 1 without a readable answer: it adds wrongly")


def test_a_single_vote_is_told_in_words() -> None:
    assert [score.detail for score in vote_scores([Answer(1)], 3, n_asked=1)] == [
        "the judge finds no mistake up to here",
        "the first wrong step for the judge",
        "behind the first wrong step for the judge (step 1)",
    ]
