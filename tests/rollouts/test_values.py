import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_records import json_values

from rewardgate.rollouts.values import (
    array_value,
    integer_value,
    is_small,
    name_value,
    reward_value,
    target_value,
    truncated_value,
)


@pytest.mark.parametrize(
    ("cell", "target"),
    [
        (18, "18"),
        (18.0, "18"),
        (-0.5, "-0.5"),
        (1e300, "1e+300"),  # no digits that the float does not have
        (float("nan"), None),
        ("#### 390", "#### 390"),
        ("", None),
        ("  \n", None),
        (" 4 ", " 4 "),
        (None, None),
        (True, "True"),
        (["90", "90.0"], ["90", "90.0"]),
        ([90, 90.5, None, ""], ["90", "90.5"]),
        ([], None),
        ({}, None),
        ({"ground_truth": "3", "style": "rule"}, "3"),
        ({"ground_truth": 3.0}, "3"),
        ({"ground_truth": None}, None),
        ({"tests": ["assert f(1) == 2"]}, {"tests": ["assert f(1) == 2"]}),
    ],
)
def test_a_target_keeps_the_text_that_a_person_would_write(cell: object, target: object) -> None:
    assert target_value(cell) == target


def test_a_target_of_neither_text_nor_specification_is_unknown_and_counted() -> None:
    tally = Counter[str]()
    assert target_value([["4"], {"a": 1}], tally) is None
    assert tally == {"target_not_text": 1}


@pytest.mark.parametrize(
    ("cell", "reward", "warning"),
    [
        (True, 1.0, None),
        (False, 0.0, None),
        (-1, -1.0, None),
        ("1e0", 1.0, None),
        (" 0.5 ", 0.5, None),
        ("True", 1.0, None),
        ("false", 0.0, None),
        (None, None, None),
        ("correct", None, "reward_not_a_number"),
        ("N/A", None, "reward_not_a_number"),
        ("", None, "reward_not_a_number"),
        ("nan", None, "reward_nan"),
        (math.nan, None, "reward_nan"),
        (math.inf, None, "reward_infinite"),
        ("-inf", None, "reward_infinite"),
        (10**400, None, "reward_infinite"),
        ([1.0], None, "reward_not_scalar"),
        ({"score": 1.0}, None, "reward_not_scalar"),
    ],
)
def test_an_odd_reward_is_unknown_and_counted_and_never_zero(
    cell: object, reward: float | None, warning: str | None
) -> None:
    tally = Counter[str]()
    assert reward_value(cell, tally) == reward
    assert list(tally) == ([] if warning is None else [warning])


@given(json_values)
def test_any_cell_is_a_finite_reward_or_unknown(cell: object) -> None:
    reward = reward_value(cell, Counter())
    assert reward is None or math.isfinite(reward)


@given(json_values)
def test_a_target_is_read_the_same_again(cell: object) -> None:
    once = target_value(cell)
    assert once is None or target_value(once) in (once, target_value(json.loads(json.dumps(once))))


@pytest.mark.parametrize(
    ("flag", "reason", "truncated"),
    [
        (True, "stop", True),
        (0, None, False),
        ("True", None, True),
        (None, "length", True),
        (None, "max_tokens", True),
        (None, "stop", False),
        (None, "tool_calls", False),
        (None, "abort", None),  # cut off by somebody, not by the limit
        (None, None, None),
        ("maybe", None, None),
    ],
)
def test_a_response_is_truncated_by_flag_or_by_reason_or_unknown(
    flag: object, reason: str | None, truncated: bool | None
) -> None:
    assert truncated_value(flag, reason) is truncated


def test_whole_numbers_and_names_are_read_from_numbers_and_text() -> None:
    assert [integer_value(cell) for cell in (3, 3.0, "3", 3.5, "x", True, None, math.inf)] == [3, 3, 3] + [None] * 5
    assert [name_value(cell) for cell in (7, 7.0, "p", "", None, [1])] == ["7", "7", "p", None, None, None]


@pytest.mark.parametrize("cell", [{"content": []}, ["a"], [[1], [2]], 3.0, [[1], [1, 2]]])
def test_token_arrays_that_are_no_row_of_numbers_are_left_out_and_counted(cell: Any) -> None:
    tally = Counter[str]()
    assert array_value(cell, "float64", tally) is None
    assert tally == {"tokens_not_aligned": 1}


def test_token_arrays_have_one_dimension_and_the_asked_type() -> None:
    ids = array_value([1, 2, 3], "int64", Counter())
    assert ids is not None
    np.testing.assert_array_equal(ids, [1, 2, 3])
    assert ids.dtype == np.int64
    assert array_value(None, "int64", Counter()) is None


@given(st.integers(0, 10_000))
def test_meta_carries_short_text_and_no_long_one(length: int) -> None:
    assert is_small("x" * length) == (length <= 4096)
    assert is_small(["x" * length]) == (length + 4 <= 4096)


def test_meta_takes_no_value_that_nests_without_end() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert not is_small(deep)
