from collections.abc import Sequence

import numpy as np
import pytest

from rewardgate.errors import ArgumentError
from rewardgate.integrations.scored_steps import CompletionIds, ScoredSteps, padded, scored_steps
from rewardgate.prm import StepRow, StepScore

# One id a piece; 99 stands for a special token, which no text has.
PIECES = {0: b"5 * 3 = 15.", 1: b"\n\n", 2: b"15 - 4 = 12.\n", 3: b"\nDone.", 4: "é".encode()[:1], 5: "é".encode()[1:]}
END = 99


class Scorer:
    """Half a chance for every step, and every row kept."""

    version = "1"

    def __init__(self, *values: float | None) -> None:
        self.asked: list[StepRow] = []
        self._values = values

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        self.asked += rows
        return [[StepScore(value, "", "") for value in self._values or [0.5] * len(row.steps)] for row in rows]


def all_true(*lengths: int) -> np.ndarray:
    return np.arange(max(lengths)) < np.array(lengths)[:, None]


def test_each_step_lies_on_its_tokens_and_special_tokens_on_none() -> None:
    scorer = Scorer(1.0, None, 0.0)
    rows = [CompletionIds("How many?", "11", [0, 1, 2, 3, END])]
    (found,) = scored_steps(rows, [True], all_true(5), tokenizer=PIECES, scorer=scorer)
    assert scorer.asked == [StepRow("How many?", ("5 * 3 = 15.\n\n", "15 - 4 = 12.\n\n", "Done."), "11")]
    # Token 3, "\nDone.", belongs to the step of its first byte. The last step has no token, but keeps its score: it is
    # the gate that knows whether anything follows from it.
    assert found.step_ids.tolist() == [0, 0, 1, 1, -1]
    np.testing.assert_equal(found.values, [1.0, np.nan, 0.0])


def test_rows_that_are_closed_or_have_no_token_that_counts_are_not_asked_about() -> None:
    scorer = Scorer()
    rows = [CompletionIds(f"{number}?", None, [0, 1, 2]) for number in range(3)]
    mask = all_true(3, 3, 3)
    mask[2] = False
    found = scored_steps(rows, [False, True, True], mask, tokenizer=PIECES, scorer=scorer)
    assert [row.prompt for row in scorer.asked] == ["1?"]
    assert [len(row.values) for row in found] == [0, 2, 0]
    assert [row.step_ids.tolist() for row in found] == [[-1] * 3, [0, 0, 1], [-1] * 3]
    assert [row.mask.tolist() for row in found] == mask.tolist()


def test_nobody_is_asked_where_nothing_is_open() -> None:
    class Closed:
        version = "1"

        def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
            raise AssertionError("called")

    scored_steps([CompletionIds("", None, [0])], [False], all_true(1), tokenizer=PIECES, scorer=Closed())
    assert scored_steps([], [], np.zeros((0, 0), dtype=bool), tokenizer=PIECES, scorer=Closed()) == []


def test_a_step_whose_tokens_are_masked_has_no_score_and_the_others_keep_theirs() -> None:
    mask = np.array([[False, False, True]])
    (found,) = scored_steps(
        [CompletionIds("", None, [0, 1, 2])], [True], mask, tokenizer=PIECES, scorer=Scorer(0.0, 1.0)
    )
    np.testing.assert_equal(found.values, [np.nan, 1.0])


def test_no_step_has_words_of_the_policy_and_of_a_tool() -> None:
    # The policy calls, the tool answers on the same line, the policy goes on there: three steps, of which two count.
    pieces = {0: b"add(2, 2)", 1: b" -> 2 + 2 = 5, ", 2: "good é".encode()}
    mask = np.array([[True, False, True, True, False]])
    scorer = Scorer(0.1, 0.2, 0.3)
    (found,) = scored_steps([CompletionIds("", None, [0, 1, 2, END])], [True], mask, tokenizer=pieces, scorer=scorer)
    assert [row.steps for row in scorer.asked] == [("add(2, 2)", " -> 2 + 2 = 5, ", "good é")]
    assert found.step_ids.tolist() == [0, 1, 2, -1, -1]
    np.testing.assert_equal(found.values, [0.1, np.nan, 0.3])


def test_a_completion_shorter_than_its_row_is_padded_with_no_step() -> None:
    rows = [CompletionIds("", None, [0, 1, 2]), CompletionIds("", None, [0])]
    found = scored_steps(rows, [True, True], all_true(3, 1), tokenizer=PIECES, scorer=Scorer())
    assert found[1].step_ids.tolist() == [0, -1, -1]


def test_bytes_that_are_no_character_are_read_and_keep_their_step() -> None:
    scorer = Scorer()
    (found,) = scored_steps(
        [CompletionIds("", None, [0, 5, 1, 4, 5, 4])], [True], all_true(6), tokenizer=PIECES, scorer=scorer
    )
    assert scorer.asked[0].steps == ("5 * 3 = 15.\ufffd\n\n", "é\ufffd")
    assert found.step_ids.tolist() == [0, 0, 0, 1, 1, 1]


def test_an_empty_completion_has_no_steps() -> None:
    scorer = Scorer()
    (found,) = scored_steps([CompletionIds("", None, [END])], [True], all_true(1), tokenizer=PIECES, scorer=scorer)
    assert (len(found.values), found.step_ids.tolist()) == (0, [-1])


def test_a_scorer_that_breaks_its_contract_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"step scorer: expected one score a step of row 0 \(2\), got 3"):
        scored_steps(
            [CompletionIds("", None, [0, 1, 2])],
            [True],
            all_true(3),
            tokenizer=PIECES,
            scorer=Scorer(1.0, 1.0, 1.0),
        )


def test_rows_of_several_processes_are_padded_to_one_table() -> None:
    rows = [
        ScoredSteps(np.array([0.5]), np.array([0, 0]), np.array([True, False])),
        ScoredSteps(np.empty(0), np.full(3, -1), np.ones(3, dtype=bool)),
    ]
    step_rewards, step_ids, mask = padded(rows)
    np.testing.assert_equal(step_rewards, [[0.5], [np.nan]])
    assert step_ids.tolist() == [[0, 0, -1], [-1, -1, -1]]
    assert mask.tolist() == [[True, False, False], [True, True, True]]
    assert [array.shape for array in padded([])] == [(0, 0), (0, 0), (0, 0)]
