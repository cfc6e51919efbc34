from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rewardgate.rollouts.returned import RewardsOfRow, rewards_returned


def one(returned: Any) -> RewardsOfRow:
    (row,) = rewards_returned(returned, 1, is_batch=False, name="f")
    return row


def of_batch(returned: Any, n_rows: int = 2) -> list[RewardsOfRow]:
    return rewards_returned(returned, n_rows, is_batch=True, name="f")


NUMBERS = [1, 1.0, True, np.float32(1), np.array(1.0), [1.0], SimpleNamespace(reward=1.0)]
NO_NUMBERS = [
    (None, "null"),
    (float("nan"), "NaN"),
    (np.float64("nan"), "NaN"),
    (float("inf"), "Infinity"),
    (10**400, "1" + 59 * "0" + "..."),  # beyond a float
    ("1.0", '"1.0"'),
    ({"pred": "4"}, '{"pred": "4"}'),
    ((1.0, "fine"), '[1.0, "fine"]'),
]


@pytest.mark.parametrize("returned", NUMBERS, ids=lambda value: type(value).__name__)
def test_a_number_in_any_wrapping_is_the_reward(returned: Any) -> None:
    assert one(returned) == RewardsOfRow({"f": 1.0}, "f")


@pytest.mark.parametrize(("returned", "told"), NO_NUMBERS)
def test_anything_else_is_null_with_what_was_returned(returned: Any, told: str) -> None:
    assert one(returned) == RewardsOfRow({"f": None}, "f", told)


def test_a_mapping_names_its_rewards() -> None:
    assert one({"score": 1.0, "acc": True, "pred": "4"}) == RewardsOfRow({"score": 1.0, "acc": 1.0}, "score")
    assert one({"score": None, "acc": 0.0}) == RewardsOfRow({"acc": 0.0, "score": None}, "score", "null")


def test_a_batch_may_be_a_list_an_array_or_a_list_of_mappings() -> None:
    for returned in ([1.0, 0.0], (1, 0), np.array([1.0, 0.0])):
        assert [row.rewards for row in of_batch(returned)] == [{"f": 1.0}, {"f": 0.0}]
    assert [row.rewards for row in of_batch([{"score": 1.0}, {"score": 0.0}])] == [{"score": 1.0}, {"score": 0.0}]


def test_openrlhfs_mapping_of_columns_is_read_row_by_row() -> None:
    returned = {"rewards": np.array([1.0, -1.0]), "scores": [1.0, 0.0], "extra_logs": {"length": [3, 4]}}
    assert of_batch(returned) == [
        RewardsOfRow({"rewards": 1.0, "scores": 1.0}, "rewards"),
        RewardsOfRow({"rewards": -1.0, "scores": 0.0}, "rewards"),
    ]


def test_another_number_of_rewards_than_of_responses_is_said_in_every_row() -> None:
    assert of_batch([1.0, 0.0, 1.0]) == [RewardsOfRow({"f": None}, "f", "3 rewards for 2 responses")] * 2


def test_a_number_for_a_batch_of_one_is_its_reward() -> None:
    assert of_batch(1.0, n_rows=1) == [RewardsOfRow({"f": 1.0}, "f")]
    assert of_batch(1.0)[0].returned == "float for 2 responses"


def test_an_iterator_is_not_used_up() -> None:
    rewards: Iterator[float] = iter([1.0, 0.0])
    assert of_batch(rewards)[0].rewards == {"f": None}
    assert list(rewards) == [1.0, 0.0]
