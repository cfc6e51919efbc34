import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.diagnostics.rows import group_index, number_groups

IDS = st.lists(st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1, 10**6, 10**6 + 1]), max_size=24)


@given(IDS)
def test_integers_are_numbered_as_the_loop_over_hashables_numbers_them(ids: list[int]) -> None:
    distinct, index = group_index(ids)
    array = np.array(ids, dtype=np.int64)
    numbered, numbers, count = number_groups(array)
    assert tuple(numbered.tolist()) == distinct
    assert numbers.tolist() == index.tolist()
    assert count.tolist() == [ids.count(i) for i in distinct]
    assert group_index(array)[0] == distinct


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint64])
def test_ids_at_both_ends_of_a_dtype_stay_apart(dtype: type[np.integer]) -> None:
    ends = np.iinfo(dtype)
    ids = np.array([ends.max, ends.min, ends.max, ends.max - 1], dtype=dtype)
    distinct, index, count = number_groups(ids)
    assert distinct.tolist() == [ends.max, ends.min, ends.max - 1]
    assert index.tolist() == [0, 1, 0, 2]
    assert count.tolist() == [2, 1, 1]


def test_unsigned_ids_beyond_the_signed_ones_are_numbered_too() -> None:
    top = 2**64 - 1
    distinct, index, count = number_groups(np.array([top, top - 1, top], dtype=np.uint64))
    assert (distinct.tolist(), index.tolist(), count.tolist()) == ([top, top - 1], [0, 1, 0], [2, 1])


def test_the_ids_of_an_array_leave_as_python_integers() -> None:
    distinct, _ = group_index(np.array([3, 3, 5]))
    assert [type(i) for i in distinct] == [int, int]
