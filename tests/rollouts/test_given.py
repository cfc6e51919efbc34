from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st

from rewardgate.rollouts.given import GivenRow, given

CHAT = [{"role": "user", "content": "2+2?"}]
REPLY = [{"role": "assistant", "content": "4"}]


def only(*arguments: Any, **named: Any) -> GivenRow:
    call = given(*arguments, named)
    assert not call.is_batch
    return call.rows[0]


def test_trl_gives_columns_and_tells_its_step() -> None:
    call = given(
        ["completions", "solution"],
        [],
        {
            "prompts": [CHAT, CHAT],
            "completions": [REPLY, REPLY],
            "completion_ids": [[1, 2], [1, 2, 3]],
            "solution": ["4", "4"],
            "answer": ["four", "four"],  # a column that the function does not ask for
            "trainer_state": SimpleNamespace(global_step=7),
            "log_extra": print,
        },
    )
    assert call.is_batch
    assert [(row.prompt, row.response, row.target, row.step, row.n_tokens) for row in call.rows] == [
        (CHAT, REPLY, "4", 7, 2),
        (CHAT, REPLY, "4", 7, 3),
    ]


def test_verl_gives_one_answer_and_says_more_in_extra_info() -> None:
    extra = {"index": 12, "split": "train", "question": "2+2?", "global_steps": 3}
    row = only(
        ["data_source", "solution_str", "ground_truth", "extra_info"],
        [],
        data_source="gsm8k",
        solution_str="#### 4",
        ground_truth="4",
        extra_info=extra,
    )
    assert row == GivenRow("#### 4", "2+2?", "4", "gsm8k/train/12", None, 3, None)


def test_verls_batch_gives_lists_of_everything() -> None:
    call = given(
        ["data_sources", "solution_strs", "ground_truths", "extra_infos"],
        [np.array(["a", "a"], dtype=object), ["4", "5"], ["4", "4"], np.array([{"index": 0}, {"index": 1}])],
        {},
    )
    assert [(row.response, row.target, row.prompt_id) for row in call.rows] == [("4", "4", "a/0"), ("5", "4", "a/1")]


def test_openrlhf_gives_prompt_and_response_in_one() -> None:
    call = given(["queries", "prompts", "labels"], [["2+2? 4", "other 5"], ["2+2?", "2+3?"], ["4", "5"]], {})
    # A query that does not begin with its prompt stays whole: nothing is cut on a guess.
    assert [(row.prompt, row.response, row.target) for row in call.rows] == [
        ("2+2?", " 4", "4"),
        ("2+3?", "other 5", "5"),
    ]


@pytest.mark.parametrize(
    ("parameters", "response", "target"),
    [
        (["completion", "target"], 0, 1),
        (["target", "completion"], 1, 0),
        (["gold", "response", "strict"], 1, 0),
        (["x", "y"], 0, 1),
        (["text_in", "answer"], 0, 1),
        (["answer", "out"], 1, 0),
        (["answer", "target"], 0, 1),
        (["solution", "answer"], 0, 1),
        (["answer", "solution"], 0, 1),
        (["solution", "ground_truth"], 0, 1),
        (["prompt", "x", "y"], 1, 2),
    ],
)
def test_a_plain_function_is_read_by_names_and_else_by_position(
    parameters: list[str], response: int, target: int
) -> None:
    values = [f"value {place}" for place in range(len(parameters))]
    row = only(parameters, values)
    assert (row.response, row.target) == (values[response], values[target])


def test_one_chat_is_one_response_and_a_list_of_chats_a_batch() -> None:
    assert only(["completion"], [REPLY]).response == REPLY
    assert [row.response for row in given(["completion"], [[REPLY, REPLY]], {}).rows] == [REPLY, REPLY]


def test_an_empty_batch_has_no_rows() -> None:
    call = given(["completions"], [[]], {"answer": []})
    assert call.rows == []
    assert call.is_batch


def test_what_is_not_a_column_is_shared_by_all_rows() -> None:
    call = given(["completions", "target"], [["4", "5"], "4"], {"step": 3})
    assert [(row.target, row.step) for row in call.rows] == [("4", 3), ("4", 3)]


def test_a_column_of_another_length_says_nothing() -> None:
    call = given(["completions", "target"], [["4", "5"], ["4", "4", "4"]], {})
    assert [row.target for row in call.rows] == [None, None]


def test_a_number_and_a_list_are_targets_and_an_object_is_none() -> None:
    assert only(["completion", "target"], ["4", 4.0]).target == "4"
    assert only(["completion", "target"], ["4", ("4", 5)]).target == ["4", "5"]
    assert only(["completion", "target"], ["4", object()]).target is None


def test_ids_of_the_row_are_taken_over() -> None:
    call = given(["completions"], [["4"]], {"task_id": [9], "uid": ["u1"]})
    assert (call.rows[0].prompt_id, call.rows[0].group) == ("9", "u1")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.builds(object),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "x"]), inner),
    max_leaves=5,
)
names = st.sampled_from(["completions", "completion", "prompts", "answer", "queries", "extra_info", "x", "step"])


@hypothesis_given(st.lists(names, unique=True), st.lists(anything, max_size=3), st.dictionaries(names, anything))
def test_whatever_a_function_is_called_with_something_can_be_said(
    parameters: list[str], arguments: list[Any], named: dict[str, Any]
) -> None:
    for row in given(parameters, arguments, named).rows:
        assert row.response is None or isinstance(row.response, (str, list))
        assert row.target is None or isinstance(row.target, (str, list, dict))
