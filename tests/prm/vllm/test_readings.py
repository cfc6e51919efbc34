"""What numbers of vLLM's mean, case by case."""

from math import exp, inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.prm import StepScore
from rewardgate.prm.hf.families import FAMILIES
from rewardgate.prm.vllm.failures import NoAnswerError
from rewardgate.prm.vllm.questions import Question
from rewardgate.prm.vllm.readings import at_positions, label_scores, token_scores

QWEN, SHEPHERD = FAMILIES["qwen"], FAMILIES["math_shepherd"]
TAG = 9
QUESTION = Question([1, TAG, 2, 3, TAG, TAG], (1, 5))  # the tag in the middle was written by a policy


def test_of_all_tokens_those_at_the_positions_are_read() -> None:
    assert at_positions([[i] for i in range(6)], QUESTION, tag=None) == [[1], [5]]


def test_of_the_tags_those_at_the_positions_are_read_and_not_one_that_a_policy_wrote() -> None:
    assert at_positions([["first"], ["policy's"], ["last"]], QUESTION, tag=TAG) == [["first"], ["last"]]


@pytest.mark.parametrize("n_rows", [0, 1, 2, 3, 5, 7])
def test_another_number_of_rows_than_tokens_is_an_error(n_rows: int) -> None:
    with pytest.raises(NoAnswerError, match=f"wrong_length: expected 6 rows, one a token, got {n_rows}"):
        at_positions([[0.5, 0.5]] * n_rows, QUESTION, tag=None)


@pytest.mark.parametrize("n_rows", [0, 2, 4, 6])
def test_another_number_of_rows_than_tags_is_an_error(n_rows: int) -> None:
    with pytest.raises(NoAnswerError, match=f"wrong_length: expected 3 rows, one a token 9, got {n_rows}"):
        at_positions([[0.5, 0.5]] * n_rows, QUESTION, tag=TAG)


def test_a_family_that_is_not_read_at_its_tag_has_no_row_where_tags_are_pooled() -> None:
    with pytest.raises(NoAnswerError, match="wrong_length: expected a row of token 3, which is no token 9"):
        at_positions([[0.5, 0.5]] * 3, Question(QUESTION.ids, (1, 2)), tag=TAG)


@pytest.mark.parametrize("rows", [None, "AACAPw==", 0.5, {"0": [0.5, 0.5]}])
def test_what_is_no_list_of_rows_is_unreadable(rows: object) -> None:
    with pytest.raises(NoAnswerError, match="unreadable_answer"):
        at_positions(rows, QUESTION, tag=None)


def test_the_second_label_is_the_right_one() -> None:
    # log(0.8 / 0.2) = 1.386...
    assert label_scores([[0.2, 0.8]], QWEN) == [StepScore(pytest.approx(0.8), "learned", "log-odds +1.39")]


@given(st.floats(0, 1))
def test_a_probability_comes_out_as_it_went_in(probability: float) -> None:
    value = label_scores([[1 - probability, probability]], QWEN)[0].value
    assert value == pytest.approx(probability, abs=1e-12)


def test_a_probability_that_vanished_is_a_score() -> None:
    assert [score.value for score in label_scores([[1.0, 0.0], [0.0, 1.0]], QWEN)] == [pytest.approx(0, abs=1e-40), 1.0]


@pytest.mark.parametrize("row", [[6.4, -5.8], [0.2, 0.2], [1.2, -0.2], [0.9, 0.9], [0.3, 0.68]])
def test_logits_are_refused_where_probabilities_were_asked_for(row: list[float]) -> None:
    with pytest.raises(NoAnswerError, match="not_probabilities"):
        label_scores([[0.5, 0.5], row], QWEN)


def test_probabilities_of_half_precision_are_taken() -> None:
    # 0.3 and 0.7 in bfloat16
    assert label_scores([[0.30078125, 0.69921875]], QWEN)[0].value == pytest.approx(0.7, abs=2e-3)


@pytest.mark.parametrize("row", [[0.5], [0.2, 0.3, 0.5], [], 0.5, None, "ab"])
def test_another_number_of_labels_is_an_error(row: object) -> None:
    with pytest.raises(NoAnswerError, match="wrong_labels: expected 2 numbers a row"):
        label_scores([row], QWEN)


@pytest.mark.parametrize("number", [nan, None, "0.5", True, inf])
def test_what_is_no_number_is_unknown(number: object) -> None:
    assert label_scores([[0.5, number], [0.5, 0.5]], QWEN)[0].value is None
    assert label_scores([[0.5, number], [0.5, 0.5]], QWEN)[1].value == 0.5


def test_two_tokens_share_what_the_vocabulary_leaves_them() -> None:
    # '+' at -3 and '-' at -4 of a long vocabulary: 1 / (1 + e^-1)
    top = {648: -3.0, 387: -4.0, 5: -0.1}
    assert token_scores([top], (387, 648), SHEPHERD)[0].value == pytest.approx(1 / (1 + exp(-1)))


@pytest.mark.parametrize("lacking", [{}, {387: -0.1}, {648: -0.1}, {387: -0.1, 648: -9999.0}, {387: -inf, 648: -1.0}])
def test_a_token_that_did_not_come_back_is_unknown_and_never_0(lacking: dict[int, float]) -> None:
    (score,) = token_scores([lacking], (387, 648), SHEPHERD)
    assert (score.value, score.rule) == (None, "missing_logprob")


def test_the_reason_names_the_token_and_what_there_was() -> None:
    (score,) = token_scores([{387: -0.1, 5: -3.0}], (387, 648), SHEPHERD)
    assert score.detail == "no log-probability of token 648 among the 2 that came back"


def test_one_step_without_its_tokens_costs_no_other_step() -> None:
    scores = token_scores([{387: -1.0, 648: -1.0}, {}, {387: nan, 648: -1.0}], (387, 648), SHEPHERD)
    assert [(score.value, score.rule) for score in scores] == [
        (0.5, "learned"),
        (None, "missing_logprob"),
        (None, "not_finite"),
    ]
