from math import inf, nan

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reward_batches import Batch, batches

from rewardgate.errors import ArgumentError
from rewardgate.grpo.shapes import (
    check_integers,
    check_known,
    check_mask,
    check_numbers,
    check_rank,
    check_same_shape,
    groups_of,
    rows_and_groups,
)


@pytest.mark.parametrize(
    ("ids", "index", "count", "size"),
    [
        ([5, 5, 2, 2], [0, 0, 1, 1], [2, 2], 2),
        ([5, 2, 5, 2], [0, 1, 0, 1], [2, 2], None),  # interleaved: not a view
        ([5, 5, 5, 2], [0, 0, 0, 1], [3, 1], None),  # ragged
        ([5, 5, 2, 2, 5], [0, 0, 1, 1, 0], [3, 2], None),
        ([-1, 2**62, 2**62, -1], [0, 1, 1, 0], [2, 2], None),
        ([7], [0], [1], 1),
        ([], [], [], None),
    ],
)
def test_groups_are_numbered_in_order_of_first_appearance(
    ids: list[int], index: list[int], count: list[int], size: int | None
) -> None:
    groups = groups_of(torch.tensor(ids, dtype=torch.int64))
    assert (groups.index.tolist(), groups.count.tolist(), groups.size) == (index, count, size)
    assert len(groups) == len(count)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64])
def test_ids_may_have_any_integer_dtype(dtype: torch.dtype) -> None:
    groups = groups_of(torch.tensor([127, 3, 127], dtype=dtype))
    assert groups.index.tolist() == [0, 1, 0]
    assert groups.index.dtype == groups.count.dtype == torch.int64


@given(batches(), st.booleans())
def test_sums_and_spread_are_those_of_a_loop_over_the_groups(batch: Batch, is_sorted: bool) -> None:
    ids = sorted(batch.ids) if is_sorted else batch.ids
    values = [float(row * row - 3) for row in range(len(ids))]
    groups = groups_of(torch.tensor(ids, dtype=torch.int64))
    names = list(dict.fromkeys(ids))
    sums = [sum(value for value, group in zip(values, ids, strict=True) if group == name) for name in names]
    assert groups.sums(torch.tensor(values)).tolist() == sums
    assert groups.spread(torch.tensor(sums)).tolist() == [sums[names.index(group)] for group in ids]


@given(st.integers(1, 4), st.integers(1, 5))
def test_adjacent_groups_of_one_size_are_a_view(n_groups: int, size: int) -> None:
    ids = [9 * group for group in range(n_groups) for _ in range(size)]
    groups = groups_of(torch.tensor(ids))
    assert groups.size == size
    assert groups.sums(torch.ones(n_groups * size)).tolist() == [size] * n_groups


def test_a_row_of_a_matrix_is_a_group() -> None:
    values, groups = rows_and_groups(torch.tensor([[1, 0, 1], [0, 0, 1]]), None)
    assert values.tolist() == [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]
    assert (groups.index.tolist(), groups.count.tolist(), groups.size) == ([0, 0, 0, 1, 1, 1], [3, 3], 3)


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.int32, torch.bfloat16, torch.float16, torch.float32, torch.float64]
)
def test_rewards_of_any_real_dtype_are_read_as_float64(dtype: torch.dtype) -> None:
    values, _ = rows_and_groups(torch.tensor([1, 0]).to(dtype), torch.tensor([0, 0]))
    assert values.dtype == "float64"
    assert values.tolist() == [1.0, 0.0]


def test_groups_move_to_a_device_as_a_whole() -> None:
    groups = groups_of(torch.tensor([4, 4])).to("meta")
    assert groups.index.device.type == groups.count.device.type == "meta"
    assert groups.size == 2


@pytest.mark.parametrize(
    ("rewards", "ids", "message"),
    [
        (torch.zeros(4, 2), torch.zeros(4, dtype=torch.int64), r"^rewards: expected shape \(B,\), got \(4, 2\)$"),
        (
            torch.zeros(4),
            torch.zeros(3, dtype=torch.int64),
            r"^group_ids: expected shape \(4,\) as rewards, got \(3,\)$",
        ),
        (torch.zeros(4), torch.zeros(4), "^group_ids: expected an integer dtype, got float32$"),
        (torch.zeros(4), torch.zeros(4, dtype=torch.bool), "^group_ids: expected an integer dtype, got bool$"),
        (torch.zeros(4), ["a"] * 4, "^group_ids: expected a tensor, got list$"),
        (
            torch.zeros(4),
            None,
            r"^rewards: expected shape \(N, G\) where group_ids is None, got \(4,\); give group_ids",
        ),
        (torch.zeros(2, 2, 2), None, r"^rewards: expected shape \(N, G\) where group_ids is None, got \(2, 2, 2\)"),
        ([1.0, 0.0], None, "^rewards: expected a tensor, got list$"),
        (torch.zeros(2, dtype=torch.complex64), None, "^rewards: expected a real dtype, got complex64$"),
        (torch.tensor([1.0, -inf]), torch.tensor([0, 0]), "^rewards: expected finite numbers or NaN, got -inf at 1$"),
        (torch.tensor([[nan, 0.0], [0.0, inf]]), None, "^rewards: expected finite numbers or NaN, got inf at 1, 1$"),
    ],
)
def test_what_breaks_the_rules_is_refused_by_name(rewards: object, ids: object, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        rows_and_groups(rewards, ids)


def test_each_check_names_the_argument_the_rule_and_the_value() -> None:
    with pytest.raises(ArgumentError, match=r"^completion_mask: expected dtype bool, got int64; pass mask > 0$"):
        check_mask("completion_mask", torch.tensor([0, 1]))
    with pytest.raises(ArgumentError, match=r"^logprobs: expected shape \(B, T\), got \(3,\)$"):
        check_rank("logprobs", torch.zeros(3), "(B, T)")
    with pytest.raises(ArgumentError, match=r"^step_ids: expected shape \(2, 3\) as logprobs, got \(2, 4\)$"):
        check_same_shape("step_ids", torch.zeros(2, 4), "logprobs", torch.zeros(2, 3))
    with pytest.raises(ArgumentError, match=r"^step_rewards: expected finite numbers or NaN, got inf at 0, 2$"):
        check_known("step_rewards", torch.tensor([[nan, 1.0, inf]]))


def test_what_keeps_the_rules_passes() -> None:
    check_mask("completion_mask", torch.tensor([True]))
    check_integers("step_ids", torch.tensor([-1], dtype=torch.int16))
    check_numbers("rewards", torch.tensor([True]))
    check_rank("rewards", torch.zeros(3), "(B,)")
    check_rank("logprobs", torch.zeros(3, 2), "(B, T)")
    check_rank("logits", torch.zeros(3, 2, 1), "(B, T, V)")
    check_same_shape("a", torch.zeros(2), "b", torch.ones(2))
    check_known("step_rewards", torch.tensor([[nan, 1.0], [0.0, -1e30]]))
    check_known("counts", torch.tensor([1, 2]))
