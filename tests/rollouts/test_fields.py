from typing import Any

import pytest

from rewardgate.rollouts.fields import (
    ColumnKinds,
    ReadOptions,
    kind_of,
    prompt_column,
    response_column,
    reward_columns,
    target_columns,
)


def kinds(*rows: dict[str, Any]) -> ColumnKinds:
    found = ColumnKinds()
    for row in rows:
        found.add(row)
    return found


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"code": "c", "generation": "g", "output": "o", "completion": "c", "response": "r"}, "response"),
        ({"code": "c", "generation": "g", "output": "o", "completion": "c"}, "completion"),
        ({"code": "c", "generation": "g", "output": "o"}, "output"),
        ({"code": "c", "generation": "g"}, "generation"),
        ({"code": "c", "gt": "4"}, "code"),
        ({"code": 200, "text": "t"}, "text"),  # an HTTP code is no response
        ({"responses": ["a", "b"]}, "responses"),
        ({"messages": [{"role": "user", "content": "q"}], "response": "r"}, "response"),
        ({"messages": [{"role": "user", "content": "q"}], "text": "t"}, "messages"),
        ({"question": "q", "solution": "s", "answer": "4"}, "solution"),
        ({"question": "q", "answer": "a", "gold": "4"}, "answer"),
        ({"question": "q", "solution": "s"}, None),  # then it is the target
        ({"question": "q", "answer": "4"}, None),
        ({"prompt": "q", "response": None}, "response"),  # errored attempts only
    ],
)
def test_the_response_is_found_by_name_and_type(row: dict[str, Any], column: str | None) -> None:
    assert response_column(kinds(row)) == column


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"input": "i", "query": "q", "problem": "p", "question": "q", "prompt": "p"}, "prompt"),
        ({"input": "i", "query": "q", "problem": "p", "question": "q"}, "question"),
        ({"prompt": 3, "problem": "p"}, "problem"),
        ({"messages": [{"role": "user", "content": "q"}], "response": "r"}, "messages"),
        ({"response": "r"}, None),
    ],
)
def test_the_prompt_is_found_by_name_and_type(row: dict[str, Any], column: str | None) -> None:
    assert prompt_column(kinds(row), "response") == column


def test_sure_names_of_a_target_come_before_names_that_a_prediction_may_have() -> None:
    found = kinds({"answer": "4", "solution": "so 4", "label": 4, "gt": "4", "ground_truth": "4", "target": None})
    assert target_columns(found, ()) == ["ground_truth", "gt", "answer", "solution", "label"]
    assert target_columns(found, ("solution",)) == ["ground_truth", "gt", "answer", "label"]


def test_a_like_or_dislike_is_a_reward_and_no_target() -> None:
    found = kinds({"prompt": "q", "completion": "a", "label": True})
    assert target_columns(found, ()) == []
    assert reward_columns(found, ()) == (["label"], "label")


@pytest.mark.parametrize(
    ("row", "columns", "main"),
    [
        ({"reward": 1.0, "advantage": 0.3, "n_tokens": 5, "pred_score": 0.2, "step": 1}, ["reward"], "reward"),
        ({"accuracy_reward": 1.0, "format_reward": 0.5}, ["accuracy_reward", "format_reward"], None),
        ({"score": 1.0, "reward_fmt": 1.0, "acc": True}, ["score", "acc", "reward_fmt"], "score"),
        ({"rewards": {"accuracy": 1.0, "format": None}}, ["rewards"], None),
        ({"rewards": {"accuracy": 1.0}, "score": 1.0}, ["rewards", "score"], "score"),
        ({"reward_std": 0.1, "reward_mean": 1.0, "reward_model": "x", "mean_reward_note": "x"}, [], None),
        ({"accuracy_reward": "1.0", "best_reward": "none"}, ["accuracy_reward"], None),  # a table of text
        ({"rewards/accuracy": 1, "rewards/accuracy_std": 2}, ["rewards/accuracy"], None),
        ({"correct": False}, ["correct"], "correct"),
    ],
)
def test_rewards_are_numbers_under_their_names_and_nothing_else(
    row: dict[str, Any], columns: list[str], main: str | None
) -> None:
    assert reward_columns(kinds(row), ()) == (columns, main)


def test_kinds_are_those_of_cells() -> None:
    cells = ["a", True, 1, 1.5, {"a": 1}, [1], [{"role": "user"}], {"role": "user"}]
    assert [kind_of(cell) for cell in cells] == [
        *("text", "flag", "number", "number", "dict", "list", "messages", "messages")
    ]


def test_the_main_kind_is_that_of_most_cells() -> None:
    found = kinds({"reward": 1.0}, {"reward": {"a": 1}}, {"reward": 0.0}, {"reward": None}, {"other": None})
    assert found.main_kind("reward") == "number"
    assert found.main_kind("other") == found.main_kind("absent") == ""


def test_a_file_with_keys_for_names_cannot_fill_the_memory() -> None:
    found = ColumnKinds()
    for number in range(3 * ColumnKinds.MAX_COLUMNS):
        found.add({f"key {number}": 1})
    assert len(found.counts) == ColumnKinds.MAX_COLUMNS


def test_options_list_the_columns_that_were_named() -> None:
    assert ReadOptions(prompt_key="p", tokens=True).named() == {"prompt_key": "p"}
